// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/staggered_solve.hpp"

#include "apps/multigrid_file.hpp"
#include "apps/output.hpp"
#include "apps/propagator_solve.hpp"
#include "apps/staggered_input.hpp"
#include "apps/with_option.hpp"

#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/propagators/multi_mass_solver.hpp>
#include <kaon/propagators/propagator_solver.hpp>
#include <kaon/solvers/eigenvector_file.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace kaon::apps {
namespace {

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

/// The eigenvectors in the file of --eigenvectors, which are those of all masses.
std::shared_ptr<const Eigenvectors<double>> read_low_modes(const Session& session, const std::string& file,
                                                           const AnyOperator<double>& dirac) {
  Eigenvectors<double> read = with_option(
      "--eigenvectors", [&] { return read_eigenvectors<double>(file, *dirac->normal_system(Parity::even)); });
  say(session, "eigenvectors  {} of {}, largest residual {:.1e}\n", read.vectors.size(), file,
      *std::max_element(read.residuals.begin(), read.residuals.end()));
  return std::make_shared<const Eigenvectors<double>>(std::move(read));
}

}  // namespace

std::vector<SolveResult> solve_staggered(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                                         std::span<SpinorField<double>> propagators) {
  SpinorField<double> source(gauge.links.lattice(), plan.shape());
  set_source(source, plan, gauge.links);
  ResidualHistory history;
  PropagatorSolverParameters parameters = solver_parameters(history, session, plan);
  const std::string& file = plan.given.multigrid_file;
  std::vector<SolveResult> results(plan.masses.size());
  for (const MassGroup& group : mass_groups(gauge, plan)) {
    const bool deflated = !plan.given.eigenvectors.empty();
    const bool multigrid = parameters.method == KrylovMethod::multigrid;
    std::vector<std::size_t> places = group.places;
    if (deflated) {
      // The smallest mass asks the most of eigenvectors: what is refused, is refused before any solve.
      std::ranges::sort(places, {}, [&](std::size_t n) { return std::abs(plan.masses[n]); });
      parameters.eigenvectors =
          read_low_modes(session, plan.given.eigenvectors, group.dirac_of(plan.masses[places.front()]));
    }
    if (deflated || multigrid || (places.size() == 1 && !plan.single())) {
      for (const std::size_t n : places) {
        const auto make = [&] { return PropagatorSolver<double>(group.dirac_of(plan.masses[n]), parameters); };
        const auto solver = deflated ? with_option("--eigenvectors", make)
                                     : make_with_vectors(session, file, gauge.links, parameters.multigrid, make);
        report_levels(session, solver.multigrid_report());
        keep_vectors(session, file, gauge.links, solver);
        results[n] = solver.solve(propagators[n], source);
        results[n].history = std::exchange(history, {});
        if (multigrid) parameters = solver.parameters_of_update();  // near-null vectors serve all masses
      }
      continue;
    }
    std::vector<double> masses;
    std::vector<SpinorField<double>> x;
    for (const std::size_t n : places) {
      masses.push_back(plan.masses[n]);
      x.push_back(propagators[n].range(0, source.right_hand_sides()));
    }
    const MultiMassSolver solver(group.dirac_of(masses.front()), masses, multi_mass_parameters(parameters, plan));
    std::vector<SolveResult> of_group = solver.solve(x, source);
    for (std::size_t k = 0; k < of_group.size(); ++k) {
      of_group[k].history = history;
      results[places[k]] = std::move(of_group[k]);
    }
    history.clear();
  }
  return results;
}

}  // namespace kaon::apps
