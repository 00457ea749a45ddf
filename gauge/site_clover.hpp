// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/fields/single_numbers.hpp"

namespace kaon::detail {

/// Blocks of a clover field on single sites, in double for any T.
template <class T>
struct SiteClover {
  SiteMap map;
  int lanes;
  T* data[2];  ///< by parity; null where the field does not hold it
  std::size_t chirality_stride;

  KOKKOS_INLINE_FUNCTION bool holds(const int (&x)[4]) const {
    return data[(x[0] + x[1] + x[2] + x[3]) & 1] != nullptr;
  }

  KOKKOS_INLINE_FUNCTION HermitianBlock<double> load(const int (&x)[4], int chirality) const {
    const Place place = map.place(x);
    const T* from = data[place.parity] + static_cast<std::size_t>(chirality) * chirality_stride;
    HermitianBlock<double> block;
    for (int c = 0; c < 18; ++c) {
      (c < 3 ? block.d[c] : block.below[c - 3]) = load_number_at(from, place, lanes, 18, c);
    }
    return block;
  }

  KOKKOS_INLINE_FUNCTION void store(const HermitianBlock<double>& block, const int (&x)[4], int chirality) const {
    const Place place = map.place(x);
    T* to = data[place.parity] + static_cast<std::size_t>(chirality) * chirality_stride;
    for (int c = 0; c < 18; ++c) {
      store_number_at(to, c < 3 ? block.d[c] : block.below[c - 3], place, lanes, 18, c);
    }
  }
};

template <class T>
SiteClover<T> site_access(CloverField<T>& clover) {
  const bool even = clover.subset() != Subset::odd;
  const bool odd = clover.subset() != Subset::even;
  return {SiteMap::of<T>(clover.lattice()),
          clover.lattice().template lane_count<T>(),
          {even ? clover.data(Parity::even) : nullptr, odd ? clover.data(Parity::odd) : nullptr},
          clover.parity_size() / 2};
}
/// For kernels that only load.
template <class T>
SiteClover<T> site_access(const CloverField<T>& clover) {
  return site_access(const_cast<CloverField<T>&>(clover));
}

}  // namespace kaon::detail
