// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/array_sites.hpp"
#include "core/fields/shaped_sites.hpp"

#include <kaon/core/error.hpp>

namespace kaon {
namespace {

using detail::ArrayNumbers;
using detail::ArraySites;
using detail::CopyWay;

/// One site of a slice of a spinor field from an array, or into it.
template <class T>
struct SpinorArrayKernel {
  detail::ShapedSites<T> field;
  ArraySites sites;
  ArrayNumbers array;
  int first;
  int slice, spins, colors;
  bool color_spin;
  CopyWay way;

  KOKKOS_FUNCTION void operator()(const int site) const {
    int x[4];
    sites.coordinates(first + site, x);
    const detail::Place place = field.map.place(x);
    const int slot = detail::parity_slot(field.shape.subset, place.parity);
    if (slot < 0) {
      if (way == CopyWay::out) {
        for (int k = 0; k < 2 * spins * colors; ++k) array.store(0.0, site, k);
      }
      return;
    }
    const int count = field.shape.components;
    for (int component = 0; component < spins * colors; component += count) {
      detail::ObjectNumbers<T> object(field, place, slot, slice * spins * colors + component);
      if (way == CopyWay::in) {
        take(object, site, component, 2 * count);
      } else {
        for (int k = 0; k < 2 * count; ++k) array.store(object.load(k / 2, k % 2), site, number(component, k));
      }
    }
  }

 private:
  /// Place in the array of real number k after the complex number `component` of the field.
  KOKKOS_FUNCTION int number(int component, int k) const {
    const int c = component + k / 2;
    return 2 * (color_spin ? c % colors * spins + c / colors : c) + k % 2;
  }
  KOKKOS_FUNCTION void take(detail::ObjectNumbers<T>& object, int site, int component, int reals) const {
    if (object.scaled) {
      double largest = 0.0;
      for (int k = 0; k < reals; ++k) {
        const double size = Kokkos::abs(array.load(site, number(component, k)));
        if (!(size <= largest)) largest = size;  // a NaN remains
        if (size != size) break;
      }
      object.set_largest(largest);
    }
    for (int k = 0; k < reals; ++k) object.store(array.load(site, number(component, k)), k / 2, k % 2);
  }
};

/// The array's numbers of slice s: slices are stored in sequence.
ArrayView slice_of(ArrayView array, int s, const detail::ArrayShape& shape) {
  if (s == 0) return array;
  const std::ptrdiff_t number = array.element == ArrayElement::complex128 ? sizeof(double) : sizeof(float);
  const std::ptrdiff_t site = array.site_bytes == 0 ? shape.reals * number : array.site_bytes;
  array.data = static_cast<char*>(array.data) + s * shape.sites * site;
  return array;
}

template <class T>
void copy(SpinorField<T>& field, const ArrayView& array, int right_hand_side, CopyWay way) {
  const Lattice& lattice = field.lattice();
  require(!array.planes || field.slices() == 1, "planes have one slice, but this field of spinors has several");
  SpinorField<T> one = field.range(right_hand_side, 1);
  const bool color_spin =
      detail::in_second_order(array.inside, InsideOrder::spin_color, InsideOrder::color_spin, "spinors");
  const ArraySites sites = ArraySites::of(lattice, array.sites, field.subset());
  const detail::ShapedSites<T> shaped(lattice, one.data(),
                                      detail::spinor_shape<T>(field.components(), field.subset(), field.slices()));
  const detail::ArrayShape shape{
      .sites = sites.count, .reals = 2 * field.components(), .first = sites.first_of_planes()};
  for (int s = 0; s < field.slices(); ++s) {
    detail::for_each_piece(
        lattice, slice_of(array, s, shape), shape, way, [&](const ArrayNumbers& numbers, int first, int count) {
          detail::for_each_array_site(
              "kaon::copy_spinors", lattice, count,
              SpinorArrayKernel<T>{shaped, sites, numbers, first, s, field.spins(), field.colors(), color_spin, way});
        });
  }
}

}  // namespace

template <class T>
void copy_in(SpinorField<T>& field, const ConstArrayView& array, int right_hand_side) {
  copy(field, detail::readable(array), right_hand_side, CopyWay::in);
}

template <class T>
void copy_out(const ArrayView& array, const SpinorField<T>& field, int right_hand_side) {
  copy(const_cast<SpinorField<T>&>(field), array, right_hand_side, CopyWay::out);
}

template void copy_in(SpinorField<double>&, const ConstArrayView&, int);
template void copy_in(SpinorField<float>&, const ConstArrayView&, int);
template void copy_in(SpinorField<half>&, const ConstArrayView&, int);
template void copy_out(const ArrayView&, const SpinorField<double>&, int);
template void copy_out(const ArrayView&, const SpinorField<float>&, int);
template void copy_out(const ArrayView&, const SpinorField<half>&, int);

}  // namespace kaon
