// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "operators/stencil_list.hpp"
#include "solvers/contract/solve_report.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/solve_plan.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kaon {
namespace {

using detail::compiled_stencils;
using detail::Parts;

/// The precisions of iterations, the lowest first.
constexpr std::array precisions{precision_name<half>(), precision_name<float>(), precision_name<double>()};

/// Conjugate gradients in single precision take several times the iterations of those in double where the condition
/// number is larger: rounding errors bring low modes back (docs/precision.md).
constexpr double largest_condition_in_single = 0.1 / 0x1p-24;
/// |D|^2 of HISQ quarks in the free field.
constexpr double largest_hop2 = 22.0;

/// The condition number of the normal operator of staggered quarks, 1 of other quarks.
template <class T>
double condition_of(const EvenOddOperator<T>& dirac) {
  if constexpr (Parts::staggered) {
    if (const auto* const staggered = dynamic_cast<const StaggeredLike<T>*>(&dirac)) {
      return 1.0 + largest_hop2 / std::pow(2.0 * staggered->mass(), 2);
    }
  }
  return 1.0;
}

template <class T>
bool is_wall(const EvenOddOperator<T>& dirac) {
  return Parts::domain_wall && dynamic_cast<const DomainWall<T>*>(&dirac) != nullptr;
}

class Planner {
 public:
  template <class T>
  Planner(const Quark<T>& quark, const SolveOptions& options)
      : options_(options),
        kind_(kind_of(*quark)),
        is_wall_(is_wall(*quark)),
        coarsenable_(is_coarsenable(*quark)),
        suits_asymmetric_form_(quark->suits_asymmetric_form()),
        partitioned_(quark->lattice().is_partitioned()),
        compressed_(quark.compressed_links()),
        condition_(condition_of(*quark)),
        outer_(options.outer == OuterPrecision::single ? precision_name<float>() : precision_name<T>()) {}

  SolvePlan plan() {
    require(options_.schur || options_.method != KrylovMethod::gcr_dd,
            "GCR-DD needs even-odd preconditioning: name the form of the Schur complement");
    SolvePlan plan{.precision = outer_, .eigenvectors = options_.eigenvectors};
    const KrylovMethod krylov = krylov_method();
    if (options_.method == KrylovMethod::automatic) {
      options_.method = krylov;
      if (kind_ == OperatorKind::indefinite) {
        choose_form();
        if (is_wall_ && detail::has_precision<float>) plan.block_rungs = block_rungs();
      } else if (suits_multigrid()) {
        plan.until_multigrid_pays = counted_rungs();
        options_.method = KrylovMethod::multigrid;
      }
    }
    require_eigenvectors_fit();
    std::string how;
    if (options_.method == KrylovMethod::multigrid) {
      plan.rungs.push_back(multigrid());
      options_.method = krylov;
      how = kind_ == OperatorKind::staggered    ? "by conjugate gradients"
            : kind_ == OperatorKind::indefinite ? "by CGNR"
                                                : "by BiCGstab";
      if (kind_ == OperatorKind::indefinite) choose_form();
    }
    std::vector<SolveRung> rungs = krylov_rungs();
    rungs.front().how = how;
    plan.rungs.insert(plan.rungs.end(), rungs.begin(), rungs.end());
    return plan;
  }

  SolvePlan shifts(double tolerance) {
    options_.tolerance = tolerance;
    options_.method = KrylovMethod::cg;
    SolvePlan plan{.precision = outer_, .eigenvectors = options_.eigenvectors};
    const auto has = [](std::size_t k) { return compiled_stencils().has_precision(precisions[k]); };
    const InnerPrecision inner = detail::inner_of_double(options_);
    if (inner == InnerPrecision::outer || !has(1)) {
      plan.rungs.push_back(exact_rung());
      return plan;
    }
    plan.rungs.push_back(rung(precisions[1], options_.links.value_or(compressed_), options_.halo));
    if (inner == InnerPrecision::half && has(0)) {
      plan.rungs.push_back(rung(precisions[0], options_.links.value_or(compressed_), options_.halo));
    }
    return plan;
  }

 private:
  /// The method that the default starts with, and that continues after multigrid.
  KrylovMethod krylov_method() const {
    if (kind_ == OperatorKind::indefinite) return KrylovMethod::cgnr;
    return kind_ == OperatorKind::staggered ? KrylovMethod::cg : KrylovMethod::bicgstab;
  }
  /// The form of the Schur complement in which CGNR takes fewer iterations.
  void choose_form() {
    if (options_.schur && suits_asymmetric_form_) options_.schur = SchurForm::asymmetric;
  }

  bool suits_multigrid() const {
    if (!Parts::multigrid || !detail::has_precision<float>) return false;  // in which it iterates
    return options_.schur == SchurForm::symmetric && !options_.eigenvectors &&
           (kind_ == OperatorKind::staggered || coarsenable_);
  }

  void require_eigenvectors_fit() const {
    if (!options_.eigenvectors) return;
    if (options_.method != KrylovMethod::multigrid) {
      if (!Parts::eigenvectors) detail::refuse_part("eigenvectors");
      require(outer_ == precision_name<double>(), "eigenvectors deflate solvers in double only: leave them out");
    }
    require(options_.method == KrylovMethod::cg,
            "eigenvectors deflate conjugate gradients of staggered operators only: leave them out, or take conjugate "
            "gradients (cg)");
  }

  /// The number in `precisions` of solutions, and of the first iterations.
  std::size_t last() const { return outer_ == precisions[2] ? 2 : 1; }
  std::size_t first() const {
    if (options_.inner == InnerPrecision::outer) return last();
    return options_.inner == InnerPrecision::half && options_.method != KrylovMethod::block_cg ? 0 : 1;
  }
  bool pure() const { return first() == last(); }
  LinkStorage links() const { return options_.links.value_or(pure() ? LinkStorage::full : compressed_); }

  SolveRung rung(const std::string& precision, LinkStorage links, HaloPrecision halo) const {
    return {.method = options_.method,
            .precision = precision,
            .links = links,
            .halo = halo,
            .form = options_.schur,
            .normal = kind_ == OperatorKind::staggered &&
                      (options_.method == KrylovMethod::cg || options_.method == KrylovMethod::block_cg),
            .parity = options_.parity,
            .bounds = {.tolerance = options_.tolerance,
                       .max_iterations = options_.max_iterations,
                       .reliable_delta = options_.reliable_delta},
            .schwarz = {.steps = options_.schwarz_steps}};
  }
  SolveRung exact_rung() const { return rung(outer_, LinkStorage::full, HaloPrecision::field); }

  /// Rungs in rising precisions up to the exact operator. Precisions that were not compiled are replaced by the next
  /// higher one. Light staggered quarks have none in single precision between.
  std::vector<SolveRung> krylov_rungs() const {
    if (pure()) {
      std::vector<SolveRung> rungs{rung(outer_, links(), options_.halo)};
      if (options_.halo != HaloPrecision::field && partitioned_) {
        rungs.push_back(rung(outer_, links(), HaloPrecision::field));
        rungs.back().how = "with exact halos";
      }
      return rungs;
    }
    std::vector<SolveRung> rungs;
    std::string notice;
    for (std::size_t k = first(); k <= last(); ++k) {
      const std::string& precision = precisions[k];
      const bool is_between = k == 1 && k > first() && k < last();
      if (is_between && condition_ > largest_condition_in_single) continue;
      if (k < last() && !compiled_stencils().has_precision(precision)) {
        notice += fmt::format(
            "{}this kaon was built without operators in {} precision (CMake's KAON_PRECISIONS): iterating in {} "
            "precision",
            notice.empty() ? "" : "; ", precision, precisions[k + 1]);
        continue;
      }
      // Rounded halos may have been too inaccurate.
      const HaloPrecision halo = rungs.empty() ? options_.halo : HaloPrecision::field;
      rungs.push_back(k == last() ? exact_rung() : rung(precision, links(), halo));
      rungs.back().notice = std::exchange(notice, {});
      if (rungs.size() > 1) rungs.back().how = fmt::format("in {} precision", precision);
    }
    return rungs;
  }

  std::vector<SolveRung> block_rungs() const {
    Planner of_blocks = *this;
    of_blocks.options_.method = KrylovMethod::block_cg;
    return of_blocks.krylov_rungs();
  }

  /// The rungs whose iterations are counted until multigrid pays.
  std::vector<SolveRung> counted_rungs() const {
    std::vector<SolveRung> rungs = krylov_rungs();
    if (pure()) {
      rungs.resize(1);
    } else if (options_.links) {
      rungs.back().links = *options_.links;
    }
    return rungs;
  }

  SolveRung multigrid() const {
    if (!Parts::multigrid) detail::refuse_part("multigrid");
    const bool is_chosen = kind_ == OperatorKind::indefinite && options_.schur == SchurForm::asymmetric;
    require(options_.schur == SchurForm::symmetric || is_chosen,
            "multigrid chooses the form of the Schur complement: leave the symmetric one, which is the default");
    SolveRung result = rung(precisions[1], links(), HaloPrecision::field);
    result.multigrid = options_.multigrid;
    result.multigrid.tolerance = options_.tolerance;
    result.multigrid.max_iterations =
        std::min(result.multigrid.max_iterations, std::max(1, options_.max_iterations / 2));
    result.multigrid.links = result.links;
    if (options_.inner != InnerPrecision::half) result.multigrid.smoothing = MultigridPrecision::single;
    return result;
  }

  SolveOptions options_;
  OperatorKind kind_;
  bool is_wall_, coarsenable_, suits_asymmetric_form_, partitioned_;
  LinkStorage compressed_;
  double condition_;
  std::string outer_;
};

std::string line_of(const SolveRung& rung) {
  std::string text{entry_of(rung.method).word};
  if (!rung.how.empty()) text = fmt::format("{}: {}", rung.how, text);
  text += fmt::format(", {}, links of {} reals", rung.precision, reals(rung.links));
  if (rung.halo != HaloPrecision::field) {
    text += fmt::format(", halos in {}", rung.halo == HaloPrecision::half ? "half" : "single");
  }
  const std::string_view parity = rung.parity == Parity::even ? "even" : "odd";
  if (rung.method == KrylovMethod::cg || rung.normal) return text + fmt::format(", normal system on {} sites", parity);
  if (!rung.form) return text + ", all sites";
  return text + fmt::format(", {} complement on {} sites",
                            *rung.form == SchurForm::symmetric ? "symmetric" : "asymmetric", parity);
}

}  // namespace

std::string detail::refusal_of(KrylovMethod method, OperatorKind kind) {
  static constexpr std::array quarks{"quarks of Wilson's kind", "domain wall quarks and twisted doublets",
                                     "staggered quarks"};
  if (entry_of(method).solves_for(kind)) return {};
  std::vector<std::string_view> words;
  for (const SolvingMethod& of : krylov_methods) {
    if (of.solves_for(kind)) words.push_back(of.word);
  }
  const std::string_view last = words.back();
  words.pop_back();
  return fmt::format("{} does not solve for {}: take {} or {}", entry_of(method).word,
                     quarks[static_cast<std::size_t>(kind)], fmt::join(words, ", "), last);
}

bool SolvingMethod::is_built() const {
  if (part == "solvers" && !Parts::solvers) return false;
  if (part == "multigrid" && !(Parts::multigrid && detail::has_precision<float>)) return false;
  return std::ranges::any_of(fermion_families(),
                             [&](const FermionFamily& family) { return family.is_built() && solves_for(family.kind); });
}

const SolverOption& solver_option(std::string_view name) {
  const auto* const found = std::ranges::find(solver_options, name, &SolverOption::name);
  require(found != solver_options.end(), [&] { return fmt::format("{} is no option of solvers", name); });
  return *found;
}

template <class T>
SolvePlan plan(const Quark<T>& quark, const SolveOptions& options) {
  detail::require_bounds({.tolerance = options.tolerance, .max_iterations = options.max_iterations});
  detail::require_reliable_delta(options.reliable_delta);
  detail::require_same_receivers(quark->lattice(), options.on_iteration);
  const std::string refusal = detail::refusal_of(options.method, kind_of(*quark));
  require(refusal.empty(), [&] { return refusal; });
  return Planner(quark, options).plan();
}

SolvePlan plan_shifts(const Quark<double>& quark, const SolveOptions& options, double tolerance) {
  detail::require_same_receivers(quark->lattice(), options.on_iteration);
  return Planner(quark, options).shifts(tolerance);
}

std::string to_string(const SolvePlan& plan) {
  std::string text = fmt::format("solutions in {} precision\n", plan.precision);
  for (const SolveRung& rung : plan.until_multigrid_pays) text += "until multigrid pays " + line_of(rung) + "\n";
  for (const SolveRung& rung : plan.rungs) text += line_of(rung) + "\n";
  for (const SolveRung& rung : plan.block_rungs) {
    text += fmt::format("of {} or more right-hand sides {}\n", least_block, line_of(rung));
  }
  return text;
}

template SolvePlan plan(const Quark<double>&, const SolveOptions&);
template SolvePlan plan(const Quark<float>&, const SolveOptions&);

}  // namespace kaon
