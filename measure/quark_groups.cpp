// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"

#include <kaon/core/parameter_error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

namespace kaon {
namespace {

/// Quarks with the same links, before their operator is made.
struct Masses {
  FermionParameters parameters;  // of the first mass
  std::vector<double> masses;
  std::vector<std::size_t> places;
};

bool share_links(const FermionParameters& one, const FermionParameters& other) {
  const FermionFamily& family = family_of(one.action);
  if (!family.is_staggered() || one.action != other.action || one.boundary != other.boundary) return false;
  return std::ranges::all_of(family_parameters, [&](const FermionParameter& row) {
    return row.name == "mass" || !family.reads(row.name) || row.get(one) == row.get(other);
  });
}

}  // namespace

std::vector<QuarkGroup> quark_groups(const GaugeField<double>& links, std::span<const FermionParameters> quarks) {
  std::vector<Masses> together;
  for (std::size_t n = 0; n < quarks.size(); ++n) {
    auto found = std::ranges::find_if(together, [&](const Masses& m) { return share_links(m.parameters, quarks[n]); });
    if (found == together.end()) found = together.insert(found, Masses{quarks[n], {}, {}});
    found->masses.push_back(quarks[n].mass);
    found->places.push_back(n);
  }
  std::vector<QuarkGroup> groups;
  const auto is_hisq = [](const Masses& m) { return m.parameters.action == FermionAction::hisq; };
  if (std::ranges::count_if(together, is_hisq) < 2) {
    for (Masses& m : together) {
      groups.push_back({make_quark(links, m.parameters), std::move(m.masses), std::move(m.places)});
    }
    return groups;
  }
  if constexpr (detail::Parts::staggered) {
    std::vector<double> epsilons;
    for (const Masses& m : together) {
      if (is_hisq(m)) epsilons.push_back(m.parameters.naik_epsilon);
    }
    std::vector<ImprovedLinks> improved = hisq_links(links, epsilons);
    auto next = improved.begin();
    const auto make = [&](const Masses& m) {
      return is_hisq(m) ? make_quark(*next++, m.parameters) : make_quark(links, m.parameters);
    };
    for (Masses& m : together) groups.push_back({make(m), std::move(m.masses), std::move(m.places)});
    return groups;
  }
  detail::refuse_part("staggered");
}

namespace {

/// Solves for the groups of quarks in sequence.
class GroupSolver {
 public:
  GroupSolver(const SpinorField<double>& eta, const PropagateOptions& options, std::size_t groups)
      : eta_(eta),
        options_(options),
        shares_vectors_(groups > 1),
        has_given_vectors_(options.solver.multigrid.near_null_vectors != nullptr) {}

  /// The results of its masses.
  std::vector<QuarkPropagators<double>> solve(const QuarkGroup& group) {
    const OperatorKind kind = kind_of(*group.quark);
    const SolveOptions options = recorded(kind == OperatorKind::indefinite);
    const bool single = options.outer == OuterPrecision::single;
    if (group.masses.size() == 1 && !(single && kind == OperatorKind::staggered)) {
      return solve_by(group, [&] { return PropagatorSolver<double>(group.quark, options); });
    }
    if constexpr (detail::Parts::staggered) {
      return solve_by(group, [&] { return MultiMassSolver(group.quark, group.masses, options); });
    }
    detail::refuse_part("staggered");
  }

 private:
  /// The options with a receiver that records the residuals. Groups of right-hand sides that are solved one after the
  /// other append theirs to the rows of the first group.
  SolveOptions recorded(bool in_groups) {
    SolveOptions options = options_.solver;
    if (!options_.keep_history) return options;
    options.on_iteration = [this, in_groups, receive = std::move(options.on_iteration)](
                               int iteration, std::span<const double> residuals) {
      const std::size_t row = in_groups ? static_cast<std::size_t>(std::max(iteration, 1)) : history_.size() + 1;
      if (history_.size() < row) history_.resize(row);
      history_[row - 1].insert(history_[row - 1].end(), residuals.begin(), residuals.end());
      return !receive || receive(iteration, residuals);
    };
    return options;
  }

  template <class Make>
  std::vector<QuarkPropagators<double>> solve_by(const QuarkGroup& group, const Make& make) {
    const auto solver = made(make);
    const bool built = solver.multigrid_report().has_value();
    if (built) report(group, solver, true, 0);
    std::vector<QuarkPropagators<double>> results = results_of(group, solver);
    for (std::size_t n = 0; n < results.size(); ++n) {
      results[n].mass = group.masses[n];
      if (options_.keep_history) results[n].solve.history = history_;
    }
    history_.clear();
    if (!solver.multigrid_report()) return results;
    if (shares_vectors_) {
      options_.solver.multigrid.near_null_vectors =
          std::make_shared<const SpinorField<float>>(solver.near_null_vectors());
    }
    std::size_t by_multigrid = 0;
    if constexpr (requires { solver.masses_by_multigrid(); }) by_multigrid = solver.masses_by_multigrid();
    report(group, solver, !built, by_multigrid);
    return results;
  }

  template <class Make>
  auto made(const Make& make) const {
    try {
      return make();
    } catch (const Error& error) {
      if (options_.solver.eigenvectors) throw ParameterError("eigenvectors", error);
      if (has_given_vectors_) throw ParameterError("near_null_file", error);
      throw;
    }
  }

  template <class By>
  std::vector<QuarkPropagators<double>> results_of(const QuarkGroup& group, const By& solver) const {
    std::vector<QuarkPropagators<double>> results;
    if constexpr (std::is_base_of_v<Solver<double>, By>) {
      results.push_back(propagate(solver, eta_));
    } else {
      std::vector<SpinorField<double>> x;
      for (std::size_t n = 0; n < group.masses.size(); ++n) x.emplace_back(eta_.lattice(), eta_.parameters());
      std::vector<SolveResult> solves = solver.solve(x, eta_);
      for (std::size_t n = 0; n < x.size(); ++n) {
        results.emplace_back().propagators.push_back({"propagator", std::move(x[n])});
        results.back().solve = std::move(solves[n]);
      }
    }
    return results;
  }

  template <class By>
  void report(const QuarkGroup& group, const By& solver, bool is_new, std::size_t by_multigrid) const {
    if (!options_.on_multigrid) return;
    options_.on_multigrid({.report = *solver.multigrid_report(),
                           .is_new = is_new,
                           .masses = group.masses.size(),
                           .masses_by_multigrid = by_multigrid,
                           .near_null_vectors = [&solver] { return solver.near_null_vectors(); }});
  }

  const SpinorField<double>& eta_;
  PropagateOptions options_;
  bool shares_vectors_;
  bool has_given_vectors_;                    // before the groups share theirs
  std::vector<std::vector<double>> history_;  // of the running solve
};

}  // namespace

std::vector<QuarkPropagators<double>> propagate(std::span<const QuarkGroup> quarks, const GaugeField<double>& links,
                                                const SourceParameters& source, const PropagateOptions& options) {
  require(!quarks.empty(), "there is no quark to solve for");
  std::size_t count = 0;
  for (const QuarkGroup& group : quarks) count += group.masses.size();
  const int spins = quarks.front().quark->domain().spins;
  SpinorField<double> eta(links.lattice(), {.spins = spins, .right_hand_sides = spins * colors});
  set_sources(eta, source, links);
  std::vector<QuarkPropagators<double>> results(count);
  GroupSolver solver(eta, options, quarks.size());
  std::size_t next = 0;
  for (const QuarkGroup& group : quarks) {
    std::vector<QuarkPropagators<double>> of_group = solver.solve(group);
    for (std::size_t n = 0; n < of_group.size(); ++n) {
      const std::size_t place = group.places.empty() ? next++ : group.places[n];
      require(place < count, "the place of a quark is beyond their number");
      results[place] = std::move(of_group[n]);
    }
  }
  return results;
}

}  // namespace kaon
