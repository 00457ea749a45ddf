// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/lanes.hpp"

#include <cstddef>

namespace kaon::detail {

// Sums over sites that a kernel makes of what it has in registers anyway. Their order is fixed by the size of the
// lattice alone, whatever shape the kernel is launched in: consecutive sites make a part, on a device those that share
// a storage block, and parts are added one after the other or, on a device, in a tree. What a site adds is computed in
// V, parts and all else are in double.

/// Sums that a kernel makes for each right-hand side.
inline constexpr int site_sums = 8;

/// Where the sums of parts go; null if nobody wants them.
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

/// What a thread of a device does with sums. All threads of a warp call `add` for the same right-hand side, and their
/// sites are those of a part; those that have no site add zeros.
template <class V>
struct WarpSums {
  const SiteSums& sums;
  int index;     // of the site
  bool present;  // there is such a site

  KOKKOS_FORCEINLINE_FUNCTION bool wanted() const { return sums.wanted(); }

  KOKKOS_FORCEINLINE_FUNCTION void add([[maybe_unused]] int right_hand_side, [[maybe_unused]] V (&s)[site_sums]) const {
#if defined(__CUDA_ARCH__)
    // With each step a thread hands half of its sums to another and takes over that one's other half, so that eight
    // sums cost little more than one: thread l ends up with sum l % 8.
    const unsigned lane = threadIdx.x % 32;
    KAON_UNROLL
    for (int half = site_sums / 2; half > 0; half /= 2) {
      const bool upper = (lane & static_cast<unsigned>(half)) != 0;
      KAON_UNROLL
      for (int k = 0; k < half; ++k) {
        const V mine = upper ? s[k + half] : s[k];
        const V others = upper ? s[k] : s[k + half];
        s[k] = mine + __shfl_xor_sync(~0U, others, half);
      }
    }
    double sum = s[0];
    sum += __shfl_xor_sync(~0U, sum, 8);
    sum += __shfl_xor_sync(~0U, sum, 16);
    const int number = index / SiteSums::part;
    if (lane < site_sums && number < sums.parts) sums.of_part(right_hand_side, number)[lane] = sum;
#endif
  }
};

/// The same on a host: sums over the sites of a part, which a thread works on one after the other.
template <class V>
class PartSums {
 public:
  static constexpr bool present = true;
  static constexpr int most = 12;  ///< right-hand sides at once

  explicit PartSums(const SiteSums& sums) : sums_(sums) {}

  bool wanted() const { return sums_.wanted(); }
  /// Begins a part, for right-hand sides [first, last).
  void begin(int first, int last) {
    first_ = first;
    last_ = last;
    for (int r = 0; r < last - first; ++r) {
      for (Wide<V>& sum : total_[r]) sum = Wide<V>(0.0);
    }
  }
  void add(int right_hand_side, const V (&s)[site_sums]) {
    for (int k = 0; k < site_sums; ++k) {
      Wide<V>& sum = total_[right_hand_side - first_][k];
      sum = sum + widen(s[k]);
    }
  }
  void end(int number) const {
    for (int rhs = first_; rhs < last_; ++rhs) {
      for (int k = 0; k < site_sums; ++k) sums_.of_part(rhs, number)[k] = sum_lanes(total_[rhs - first_][k]);
    }
  }

 private:
  const SiteSums& sums_;
  int first_ = 0, last_ = 0;
  Wide<V> total_[most][site_sums];
};

/// Where sums are not made.
struct NoSums {
  bool present;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr bool wanted() { return false; }
};

}  // namespace kaon::detail
