// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/gauge/gauge_fixing.hpp>

#include "core/lattice/single_sites.hpp"
#include "core/launch/launch.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/hmc/heatbath_kernels.hpp"
#include "gauge/largest_value.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::Quaternion;

int directions_of(GaugeCondition condition) { return condition == GaugeCondition::coulomb ? 3 : 4; }

/// b of a = b e: a = (e_0, omega e_k) / its norm, which has the axis of e.
template <class V>
struct Relaxation {
  double omega;

  KOKKOS_FUNCTION Quaternion<V> operator()(const V&, const Quaternion<V>& e, int, int, int, int) const {
    Quaternion<V> a{{e.a[0], V(omega) * e.a[1], V(omega) * e.a[2], V(omega) * e.a[3]}};
    const V scale = V(1) / detail::square_root(a.a[0] * a.a[0] + a.a[1] * a.a[1] + a.a[2] * a.a[2] + a.a[3] * a.a[3]);
    for (V& component : a.a) component = scale * component;
    return a * Quaternion<V>{{e.a[0], -e.a[1], -e.a[2], -e.a[3]}};
  }
};

/// g(x) on the sites of a parity, by which sum_mu Re tr [g(x) U_mu(x) + U_mu(x-mu) g(x)^dag] rises.
template <class Links>
struct RelaxationKernel {
  using V = typename Links::Value;
  Links g, links;
  Relaxation<V> rule;
  int parity, dimensions;

  KOKKOS_FUNCTION void operator()(const int index, int, int) const {
    const auto x = links.start(index, parity);
    ColorMatrix<V> adjoint_sum = detail::zero_matrix<V>();
    for (int mu = 0; mu < dimensions; ++mu) {
      add_multiple(adjoint_sum, 1.0, adjoint(links.load(x, mu)));
      add_multiple(adjoint_sum, 1.0, links.load(links.step(x, mu, -1), mu));
    }
    ColorMatrix<V> matrix = detail::identity_matrix<V>();
    detail::update_link(matrix, adjoint_sum, rule, index, parity, 0);
    g.store(matrix, x, 0);
  }
};

/// U_mu(x) = g(x) U_mu(x) on the sites of a parity, U_mu(x) g(x+mu)^dag on the others.
template <class Links>
struct TransformKernel {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  Links links, g;
  int parity;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int of_site = n / 4, mu = n % 4;
      const auto x = links.start(index, of_site);
      const ColorMatrix<V> u = links.load(x, mu);
      if (of_site == parity) {
        links.store(g.load(x, 0) * u, x, mu);
      } else {
        links.store(detail::times_adjoint(u, g.load(links.step(x, mu, +1), 0)), x, mu);
      }
    }
  }
};

void iterate(GaugeField<double>& links, int iterations, const GaugeFixingParameters& parameters) {
  const Lattice& lattice = links.lattice();
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    Matrices u(links), g(lattice, 1);
    const int sites = u.access().node.half_volume, dimensions = directions_of(parameters.condition);
    for (int n = 0; n < 2 * iterations; ++n) {
      const int parity = n % 2;
      detail::for_each_site(
          "kaon::gauge_relaxation", lattice.execution(), sites, 1,
          RelaxationKernel<Access>{g.access(), u.access(), {parameters.relaxation}, parity, dimensions});
      g.exchange();
      detail::for_each_site("kaon::gauge_relaxation_of_links", lattice.execution(), sites,
                            TransformKernel<Access>::calls, TransformKernel<Access>{u.access(), g.access(), parity});
      u.exchange();
    }
    u.copy_to(links);
  });
}

/// values(t, place in the slice) = sum_mu Re tr U_mu(x), values(T + t, place) = tr Delta(x)^2.
template <class Links>
struct QualityKernel {
  Links links;
  detail::EntryValues values;
  int dimensions, first_time, times;  // the time of the first local slice, and all times

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double trace_sum = 0.0;
    ColorMatrix<double> difference = detail::zero_matrix<double>();
    for (int mu = 0; mu < dimensions; ++mu) {
      const ColorMatrix<double> u = links.load(x, mu);
      int behind[4] = {x[0], x[1], x[2], x[3]};
      links.map.shift(behind, mu, -1);
      for (int c = 0; c < 3; ++c) trace_sum += u.e[c][c].re;
      add_multiple(difference, 1.0, u);
      add_multiple(difference, -1.0, links.load(behind, mu));
    }
    // A of the difference: (D - D^dag)/(2 i), whose norm is that of (D - D^dag)/2.
    ColorMatrix<double> twice = difference - adjoint(difference);
    const double third = (twice.e[0][0].im + twice.e[1][1].im + twice.e[2][2].im) / 3.0;
    for (int c = 0; c < 3; ++c) twice.e[c][c].im -= third;
    const int place = (x[2] * links.map.extent[1] + x[1]) * links.map.extent[0] + x[0];
    const int t = first_time + x[3];
    values(t, place) = trace_sum;
    values(times + t, place) = 0.25 * norm2(twice);
  }
};

void require_parameters(const GaugeFixingParameters& parameters) {
  require(parameters.relaxation >= 1.0 && parameters.relaxation < 2.0, [&] {
    return fmt::format("a relaxation of {} does not lead to a gauge: it must be at least 1 and below 2",
                       parameters.relaxation);
  });
  require(parameters.tolerance >= 0.0 && std::isfinite(parameters.tolerance),
          [&] { return fmt::format("the tolerance {} of a gauge must be a number from 0 on", parameters.tolerance); });
  require(parameters.max_iterations >= 0,
          [&] { return fmt::format("{} iterations are not possible", parameters.max_iterations); });
}

}  // namespace

GaugeQuality gauge_quality(const GaugeField<double>& links, GaugeCondition condition) {
  detail::require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  const int dimensions = directions_of(condition);
  const auto times = static_cast<std::size_t>(lattice.extents()[3]);
  const std::ptrdiff_t slice_sites = lattice.local_volume() / lattice.local_extents()[3];
  const detail::EntryValues values(Kokkos::view_alloc(lattice.execution(), "kaon::gauge_quality"), 2 * times,
                                   static_cast<std::size_t>(slice_sites));
  detail::with_near_links(links, [&]<class Links>(const Links& access) {
    detail::for_each_single_site<double>(
        "kaon::gauge_quality", lattice,
        QualityKernel<Links>{access, values, dimensions, lattice.origin()[3], lattice.extents()[3]});
  });
  const std::vector<double> sums = detail::ordered_sums(lattice, values);
  const auto sites = static_cast<double>(lattice.volume());
  GaugeQuality quality;
  double largest = 0.0;
  for (std::size_t t = 0; t < times; ++t) {
    quality.functional += sums[t] / (3.0 * dimensions * sites);
    quality.theta += sums[times + t] / (3.0 * sites);
    largest = detail::larger(largest, sums[times + t]);
  }
  const double slice = static_cast<double>(times) / (3.0 * sites);
  quality.largest_theta = condition == GaugeCondition::coulomb ? largest * slice : quality.theta;
  return quality;
}

GaugeFixingResult fix_gauge(GaugeField<double>& links, const GaugeFixingParameters& parameters) {
  require_parameters(parameters);
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_su3(links, "gauge fixing");
  GaugeFixingResult result{.quality = gauge_quality(links, parameters.condition)};
  bool wanted = true;
  while (wanted && result.quality.largest_theta > parameters.tolerance &&
         result.iterations < parameters.max_iterations) {
    const int count = std::min(gauge_fixing_check, parameters.max_iterations - result.iterations);
    iterate(links, count, parameters);
    reunitarize(links);
    result.iterations += count;
    result.quality = gauge_quality(links, parameters.condition);
    if (parameters.on_check) wanted = parameters.on_check(result.iterations, result.quality);
  }
  result.converged = result.quality.largest_theta <= parameters.tolerance;
  return result;
}

}  // namespace kaon
