// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "core/blas/solver_blas.hpp"
#include "core/tuning/phases.hpp"
#include "core/tuning/tuning.hpp"
#include "quarks/light_masses.hpp"
#include "quarks/rung_solver.hpp"
#include "quarks/shift_solver.hpp"
#include "solvers/contract/solve_report.hpp"
#include "solvers/contract/source_scale.hpp"
#include "solvers/contract/targets.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kaon {
namespace {

/// Part of the tolerance that the solves on each parity aim at: x is computed from y with rounding.
constexpr double safety = 0.9;

double lightest(const std::vector<double>& masses) {
  require(!masses.empty(), "a solver for several masses needs at least one");
  double smallest = std::abs(masses[0]);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    require(std::isfinite(masses[i]) && masses[i] != 0.0,
            [&] { return fmt::format("mass {} is {}: it must be a number that is not zero", i, masses[i]); });
    smallest = std::min(smallest, std::abs(masses[i]));
  }
  return smallest;
}

bool is_out_of_iterations(const SolveResult& result) {
  return std::ranges::any_of(result.right_hand_sides,
                             [](const auto& r) { return r.status == SolveStatus::max_iterations; });
}

/// Eigenvectors on odd sites of those on even ones: v_o = D_oe v_e / |D_oe v_e|, orthonormal, as exact or rounded as
/// those are. Vectors that a small eigenvalue makes too inaccurate are left out; null where none is left.
std::shared_ptr<const Eigenvectors<double>> on_odd_sites(const EvenOddOperator<double>& dirac,
                                                         const Eigenvectors<double>& even) {
  constexpr double largest_residual = 0.05;  // of an eigenvalue
  const bool rounded = even.vectors.empty();
  const auto normal = dirac.normal_system(Parity::odd);
  const auto odd = std::make_shared<Eigenvectors<double>>();
  SpinorField<double> v = dirac.make_field(1), image = dirac.make_field(1), rest = normal->make_field(1);
  SpinorField<double> v_e = v.parity(Parity::even);
  for (std::size_t i = 0; i < std::max(even.vectors.size(), even.rounded.size()); ++i) {
    if (rounded) {
      blas::copy(v_e, even.rounded[i]);
    } else {
      blas::copy(v_e, even.vectors[i]);
    }
    dirac.apply(image, v);
    SpinorField<double> v_o = blas::clone(image.parity(Parity::odd));
    if (!odd->vectors.empty()) {
      std::vector<blas::Complexes> parts = blas::block_inner_product<double>(odd->vectors, v_o).products;
      for (blas::Complexes& part : parts) part[0] = -part[0];
      blas::block_caxpy<double>(v_o, odd->vectors, parts);
    }
    const double norm2 = blas::norm2(v_o)[0];
    if (!(norm2 > 0.0)) continue;
    blas::scale(v_o, 1.0 / std::sqrt(norm2));
    const auto [value, residual] = detail::ritz_pair(*normal, v_o, rest);
    if (residual > largest_residual * value) continue;
    if (rounded) {
      SpinorField<half>& stored = odd->rounded.emplace_back(v_o.lattice(), v_o.parameters());
      blas::copy(stored, v_o);
    } else {
      odd->vectors.push_back(std::move(v_o));
    }
  }
  if (odd->vectors.empty() && odd->rounded.empty()) return nullptr;
  return odd;
}

}  // namespace

class MultiMassSolver::Impl {
 public:
  Impl(const Quark<double>& dirac, std::vector<double> masses, const SolveOptions& options)
      : masses_(std::move(masses)),
        lightest_(lightest(masses_)),
        dirac_(dirac.with_mass(lightest_)),
        options_(options),
        order_(masses_.size()) {
    const detail::Phase phase(detail::PhaseName::setup);
    detail::require_tolerance(options.tolerance);
    options_.inner = detail::inner_of_double(options);
    options_.outer = OuterPrecision::of_operator;
    KrylovMethod& method = options_.method;
    if (options.eigenvectors && method == KrylovMethod::automatic) method = KrylovMethod::cg;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return std::abs(masses_[i]); });
    require(!options.eigenvectors || method == KrylovMethod::cg,
            "eigenvectors deflate conjugate gradients: leave them out, or take the method cg");
    make_sweep(0, order_.size());  // what it refuses is refused at once
    require(method == KrylovMethod::cg || method == KrylovMethod::automatic || method == KrylovMethod::multigrid,
            "several masses are solved for by conjugate gradients (cg), by multigrid, or as kaon chooses (auto)");
    constexpr bool has_multigrid = detail::Parts::multigrid && detail::has_precision<float>;  // in which it iterates
    if (!has_multigrid && method == KrylovMethod::multigrid) detail::refuse_part("multigrid");
    if (has_multigrid && method != KrylovMethod::cg) {
      std::vector<double> rising;
      for (const std::size_t i : order_) rising.push_back(masses_[i]);
      light_.emplace(dirac_, std::move(rising), options_);
    }
    options_.multigrid.near_null_vectors = nullptr;
  }

  std::vector<SolveResult> solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) {
    for (const SpinorField<double>& x_i : x) {
      require(x_i.parameters() == b.parameters() && x_i.lattice() == b.lattice(),
              "x and b of a solve must have the same lattice, sites, spins, colours and right-hand sides");
    }
    detail::require_own_fields(x, b, masses_.size(), "masses");  // of one shape
    const detail::SourceLengths lengths = detail::source_lengths(b);
    if (!lengths.in_range) {
      return detail::solve_with_scale(x, b, lengths.scale,
                                      [&](const SpinorField<double>& scaled) { return solve(x, scaled); });
    }
    detail::tell_zeros(b.lattice(), lengths);
    const detail::Phase phase(detail::PhaseName::solve);
    const Kokkos::Timer timer;
    const double tuning_before = detail::tuning_seconds();
    std::vector<SolveResult> results(masses_.size());
    const std::size_t all = order_.size(), before = masses_by_multigrid();
    bool goes_on = true;
    // A sweep that multigrid has ended for its lightest mass starts again for the others.
    for (bool is_complete = before == all; goes_on && !is_complete;) {
      detail::Leave leave;
      const std::size_t first = masses_by_multigrid();
      goes_on = sweep(first, all, leave, x, b, results);
      if (!goes_on || !light_) break;
      if (leave.reason != nullptr) light_->take(leave);
      is_complete = leave.reason == nullptr || masses_by_multigrid() == all;
    }
    for (std::size_t k = 0; k < masses_by_multigrid(); ++k) {
      const std::size_t i = order_[k];
      if (k < before) blas::set_zero(x[i]);
      if (goes_on) {
        results[i].append(light_->solve(k, x[i], b), {});
        detail::set_errors(results[i], x[i], b);
        goes_on = !results[i].stopped;
      } else {
        detail::stop(results[i], blas::norm2(b));
      }
    }
    if (light_) light_->drop_if_wrong();
    const double seconds = timer.seconds() - (detail::tuning_seconds() - tuning_before);
    for (SolveResult& result : results) result.seconds = seconds;
    return results;
  }

  const std::vector<double>& masses() const { return masses_; }
  std::size_t masses_by_multigrid() const { return light_ ? light_->taken() : 0; }
  const detail::LightMasses* light() const { return light_ ? &*light_ : nullptr; }

 private:
  /// The sweep of the masses from the `first` lightest on to the `last`.
  struct Sweep {
    std::size_t first = 0, last = 0;
    std::optional<detail::ShiftSolver> on_parity[2];  // the odd one when it is needed
  };

  void make_sweep(std::size_t first, std::size_t last) {
    if (sweep_.first == first && sweep_.last == last) return;
    sweep_ = {first, last, {}};
    (void)on_parity(Parity::even);
  }

  /// The solver of its shifts of the normal operator of a parity.
  const detail::ShiftSolver& on_parity(Parity parity) {
    std::optional<detail::ShiftSolver>& solver = sweep_.on_parity[static_cast<int>(parity)];
    if (solver) return *solver;
    std::vector<double> shifts;
    for (std::size_t k = sweep_.first; k < sweep_.last; ++k) {
      const double mass = std::abs(masses_[order_[k]]);
      shifts.push_back(4.0 * (mass - lightest_) * (mass + lightest_));
    }
    const auto matrix = [&]<class T>(const Ref<EvenOddOperator<T>>& full) {
      return detail::system_of(full, {.method = KrylovMethod::cg, .parity = parity});
    };
    SolveOptions options = options_;
    if (parity == Parity::odd && options.eigenvectors) {
      options.eigenvectors = on_odd_sites(*dirac_, *options.eigenvectors);
    }
    solver = detail::make_shift_solver(dirac_, matrix, shifts, safety * options.tolerance, options);
    return *solver;
  }

  /// Solves for the masses from the `first` lightest on to the `last`. Multigrid ends the sweep when it pays for the
  /// first one, as `leave` says. Returns whether all may continue.
  bool sweep(std::size_t first, std::size_t last, detail::Leave& leave, std::span<SpinorField<double>> x,
             const SpinorField<double>& b, std::span<SolveResult> results) {
    make_sweep(first, last);
    const std::span<const std::size_t> swept = std::span(order_).subspan(first, last - first);
    const EvenOddOperator<double>& dirac = *dirac_;
    const int right_hand_sides = b.right_hand_sides();
    const blas::Reals b_norm2 = blas::norm2(b);
    std::vector<SpinorField<double>> y;
    std::vector<SolveResult> solved(swept.size());
    for (SolveResult& result : solved) {
      y.push_back(dirac.make_field(right_hand_sides));
      result.right_hand_sides.assign(b_norm2.size(), {.status = SolveStatus::converged});
    }
    std::vector<Parity> parities;
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const blas::Reals norm2 = blas::norm2(b.parity(parity));
      if (std::ranges::any_of(norm2, [](double value) { return value != 0.0; })) parities.push_back(parity);
    }
    std::optional<detail::LightMasses::Watch> watch;
    if (light_ && light_->is_possible()) watch.emplace(*light_, right_hand_sides, static_cast<int>(parities.size()));
    bool stopped = false;
    for (const Parity parity : parities) {
      std::vector<SpinorField<double>> y_p;
      for (SpinorField<double>& y_i : y) y_p.push_back(y_i.parity(parity));
      SolveRequest request;
      if (watch) request.progress = watch->next_parity();
      std::vector<SolveResult> of_parity = on_parity(parity)(y_p, b.parity(parity), request);
      stopped = std::ranges::any_of(of_parity, [](const SolveResult& result) { return result.stopped; });
      const bool by_multigrid = stopped && watch && !b.lattice().communicator().any(watch->user_stops());
      if (by_multigrid) {
        leave = watch->decision();
        stopped = false;
        for (SolveResult& result : of_parity) detail::resume(result);
      }
      for (std::size_t k = 0; k < swept.size(); ++k) solved[k].append_part(of_parity[k]);
      if (stopped || by_multigrid) break;
    }
    if (watch && leave.reason == nullptr && !stopped) {
      light_->count(solved[0]);
      const int allowed = static_cast<int>(parities.size()) * options_.max_iterations;
      if (is_out_of_iterations(solved[0])) leave = detail::leave_after_failure(allowed);
    }
    SpinorField<double> residual = dirac.make_field(right_hand_sides);
    for (std::size_t k = 0; k < swept.size(); ++k) {
      const std::size_t i = swept[k];
      apply(i, x[i], y[k], true);
      apply(i, residual, x[i], false);
      const blas::Reals norm2 = blas::xmy_norm2(residual, b);
      for (std::size_t side = 0; side < norm2.size(); ++side) {
        auto& r = solved[k].right_hand_sides[side];
        r.error_per_residual =
            detail::staggered_error_per_residual(r.error_at_least ? 0.0 : r.error_per_residual, masses_[i]);
        r.error_at_least = false;
        r.true_residual = b_norm2[side] > 0.0 ? std::sqrt(norm2[side] / b_norm2[side]) : std::sqrt(norm2[side]);
        if (r.true_residual <= options_.tolerance) {
          r.status = SolveStatus::converged;
        } else if (r.status == SolveStatus::converged) {
          // The residual of y is smaller than the rounding of x allows.
          r.status = stopped ? SolveStatus::stopped : SolveStatus::stagnated;
        }
      }
      detail::set_errors(solved[k], x[i], b);
      solved[k].stopped = stopped;
      solved[k].flops += 2.0 * flops_of(dirac) * right_hand_sides;
      results[i].append(solved[k], {});
    }
    return !stopped;
  }

  /// out = in (2 m_i - D) (dagger), or (2 m_i + D) in.
  void apply(std::size_t i, SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const {
    dirac_->apply(out, in);  // (2 m + D) in, with the lightest mass
    if (dagger) blas::scale(out, -1.0);
    blas::axpy(out, in, 2.0 * masses_[i] + (dagger ? 2.0 : -2.0) * lightest_);
  }

  std::vector<double> masses_;
  double lightest_;      // |m| of the lightest
  Quark<double> dirac_;  // with that mass
  SolveOptions options_;
  std::vector<std::size_t> order_;            // of the masses, the lightest first
  std::optional<detail::LightMasses> light_;  // none: conjugate gradients alone
  Sweep sweep_;                               // the last one
};

MultiMassSolver::MultiMassSolver(const Quark<double>& dirac, std::vector<double> masses, const SolveOptions& options)
    : impl_(std::make_shared<Impl>(dirac, std::move(masses), options)) {}

std::vector<SolveResult> MultiMassSolver::solve(std::span<SpinorField<double>> x, const SpinorField<double>& b) const {
  return impl_->solve(x, b);
}

const std::vector<double>& MultiMassSolver::masses() const { return impl_->masses(); }

std::size_t MultiMassSolver::masses_by_multigrid() const { return impl_->masses_by_multigrid(); }

std::optional<MultigridReport> MultiMassSolver::multigrid_report() const {
  return impl_->light() != nullptr ? impl_->light()->report() : std::nullopt;
}

SpinorField<float> MultiMassSolver::near_null_vectors() const {
  require(multigrid_report().has_value(), "this solver has no near-null vectors: choose the method multigrid");
  return impl_->light()->near_null_vectors();
}

}  // namespace kaon
