// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"
#include "multigrid/setup/free_memory.hpp"
#include "solvers/contract/solve_report.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/domain_wall_walls.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/flavors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace kaon {

template <class T>
const SpinorField<T>* QuarkPropagators<T>::find(std::string_view name) const {
  const auto found = std::ranges::find(propagators, name, &Propagator<T>::name);
  return found != propagators.end() ? &found->field : nullptr;
}

template <class T>
const SpinorField<T>& QuarkPropagators<T>::at(std::string_view name) const {
  const SpinorField<T>* const found = find(name);
  require(found != nullptr, [&] {
    std::vector<std::string> names;
    for (const Propagator<T>& each : propagators) names.push_back(each.name);
    return fmt::format("there is no propagator '{}': this quark has {}", name, fmt::join(names, ", "));
  });
  return *found;
}

namespace {

/// The slices of all right-hand sides of domain wall quarks that are solved together, by methods that gain nothing by
/// more of them.
constexpr int slices_together = 32;
/// Fields that a right-hand side takes with its solve by a method that shares work, as fields of all sites in T.
constexpr double fields_of_solve = 8.0;

/// How many right-hand sides of domain wall quarks are solved together: all, as far as the memory allows, by a method
/// that shares work among them. Collective.
template <class T>
int walls_together(const Solver<T>& solver, const DomainWall<T>& dirac, int right_hand_sides) {
  const Lattice& lattice = dirac.lattice();
  const int slices = dirac.parameters().slices, least = std::max(1, slices_together / slices);
  if (!solver.shares_work()) return std::min(least, right_hand_sides);
  const double of_one =
      fields_of_solve * static_cast<double>(lattice.local_volume()) * slices * static_cast<double>(24 * sizeof(T));
  return detail::count_in_memory(lattice, 0.0, of_one, std::min(least, right_hand_sides), right_hand_sides);
}

/// A solver with the accuracy of one solve.
template <class T>
struct AccurateSolver {
  const Solver<T>& solver;
  const SolveAccuracy& accuracy;

  SolveResult operator()(SpinorField<T>& psi, const SpinorField<T>& b) const {
    if (accuracy == SolveAccuracy{}) return solver.solve(psi, b);
    SolveRequest request;
    if (accuracy.tolerance > 0.0) {
      for (const double norm2 : blas::norm2(b)) request.residual_norms.push_back(accuracy.tolerance * std::sqrt(norm2));
    }
    if (accuracy.iterations > 0) request = request.bounded(b.right_hand_sides(), accuracy.iterations);
    return run(psi, b, request);
  }

  /// Solves for further right-hand sides of `found`; stops at once if an earlier solve was stopped.
  void solve_more(QuarkPropagators<T>& found, SpinorField<T>& psi, const SpinorField<T>& b) const {
    found.solve.append_right_hand_sides(found.solve.stopped ? run(psi, b, {.progress = Progress::ending()})
                                                            : (*this)(psi, b));
  }

 private:
  SolveResult run(SpinorField<T>& psi, const SpinorField<T>& b, const SolveRequest& request) const {
    SolveResult result = solver.solve(psi, b, request);
    detail::set_errors(result, psi, b);
    return result;
  }
};

constexpr std::string_view name_of_current = "axial_current";

template <class T>
bool has_conserved_currents(const DomainWall<T>& dirac) {
  const DomainWallParameters& p = dirac.parameters();
  return p.b_of_slices.empty() && p.c_of_slices.empty() && p.b + p.c != 0.0;
}

template <class T>
void propagate_walls(QuarkPropagators<T>& found, const AccurateSolver<T>& solve, const DomainWall<T>& dirac,
                     const SpinorField<T>& eta) {
  const int all = eta.right_hand_sides(), most = walls_together(solve.solver, dirac, all);
  const int groups = (all + most - 1) / most;
  for (int group = 0; group < groups; ++group) {  // equal ones: few right-hand sides have a slower solver
    const int first = group * all / groups, count = (group + 1) * all / groups - first;
    SpinorField<T> source = dirac.make_field(count), psi = dirac.make_field(count);
    {
      const detail::Phase phase(detail::PhaseName::source);
      set_wall_source(source, eta.range(first, count), dirac);
    }
    solve.solve_more(found, psi, source);
    const detail::Phase phase(detail::PhaseName::contract);
    dirac.apply_b_inverse(psi, psi);
    for (Propagator<T>& each : found.propagators) {
      SpinorField<T> q = each.field.range(first, count);
      if (each.name == "midpoint") {
        take_midpoint(q, psi);
      } else if (each.name == current_fields) {
        set_current_fields(q, psi, eta.range(first, count), dirac);
      } else {
        take_walls(q, psi);
      }
    }
    if (found.axial_current.empty()) continue;
    const std::vector<double> current = axial_current(psi, eta.range(first, count), dirac);
    std::ranges::transform(current, found.axial_current, found.axial_current.begin(), std::plus<>());
  }
}

/// A propagator of a doublet.
struct Flavors {
  std::string_view name;
  int from;
  int to;
};
constexpr std::array flavors{Flavors{"0", 0, 0}, Flavors{"1_to_0", 1, 0}, Flavors{"0_to_1", 0, 1}, Flavors{"1", 1, 1}};

template <class T>
void propagate_flavors(QuarkPropagators<T>& found, const AccurateSolver<T>& solve, const SpinorField<T>& eta) {
  const LinearOperator<T>& dirac = solve.solver.solved_operator();
  const auto flavors_of = [](const Propagator<T>& each) {
    return *std::ranges::find(flavors, each.name, &Flavors::name);
  };
  for (const int from : {0, 1}) {
    const auto is_from = [&](const Propagator<T>& each) { return flavors_of(each).from == from; };
    if (std::ranges::none_of(found.propagators, is_from)) continue;
    SpinorField<T> b = dirac.make_field(eta.right_hand_sides()), psi = dirac.make_field(eta.right_hand_sides());
    set_flavor(b, eta, from);
    solve.solve_more(found, psi, b);
    for (Propagator<T>& each : found.propagators) {
      if (is_from(each)) take_flavor(each.field, psi, flavors_of(each).to);
    }
  }
}

/// Adds fields for the propagators of `all` that are wanted; `current_fields` are wanted only by name.
template <class T>
void add_wanted(QuarkPropagators<T>& found, const SpinorField<T>& eta, const std::vector<std::string_view>& all,
                std::span<const std::string> wanted, int slices = 1) {
  for (const std::string& name : wanted) {
    require(std::ranges::find(all, name) != all.end(), [&] {
      return fmt::format("there is no propagator '{}': quarks of this operator have {}", name, fmt::join(all, ", "));
    });
  }
  std::size_t count = 0;
  for (const std::string_view name : all) {
    const bool is_left_out = wanted.empty() ? name == current_fields : std::ranges::find(wanted, name) == wanted.end();
    if (is_left_out) continue;
    ++count;
    if (name == name_of_current) {
      found.axial_current.assign(static_cast<std::size_t>(eta.lattice().extents()[3]), 0.0);
      continue;
    }
    SpinorParameters parameters = eta.parameters();
    if (name == current_fields) parameters.slices = slices;
    found.propagators.push_back({std::string(name), SpinorField<T>(eta.lattice(), parameters)});
  }
  require(wanted.empty() || wanted.size() == count, "a propagator is wanted twice");
}

}  // namespace

template <class T>
QuarkPropagators<T> propagate(const Solver<T>& solver, const SpinorField<T>& eta, std::span<const std::string> wanted,
                              const SolveAccuracy& accuracy) {
  const AccurateSolver<T> solve{solver, accuracy};
  QuarkPropagators<T> found;
  const LinearOperator<T>& dirac = solver.solved_operator();
  std::vector<std::string_view> all{"propagator"};
  if constexpr (detail::Parts::domain_wall) {
    if (const auto* const walls = dynamic_cast<const DomainWall<T>*>(&dirac)) {
      if (walls->parameters().slices % 2 == 0) all.emplace_back("midpoint");
      if (has_conserved_currents(*walls)) {
        constexpr bool has_hops_along = detail::Parts::multigrid || detail::Parts::hmc;
        if (has_hops_along) all.push_back(name_of_current);
        all.push_back(current_fields);
      }
      add_wanted(found, eta, all, wanted, walls->parameters().slices);
      propagate_walls(found, solve, *walls, eta);
      return found;
    }
  }
  if constexpr (detail::Parts::twisted_mass) {
    if (dynamic_cast<const TwistedDoublet<T>*>(&dirac) != nullptr) {
      all.clear();
      for (const Flavors& each : flavors) all.push_back(each.name);
      add_wanted(found, eta, all, wanted);
      propagate_flavors(found, solve, eta);
      return found;
    }
  }
  add_wanted(found, eta, all, wanted);
  found.solve = solve(found.propagators.front().field, eta);
  return found;
}

template struct QuarkPropagators<double>;
template struct QuarkPropagators<float>;
template QuarkPropagators<double> propagate(const Solver<double>&, const SpinorField<double>&,
                                            std::span<const std::string>, const SolveAccuracy&);
template QuarkPropagators<float> propagate(const Solver<float>&, const SpinorField<float>&,
                                           std::span<const std::string>, const SolveAccuracy&);

}  // namespace kaon
