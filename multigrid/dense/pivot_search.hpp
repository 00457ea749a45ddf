// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"

namespace kaon::detail {

/// A row that may become the row of the pivot.
struct PivotCandidate {
  double size;
  int row;

  /// The larger of both; of equal ones, that of the first row.
  KOKKOS_FORCEINLINE_FUNCTION void take(const PivotCandidate& other) {
    if (other.size > size || (other.size == size && other.row < row)) *this = other;
  }
};

/// Finds the largest of the candidates of a team's threads, in memory that the team shares.
struct PivotSearch {
  /// Candidates that a thread compares between two barriers.
  static constexpr int fan_in = 8;

  double* size;  ///< [thread]
  int* row;      ///< [thread]

  static constexpr int bytes(int threads) { return threads * 12 + 16; }

  /// Returns the largest candidate to all threads. Each thread calls it with its own candidate. The memory must not be
  /// written again before a barrier.
  KOKKOS_FUNCTION PivotCandidate largest(const Team& team, const PivotCandidate& mine) const {
    const int rank = team.team_rank();
    int others = team.team_size();
    put(rank, mine);
    team.team_barrier();
    while (others > fan_in) {
      const int left = (others + fan_in - 1) / fan_in;
      if (rank < left) {  // no other thread reads the same candidates
        PivotCandidate best = get(rank);
        for (int k = rank + left; k < others; k += left) best.take(get(k));
        put(rank, best);
      }
      others = left;
      team.team_barrier();
    }
    PivotCandidate best = get(0);
    for (int k = 1; k < others; ++k) best.take(get(k));
    return best;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION PivotCandidate get(int k) const { return {size[k], row[k]}; }
  KOKKOS_FORCEINLINE_FUNCTION void put(int k, const PivotCandidate& candidate) const {
    size[k] = candidate.size;
    row[k] = candidate.row;
  }
};

}  // namespace kaon::detail
