// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/first_entry.hpp"
#include "gauge/all_links.hpp"
#include "gauge/jacobi_svd.hpp"
#include "gauge/nearest_su3.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::AllLinks;
using detail::ColorMatrix;
using detail::SingularValues;

/// Relative to the sum of the singular values, those below are rounding.
constexpr double smallest_ratio = 1e-14;

/// Whether a decomposition has a projection: false for NaN.
template <class V>
KOKKOS_INLINE_FUNCTION bool has_projection(const SingularValues<V>& svd, double ratio = smallest_ratio) {
  const V least = V(ratio) * (svd.s[0] + svd.s[1] + svd.s[2]) + V(1e-30);
  return detail::all_at_most(least, svd.s[0]) && detail::all_at_most(least, svd.s[1]) &&
         detail::all_at_most(least, svd.s[2]);
}

/// W = A B^dag; leaves packs with links that have no projection, and counts them. `out` may be `in`. 3640 flops a link.
template <class V>
struct ProjectionKernel {
  AllLinks<V> out, in;

  KOKKOS_FUNCTION void operator()(const int number, int& failures) const {
    const SingularValues<V> svd = detail::jacobi_svd(in.load(number));
    if (has_projection(svd)) {
      out.store(times_adjoint(svd.left, svd.right), number);
    } else {
      ++failures;
    }
  }
};

/// delta in the lanes where the least eigenvalue of V^dag V is below it, 0 in the others.
template <class V>
KOKKOS_INLINE_FUNCTION V filter_of(const SingularValues<V>& svd, double delta) {
  V added = V(0);
  for (const V& s : svd.s) {
    if constexpr (detail::lane_count<V> == 1) {
      if (s * s < delta) added = delta;
    } else {
#if defined(KAON_HOST_PACKS)
      detail::stdx::where(s * s < V(delta), added) = V(delta);
#endif
    }
  }
  return added;
}

/// out = A E B^dag (`u3_projection_gradient`). Counts packs with links that have no projection, and leaves them. 4500
/// flops a link.
template <class V>
struct ProjectionGradient {
  AllLinks<V> out, in, gradient;
  double delta;

  KOKKOS_FUNCTION void operator()(const int number, int& failures) const {
    const SingularValues<V> svd = detail::jacobi_svd(in.load(number));
    if (!has_projection(svd)) {
      ++failures;
      return;
    }
    const V added = filter_of(svd, delta);
    const auto& s = svd.s;
    V root[3];
    for (int k = 0; k < 3; ++k) root[k] = detail::square_root(s[k] * s[k] + added);
    const ColorMatrix<V> p = adjoint_times(svd.left, gradient.load(number) * svd.right);
    ColorMatrix<V> e;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const V inverse = V(1) / (root[i] * root[j] * (root[i] + root[j]));
        // root_i (root_i + root_j) - s_i^2 without the difference of large numbers
        e.e[i][j] = (inverse * (root[i] * root[j] + added)) * p.e[i][j] - (inverse * s[i] * s[j]) * conj(p.e[j][i]);
      }
    }
    out.store(times_adjoint(svd.left * e, svd.right), number);
  }
};

/// Reduces to the first link without projection, as 4 x + mu. Packs and single numbers may be rounded differently:
/// the bound is a little wider.
struct FailureKernel {
  detail::SiteGauge<double> links;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], int& first) const {
    for (int mu = 0; mu < 4; ++mu) {
      if (has_projection(detail::jacobi_svd(links.load(x, mu)), 2.0 * smallest_ratio)) continue;
      first = Kokkos::min(first, 4 * detail::local_number(links.map, x) + mu);
    }
  }
};

[[noreturn]] void fail(const GaugeField<double>& links) {
  const auto found = detail::find_first_entry<double>("kaon::project_to_u3", links.lattice(),
                                                      FailureKernel{detail::site_access(links)}, directions);
  const Coordinates& x = found->site;
  throw Error(
      fmt::format("the link in direction {} at site ({}, {}, {}, {}) has no projection to U(3), since it is singular "
                  "or not finite: "
                  "check the links that it was made of (kaon::deviation_from_su3)",
                  "xyzt"[found->part], x[0], x[1], x[2], x[3]));
}

}  // namespace

void detail::project_to_u3(GaugeField<double>& w, const GaugeField<double>& links) {
  const int failures = count_links("kaon::project_to_u3", links, [&]<class V>() {
    return ProjectionKernel<V>{all_links<V>(w), all_links<V>(links)};
  });
  if (links.lattice().communicator().any(failures > 0)) fail(links);
}

GaugeField<double> u3_projection_gradient(const GaugeField<double>& links, const GaugeField<double>& of_projected,
                                          double filter) {
  const Lattice& lattice = links.lattice();
  require(of_projected.lattice() == lattice, "links and gradients must lie on one lattice");
  require(std::isfinite(filter) && filter >= 0.0,
          [&] { return fmt::format("the filter {} of a projection is not usable: it must not be negative", filter); });
  GaugeField<double> gradient(lattice);
  const int failures = detail::count_links("kaon::u3_projection_gradient", links, [&]<class V>() {
    return ProjectionGradient<V>{detail::all_links<V>(gradient), detail::all_links<V>(links),
                                 detail::all_links<V>(of_projected), filter};
  });
  if (lattice.communicator().any(failures > 0)) fail(links);
  return gradient;
}

GaugeField<double> project_to_u3(const GaugeField<double>& links) {
  GaugeField<double> w(links.lattice());
  detail::project_to_u3(w, links);
  return w;
}

namespace {

/// W = W det(W)^(-1/3) of unitary links. 120 flops a link.
template <class V>
struct DeterminantKernel {
  detail::AllLinks<V> links;

  KOKKOS_FUNCTION void operator()(const int number) const {
    detail::ColorMatrix<V> w = links.load(number);
    const detail::Complex<V> root = detail::inverse_cube_root(detail::determinant(w));
    for (auto& row : w.e) {
      for (auto& element : row) element = root * element;
    }
    links.store(w, number);
  }
};

}  // namespace

GaugeField<double> project_to_su3(const GaugeField<double>& links) {
  GaugeField<double> w = project_to_u3(links);
  detail::for_each_link("kaon::project_to_su3", w,
                        [&]<class V>() { return DeterminantKernel<V>{detail::all_links<V>(w)}; });
  return w;
}

}  // namespace kaon
