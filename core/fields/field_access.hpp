// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/element_order.hpp"
#include "core/fields/link_codes.hpp"
#include "core/fields/single_numbers.hpp"

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

// Fields as kernels see them: whole site objects in and out, V at a time.

/// A hop reads each link and clover block once. In double, where the fields outgrow the L2 cache of a GPU first,
/// evicting them before spinors gains 12 % (H200, 32^4: 2817 to 3175 Gflop/s); in single it loses 10 % at 16^4
/// and gains nothing at 32^4. If they just fit, tuning finds that they should remain (`LaunchShape::keep_links`).
template <class T>
inline constexpr Reuse link_reuse = sizeof(T) == 8 ? Reuse::none : Reuse::soon;

/// One parity of a field whose sites hold a `Vector`: Spinor<V> (4 spins x 3 colours) or ColorVector<V> (1 x 3).
template <class T, class Vector>
struct SiteAccess {
  using Stored = std::remove_const_t<T>;
  using V = typename Vector::Value;
  static constexpr bool scaled = std::is_same_v<Stored, half>;
  using Object = ObjectAccess<Stored, V, components<Vector>, scaled>;

  T* data = nullptr;
  std::size_t stride = 0;  ///< between right-hand sides

  KOKKOS_FORCEINLINE_FUNCTION Vector load(int index, int right_hand_side) const {
    Vector psi;
    Object::load(elements(psi), stream(right_hand_side), index);
    return psi;
  }
  /// A vector that has been requested, and what its numbers are to be multiplied by.
  struct Packed {
    typename Object::Packed numbers;
    V scale;
  };
  KOKKOS_FORCEINLINE_FUNCTION Packed fetch(int index, int right_hand_side) const {
    const T* from = stream(right_hand_side);
    const typename Object::Packed numbers = Object::fetch(from, index);
    return {numbers, Object::scale_of(numbers, from, index)};
  }
  /// psi / scale + `bias` in each number.
  KOKKOS_FORCEINLINE_FUNCTION static Vector unpack_biased(const Packed& packed) {
    Vector psi;
    Object::unpack_biased(elements(psi), packed.numbers);
    return psi;
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int index, int right_hand_side) const {
    Object::prefetch(stream(right_hand_side), index);
  }
  /// Stores factor * psi, on hosts past the caches unless it is wanted again soon.
  template <Reuse reuse = Reuse::none>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Vector& psi, int index, int right_hand_side,
                                         const Scalar<V>& factor = Scalar<V>(1)) const {
    Object::template store<reuse>(stream(right_hand_side), elements(psi), index, factor);
  }
  KOKKOS_FORCEINLINE_FUNCTION T* stream(int right_hand_side) const {
    return data + static_cast<std::size_t>(right_hand_side) * stride;
  }
};

template <class Vector, class T>
SiteAccess<T, Vector> access(SpinorField<T>& field, Parity parity) {
  return {field.data(parity), field.right_hand_side_stride()};
}
template <class Vector, class T>
SiteAccess<const T, Vector> access(const SpinorField<T>& field, Parity parity) {
  return {field.data(parity), field.right_hand_side_stride()};
}

/// The links of a gauge field that stores them as Code says.
template <class T, class V, class Code = FullLinks>
struct GaugeAccess {
  using Object = ObjectAccess<T, V, Code::components>;

  const T* data[2];       ///< by parity
  std::size_t direction;  ///< numbers between the links of a direction and the next

  using Packed = typename Object::Packed;

  /// Links that `decode` returns are to be multiplied by `link_unit`.
  static constexpr bool has_unit = std::is_same_v<T, half> && Code::linear;

  template <Reuse reuse = link_reuse<T>>
  KOKKOS_FORCEINLINE_FUNCTION Packed fetch(int index, int parity, int mu) const {
    return Object::template fetch<reuse>(stream(parity, mu), index);
  }
  /// U / `link_unit`
  KOKKOS_FORCEINLINE_FUNCTION static ColorMatrix<V> decode(const Packed& packed) {
    Complex<V> stored[Code::components];
    Object::unpack_raw(stored, packed);
    return Code::template decode<V>(stored, Object::load_scale(nullptr, 0));
  }
  KOKKOS_FORCEINLINE_FUNCTION ColorMatrix<V> load(int index, int parity, int mu) const {
    static_assert(!has_unit);
    return decode(fetch(index, parity, mu));
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int index, int parity, int mu) const {
    Object::prefetch(stream(parity, mu), index);
  }
  KOKKOS_FORCEINLINE_FUNCTION const T* stream(int parity, int mu) const {
    return data[parity] + static_cast<std::size_t>(mu) * direction;
  }
};

/// Throws `Error` for links that are not stored as Code says.
template <class V, class Code = FullLinks, class T>
GaugeAccess<T, V, Code> access(const GaugeField<T>& links) {
  require_storage(links.storage(), Code::storage);
  return {{links.data(Parity::even), links.data(Parity::odd)}, links.parity_size() / 4};
}

/// Factor of the links that `GaugeAccess::decode` returns.
template <class Code, class T>
double link_unit(const GaugeField<T>& links) {
  return GaugeAccess<T, Arithmetic<T>, Code>::has_unit ? links.scale() / half_one : 1.0;
}

/// One 6x6 Hermitian block: diagonal d, and the elements below it row by row.
template <class V>
struct HermitianBlock {
  Complex<V> d[3];  ///< (d0, d1), (d2, d3), (d4, d5)
  Complex<V> below[15];

  KOKKOS_FORCEINLINE_FUNCTION V diagonal(int row) const { return row % 2 == 0 ? d[row / 2].re : d[row / 2].im; }
};

/// One parity of a clover field.
template <class T, class V>
struct CloverAccess {
  using Stored = std::remove_const_t<T>;
  using Object = ObjectAccess<Stored, V, 18, std::is_same_v<Stored, half>>;

  T* data = nullptr;
  std::size_t chirality_stride = 0;

  /// The block / `load_scale`.
  KOKKOS_FORCEINLINE_FUNCTION HermitianBlock<V> load_raw(int index, int chirality) const {
    HermitianBlock<V> block;
    Object::template load_raw<link_reuse<Stored>>(reinterpret_cast<Complex<V>*>(&block), stream(chirality), index);
    return block;
  }
  KOKKOS_FORCEINLINE_FUNCTION V load_scale(int index, int chirality) const {
    return Object::load_scale(stream(chirality), index);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prefetch(int index, int chirality) const {
    Object::prefetch(stream(chirality), index);
  }
  KOKKOS_FORCEINLINE_FUNCTION T* stream(int chirality) const {
    return data + static_cast<std::size_t>(chirality) * chirality_stride;
  }
};

template <class V, class T>
CloverAccess<const T, V> access(const CloverField<T>& clover, Parity parity) {
  return {clover.data(parity), clover.parity_size() / 2};
}

// Sites one by one in any lanes, for kernels that are not worth vectors and for random numbers.

/// Links of single sites, `ColorMatrix<double>` for any T.
template <class T>
struct SiteGauge {
  SiteMap map;
  int lanes;
  T* data[2];
  std::size_t direction;  ///< reals between the links of a direction and the next

  KOKKOS_INLINE_FUNCTION ColorMatrix<double> load(const int (&x)[4], int mu) const {
    const Place place = map.place(x);
    ColorMatrix<double> u;
    for (int c = 0; c < 9; ++c) u.e[c / 3][c % 3] = load_number_at(stream(place, mu), place, lanes, 9, c);
    return u;
  }
  KOKKOS_INLINE_FUNCTION void store(const ColorMatrix<double>& u, const int (&x)[4], int mu) const {
    const Place place = map.place(x);
    for (int c = 0; c < 9; ++c) store_number_at(stream(place, mu), u.e[c / 3][c % 3], place, lanes, 9, c);
  }
  KOKKOS_INLINE_FUNCTION T* stream(const Place& place, int mu) const {
    return data[place.parity] + static_cast<std::size_t>(mu) * direction;
  }
};

/// Throws `Error` for compressed links.
template <class T>
SiteGauge<T> site_access(GaugeField<T>& links) {
  require_storage(links.storage(), LinkStorage::full);
  return {SiteMap::of<T>(links.lattice()),
          links.lattice().template lane_count<T>(),
          {links.data(Parity::even), links.data(Parity::odd)},
          links.parity_size() / 4};
}
/// For kernels that only load.
template <class T>
SiteGauge<T> site_access(const GaugeField<T>& links) {
  return site_access(const_cast<GaugeField<T>&>(links));
}

/// Components of a spinor field of any shape on single sites: those of slice 0 first, then those of slice 1, ...
template <class T>
struct SiteSpinor {
  SiteMap map;
  ElementOrder<T> order;
  int components;  ///< of all slices
  int of_slice;
  T* data[2];  ///< by parity; null where the field does not hold it
  std::size_t stride;
  std::size_t slice_size;

  KOKKOS_INLINE_FUNCTION bool holds(const int (&x)[4]) const { return data[map.parity(x)] != nullptr; }
  KOKKOS_INLINE_FUNCTION Complex<double> load(const int (&x)[4], int component, int right_hand_side) const {
    const Place place = map.place(x);
    const T* from = stream(place, component / of_slice, right_hand_side);
    return {static_cast<double>(from[order.offset(place, of_slice, component % of_slice, 0)]),
            static_cast<double>(from[order.offset(place, of_slice, component % of_slice, 1)])};
  }
  KOKKOS_INLINE_FUNCTION void store(const Complex<double>& value, const int (&x)[4], int component,
                                    int right_hand_side) const {
    const Place place = map.place(x);
    T* to = stream(place, component / of_slice, right_hand_side);
    to[order.offset(place, of_slice, component % of_slice, 0)] = static_cast<T>(value.re);
    to[order.offset(place, of_slice, component % of_slice, 1)] = static_cast<T>(value.im);
  }

 private:
  KOKKOS_INLINE_FUNCTION T* stream(const Place& place, int slice, int right_hand_side) const {
    return data[place.parity] + static_cast<std::size_t>(right_hand_side) * stride +
           static_cast<std::size_t>(slice) * slice_size;
  }
};

template <class T>
SiteSpinor<T> site_access(SpinorField<T>& field) {
  const auto data = [&](Parity parity) { return field.holds(parity) ? field.data(parity) : nullptr; };
  return {SiteMap::of<T>(field.lattice()),
          ElementOrder<T>::of(field.lattice(), field.components()),
          field.parameters().components_of_all_slices(),
          field.components(),
          {data(Parity::even), data(Parity::odd)},
          field.right_hand_side_stride(),
          field.slice_size()};
}
template <class T>
SiteSpinor<T> site_access(const SpinorField<T>& field) {
  return site_access(const_cast<SpinorField<T>&>(field));
}

}  // namespace kaon::detail
