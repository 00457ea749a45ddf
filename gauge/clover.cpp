// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "gauge/field_strength_kernels.hpp"
#include "gauge/site_clover.hpp"

#include <kaon/gauge/clover.hpp>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::Complex;
using detail::HermitianBlock;

/// In the DeGrand-Rossi basis sigma_xy = s3, sigma_xz = s2, sigma_yz = s1 on both chiralities, and -+sigma_xt = s1,
/// +-sigma_yt = s2, -+sigma_zt = s3 on the upper and the lower one. So with
///   B_1 = c_s F_yz -+ c_t F_xt, B_2 = c_s F_xz +- c_t F_yt, B_3 = c_s F_xy -+ c_t F_zt
/// a block of d + A is
///   [[d - B_3/2, -(B_1 - i B_2)/2], [-(B_1 + i B_2)/2, d + B_3/2]].
template <class T, class Links>
struct CloverKernel {
  Links links;
  detail::SiteClover<T> clover;
  CloverParameters parameters;

  /// a + factor b
  KOKKOS_FUNCTION static ColorMatrix<double> combine(const ColorMatrix<double>& a, double factor,
                                                     const ColorMatrix<double>& b) {
    ColorMatrix<double> result;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) result.e[row][column] = a.e[row][column] + factor * b.e[row][column];
    }
    return result;
  }

  KOKKOS_FUNCTION ColorMatrix<double> scaled_field_strength(const int (&x)[4], int mu, int nu) const {
    const double c = -0.5 * (nu == 3 ? parameters.temporal : parameters.spatial);
    return combine(detail::zero_matrix<double>(), c, detail::field_strength(links, x, mu, nu));
  }

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const ColorMatrix<double> magnetic[3] = {scaled_field_strength(x, 1, 2), scaled_field_strength(x, 0, 2),
                                             scaled_field_strength(x, 0, 1)};
    const ColorMatrix<double> electric[3] = {scaled_field_strength(x, 0, 3), scaled_field_strength(x, 1, 3),
                                             scaled_field_strength(x, 2, 3)};
    for (int chirality = 0; chirality < 2; ++chirality) {
      const double sign = chirality == 0 ? -1.0 : 1.0;
      const ColorMatrix<double> b1 = combine(magnetic[0], sign, electric[0]);
      const ColorMatrix<double> b2 = combine(magnetic[1], -sign, electric[1]);
      const ColorMatrix<double> b3 = combine(magnetic[2], sign, electric[2]);
      HermitianBlock<double> block;
      double diagonal[6];
      int below = 0;
      for (int row = 0; row < 6; ++row) {
        const int color = row % 3;
        diagonal[row] = parameters.diagonal + (row < 3 ? b3.e[color][color].re : -b3.e[color][color].re);
        for (int column = 0; column < row; ++column) {
          const int other = column % 3;
          if (column >= 3) {
            block.below[below++] = -b3.e[color][other];
          } else if (row < 3) {
            block.below[below++] = b3.e[color][other];
          } else {
            block.below[below++] = b1.e[color][other] + times_i(b2.e[color][other]);
          }
        }
      }
      for (int pair = 0; pair < 3; ++pair) block.d[pair] = {diagonal[2 * pair], diagonal[2 * pair + 1]};
      clover.store(block, x, chirality);
    }
  }
};

}  // namespace

template <class T>
CloverField<T> make_clover(const GaugeField<T>& links, const CloverParameters& parameters) {
  CloverField<T> clover(links.lattice());
  detail::with_near_links(links, [&]<class Links>(const Links& access) {
    detail::for_each_single_site<T>("kaon::make_clover", links.lattice(),
                                    CloverKernel<T, Links>{access, detail::site_access(clover), parameters});
  });
  return clover;
}

template <class T>
CloverField<T> scaled(const CloverField<T>& clover, double factor) {
  CloverField<T> product(clover.lattice(), clover.subset());
  const T* const from = clover.data();
  T* const to = product.data();
  const Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>> all(clover.lattice().execution(), 0,
                                                                           clover.size());
  Kokkos::parallel_for(
      "kaon::scaled_clover", all,
      KOKKOS_LAMBDA(std::size_t i) { to[i] = static_cast<T>(factor * static_cast<double>(from[i])); });
  return product;
}

template CloverField<double> make_clover(const GaugeField<double>&, const CloverParameters&);
template CloverField<float> make_clover(const GaugeField<float>&, const CloverParameters&);
template CloverField<double> scaled(const CloverField<double>&, double);
template CloverField<float> scaled(const CloverField<float>&, double);

}  // namespace kaon
