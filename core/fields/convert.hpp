// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/element_order.hpp"

#include <kaon/core/lattice.hpp>

#include <cstddef>
#include <type_traits>

namespace kaon::detail {

/// Content of a run of site storage: `objects` objects of `components` complex numbers on each site of `subset`.
struct SiteShape {
  int objects = 1;
  int components = 1;
  Subset subset = Subset::full;
  bool scaled = true;  ///< in 16-bit fixed point, each object has a scale

  KOKKOS_FORCEINLINE_FUNCTION int complex_per_site() const { return objects * components; }
};

/// The storage of a spinor field of T: one object a site and slice, in 16-bit fixed point as many as have scales.
template <class T>
SiteShape spinor_shape(int components, Subset subset, int slices = 1) {
  const int object = std::is_same_v<T, half> ? scaled_object(components) : components;
  return {.objects = slices * (components / object), .components = object, .subset = subset};
}

/// Numbers of T in one parity of such storage.
template <class T>
std::size_t parity_size(const Lattice& lattice, const SiteShape& shape) {
  const int sites = static_cast<int>(lattice.local_volume()) / lattice.parities();
  if (lattice.is_coarse()) return static_cast<std::size_t>(sites) * static_cast<std::size_t>(2 * shape.components);
  return parity_size<T>(sites / lattice.lane_count<T>(), lattice.lane_count<T>(), shape.objects, shape.components,
                        shape.scaled && std::is_same_v<T, half>);
}

/// Effect of a conversion on the present values.
enum class Conversion {
  assign,  ///< out = in
  add      ///< out = out + in
};

/// out = in or out + in, with the storage order and rounding of To. The shapes have the same sites and numbers, and
/// objects of one are made up of whole objects of the other; where scales are chosen, those of `in` are the larger.
template <class To, class From>
void convert_sites(const Lattice& lattice, To* out, const SiteShape& out_shape, const From* in,
                   const SiteShape& in_shape, Conversion conversion = Conversion::assign);

}  // namespace kaon::detail
