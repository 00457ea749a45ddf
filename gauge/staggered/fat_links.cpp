// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/staggered/fat_links.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/staggered/fat_link_kernels.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/path_coefficients.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

PathCoefficients asqtad_coefficients(double u0) {
  const double u2 = u0 * u0, u4 = u2 * u2, u6 = u4 * u2;
  require(u0 > 0.0 && std::isnormal(u6) && std::isnormal(1.0 / u6), [&] {
    return fmt::format(
        "the tadpole factor u0 = {} is not usable: it must be a positive number, such as the fourth root "
        "of the plaquette, or 1, and 1/u0^6 must not overflow",
        u0);
  });
  return {.one_link = 5.0 / 8.0,
          .third = -1.0 / (24.0 * u2),
          .three_staple = 1.0 / (16.0 * u2),
          .five_staple = 1.0 / (64.0 * u4),
          .seven_staple = 1.0 / (384.0 * u6),
          .lepage = -1.0 / (16.0 * u4)};
}

PathCoefficients fat7_coefficients() {
  return {.one_link = 1.0 / 8.0, .three_staple = 1.0 / 16.0, .five_staple = 1.0 / 64.0, .seven_staple = 1.0 / 384.0};
}

PathCoefficients hisq_coefficients(double naik_epsilon) {
  require(std::isfinite(naik_epsilon), [&] {
    return fmt::format("the Naik epsilon {} is not usable: it must be a finite number, 0 for light quarks",
                       naik_epsilon);
  });
  return {.one_link = 1.0 + naik_epsilon / 8.0,
          .third = -(1.0 + naik_epsilon) / 24.0,
          .three_staple = 1.0 / 16.0,
          .five_staple = 1.0 / 64.0,
          .seven_staple = 1.0 / 384.0,
          .lepage = -1.0 / 8.0};
}

namespace {

using detail::NearLinks;

void require_finite(const PathCoefficients& c) {
  const double sum = c.one_link + c.third + c.three_staple + c.five_staple + c.seven_staple + c.lepage;
  require(std::isfinite(sum), [&] {
    return fmt::format(
        "path coefficients must be finite, not {} (one link), {} (third link), {}, {}, {} (staples of three, five and "
        "seven links), {} (Lepage's staple)",
        c.one_link, c.third, c.three_staple, c.five_staple, c.seven_staple, c.lepage);
  });
}

}  // namespace

GaugeField<double> detail::fat_links_of_unitary(const GaugeField<double>& links, const PathCoefficients& weights) {
  require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  GaugeField<double> fat(lattice);
  with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    Matrices x(lattice, 3), t(lattice, 3);
    const NearLinks<double, typename Access::Value> out(fat);
    for (int mu = 0; mu < directions; ++mu) {
      run_near("kaon::first_staples", lattice,
               FirstStaples<Access>{u.access().node, x.access(), u.access(), u.access(), mu});
      x.exchange();
      run_near("kaon::second_staples", lattice,
               SecondStaples<Access>{u.access().node, t.access(), u.access(), x.access(), weights, mu});
      t.exchange();
      run_near("kaon::last_staples", lattice,
               LastStaples<Access>{u.access().node, out, u.access(), t.access(), weights, mu});
    }
  });
  return fat;
}

GaugeField<double> fat_links(const GaugeField<double>& links, const PathCoefficients& coefficients) {
  detail::require_storage(links.storage(), LinkStorage::full);
  require_finite(coefficients);
  if (coefficients.lepage != 0.0) detail::require_unitary(links, "fattening with Lepage's staple");
  return detail::fat_links_of_unitary(links, coefficients);
}

namespace {

using detail::ColorMatrix;
using detail::SubLattice;

/// a (b c): one function for links that are read in different ways, as in gauge/staples.hpp.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> product(const ColorMatrix<V>& a, const ColorMatrix<V>& b, const ColorMatrix<V>& c) {
  return a * (b * c);
}

/// T_mu(x) = U_mu(x) U_mu(x+mu) U_mu(x+2mu): each call computes the links of one direction and parity. 396 flops
/// a link; one link read and one written if the caches hold the other two.
template <class Links>
struct ThirdLinksKernel {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  template <bool several>
  static constexpr unsigned min_teams = 4;  // 128 registers a thread: three matrices
  SubLattice node;
  NearLinks<double, V> out;
  Links links;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      const auto site = links.start(index, n / 4);
      const auto next = links.step(site, mu, +1);
      out.store(product(links.load(site, mu), links.load(next, mu), links.load(links.step(next, mu, +1), mu)),
                out.start(index, n / 4), mu);
    }
  }
};

}  // namespace

GaugeField<double> third_links(const GaugeField<double>& links) {
  detail::require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  GaugeField<double> third(lattice);
  constexpr int layers = 2;
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links, layers);
    const NearLinks<double, typename Access::Value> out(third);
    detail::run_near("kaon::third_links", lattice, ThirdLinksKernel<Access>{u.access().node, out, u.access()});
  });
  return third;
}

}  // namespace kaon
