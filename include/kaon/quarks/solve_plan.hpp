// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/parameters.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/solver.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon {

/// A part of a solve: one method with iterations in one precision.
struct SolveRung {
  KrylovMethod method = KrylovMethod::bicgstab;  ///< any except `automatic`
  std::string precision = "double";              ///< of the iterations
  LinkStorage links = LinkStorage::full;         ///< of the iterations
  HaloPrecision halo = HaloPrecision::field;     ///< of the iterations
  std::optional<SchurForm> form{};               ///< even-odd preconditioning; `cg` always uses it
  bool normal = false;                           ///< the system is the normal one of staggered quarks on one parity
  Parity parity = Parity::even;
  SolverParameters bounds{};
  SchwarzParameters schwarz{};      ///< the blocks of `gcr_dd`
  MultigridParameters multigrid{};  ///< the hierarchy of `multigrid`
  std::string how{};                ///< the change from the rung before, as in notices: "in single precision"
  std::string notice{};             ///< a message to the user when the rung is made
};

/// The fewest right-hand sides of domain wall quarks that are solved for by block CG (decision 60 of
/// docs/decisions.md).
inline constexpr int least_block = 3;

/// The parts of a solve as data: `PropagatorSolver` and `MultiMassSolver` run it, predictions measure it.
///
/// A rung solves for the right-hand sides that the one before did not solve. Rungs before `multigrid` pays come first,
/// if there are any: their iterations are counted (`AutomaticSolver`), and `rungs` follow when multigrid pays.
struct SolvePlan {
  std::string precision = "double";  ///< of solutions
  std::vector<SolveRung> until_multigrid_pays{};
  std::vector<SolveRung> rungs{};
  /// In place of `rungs` for `least_block` right-hand sides or more; empty: `rungs` solve for any number.
  std::vector<SolveRung> block_rungs{};
  std::shared_ptr<const Eigenvectors<double>> eigenvectors{};  ///< that deflate `rungs`
};

/// The plan of solves with `quark`. Throws `Error` for options that are impossible, and for a method that does not
/// solve for it.
template <class T>
SolvePlan plan(const Quark<T>& quark, const SolveOptions& options);

/// The plan for several shifts of one Hermitian operator: a sweep of all in the precision of the first rung, and
/// refinement of each in that of the last.
SolvePlan plan_shifts(const Quark<double>& quark, const SolveOptions& options, double tolerance);

/// One line for each rung: "in single precision: bicgstab, single, links of 12 reals, symmetric on even sites".
std::string to_string(const SolvePlan& plan);

}  // namespace kaon
