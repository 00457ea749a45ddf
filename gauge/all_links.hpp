// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"

namespace kaon::detail {

/// The links of a field one by one, whole packs, numbered by site within parity and direction: for kernels without
/// neighbours.
template <class V>
struct AllLinks {
  using Object = ObjectAccess<double, V, 9>;
  double* data;
  std::size_t stream;  ///< numbers of a parity and direction
  int sites;           ///< of a parity in a virtual node

  KOKKOS_INLINE_FUNCTION ColorMatrix<V> load(int number) const {
    ColorMatrix<V> u;
    Object::load(&u.e[0][0], data + stream * static_cast<std::size_t>(number / sites), number % sites);
    return u;
  }
  KOKKOS_INLINE_FUNCTION void store(const ColorMatrix<V>& u, int number) const {
    Object::store(data + stream * static_cast<std::size_t>(number / sites), &u.e[0][0], number % sites);
  }
};

/// Throws `Error` for compressed links.
template <class V>
AllLinks<V> all_links(GaugeField<double>& links) {
  require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  return {links.data(), links.parity_size() / 4,
          static_cast<int>(lattice.local_volume() / lattice.lane_count<double>() / 2)};
}
/// For kernels that only load.
template <class V>
AllLinks<V> all_links(const GaugeField<double>& links) {
  return all_links<V>(const_cast<GaugeField<double>&>(links));
}

/// Runs `make.template operator()<V>()`, a kernel, with the number of each link, in the lanes of the field.
template <class Make>
void for_each_link(const char* label, const GaugeField<double>& links, const Make& make) {
  const Lattice& lattice = links.lattice();
  with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Execution>(lattice.execution(), 0, 8 * all_links<V>(links).sites),
                         make.template operator()<V>());
  });
}

/// Like `for_each_link` for a kernel that adds to its second argument, an int; returns the sum, on this process.
template <class Make>
int count_links(const char* label, const GaugeField<double>& links, const Make& make) {
  const Lattice& lattice = links.lattice();
  int count = 0;
  with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
    const auto kernel = make.template operator()<V>();
    Kokkos::parallel_reduce(label,
                            Kokkos::RangePolicy<Execution>(lattice.execution(), 0, 8 * all_links<V>(links).sites),
                            kernel, Kokkos::Sum<int>(count));
  });
  return count;
}

/// Whether value <= bound in all lanes: false for NaN.
template <class V>
KOKKOS_INLINE_FUNCTION bool all_at_most(const V& value, const V& bound) {
  if constexpr (lane_count<V> == 1) {
    return value <= bound;
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::all_of(value <= bound);
#endif
  }
}

}  // namespace kaon::detail
