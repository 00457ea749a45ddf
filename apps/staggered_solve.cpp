// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/staggered_solve.hpp"

#include "apps/output.hpp"
#include "apps/propagator_solve.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/propagators/multi_mass_solver.hpp>
#include <kaon/propagators/propagator_solver.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace kaon::apps {
namespace {

/// The operator of a mass.
using MakeOperator = std::function<AnyOperator<double>(double mass)>;

/// Masses whose operators have the same links.
struct MassGroup {
  std::vector<std::size_t> places;  ///< in the plan's masses
  MakeOperator dirac_of;
};

std::vector<std::size_t> all_places(const PropagatorPlan& plan) {
  std::vector<std::size_t> places;
  for (std::size_t n = 0; n < plan.masses.size(); ++n) places.push_back(n);
  return places;
}

MakeOperator improved_operator(ImprovedLinks&& links, const PropagatorPlan& plan) {
  return
      [links = std::make_shared<const ImprovedLinks>(std::move(links)), boundary = plan.physics.boundary](double mass) {
        return AnyOperator<double>(ImprovedStaggered<double>(
            links->fat, links->third, {.mass = mass, .third_weight = links->third_weight, .boundary = boundary}));
      };
}

/// Links of files were rounded, to single precision often: back to SU(3) before they are fattened.
GaugeField<double> reunitarized(const GaugeField<double>& links) {
  GaugeField<double> thin = links.clone();
  reunitarize(thin);
  return thin;
}

std::vector<MassGroup> hisq_groups(const GaugeField<double>& thin, const PropagatorPlan& plan) {
  std::vector<double> epsilons;
  std::vector<MassGroup> groups;
  for (std::size_t n = 0; n < plan.masses.size(); ++n) {
    const auto found = std::find(epsilons.begin(), epsilons.end(), plan.naik_epsilons[n]);
    const auto group = static_cast<std::size_t>(found - epsilons.begin());
    if (found == epsilons.end()) {
      epsilons.push_back(plan.naik_epsilons[n]);
      groups.emplace_back();
    }
    groups[group].places.push_back(n);
  }
  std::vector<ImprovedLinks> links = hisq_links(thin, epsilons);
  for (std::size_t k = 0; k < groups.size(); ++k) groups[k].dirac_of = improved_operator(std::move(links[k]), plan);
  return groups;
}

std::vector<MassGroup> mass_groups(const GaugeInput& gauge, const PropagatorPlan& plan) {
  const GaugeField<double>& links = gauge.links;
  if (gauge.smeared) {
    const ImprovedLinks& given = *gauge.smeared;
    return {{all_places(plan), improved_operator({given.fat.share(), given.third.share(), given.third_weight}, plan)}};
  }
  if (plan.action == "hisq") return hisq_groups(reunitarized(links), plan);
  if (plan.action == "asqtad") {
    return {{all_places(plan), improved_operator(asqtad_links(reunitarized(links), *plan.given.u0), plan)}};
  }
  const auto shared = std::make_shared<const GaugeField<double>>(links.share());
  return {{all_places(plan), [shared, boundary = plan.physics.boundary](double mass) {
             return AnyOperator<double>(Staggered<double>(*shared, {.mass = mass, .boundary = boundary}));
           }}};
}

/// Answers in single precision are computed in double, with iterations in single: no less exact, and as fast.
MultiMassParameters multi_mass_parameters(const PropagatorSolverParameters& parameters, const PropagatorPlan& plan) {
  const bool pure = parameters.inner == InnerPrecision::outer;
  return {.tolerance = parameters.tolerance,
          .max_iterations = parameters.max_iterations,
          .inner = pure && plan.single() ? InnerPrecision::single : parameters.inner,
          .links = parameters.links,
          .halo = parameters.halo,
          .reliable_delta = parameters.reliable_delta,
          .on_iteration = parameters.on_iteration};
}

}  // namespace

std::vector<SolveResult> solve_staggered(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                                         std::span<SpinorField<double>> propagators) {
  SpinorField<double> source(gauge.links.lattice(), plan.shape());
  set_source(source, plan, gauge.links);
  const PropagatorSolverParameters parameters = solver_parameters(session, plan);
  std::vector<SolveResult> results(plan.masses.size());
  for (const MassGroup& group : mass_groups(gauge, plan)) {
    if (group.places.size() == 1 && !plan.single()) {
      const std::size_t n = group.places.front();
      results[n] = PropagatorSolver<double>(group.dirac_of(plan.masses[n]), parameters).solve(propagators[n], source);
      continue;
    }
    std::vector<double> masses;
    std::vector<SpinorField<double>> x;
    for (const std::size_t n : group.places) {
      masses.push_back(plan.masses[n]);
      x.push_back(propagators[n].range(0, source.right_hand_sides()));
    }
    const MultiMassSolver solver(group.dirac_of(masses.front()), masses, multi_mass_parameters(parameters, plan));
    std::vector<SolveResult> of_group = solver.solve(x, source);
    for (std::size_t k = 0; k < of_group.size(); ++k) results[group.places[k]] = std::move(of_group[k]);
  }
  return results;
}

}  // namespace kaon::apps
