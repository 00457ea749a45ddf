// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/solve_report.hpp"

#include <kaon/core/error.hpp>
#include <kaon/measure/domain_wall_propagator.hpp>
#include <kaon/measure/domain_wall_walls.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace kaon {
namespace {

/// Slices of all right-hand sides of a solve.
constexpr int slices_together = 32;

}  // namespace

template <class T>
DomainWallPropagator<T>::DomainWallPropagator(const DomainWall<T>& dirac, const SolveOptions& parameters)
    : solver_(dirac, parameters) {}

template <class T>
SolveResult solve_walls(const Solver<T>& solver, SpinorField<T>& q, const SpinorField<T>& eta, SpinorField<T>* midpoint,
                        std::vector<double>* current) {
  const auto* dirac = dynamic_cast<const DomainWall<T>*>(&solver.solved_operator());
  require(dirac != nullptr, "propagators from wall to wall are those of domain wall quarks: the solver has other ones");
  const auto fits = [&](const SpinorField<T>& field) {
    return field.parameters() == eta.parameters() && field.lattice() == eta.lattice();
  };
  require(fits(q) && (midpoint == nullptr || fits(*midpoint)),
          "sources and propagators must have the same lattice, sites, spins, colours, slices and right-hand sides");
  require(midpoint == nullptr || dirac->parameters().slices % 2 == 0, [&] {
    return fmt::format("{} slices have no midpoint: take an even number, or no midpoint", dirac->parameters().slices);
  });
  const int together = std::max(1, slices_together / dirac->parameters().slices);
  if (current != nullptr) current->assign(static_cast<std::size_t>(eta.lattice().extents()[3]), 0.0);
  SolveResult result;
  for (int first = 0; first < eta.right_hand_sides(); first += together) {
    const int count = std::min(together, eta.right_hand_sides() - first);
    SpinorField<T> source = dirac->make_field(count), psi = dirac->make_field(count);
    set_wall_source(source, eta.range(first, count), *dirac);
    SolveRequest request;
    if (result.stopped) request.progress = Progress::ending();
    SolveResult of_group = solver.solve(psi, source, request);
    detail::set_errors(of_group, psi, source);
    result.append_right_hand_sides(of_group);
    dirac->apply_b_inverse(psi, psi);
    SpinorField<T> walls = q.range(first, count);
    take_walls(walls, psi);
    if (midpoint != nullptr) {
      SpinorField<T> middle = midpoint->range(first, count);
      take_midpoint(middle, psi);
    }
    if (current == nullptr) continue;
    const std::vector<double> current_of_group = axial_current(psi, eta.range(first, count), *dirac);
    std::transform(current_of_group.begin(), current_of_group.end(), current->begin(), current->begin(), std::plus<>());
  }
  return result;
}

std::vector<double> residual_mass(std::span<const double> midpoint, std::span<const double> walls) {
  require(midpoint.size() == walls.size(), [&] {
    return fmt::format("a residual mass is a ratio of correlators of one length, not of {} and {}", midpoint.size(),
                       walls.size());
  });
  std::vector<double> ratio;
  for (std::size_t t = 0; t < walls.size(); ++t) {
    const bool known = std::isnormal(midpoint[t]) && std::isnormal(walls[t]);
    ratio.push_back(known ? midpoint[t] / walls[t] : std::numeric_limits<double>::quiet_NaN());
  }
  return ratio;
}

template SolveResult solve_walls(const Solver<double>&, SpinorField<double>&, const SpinorField<double>&,
                                 SpinorField<double>*, std::vector<double>*);
template SolveResult solve_walls(const Solver<float>&, SpinorField<float>&, const SpinorField<float>&,
                                 SpinorField<float>*, std::vector<double>*);
template class DomainWallPropagator<double>;
template class DomainWallPropagator<float>;

}  // namespace kaon
