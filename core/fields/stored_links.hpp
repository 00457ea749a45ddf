// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"
#include "core/fields/link_codes.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/gauge_field.hpp>

#include <cstdint>

namespace kaon::detail {

/// How far a link may be from SU(3) that is stored in compressed form or in 16 bits.
inline constexpr double su3_tolerance = 1e-5;

/// What storing a number as T and reading it again makes of it.
template <class T>
struct Rounding {
  KOKKOS_FUNCTION double operator()(double value) const {
    if constexpr (std::is_same_v<T, half>) {
      return Kokkos::round(value * static_cast<double>(half_one)) / static_cast<double>(half_one);
    } else {
      return static_cast<double>(static_cast<T>(value));
    }
  }
};

/// Single links in any storage, as double. The storage is asked for at each link: a kernel for each would be many.
template <class T>
struct StoredLinks {
  SiteMap map;
  int lanes;
  T* data[2];
  std::size_t direction;
  LinkStorage storage;

  KOKKOS_FUNCTION ColorMatrix<double> load(const Place& place, int mu) const {
    switch (storage) {
      case LinkStorage::two_rows:
        return load_as<TwoRowLinks>(place, mu);
      case LinkStorage::minimal:
        return load_as<MinimalLinks>(place, mu);
      case LinkStorage::full:
        break;
    }
    return load_as<FullLinks>(place, mu);
  }
  KOKKOS_FUNCTION void store(const ColorMatrix<double>& u, const Place& place, int mu) const {
    switch (storage) {
      case LinkStorage::two_rows:
        return store_as<TwoRowLinks>(u, place, mu);
      case LinkStorage::minimal:
        return store_as<MinimalLinks>(u, place, mu);
      case LinkStorage::full:
        return store_as<FullLinks>(u, place, mu);
    }
  }

 private:
  template <class Code>
  KOKKOS_FUNCTION ColorMatrix<double> load_as(const Place& place, int mu) const {
    const T* from = data[place.parity] + static_cast<std::size_t>(mu) * direction;
    double parts[2 * Code::components];
    for (int k = 0; k < 2 * Code::components; ++k) {
      const T& number = from[element_offset<T>(place.index, place.lane, lanes, Code::components, k / 2, k % 2)];
      if constexpr (std::is_same_v<T, half>) {
        parts[k] = static_cast<double>(number.bits) / static_cast<double>(half_one);
      } else {
        parts[k] = static_cast<double>(number);
      }
    }
    Complex<double> stored[Code::components];
    for (int c = 0; c < Code::components; ++c) stored[c] = {parts[2 * c], parts[2 * c + 1]};
    return Code::template decode<double>(stored, 1.0);
  }
  template <class Code>
  KOKKOS_FUNCTION void store_as(const ColorMatrix<double>& u, const Place& place, int mu) const {
    T* to = data[place.parity] + static_cast<std::size_t>(mu) * direction;
    Complex<double> stored[Code::components];
    Code::encode(stored, u, Rounding<T>{});
    for (int k = 0; k < 2 * Code::components; ++k) {
      const double value = k % 2 == 0 ? stored[k / 2].re : stored[k / 2].im;
      T& number = to[element_offset<T>(place.index, place.lane, lanes, Code::components, k / 2, k % 2)];
      if constexpr (std::is_same_v<T, half>) {
        const double one = static_cast<double>(half_one);
        number.bits = static_cast<std::int16_t>(Kokkos::round(Kokkos::fmax(-one, Kokkos::fmin(one, value * one))));
      } else {
        number = static_cast<T>(value);
      }
    }
  }
};

template <class T>
StoredLinks<T> stored_links(GaugeField<T>& links) {
  return {SiteMap::of<T>(links.lattice()),
          links.lattice().template lane_count<T>(),
          {links.data(Parity::even), links.data(Parity::odd)},
          links.parity_size() / 4,
          links.storage()};
}
/// For kernels that only load.
template <class T>
StoredLinks<T> stored_links(const GaugeField<T>& links) {
  return stored_links(const_cast<GaugeField<T>&>(links));
}

/// How far a matrix is from SU(3): the largest error of the third row and of the products of the other two; infinity
/// for NaN.
KOKKOS_INLINE_FUNCTION double su3_deviation(const ColorMatrix<double>& u) {
  ColorMatrix<double> completed = u;
  complete_third_row(completed, 1.0);
  double largest = 0.0;
  const auto note = [&](double deviation) {
    if (!(deviation <= largest)) largest = deviation >= 0.0 ? deviation : Kokkos::Experimental::infinity_v<double>;
  };
  for (int c = 0; c < 3; ++c) note(Kokkos::sqrt(norm2(u.e[2][c] - completed.e[2][c])));
  for (int row = 0; row < 2; ++row) {
    for (int other = 0; other <= row; ++other) {
      Complex<double> product{row == other ? -1.0 : 0.0, 0.0};
      for (int c = 0; c < 3; ++c) product += u.e[row][c] * conj(u.e[other][c]);
      note(Kokkos::sqrt(norm2(product)));
    }
  }
  return largest;
}

/// Throws `Error` where the largest deviation is above `allowed`, for links to be stored so.
void require_su3(double deviation, double allowed, LinkStorage storage, bool sixteen_bits);

}  // namespace kaon::detail
