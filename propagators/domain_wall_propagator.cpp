// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/propagators/domain_wall_propagator.hpp>
#include <kaon/propagators/domain_wall_walls.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace kaon {
namespace {

/// Slices of all right-hand sides of a solve.
constexpr int slices_together = 32;

}  // namespace

template <class T>
DomainWallPropagator<T>::DomainWallPropagator(const DomainWall<T>& dirac, const PropagatorSolverParameters& parameters)
    : dirac_(dirac), solver_(dirac, parameters) {}

template <class T>
SolveResult DomainWallPropagator<T>::solve(SpinorField<T>& q, const SpinorField<T>& eta, SpinorField<T>* midpoint,
                                           std::vector<double>* current) const {
  const auto fits = [&](const SpinorField<T>& field) {
    return field.parameters() == eta.parameters() && field.lattice() == eta.lattice();
  };
  require(fits(q) && (midpoint == nullptr || fits(*midpoint)),
          "sources and propagators must have the same lattice, sites, spins, colours, slices and right-hand sides");
  const int together = std::max(1, slices_together / dirac_.parameters().slices);
  if (current != nullptr) current->assign(static_cast<std::size_t>(eta.lattice().extents()[3]), 0.0);
  SolveResult result;
  for (int first = 0; first < eta.right_hand_sides(); first += together) {
    const int count = std::min(together, eta.right_hand_sides() - first);
    SpinorField<T> source = dirac_.make_field(count), psi = dirac_.make_field(count);
    set_wall_source(source, eta.range(first, count), dirac_);
    result.append_right_hand_sides(solver_.solve(psi, source));
    dirac_.apply_b_inverse(psi, psi);
    SpinorField<T> walls = q.range(first, count);
    take_walls(walls, psi);
    if (midpoint != nullptr) {
      SpinorField<T> middle = midpoint->range(first, count);
      take_midpoint(middle, psi);
    }
    if (current == nullptr) continue;
    const std::vector<double> of_group = axial_current(psi, eta.range(first, count), dirac_);
    std::transform(of_group.begin(), of_group.end(), current->begin(), current->begin(), std::plus<>());
  }
  return result;
}

std::vector<double> residual_mass(std::span<const double> midpoint, std::span<const double> walls) {
  require(midpoint.size() == walls.size(), [&] {
    return fmt::format("a residual mass is a ratio of correlators of one length, not of {} and {}", midpoint.size(),
                       walls.size());
  });
  std::vector<double> ratio;
  for (std::size_t t = 0; t < walls.size(); ++t) ratio.push_back(midpoint[t] / walls[t]);
  return ratio;
}

template class DomainWallPropagator<double>;
template class DomainWallPropagator<float>;

}  // namespace kaon
