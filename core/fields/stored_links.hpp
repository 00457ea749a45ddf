// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"
#include "core/fields/link_codes.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/gauge_field.hpp>

#include <cstdint>

namespace kaon::detail {

/// The number after storing it as T and reading it again.
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

/// Calls `body.template operator()<Code>()` with the code of `storage`, in a kernel.
template <class Body>
KOKKOS_FUNCTION auto with_stored_code(LinkStorage storage, const Body& body) {
  switch (storage) {
    case LinkStorage::two_rows_and_determinant:
      return body.template operator()<TwoRowDeterminantLinks>();
    case LinkStorage::two_rows:
      return body.template operator()<TwoRowLinks>();
    case LinkStorage::minimal_and_determinant:
      return body.template operator()<MinimalDeterminantLinks>();
    case LinkStorage::minimal:
      return body.template operator()<MinimalLinks>();
    case LinkStorage::full:
      break;
  }
  return body.template operator()<FullLinks>();
}

/// Single links in any storage, as double. The storage is a runtime switch per link, to avoid one kernel per storage.
template <class T>
struct StoredLinks {
  SiteMap map;
  int lanes;
  T* data[2];
  std::size_t direction;
  LinkStorage storage;
  double scale;  ///< of links in full

  KOKKOS_FUNCTION ColorMatrix<double> load(const Place& place, int mu) const {
    return with_stored_code(storage, [&]<class Code>() { return load_as<Code>(place, mu); });
  }
  KOKKOS_FUNCTION void store(const ColorMatrix<double>& u, const Place& place, int mu) const {
    with_stored_code(storage, [&]<class Code>() { store_as<Code>(u, place, mu); });
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
    if constexpr (std::is_same_v<Code, FullLinks>) {
      for (Complex<double>& z : stored) z = scale * z;
    }
    return Code::template decode<double>(stored, 1.0);
  }
  template <class Code>
  KOKKOS_FUNCTION void store_as(const ColorMatrix<double>& u, const Place& place, int mu) const {
    T* to = data[place.parity] + static_cast<std::size_t>(mu) * direction;
    Complex<double> stored[Code::components];
    Code::encode(stored, u, Rounding<T>{});
    if constexpr (std::is_same_v<Code, FullLinks>) {
      for (Complex<double>& z : stored) z = (1.0 / scale) * z;
    }
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

/// `scale`: that links in full are to be stored with.
template <class T>
StoredLinks<T> stored_links(GaugeField<T>& links, double scale) {
  return {SiteMap::of<T>(links.lattice()),
          links.lattice().template lane_count<T>(),
          {links.data(Parity::even), links.data(Parity::odd)},
          links.parity_size() / 4,
          links.storage(),
          scale};
}
/// For kernels that load, or store with the scale that the links have.
template <class T>
StoredLinks<T> stored_links(const GaugeField<T>& links) {
  return stored_links(const_cast<GaugeField<T>&>(links), links.scale());
}

/// out = in, restored from the storage of `in`, compressed as that of `out` says, and rounded. Returns the scale of
/// `out`. Throws `Error` where compressed links are wanted and a link is further than 1e-5 from SU(3), or from U(3) in
/// storages with a determinant, and where 16-bit links in full are wanted of links that are not finite.
template <class To, class From>
double convert_links(GaugeField<To>& out, const GaugeField<From>& in);

}  // namespace kaon::detail
