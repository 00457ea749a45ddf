// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace kaon {

/// The numbers of an array.
enum class ArrayElement { complex128, complex64 };

/// The order of the sites of this process in an array, by their local coordinates; lexicographic is x fastest, then y,
/// z and t.
enum class SiteOrder {
  lexicographic,
  even_odd,  ///< all even sites, then all odd ones; each in the order of half of their lexicographic number
  odd_even
};

/// The order of the numbers of a site, or of a link.
enum class InsideOrder {
  standard,       ///< spin_color, row_column or full_clover, as the field is
  spin_color,     ///< spinors: [spin][colour]
  color_spin,     ///< spinors: [colour][spin]
  row_column,     ///< links: [row][column]
  column_row,     ///< links: [column][row]
  full_clover,    ///< clover terms: [chirality][row][column], rows and columns as in `CloverField`
  packed_clover,  ///< clover terms: [chirality], each the 6 diagonal elements as reals, then the 15 complex elements
                  ///< below the diagonal column by column: 72 reals a site
  anti_hermitian  ///< links that are anti-Hermitian, as momenta: 10 reals, the complex elements 01, 02 and 12, the
                  ///< imaginary parts of 00, 11 and 22, and one that is not read, and written as zero
};

/// The memory of an array.
enum class ArrayMemory {
  anywhere,  ///< the driver of the device is asked
  host,
  device
};

/// An array of a caller: where the numbers of a field on this process are, and in which order. `Void` is `void` or
/// `const void`.
///
///   {.data = p}                                                      [t][z][y][x][spin][colour], or
///   [..][mu][row][column]
///   {.parts = {px, py, pz, pt}, .sites = SiteOrder::even_odd}        links of QDP: an array for each direction
///   {.data = &sites[0].link, .site_bytes = sizeof(Site)}             links within structures of sites, as MILC's
///   {.data = p, .sites = SiteOrder::even_odd, .inside = InsideOrder::color_spin, .planes = true}
///                                                                    spinors of QDP-JIT
///
/// Planes are [real, imaginary][number][site], the site fastest, of all sites for any parity of the field. Links in
/// planes need an array for each direction; clover terms have the complex elements below the diagonal, row by row, in
/// `parts[0]`: [real, imaginary][element][chirality][site], and those on it in `parts[1]`: [element][chirality][site].
///
/// A site of links holds [mu] links if there is one array. A field of one parity reads and writes arrays of that
/// parity alone, half of the sites, in even-odd orders; in the lexicographic order arrays have all sites.
template <class Void>
struct BasicArrayView {
  Void* data = nullptr;          ///< of the first site
  std::array<Void*, 4> parts{};  ///< links: one array for each direction, instead of `data`
  ArrayElement element = ArrayElement::complex128;
  SiteOrder sites = SiteOrder::lexicographic;
  InsideOrder inside = InsideOrder::standard;
  std::ptrdiff_t site_bytes = 0;  ///< from a site to the next; 0: nothing lies between them
  ArrayMemory memory = ArrayMemory::anywhere;
  bool planes = false;  ///< each real number of all sites lies together

  template <std::same_as<BasicArrayView<const void>> To>
  requires(!std::is_const_v<Void>) operator To() const {
    return {data, {parts[0], parts[1], parts[2], parts[3]}, element, sites, inside, site_bytes, memory, planes};
  }
};

using ArrayView = BasicArrayView<void>;
using ConstArrayView = BasicArrayView<const void>;

// Fields from and to arrays: `copy_in` reads the caller's numbers, `copy_out` writes them, both rounded once, by one
// kernel in the caller's memory. Host memory goes to GPUs, and comes back, in pieces of some megabytes. Nothing is
// communicated: each process copies its own sites. The caller's memory is free when a call returns; work of others on
// it must have been finished. Throw `Error` for null pointers, addresses and `site_bytes` that numbers cannot have,
// memory that kernels cannot reach, and orders that the field does not have.

/// A right-hand side of a field: its slices lie in sequence. Sites that the field does not hold are neither
/// read nor, except for zeros in the lexicographic order, written.
template <class T>
void copy_in(SpinorField<T>& field, const ConstArrayView& array, int right_hand_side = 0);
template <class T>
void copy_out(const ArrayView& array, const SpinorField<T>& field, int right_hand_side = 0);

/// All links. Compressed links are restored on output. On input into links that are compressed or have 16 bits,
/// collective: `GaugeField::assign`.
template <class T>
void copy_in(GaugeField<T>& links, const ConstArrayView& array);
template <class T>
void copy_out(const ArrayView& array, const GaugeField<T>& links);

/// A clover term or its inverse. Full blocks are read collectively: unless they are Hermitian, to 1e-5 of their largest
/// number, `Error` is thrown on all processes. Elements on the diagonal and below it count.
template <class T>
void copy_in(CloverField<T>& clover, const ConstArrayView& array);
template <class T>
void copy_out(const ArrayView& array, const CloverField<T>& clover);

}  // namespace kaon
