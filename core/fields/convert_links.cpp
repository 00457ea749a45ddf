// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/stored_links.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon::detail {
namespace {

/// From SU(3) or U(3), of links that are compressed; and of elements from [-1, 1] that need no scale.
constexpr double tolerance = 1e-5;

/// How far a matrix is from SU(3), or from U(3): the largest error of the third row, of the products of the other two,
/// and of |det|.
KOKKOS_FUNCTION double deviation_from_group(const ColorMatrix<double>& u, bool special) {
  const Complex<double> factor = special ? Complex<double>{1.0, 0.0} : determinant(u);
  double largest = larger(0.0, Kokkos::abs(Kokkos::sqrt(norm2(factor)) - 1.0));
  ColorMatrix<double> completed = u;
  complete_third_row(completed, factor);
  for (int c = 0; c < 3; ++c) largest = larger(largest, Kokkos::sqrt(norm2(u.e[2][c] - completed.e[2][c])));
  for (int row = 0; row < 2; ++row) {
    for (int other = 0; other <= row; ++other) {
      Complex<double> product{row == other ? -1.0 : 0.0, 0.0};
      for (int c = 0; c < 3; ++c) product += u.e[row][c] * conj(u.e[other][c]);
      largest = larger(largest, Kokkos::sqrt(norm2(product)));
    }
  }
  return largest;
}

/// The largest |re| or |im|.
KOKKOS_FUNCTION double largest_part(const ColorMatrix<double>& u) {
  double largest = 0.0;
  for (int n = 0; n < 9; ++n) {
    largest = larger(largest, Kokkos::abs(u.e[n / 3][n % 3].re));
    largest = larger(largest, Kokkos::abs(u.e[n / 3][n % 3].im));
  }
  return largest;
}

constexpr bool has_determinant(LinkStorage storage) {
  return storage == LinkStorage::two_rows_and_determinant || storage == LinkStorage::minimal_and_determinant;
}

/// Reduces to the largest element of links.
template <class From>
struct LargestElement {
  StoredLinks<From> in;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], double& largest) const {
    const Place from = in.map.place(x);
    for (int mu = 0; mu < 4; ++mu) largest = Kokkos::fmax(largest, largest_part(in.load(from, mu)));
  }
};

/// out = in on one site; reduces to the largest distance from the group that the output's storage is for.
template <class To, class From>
struct ConvertLinks {
  StoredLinks<To> out;
  StoredLinks<From> in;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], double& deviation) const {
    const Place to = out.map.place(x), from = in.map.place(x);
    const bool special = !has_determinant(out.storage);
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<double> u = in.load(from, mu);
      deviation = Kokkos::fmax(deviation, deviation_from_group(u, special));
      out.store(u, to, mu);
    }
  }
};

/// The scale of 16-bit links in full that are to hold those of `in`.
template <class From>
double scale_for(const StoredLinks<From>& stored, const GaugeField<From>& in) {
  double largest = 0.0;
  reduce_single_sites<From>("kaon::largest_link_element", in.lattice(), LargestElement<From>{stored},
                            Kokkos::Max<double>(largest));
  largest = in.lattice().communicator().maximum(largest);
  require(std::isfinite(largest), "links that are not finite cannot be stored in 18 16-bit numbers");
  return largest <= 1.0 + tolerance ? 1.0 : largest;
}

}  // namespace

template <class To, class From>
double convert_links(GaugeField<To>& out, const GaugeField<From>& in) {
  const StoredLinks<From> from = stored_links(in);
  const bool full = out.storage() == LinkStorage::full;
  double scale = 1.0;
  if constexpr (std::is_same_v<To, half>) {
    if (full) scale = scale_for(from, in);
  }
  double deviation = 0.0;
  const ConvertLinks<To, From> kernel{stored_links(out, scale), from};
  reduce_single_sites<To>("kaon::convert_links", in.lattice(), kernel, Kokkos::Max<double>(deviation));
  if (full) return scale;
  deviation = in.lattice().communicator().maximum(deviation);
  // Links of 16 bits are as far from the group as their rounding.
  const double allowed = tolerance + (std::is_same_v<From, half> ? 8.0 * in.scale() * spacing<half>() : 0.0);
  require(std::isfinite(deviation), "links with NaN, infinity or huge numbers cannot be stored in few reals");
  require(deviation <= allowed, [&] {
    return fmt::format(
        "links that are up to {:.2e} from {} cannot be stored in {} {} (allowed is {:.0e}): reunitarise them, or "
        "store all 18 reals",
        deviation, has_determinant(out.storage()) ? "U(3)" : "SU(3)", reals(out.storage()),
        std::is_same_v<To, half> ? "16-bit numbers" : "reals", allowed);
  });
  return scale;
}

#define KAON_INSTANTIATE(T)                                                 \
  template double convert_links(GaugeField<T>&, const GaugeField<double>&); \
  template double convert_links(GaugeField<T>&, const GaugeField<float>&);  \
  template double convert_links(GaugeField<T>&, const GaugeField<half>&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
