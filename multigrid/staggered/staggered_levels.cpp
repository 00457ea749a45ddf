// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/staggered/staggered_levels.hpp"

#include "core/base/parts.hpp"
#include "multigrid/coarse/whole_system.hpp"
#include "multigrid/setup/convergence_probe.hpp"
#include "multigrid/setup/free_memory.hpp"
#include "multigrid/setup/hierarchy_builder.hpp"
#include "multigrid/setup/report.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>
#include <kaon/operators/staggered.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kaon::detail {
namespace {

/// Rules on hypercubes, whose four tastes need more vectors (docs/decisions.md 41). Their V-cycles smooth longer
/// (docs/decisions.md 23).
constexpr LevelRules hypercube_rules(int vectors) {
  const AggregateRule aggregates{.vectors = vectors, .sites = 16.0, .longest = 4};
  return {.components = hypercube_components, .first = aggregates, .others = aggregates, .smoothing_of_v_cycle = 6};
}
constexpr LevelRules standard_rules = hypercube_rules(48);
/// Rules for links on which levels of the standard rules converge badly (docs/decisions.md 48).
constexpr LevelRules wide_rules = hypercube_rules(64);

/// Bytes that a setup needs on a process at most: for hypercubes, and for the first level below them. `waiting`:
/// vectors that exist in addition to those of the level.
double setup_bytes(const Lattice& sites, int vectors, MultigridPrecision stored, int waiting = 0) {
  const auto hypercubes = static_cast<double>(sites.local_volume()) / 16.0;
  constexpr double n = hypercube_components, number = 2.0 * sizeof(float);
  const double stored_number = stored == MultigridPrecision::half ? 2.0 * sizeof(half) : number;
  const double kept = (3.0 * n + outer_columns) * n * stored_number;  // X^-1, X^(1/2), X^(-1/2), E
  const double making = (4.0 * n + outer_columns) * n * number;       // as fields, and X^(-1/2) exact
  const double of_vectors =
      n * (2.0 * vectors + waiting) * number + n * vectors * 2.0 * sizeof(half);  // v, and their QR; V
  constexpr double cycle_fields = 10.0 * 8.0;                                     // of 8 right-hand sides
  const double level = 4.0 * vectors * vectors * (8.0 * 2.0 * sizeof(half) + 7.0 * number) / 16.0;
  return hypercubes * (kept + std::max(making, of_vectors + cycle_fields * n * number + level));
}

void require_memory(const Lattice& sites, const MultigridParameters& parameters) {
  const int vectors = parameters.levels.empty() ? choose_levels_of_quarks(sites, true).front().vectors
                                                : parameters.levels.front().vectors;
  const double bytes = setup_bytes(sites, vectors, parameters.smoothing);
  require_free_memory(
      sites, bytes,
      [&] {
        return fmt::format("the setup of multigrid with {} near-null vectors on {} sites of a process", vectors,
                           to_string(sites.local_extents()));
      },
      "fewer vectors on the first level (levels[0].vectors), or conjugate gradients (cg)");
}

/// The levels that the setup may use if convergence is bad; none if levels are given or memory is short.
std::vector<MultigridCoarsening> find_wide_levels(const Lattice& sites, const MultigridParameters& parameters) {
  if (!parameters.levels.empty()) return {};
  std::vector<MultigridCoarsening> levels = find_levels(sites.coarsened(hypercube), wide_rules);
  if (levels.empty()) return {};
  const int vectors = levels.front().vectors;
  constexpr double margin = 1.4;  // peaks are 1.35 times the count if lattices cache memory (docs/decisions.md 48)
  const double bytes = margin * setup_bytes(sites, vectors, parameters.smoothing, vectors);
  if (missing_bytes(sites, bytes) > 0.0) levels.clear();
  return levels;
}

HypercubeOperator make_hypercubes(const EvenOddOperator<float>& dirac, const MultigridParameters& parameters) {
  const MultigridPrecision stored = parameters.smoothing;
  require_memory(dirac.lattice(), parameters);
  const auto make = [&](const GaugeField<float>& links, const BoundaryAngles& boundary, double mass) {
    return HypercubeOperator(GaugeField<float>(links, LinkStorage::full), boundary, mass, stored);
  };
  if constexpr (Parts::staggered) {
    if (const auto* naive = dynamic_cast<const Staggered<float>*>(&dirac)) {
      // Thin links are too rough within hypercubes (docs/decisions.md 41).
      const GaugeField<double> smeared =
          fat_links(GaugeField<double>(naive->links(), LinkStorage::full), fat7_coefficients());
      return make(GaugeField<float>(smeared), naive->parameters().boundary, naive->mass());
    }
    if (const auto* improved = dynamic_cast<const ImprovedStaggered<float>*>(&dirac)) {
      return make(improved->fat(), improved->parameters().boundary, improved->mass());
    }
  }
  throw Error("multigrid knows the links of naive and of improved staggered operators alone");
}

/// `given` with u in place of v, and with the wide levels if it has as many vectors as these.
MultigridParameters on_hypercubes(const MultigridParameters& given, const EvenOddOperator<float>& dirac,
                                  const HypercubeOperator& hypercubes,
                                  const std::vector<MultigridCoarsening>& wide_levels) {
  MultigridParameters parameters = given;
  if (!given.near_null_vectors) return parameters;
  const SpinorField<float>& v = *given.near_null_vectors;
  require_vectors(v, dirac.lattice(), dirac.domain(), 0);
  SpinorField<float> u = hypercubes.matrix().make_field(v.right_hand_sides());
  hypercubes.map().gather(u, v);
  hypercubes.root().apply_to_all(u, u);
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(std::move(u));
  if (!wide_levels.empty() && v.right_hand_sides() >= wide_levels.front().vectors) parameters.levels = wide_levels;
  return parameters;
}

/// z = T X^(-1/2) c for the approximate solution c of A c = X^(-1/2) T^dag r by a cycle: an approximation of M^-1 r on
/// all sites, M a staggered operator.
class HypercubeCycle final : public LinearOperator<float>, public Counted {
 public:
  /// Borrows all of them; `levels` are those of the matrix of `hypercubes`.
  HypercubeCycle(const LinearOperator<float>& dirac, const HypercubeOperator& hypercubes, const Hierarchy& levels)
      : dirac_(dirac), hypercubes_(hypercubes), levels_(levels) {}

  void apply(SpinorField<float>& z, const SpinorField<float>& r) const override {
    this->require_domain(z, r);
    const int right_hand_sides = r.right_hand_sides();
    const EvenOddSystem<float>& system = levels_.system();
    const auto fields = system.full().keep_fields(fields_, 2, right_hand_sides);
    SpinorField<float>&b = fields[0], &c = fields[1];
    SpinorField<float>& source = system.keep_fields(source_, 1, right_hand_sides)[0];
    hypercubes_.map().gather(b, r);
    hypercubes_.inverse_root().apply_to_all(b, b);
    system.prepare(source, b);
    SpinorField<float> c_p = c.parity(system.parity());
    levels_.cycle().apply(c_p, source);
    system.reconstruct(c, b);
    hypercubes_.inverse_root().apply_to_all(c, c);
    hypercubes_.map().scatter(z, c);
  }
  const Lattice& lattice() const override { return dirac_.lattice(); }
  SpinorParameters domain() const override { return dirac_.domain(); }
  double flops() const override { return flops_of(levels_.cycle()); }

 private:
  const LinearOperator<float>& dirac_;
  const HypercubeOperator& hypercubes_;
  const Hierarchy& levels_;
  mutable KeptFields<float> fields_, source_;
};

/// Minimal residuals, or Richardson's method, on the even-odd system S_L of X^-1 M in place of that of A, S: S^-1 r =
/// X^(1/2) S_L^-1 X^(-1/2) r on hypercubes of one parity. A step multiplies by X^-1 twice, a step on S by
/// X^(-1/2) four times.
class HypercubeSmoother final : public LinearOperator<float>, public Counted {
 public:
  /// Borrows `hypercubes`. Uses minimal residuals if there are no weights.
  HypercubeSmoother(const HypercubeOperator& hypercubes, const MultigridParameters& parameters, const Weights& weights)
      : hypercubes_(hypercubes),
        system_(make_system(hypercubes.left_matrix())),
        relaxation_(make_relaxation<float>(*system_, parameters, weights)) {}

  void apply(SpinorField<float>& z, const SpinorField<float>& r) const override {
    this->require_domain(z, r);
    SpinorField<float>& t = system_->keep_fields(fields_, 1, r.right_hand_sides())[0];
    hypercubes_.inverse_root().apply(t, r);
    relaxation_->apply(z, t);
    hypercubes_.root().apply(z, z);
  }
  const Lattice& lattice() const override { return system_->lattice(); }
  SpinorParameters domain() const override { return system_->domain(); }
  double flops() const override { return flops_of(*relaxation_); }

 private:
  const HypercubeOperator& hypercubes_;
  std::unique_ptr<EvenOddSystem<float>> system_;
  Ref<LinearOperator<float>> relaxation_;
  mutable KeptFields<float> fields_;
};

class StaggeredLevels final : public Levels {
 public:
  StaggeredLevels(const Ref<EvenOddOperator<float>>& dirac, const MultigridParameters& parameters);

  const LinearOperator<float>& matrix() const override { return *dirac_; }
  const LinearOperator<float>& cycle() const override { return cycle_; }
  bool on_all_sites() const override { return true; }
  const MultigridReport& report() const override { return report_; }
  SpinorField<float> near_null_vectors() const override;

 private:
  HierarchyKind kind(const MultigridParameters& parameters) const;

  Ref<EvenOddOperator<float>> dirac_;
  MultigridReport report_;
  SetupReporter setup_;
  std::vector<MultigridCoarsening> wide_levels_;  // empty if levels are given or memory is short
  HypercubeOperator hypercubes_;
  double seconds_of_hypercubes_ = setup_.seconds();
  Hierarchy hierarchy_;
  HypercubeCycle cycle_;
};

HierarchyKind StaggeredLevels::kind(const MultigridParameters& parameters) const {
  return {.make_smoother = [&](const Weights& weights) -> Ref<LinearOperator<float>> {
            return HypercubeSmoother(hypercubes_, parameters, weights);
          },
          .rules = standard_rules,
          .wide_levels = wide_levels_};
}

StaggeredLevels::StaggeredLevels(const Ref<EvenOddOperator<float>>& dirac, const MultigridParameters& parameters)
    : dirac_(dirac),
      setup_(dirac_->lattice(), parameters, report_),
      wide_levels_(find_wide_levels(dirac_->lattice(), parameters)),
      hypercubes_(make_hypercubes(*dirac_, parameters)),
      hierarchy_(build_hierarchy(hypercubes_.matrix(), on_hypercubes(parameters, *dirac_, hypercubes_, wide_levels_),
                                 kind(parameters))),
      cycle_(*dirac_, hypercubes_, hierarchy_) {
  report_ = hierarchy_.report();
  const HypercubeSpectrum& spectrum = hypercubes_.spectrum();
  const double convergence = report_.convergence;
  report_.hypercubes = MultigridReport::Hypercubes{spectrum.smallest, spectrum.largest, convergence};
  report_.parts.insert(report_.parts.begin(), {"hypercubes", seconds_of_hypercubes_});
  report_.convergence = measure_convergence(*dirac_, cycle_, parameters.seed).early;
  setup_.stop("probes");
  setup_.say(fmt::format("on hypercubes an iteration brings the residual down to {:.3f} of it, on sites to {:.3f}",
                         convergence, report_.convergence));
  require_convergence(parameters, report_.convergence);
}

SpinorField<float> StaggeredLevels::near_null_vectors() const {
  SpinorField<float> u = hierarchy_.near_null_vectors();
  hypercubes_.inverse_root().apply_to_all(u, u);
  SpinorField<float> v = dirac_->make_field(u.right_hand_sides());
  hypercubes_.map().scatter(v, u);
  return v;
}

}  // namespace

std::vector<MultigridCoarsening> choose_levels_of_quarks(const Lattice& sites, bool staggered, const Coordinates& grid,
                                                         std::optional<int> vectors) {
  if (!staggered) return choose_levels(sites, {}, grid);
  const Lattice hypercubes = sites.coarsened(hypercube);
  std::vector<MultigridCoarsening> levels;
  if (vectors) levels = find_levels(hypercubes, hypercube_rules(*vectors), grid);
  return levels.empty() ? choose_levels(hypercubes, standard_rules, grid) : levels;
}

std::shared_ptr<const Levels> make_staggered_levels(const Ref<EvenOddOperator<float>>& dirac,
                                                    const MultigridParameters& parameters) {
  return std::make_shared<StaggeredLevels>(dirac, parameters);
}

}  // namespace kaon::detail
