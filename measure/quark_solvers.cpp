// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"

#include <kaon/core/parameter_error.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <typeinfo>
#include <utility>
#include <variant>

namespace kaon {
namespace {

/// The solver of one mass or of several.
using GroupSolver = std::variant<PropagatorSolver<double>, MultiMassSolver>;

/// Calls body(solver). Builds without staggered quarks have no solver of several masses.
template <class Body>
auto with(const GroupSolver& solver, const Body& body) {
  if constexpr (detail::Parts::staggered) {
    return std::visit(body, solver);
  } else {
    return body(std::get<0>(solver));
  }
}

std::optional<MultigridReport> multigrid_of(const GroupSolver& solver) {
  return with(solver, [](const auto& by) { return by.multigrid_report(); });
}

SpinorField<float> near_null_vectors_of(const GroupSolver& solver) {
  return with(solver, [](const auto& by) { return by.near_null_vectors(); });
}

/// Returns whether multigrid for one operator can start with vectors of the other: on fields of the same shape, and for
/// domain wall quarks and doublets, whose setup uses them as they are, only of the same class.
bool share_vectors(const EvenOddOperator<double>& one, const EvenOddOperator<double>& other) {
  if (kind_of(one) != kind_of(other) || one.domain() != other.domain()) return false;
  return kind_of(one) != OperatorKind::indefinite || typeid(one) == typeid(other);
}

std::vector<QuarkPropagators<double>> solve_by(const PropagatorSolver<double>& solver, const SpinorField<double>& eta,
                                               std::span<const std::string> wanted, const SolveAccuracy& accuracy) {
  std::vector<QuarkPropagators<double>> results;
  results.push_back(propagate(solver, eta, wanted, accuracy));
  return results;
}

/// In a template, so that builds without staggered quarks need no solver of several masses.
template <std::same_as<MultiMassSolver> By>
std::vector<QuarkPropagators<double>> solve_by(const By& solver, const SpinorField<double>& eta,
                                               std::span<const std::string> wanted, const SolveAccuracy&) {
  require(std::ranges::all_of(wanted, [](const std::string& name) { return name == "propagator"; }),
          "staggered quarks have one propagator, 'propagator'");
  std::vector<QuarkPropagators<double>> results;
  std::vector<SpinorField<double>> x;
  for (std::size_t n = 0; n < solver.masses().size(); ++n) x.emplace_back(eta.lattice(), eta.parameters());
  std::vector<SolveResult> solves = solver.solve(x, eta);
  for (std::size_t n = 0; n < x.size(); ++n) {
    results.emplace_back().propagators.push_back({"propagator", std::move(x[n])});
    results.back().solve = std::move(solves[n]);
  }
  return results;
}

}  // namespace

class QuarkSolvers::Impl {
 public:
  Impl(std::vector<QuarkGroup> groups, PropagateOptions options)
      : groups_(std::move(groups)),
        options_(std::move(options)),
        has_given_vectors_(options_.solver.multigrid.near_null_vectors != nullptr),
        methods_(groups_.size(), options_.solver.method),
        solvers_(groups_.size()) {
    require(!groups_.empty(), "there is no quark to solve for");
    std::vector<bool> is_taken;
    for (const QuarkGroup& group : groups_) is_taken.resize(is_taken.size() + group.masses.size());
    std::size_t next = 0;
    for (QuarkGroup& group : groups_) {
      for (std::size_t n = 0; n < group.masses.size(); ++n, ++next) {
        if (group.places.size() == n) group.places.push_back(next);
        require(group.places[n] < is_taken.size() && !is_taken[group.places[n]],
                "the places of quarks must be those of all quarks, each once");
        is_taken[group.places[n]] = true;
      }
    }
    count_ = is_taken.size();
  }

  const std::vector<QuarkGroup>& groups() const { return groups_; }
  std::size_t count() const { return count_; }

  /// Returns the solver of an accuracy. A solver for one mass serves each accuracy.
  const GroupSolver& solver_of(std::size_t place, const SolveAccuracy& accuracy = {}) {
    const auto serves = [&](const Made& made) {
      return made.accuracy == accuracy || std::holds_alternative<PropagatorSolver<double>>(made.solver);
    };
    std::vector<Made>& made = solvers_[place];
    const auto found = std::ranges::find_if(made, serves);
    if (found != made.end()) return found->solver;
    if (accuracy != SolveAccuracy{}) {
      const GroupSolver& exact = solver_of(place);
      if (std::holds_alternative<PropagatorSolver<double>>(exact)) return exact;
    }
    made.push_back({accuracy, make(place, accuracy)});
    if (multigrid_of(made.back().solver)) report(groups_[place], made.back().solver, true, 0);
    return made.back().solver;
  }

  void settle_method(std::size_t place) {
    if (methods_[place] != KrylovMethod::automatic) return;
    if (multigrid_of(solver_of(place))) {
      methods_[place] = KrylovMethod::multigrid;
      return;
    }
    const OperatorKind kind = kind_of(*groups_[place].quark);
    methods_[place] = kind == OperatorKind::definite     ? KrylovMethod::bicgstab
                      : kind == OperatorKind::indefinite ? KrylovMethod::cgnr
                                                         : KrylovMethod::cg;
    solvers_[place].clear();
  }

  std::vector<QuarkPropagators<double>> solve(std::size_t place, const SpinorField<double>& eta,
                                              std::span<const std::string> wanted, const SolveAccuracy& accuracy) {
    const QuarkGroup& group = groups_[place];
    const GroupSolver& solver = solver_of(place, accuracy);
    const bool was_built = multigrid_of(solver).has_value();
    history_.clear();
    std::vector<QuarkPropagators<double>> results =
        with(solver, [&](const auto& by) { return solve_by(by, eta, wanted, accuracy); });
    for (std::size_t n = 0; n < results.size(); ++n) {
      results[n].mass = group.masses[n];
      if (options_.keep_history) results[n].solve.history = history_;
    }
    if (multigrid_of(solver)) {
      keep_vectors(place, solver);
      const auto by_multigrid = [](const auto& by) -> std::size_t {
        if constexpr (requires { by.masses_by_multigrid(); }) return by.masses_by_multigrid();
        return 0;
      };
      report(group, solver, !was_built, with(solver, by_multigrid));
    }
    if (!options_.keep_solvers) solvers_[place].clear();
    return results;
  }

 private:
  struct Made {
    SolveAccuracy accuracy;
    GroupSolver solver;
  };

  struct Shared {
    std::size_t place;  ///< of the group that has made them
    std::shared_ptr<const SpinorField<float>> vectors;
  };

  GroupSolver make(std::size_t place, const SolveAccuracy& accuracy) {
    const QuarkGroup& group = groups_[place];
    const OperatorKind kind = kind_of(*group.quark);
    SolveOptions options = recorded(kind == OperatorKind::indefinite);
    options.method = methods_[place];
    const bool is_settled = options.method != options_.solver.method;  // with the form of `automatic`
    if (is_settled && options.schur && group.quark->suits_asymmetric_form()) options.schur = SchurForm::asymmetric;
    for (const Shared& shared : shared_) {
      if (are_alike(shared.place, place)) options.multigrid.near_null_vectors = shared.vectors;
    }
    if (!solvers_[place].empty() && multigrid_of(solvers_[place].front().solver)) {
      options.multigrid.near_null_vectors =
          std::make_shared<const SpinorField<float>>(near_null_vectors_of(solvers_[place].front().solver));
    }
    if (accuracy.tolerance > 0.0) options.tolerance = accuracy.tolerance;
    if (accuracy.iterations > 0) options.max_iterations = accuracy.iterations;
    const bool single = options.outer == OuterPrecision::single;
    try {
      if (group.masses.size() == 1 && !(single && kind == OperatorKind::staggered)) {
        return PropagatorSolver<double>(group.quark, options);
      }
      if constexpr (detail::Parts::staggered) return MultiMassSolver(group.quark, group.masses, options);
    } catch (const Error& error) {
      if (options_.solver.eigenvectors) throw ParameterError("eigenvectors", error);
      if (has_given_vectors_) throw ParameterError("near_null_file", error);
      throw;
    }
    detail::refuse_part("staggered");
  }

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

  bool are_alike(std::size_t one, std::size_t other) const {
    return share_vectors(*groups_[one].quark, *groups_[other].quark);
  }

  /// The vectors of a group start the multigrid of the next group that can share them. Given ones have served then.
  void keep_vectors(std::size_t place, const GroupSolver& solver) {
    options_.solver.multigrid.near_null_vectors = nullptr;
    std::erase_if(shared_, [&](const Shared& shared) { return are_alike(shared.place, place); });
    for (std::size_t next = place + 1; next < groups_.size(); ++next) {
      if (!are_alike(place, next)) continue;
      if (solvers_[next].empty()) {
        shared_.push_back({place, std::make_shared<const SpinorField<float>>(near_null_vectors_of(solver))});
      }
      return;
    }
  }

  void report(const QuarkGroup& group, const GroupSolver& solver, bool is_new, std::size_t by_multigrid) const {
    if (!options_.on_multigrid) return;
    options_.on_multigrid({.report = *multigrid_of(solver),
                           .is_new = is_new,
                           .masses = group.masses.size(),
                           .masses_by_multigrid = by_multigrid,
                           .near_null_vectors = [&solver] { return near_null_vectors_of(solver); }});
  }

  std::vector<QuarkGroup> groups_;
  std::size_t count_ = 0;
  PropagateOptions options_;
  bool has_given_vectors_;                    // before the groups share theirs
  std::vector<KrylovMethod> methods_;         // of the groups
  std::vector<std::vector<Made>> solvers_;    // of the groups
  std::vector<Shared> shared_;                // near-null vectors for groups that have no solver yet
  std::vector<std::vector<double>> history_;  // of the running solve
};

QuarkSolvers::QuarkSolvers(std::vector<QuarkGroup> groups, const PropagateOptions& options)
    : impl_(std::make_shared<Impl>(std::move(groups), options)) {}

const std::vector<QuarkGroup>& QuarkSolvers::groups() const { return impl_->groups(); }

void QuarkSolvers::set_up(std::size_t group) { (void)impl_->solver_of(group); }

void QuarkSolvers::settle_method(std::size_t group) { impl_->settle_method(group); }

std::vector<QuarkPropagators<double>> QuarkSolvers::propagate(std::size_t group, const SpinorField<double>& eta,
                                                              std::span<const std::string> wanted,
                                                              const SolveAccuracy& accuracy) {
  return impl_->solve(group, eta, wanted, accuracy);
}

QuarkPropagators<double> QuarkSolvers::propagate_one(std::size_t quark, const SpinorField<double>& eta,
                                                     std::span<const std::string> wanted,
                                                     const SolveAccuracy& accuracy) {
  for (std::size_t k = 0; k < groups().size(); ++k) {
    const std::vector<std::size_t>& places = groups()[k].places;
    const auto found = std::ranges::find(places, quark);
    if (found == places.end()) continue;
    return std::move(propagate(k, eta, wanted, accuracy)[static_cast<std::size_t>(found - places.begin())]);
  }
  throw Error("the place of a quark is beyond their number");
}

std::vector<QuarkPropagators<double>> QuarkSolvers::propagate(const GaugeField<double>& links,
                                                              const SourceParameters& source) {
  std::vector<QuarkPropagators<double>> results(impl_->count());
  std::optional<SpinorField<double>> eta;
  for (std::size_t k = 0; k < groups().size(); ++k) {
    const int spins = groups()[k].quark->domain().spins;
    if (!eta || eta->spins() != spins) {
      eta.emplace(links.lattice(), SpinorParameters{.spins = spins, .right_hand_sides = spins * colors});
      set_sources(*eta, source, links);
    }
    std::vector<QuarkPropagators<double>> of_group = propagate(k, *eta);
    for (std::size_t n = 0; n < of_group.size(); ++n) results[groups()[k].places[n]] = std::move(of_group[n]);
  }
  return results;
}

}  // namespace kaon
