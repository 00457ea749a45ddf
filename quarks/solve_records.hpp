// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/quarks/solve_plan.hpp>

#include <cstdlib>
#include <string>

namespace kaon::detail {

/// Iterations after which a solve is compared with the record of an earlier one.
inline constexpr int early_iterations = 8;

/// Costs of solves of one quark with one number of right-hand sides, in seconds; 0: not known.
struct SolveRecord {
  double iterations = 0.0;     ///< of the Krylov solver, from a guess of zero
  double per_iteration = 0.0;  ///< of all right-hand sides
  double setup = 0.0;          ///< of multigrid
  double by_multigrid = 0.0;   ///< a solve by multigrid
  int setups = 0;              ///< that were timed
  /// log2 of the fall of the residual in `early_iterations`: solves on another field, which have another one, do not
  /// use the record.
  int early_fall = 0;
  int skipped = 0;  ///< precisions, the lowest first, that later solves leave out

  bool fits(int fall) const { return iterations > 0.0 && per_iteration > 0.0 && std::abs(fall - early_fall) <= 1; }
};

/// The records of one quark in the cache file of tuning, as entries whose kernels are "kaon::solve, ...". The first
/// process reads and writes the file, so that all have the same records.
class SolveRecords {
 public:
  /// Whether solves are recorded: tuning is on and has a file, and KAON_SOLVE_RECORDS is not `off` or `0`, on the first
  /// process. Collective. Throws `Error` on all processes for a value without a meaning.
  static bool are_on(const Lattice& lattice);

  /// The records of solves by a Krylov rung. Collective.
  template <class T>
  SolveRecords(const Quark<T>& quark, const SolveRung& rung);

  /// Returns the record of solves for n right-hand sides; an empty one if the file has none or cannot be used.
  /// Collective.
  SolveRecord recall(int n) const;
  /// Writes a record; a file that cannot be written is left as it is. Collective.
  void remember(int n, const SolveRecord& record) const;

  /// Returns the record of n right-hand sides in the results of tuning, without entries of impossible numbers.
  SolveRecord record_in(const TuningSection& section, int n) const;
  /// Returns the entries of a record, without device and build.
  TuningSection section(int n, const SolveRecord& record) const;

 private:
  TuningEntry entry(const std::string& what, int n, double first, double second) const;

  Lattice lattice_;
  std::string precision_, operator_, solve_;  // parts of entries
  int link_reals_;
};

}  // namespace kaon::detail
