// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/staggered_hierarchy.hpp"

#include "core/base/parts.hpp"
#include "multigrid/convergence_probe.hpp"
#include "multigrid/parameter_checks.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/staggered.hpp>

#include <fmt/format.h>

#include <utility>

namespace kaon::detail {
namespace {

HypercubeOperator<float> make_hypercubes(const EvenOddOperator<float>& dirac, const MultigridParameters& parameters) {
  const CoarseLinkPrecision stored =
      parameters.smoothing == MultigridPrecision::half ? CoarseLinkPrecision::half : CoarseLinkPrecision::field;
  const auto make = [&](const GaugeField<float>& links, const BoundaryAngles& boundary, double mass) {
    return HypercubeOperator<float>(GaugeField<float>(links, LinkStorage::full), boundary, mass, stored);
  };
  if constexpr (Parts::staggered) {
    if (const auto* naive = dynamic_cast<const Staggered<float>*>(&dirac)) {
      return make(naive->links(), naive->parameters().boundary, naive->mass());
    }
    if (const auto* improved = dynamic_cast<const ImprovedStaggered<float>*>(&dirac)) {
      return make(improved->fat(), improved->parameters().boundary, improved->mass());
    }
  }
  throw Error("multigrid knows the links of naive and of improved staggered operators alone");
}

/// `given` with u in place of v.
MultigridParameters on_hypercubes(const MultigridParameters& given, const EvenOddOperator<float>& dirac,
                                  const HypercubeOperator<float>& hypercubes) {
  MultigridParameters parameters = given;
  if (!given.near_null_vectors) return parameters;
  const SpinorField<float>& v = *given.near_null_vectors;
  require_vectors(v, dirac.lattice(), dirac.domain(), 0);
  SpinorField<float> u = hypercubes.matrix().make_field(v.right_hand_sides());
  hypercubes.map().gather(u, v);
  hypercubes.root().apply_to_all(u, u);
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(std::move(u));
  return parameters;
}

}  // namespace

void HypercubeCycle::apply(SpinorField<float>& z, const SpinorField<float>& r) const {
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

StaggeredHierarchy::StaggeredHierarchy(Ref<EvenOddOperator<float>> dirac, const MultigridParameters& parameters)
    : dirac_(std::move(dirac)),
      hypercubes_(make_hypercubes(*dirac_, parameters)),
      levels_(hypercubes_.matrix(), Ref<LinearOperator<float>>(HypercubeSmoother(hypercubes_, parameters)),
              on_hypercubes(parameters, *dirac_, hypercubes_)),
      cycle_(*dirac_, hypercubes_, levels_),
      report_(levels_.report()) {
  report_.convergence = measure_convergence(*dirac_, cycle_, parameters.seed);
  if (parameters.on_setup) {
    parameters.on_setup(
        fmt::format("on hypercubes an iteration brings the residual down to {:.3f} of it, on sites to {:.3f}",
                    levels_.report().convergence, report_.convergence));
  }
}

SpinorField<float> StaggeredHierarchy::near_null_vectors() const {
  SpinorField<float> u = levels_.near_null_vectors();
  hypercubes_.inverse_root().apply_to_all(u, u);
  SpinorField<float> v = dirac_->make_field(u.right_hand_sides());
HypercubeSmoother::HypercubeSmoother(const HypercubeOperator<float>& hypercubes, const MultigridParameters& parameters)
    : hypercubes_(hypercubes),
      system_(make_system<float>(hypercubes.left_matrix())),
      relaxation_(*system_, {.omega = parameters.omega, .steps = parameters.smoothing_steps}) {}

void HypercubeSmoother::apply(SpinorField<float>& z, const SpinorField<float>& r) const {
  this->require_domain(z, r);
  SpinorField<float>& t = system_->keep_fields(fields_, 1, r.right_hand_sides())[0];
  hypercubes_.inverse_root().apply(t, r);
  relaxation_.apply(z, t);
  hypercubes_.root().apply(z, z);
}

  hypercubes_.map().scatter(v, u);
  return v;
}

}  // namespace kaon::detail
  const HypercubeSpectrum& spectrum = hypercubes_.spectrum();
  report_.hypercubes = MultigridReport::Hypercubes{spectrum.smallest, spectrum.largest, levels_.report().convergence};
  report_.parts.insert(report_.parts.begin(), {"hypercubes", timer_.seconds() - report_.setup_seconds});
  report_.setup_seconds = timer_.seconds();
