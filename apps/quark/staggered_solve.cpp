// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/staggered_solve.hpp"

#include "apps/cli/output.hpp"
#include "apps/cli/with_option.hpp"
#include "apps/files/multigrid_file.hpp"
#include "apps/quark/propagator_solve.hpp"
#include "apps/quark/staggered_input.hpp"
#include "core/base/parts.hpp"

#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/eigenvector_file.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace kaon::apps {
namespace {

/// The eigenvectors in the file of --eigenvectors, which are those of all masses.
std::shared_ptr<const Eigenvectors<double>> read_low_modes(const Session& session, const PropagatorOptions& given,
                                                           const Quark<double>& dirac) {
  if constexpr (detail::Parts::eigenvectors) {
    const std::string& file = given.eigenvectors;
    Eigenvectors<double> read = with_option(
        "--eigenvectors", [&] { return read_eigenvectors<double>(file, *dirac->normal_system(Parity::even)); });
    say(session, "eigenvectors  {} of {}, largest residual {:.1e}\n", read.vectors.size(), file,
        *std::max_element(read.residuals.begin(), read.residuals.end()));
    if (given.eigenvector_bits == 16) read = in_16_bits(std::move(read));
    return std::make_shared<const Eigenvectors<double>>(std::move(read));
  } else {
    detail::refuse_part("eigenvectors");
  }
}

}  // namespace

std::vector<SolveResult> solve_staggered(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                                         std::span<SpinorField<double>> propagators) {
  SpinorField<double> source(gauge.links.lattice(), plan.shape());
  set_source(source, plan, gauge.links);
  ResidualHistory history;
  SolveOptions parameters = solver_parameters(history, session, plan);
  const std::string& file = plan.given.multigrid_file;
  std::vector<SolveResult> results(plan.masses.size());
  const std::vector<MassGroup> groups = mass_groups(gauge, plan);
  // Tables of levels stand where these are built.
  const auto before_solve = [&](const auto& solver) {
    const bool built = solver.multigrid_report().has_value();
    if (built) report_levels(session, solver.multigrid_report());
    keep_vectors(session, file, gauge.links, solver);
    return built;
  };
  const auto after_solve = [&](const auto& solver, bool built) {
    if (!built) report_levels(session, solver.multigrid_report());
    if (groups.size() > 1 &&
        solver.multigrid_report()) {  // near-null vectors serve all masses, and other Naik epsilons
      parameters.multigrid.near_null_vectors = std::make_shared<const SpinorField<float>>(solver.near_null_vectors());
    }
  };
  for (const MassGroup& group : groups) {
    const bool deflated = !plan.given.eigenvectors.empty();
    const std::vector<std::size_t>& places = group.places;
    if (deflated) {
      parameters.eigenvectors = read_low_modes(session, plan.given, group.dirac_of(plan.masses[places.front()]));
    }
    const auto made = [&](const auto& make) {
      return deflated ? with_option("--eigenvectors", make)
                      : make_with_vectors(session, file, gauge.links, parameters.multigrid, make);
    };
    if (places.size() == 1 && !plan.single()) {
      const std::size_t n = places.front();
      const auto solver = made([&] { return PropagatorSolver<double>(group.dirac_of(plan.masses[n]), parameters); });
      const bool built = before_solve(solver);
      results[n] = solver.solve(propagators[n], source);
      results[n].history = std::exchange(history, {});
      after_solve(solver, built);
      continue;
    }
    std::vector<double> masses;
    std::vector<SpinorField<double>> x;
    for (const std::size_t n : places) {
      masses.push_back(plan.masses[n]);
      x.push_back(propagators[n].range(0, source.right_hand_sides()));
    }
    const auto solver =
        made([&] { return MultiMassSolver(group.dirac_of(masses.front()), masses, parameters); });
    const bool built = before_solve(solver);
    std::vector<SolveResult> of_group = solver.solve(x, source);
    after_solve(solver, built);
    if (masses.size() > 1 && solver.masses_by_multigrid() > 0) {
      say(session, "multigrid     {} of {} masses, the lightest\n", solver.masses_by_multigrid(), masses.size());
    }
    for (std::size_t k = 0; k < of_group.size(); ++k) {
      of_group[k].history = history;
      results[places[k]] = std::move(of_group[k]);
    }
    history.clear();
  }
  return results;
}

}  // namespace kaon::apps
