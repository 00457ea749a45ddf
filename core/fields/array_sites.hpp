// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/geometry.hpp"

#include <kaon/core/array_view.hpp>

#include <complex>
#include <functional>
#include <span>

namespace kaon::detail {

/// The sites of this process in the order of an array.
struct ArraySites {
  SiteMap map;  ///< of one virtual node
  SiteOrder order;
  int volume;        ///< of this process
  int first_parity;  ///< of the array
  int count;         ///< sites in the array

  /// Sites of an array for a field on `subset`.
  static ArraySites of(const Lattice& lattice, SiteOrder order, Subset subset);

  /// The first of the array's sites among those of planes.
  int first_of_planes() const { return count < volume ? first_parity * count : 0; }

  /// Local coordinates of site `number` of the array.
  KOKKOS_INLINE_FUNCTION void coordinates(int number, int (&x)[4]) const {
    if (order == SiteOrder::lexicographic) {
      int rest = number;
      for (int mu = 0; mu < 4; ++mu) {
        x[mu] = rest % map.extent[mu];
        rest /= map.extent[mu];
      }
    } else {
      const int half = number / map.sites;
      map.coordinates({half == 0 ? first_parity : 1 - first_parity, number - half * map.sites, 0}, x);
    }
  }
};

/// The real numbers of a caller's array, or of a piece of it: what kernels see.
struct ArrayNumbers {
  char* parts[4];  ///< `parts[0]` alone if there is one array
  std::ptrdiff_t site_bytes;
  bool wide;                          ///< double, else float
  std::ptrdiff_t complex_step = 2;    ///< from a complex number of a site to the next
  std::ptrdiff_t imaginary_step = 1;  ///< from its real part to the imaginary one

  KOKKOS_INLINE_FUNCTION std::ptrdiff_t place(int number) const {
    return number / 2 * complex_step + number % 2 * imaginary_step;
  }
  KOKKOS_INLINE_FUNCTION double load(int site, int number, int part = 0) const {
    const char* from = parts[part] + site * site_bytes;
    return wide ? reinterpret_cast<const double*>(from)[place(number)]
                : static_cast<double>(reinterpret_cast<const float*>(from)[place(number)]);
  }
  KOKKOS_INLINE_FUNCTION void store(double value, int site, int number, int part = 0) const {
    char* to = parts[part] + site * site_bytes;
    if (wide) {
      reinterpret_cast<double*>(to)[place(number)] = value;
    } else {
      reinterpret_cast<float*>(to)[place(number)] = static_cast<float>(value);
    }
  }
};

/// Which way numbers go.
enum class CopyWay { in, out };

/// Works on the sites [first, first + count) of an array, which are the sites 0 to count - 1 of `numbers`.
using PieceWork = std::function<void(const ArrayNumbers& numbers, int first, int count)>;

/// Numbers that a field asks of an array: `reals` real numbers of each of `sites` sites, in one array or in four.
struct ArrayShape {
  int sites;
  int reals;
  bool by_direction = false;
  int first = 0;  ///< of planes, which have all sites: that of the field
};

/// Calls `work` for the whole array where kernels reach it, else for pieces of it that are copied to the device before
/// or from it afterwards. The kernels of `work` run on the lattice's execution-space instance. Waits for them. Throws
/// `Error` for an array that cannot be one of this shape.
void for_each_piece(const Lattice& lattice, const ArrayView& array, const ArrayShape& shape, CopyWay way,
                    const PieceWork& work);

/// Runs `kernel(n)` for the sites of a piece. A field of packs, whose sites have the map `stored`, is visited in the
/// order of its memory if the piece is the whole of a lexicographic array: each of its cache lines is then moved once.
template <class Kernel>
void for_each_array_site(const char* label, const Lattice& lattice, const ArraySites& sites, int count,
                         const SiteMap& stored, const Kernel& kernel) {
  const int in_lane = stored.sites * stored.parities, lanes = sites.volume / in_lane;
  const Kokkos::RangePolicy<Execution> policy(lattice.execution(), 0, count);
  if (lanes == 1 || sites.order != SiteOrder::lexicographic || count != sites.volume) {
    Kokkos::parallel_for(label, policy, kernel);
    return;
  }
  Kokkos::parallel_for(
      label, policy, KOKKOS_LAMBDA(const int n) {
        const int at = n / lanes;
        int x[4];
        stored.coordinates({at / stored.sites, at % stored.sites, n % lanes}, x);
        const int(&extent)[4] = stored.extent;
        kernel(x[0] + extent[0] * (x[1] + extent[1] * (x[2] + extent[2] * x[3])));
      });
}

/// The array that is only read.
inline ArrayView readable(const ConstArrayView& array) {
  const auto address = [](const void* pointer) { return const_cast<void*>(pointer); };
  const auto& parts = array.parts;
  return {address(array.data), {address(parts[0]), address(parts[1]), address(parts[2]), address(parts[3])},
          array.element,       array.sites,
          array.inside,        array.site_bytes,
          array.memory,        array.planes};
}

/// Whether numbers are in the second of two orders. Throws `Error` for an order of other fields.
bool in_second_order(InsideOrder given, InsideOrder first, InsideOrder second, const char* field);

/// Host values in lexicographic order, as an array. Throws `Error` unless there are `per_site` of each site.
ConstArrayView host_values(const Lattice& lattice, std::span<const std::complex<double>> values, int per_site);

/// Numbers of all sites of this process for `to_host`.
std::vector<std::complex<double>> room_for_values(const Lattice& lattice, int per_site);

}  // namespace kaon::detail
