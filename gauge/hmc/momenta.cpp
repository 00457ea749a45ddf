// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "gauge/largest_value.hpp"
#include "gauge/su3_exponential.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/momenta.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::Complex;

/// P_mu(x) = i sum_a c_a lambda_a. Takes blocks 0..3 of the sequence of a link: c_1, c_2; c_3, c_4; ...
struct GaussianKernel {
  detail::SiteGauge<double> momenta;
  RandomKey key;
  double scale;  ///< of normal numbers of variance 1

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) {
      const detail::RandomSequence sequence(key, detail::Purpose::momenta, momenta.map.global_index(x), mu);
      double c[8];
      for (int pair = 0; pair < 4; ++pair) {
        const Complex<double> normal = sequence.normal_pair(static_cast<std::uint32_t>(pair));
        c[2 * pair] = scale * normal.re;
        c[2 * pair + 1] = scale * normal.im;
      }
      const double eighth = c[7] / Kokkos::sqrt(3.0);
      ColorMatrix<double> p;
      p.e[0][0] = {0.0, c[2] + eighth};
      p.e[1][1] = {0.0, -c[2] + eighth};
      p.e[2][2] = {0.0, -2.0 * eighth};
      set_pair(p, 0, 1, c[0], c[1]);
      set_pair(p, 0, 2, c[3], c[4]);
      set_pair(p, 1, 2, c[5], c[6]);
      momenta.store(p, x, mu);
    }
  }

 private:
  /// i (first sigma_1 + second sigma_2) in a row and a column.
  KOKKOS_FORCEINLINE_FUNCTION static void set_pair(ColorMatrix<double>& p, int row, int column, double first,
                                                   double second) {
    p.e[row][column] = {second, first};
    p.e[column][row] = {-second, first};
  }
};

/// values(0, x) = sum_mu (|P_mu(x)|^2/2 - 4).
struct KineticKernel {
  detail::SiteGauge<double> momenta;
  detail::EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double sum = 0.0;
    for (int mu = 0; mu < 4; ++mu) sum += 0.5 * norm2(momenta.load(x, mu)) - 4.0;
    values(0, detail::local_number(momenta.map, x)) = sum;
  }
};

/// Largest element of matrices, and of what they are more than TA(V); infinite for NaN.
struct AlgebraKernel {
  detail::SiteGauge<double> matrices;
  detail::EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double whole = 0.0, rest = 0.0;
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<double> v = matrices.load(x, mu), difference = v - traceless_antihermitian(v);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          whole = detail::larger(whole, norm2(v.e[i][j]));
          rest = detail::larger(rest, norm2(difference.e[i][j]));
        }
      }
    }
    const int number = detail::local_number(matrices.map, x);
    values(0, number) = Kokkos::sqrt(whole);
    values(1, number) = Kokkos::sqrt(rest);
  }
};

/// values(0, x) = max_mu |P_mu(x)|^2; infinite for NaN.
struct SizeKernel {
  detail::SiteGauge<double> momenta;
  detail::EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double largest = 0.0;
    for (int mu = 0; mu < 4; ++mu) largest = detail::larger(largest, norm2(momenta.load(x, mu)));
    values(0, detail::local_number(momenta.map, x)) = largest;
  }
};

/// P = P + w TA(V).
template <class V>
struct KickKernel {
  detail::AllLinks<V> momenta, matrices;
  double weight;

  KOKKOS_FUNCTION void operator()(const int number) const {
    const ColorMatrix<V> change = traceless_antihermitian(matrices.load(number));
    ColorMatrix<V> p = momenta.load(number);
    add_multiple(p, weight, change);
    momenta.store(p, number);
  }
};

/// U = exp(dt P) U, or the series of an order that is not 0.
template <class V>
struct AdvanceKernel {
  detail::AllLinks<V> links, momenta;
  double size;
  int order;

  KOKKOS_FUNCTION void operator()(const int number) const {
    ColorMatrix<V> p = traceless_antihermitian(momenta.load(number));
    scale(p, size);
    const ColorMatrix<V> u = links.load(number);
    if (order == 0) return links.store(exponential(p) * u, number);
    ColorMatrix<V> sum = u;
    for (int n = order; n > 0; --n) {
      ColorMatrix<V> term = p * sum;
      scale(term, 1.0 / n);
      sum = u + term;
    }
    links.store(sum, number);
  }
};

}  // namespace

void set_gaussian_momenta(GaugeField<double>& momenta, double width, const RandomKey& key) {
  require(std::isfinite(width) && width >= 0.0,
          [&] { return fmt::format("the width {} of momenta is not usable: it must not be negative", width); });
  detail::for_each_single_site<double>("kaon::set_gaussian_momenta", momenta.lattice(),
                                       GaussianKernel{detail::site_access(momenta), key, width * std::sqrt(0.5)});
}

void set_momenta(GaugeField<double>& momenta, const GaugeField<double>& matrices) {
  const Lattice& lattice = momenta.lattice();
  require(matrices.lattice() == lattice, "momenta and the matrices that they become must lie on one lattice");
  const detail::EntryValues values = detail::entry_values("kaon::set_momenta", lattice, 2);
  detail::for_each_single_site<double>("kaon::set_momenta", lattice,
                                       AlgebraKernel{detail::site_access(matrices), values});
  const double largest[] = {detail::largest_value("kaon::set_momenta", lattice, values, 0),
                            detail::largest_value("kaon::set_momenta", lattice, values, 1)};
  require(std::isfinite(largest[0]) && largest[1] <= 1e-5 * largest[0], [&] {
    return fmt::format(
        "momenta are traceless anti-Hermitian matrices, but an element of these differs by {:.3g} from one, and their "
        "largest is {:.3g}: give P = i H of Hermitian momenta H",
        largest[1], largest[0]);
  });
  GaugeField<double> zero(lattice);
  kick_momenta(zero, matrices, 1.0);
  momenta.assign(zero);
}

double kinetic_energy(const GaugeField<double>& momenta) {
  return detail::ordered_site_sums<double>("kaon::kinetic_energy", momenta.lattice(), 1, [&](const auto& values) {
    return KineticKernel{detail::site_access(momenta), values};
  })[0];
}

void kick_momenta(GaugeField<double>& momenta, const GaugeField<double>& matrices, double weight) {
  require(matrices.lattice() == momenta.lattice(), "momenta and the matrices of their force must lie on one lattice");
  require(std::isfinite(weight), [&] { return fmt::format("the weight {} of a force is not finite", weight); });
  detail::for_each_link("kaon::kick_momenta", momenta, [&]<class V>() {
    return KickKernel<V>{detail::all_links<V>(momenta), detail::all_links<V>(matrices), weight};
  });
}

void advance_links(GaugeField<double>& links, const GaugeField<double>& momenta, const LinkStep& step) {
  const Lattice& lattice = links.lattice();
  require(momenta.lattice() == lattice, "links and momenta must lie on one lattice");
  require(std::isfinite(step.size), [&] { return fmt::format("the step {} of links is not finite", step.size); });
  require(!step.order || *step.order > 0,
          [&] { return fmt::format("a series of order {} is no exponential: take 1 or more", *step.order); });
  const detail::EntryValues values = detail::entry_values("kaon::size_of_momenta", lattice, 1);
  detail::for_each_single_site<double>("kaon::size_of_momenta", lattice,
                                       SizeKernel{detail::site_access(momenta), values});
  const double largest = std::sqrt(detail::largest_value("kaon::size_of_momenta", lattice, values, 0));
  // The rounding of exp(a) is |a| times that of a number.
  constexpr double most = 1e6;
  require(std::abs(step.size) * largest <= most, [&] {
    return fmt::format(
        "links cannot be advanced by {} along momenta of the size {:.3g}: the product is more than {:g}, or momenta "
        "are not finite",
        step.size, largest, most);
  });
  detail::drift_links(links, momenta, step);
}

void detail::drift_links(GaugeField<double>& links, const GaugeField<double>& momenta, const LinkStep& step) {
  for_each_link("kaon::advance_links", links, [&]<class V>() {
    return AdvanceKernel<V>{all_links<V>(links), all_links<V>(momenta), step.size, step.order.value_or(0)};
  });
}

}  // namespace kaon
