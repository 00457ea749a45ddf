// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lanes/lanes.hpp"

#include <cstddef>

namespace kaon::detail {

// Sums over sites that a kernel makes of what it has in registers anyway. Their order is fixed by the size of the
// lattice alone, not on the launch shape: consecutive sites make a part, on a device those that share
// a storage block, and parts are added in sequence or, on a device, in a tree. The terms of a site are computed
// in V, parts and all else are in double.

/// Sums that a kernel makes for each right-hand side.
inline constexpr int site_sums = 8;

/// The output of the sums of parts; null if there is none.
struct SiteSums {
  /// Sites whose sum is stored: those of a warp on a device, blocks of W on a host.
  static constexpr int part = on_device ? 32 : 16;
  static int parts_of(int sites) { return (sites + part - 1) / part; }

  double* partial = nullptr;  ///< [right-hand side][part][sum]
  int parts = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool wanted() const { return partial != nullptr; }
  KOKKOS_FORCEINLINE_FUNCTION double* of_part(int right_hand_side, int number) const {
    return partial + (static_cast<std::size_t>(right_hand_side) * static_cast<std::size_t>(parts) +
                      static_cast<std::size_t>(number)) *
                         site_sums;
  }
};

/// Collects sums in a team that has warps. The threads of a warp work on the sites of one part, and all of them call
/// `add` for the same right-hand side. A thread without a site adds zeros.
template <class V>
struct WarpSums;
#if defined(KAON_CUDA_LAUNCHER)
template <class V>
struct WarpSums {
  const SiteSums& sums;
  int index;     // of the site
  bool present;  // there is such a site

  KOKKOS_FORCEINLINE_FUNCTION bool wanted() const { return sums.wanted(); }

  KOKKOS_FORCEINLINE_FUNCTION void add([[maybe_unused]] int right_hand_side, [[maybe_unused]] V (&s)[site_sums]) const {
#if defined(__CUDA_ARCH__)
    const double sum = sum_over_warp(s);
    const unsigned lane = threadIdx.x % warp_size;
    const int number = index / SiteSums::part;
    if (lane < site_sums && number < sums.parts) sums.of_part(right_hand_side, number)[lane] = sum;
#endif
  }
};
#endif

/// Collects the sums of a part in any team: each thread adds up its own sites, and `end` adds up the threads.
template <class V>
class PartSums {
 public:
  static constexpr bool present = true;
  static constexpr int most = on_device ? 4 : 12;  ///< right-hand sides at once

  KOKKOS_FUNCTION explicit PartSums(const SiteSums& sums) : sums_(sums) {}

  KOKKOS_FORCEINLINE_FUNCTION bool wanted() const { return sums_.wanted(); }
  /// Starts a part, for right-hand sides [first, last).
  KOKKOS_FORCEINLINE_FUNCTION void begin(int first, int last) {
    first_ = first;
    last_ = last;
    for (int r = 0; r < last - first; ++r) {
      for (Wide<V>& sum : total_[r]) sum = Wide<V>(0.0);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(int right_hand_side, const V (&s)[site_sums]) {
    for (int k = 0; k < site_sums; ++k) {
      Wide<V>& sum = total_[right_hand_side - first_][k];
      sum = sum + widen(s[k]);
    }
  }
  /// Called by all threads of the team.
  KOKKOS_FORCEINLINE_FUNCTION void end(const Team& team, int number) const {
    for (int rhs = first_; rhs < last_; ++rhs) {
      double mine[site_sums];
      for (int k = 0; k < site_sums; ++k) mine[k] = sum_lanes(total_[rhs - first_][k]);
      TeamSums<site_sums> sums = sum_over_team(team, mine);
      for (int k = team.team_rank(); k < site_sums; k += team.team_size()) sums_.of_part(rhs, number)[k] = sums[k];
    }
  }

 private:
  const SiteSums& sums_;
  int first_ = 0, last_ = 0;
  Wide<V> total_[most][site_sums];
};

/// For kernels without sums.
struct NoSums {
  bool present;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool wanted() { return false; }
};

}  // namespace kaon::detail
