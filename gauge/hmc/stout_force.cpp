// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/hmc/loop_staples.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "gauge/staggered/omitted_direction.hpp"
#include "gauge/su3_exponential.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/stout_force.hpp>

#include <fmt/format.h>

namespace kaon {
namespace detail {
namespace {

// The arithmetic is in functions of their own: see gauge/staples.hpp.

/// v <- E^dag F E - B Omega and y = -rho B U of F = TA(v), with the staples c = C/rho. 3400 flops.
template <class V>
KAON_KERNEL_PART void stout_derivative(ColorMatrix<V>& v, ColorMatrix<V>& y, const ColorMatrix<V>& u,
                                       const ColorMatrix<V>& c, double rho) {
  ColorMatrix<V> omega = times_adjoint(c, u);
  scale(omega, rho);
  const ColorMatrix<V> f = traceless_antihermitian(v);
  ColorMatrix<V> e, b;
  exponential_with_derivative(e, b, traceless_antihermitian(omega), f);
  v = adjoint_times(e, f * e) - b * omega;
  y = b * u;
  scale(y, -rho);
}

/// u g^dag. 198 flops.
template <class V>
KAON_KERNEL_PART ColorMatrix<V> product_with_adjoint(const ColorMatrix<V>& u, const ColorMatrix<V>& g) {
  return times_adjoint(u, g);
}

/// V_mu' of smeared links becomes the part of V_mu that is local, beside Y_mu. 5900 flops.
template <class Links>
struct StoutDerivative {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  NearLinks<double, V> matrices;
  Links y;
  PlaquetteStaples<Links> staples;
  Kokkos::Array<double, 4> rho;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Links& links = staples.links;
    for (int n = first; n < last; ++n) {
      const int parity = n / 4, mu = n % 4;
      const auto site = links.start(index, parity);
      const auto here = matrices.start(index, parity);
      ColorMatrix<V> of_y = zero_matrix<V>();
      if (mu != staples.omitted) {
        ColorMatrix<V> v = matrices.load(here, mu);
        stout_derivative(v, of_y, links.load(site, mu), staples(site, links.step(site, mu, +1), mu), rho[mu]);
        matrices.store(v, here, mu);
      }
      y.store(of_y, site, mu);
    }
  }
};

/// V_mu += U_mu G_mu^dag. 7650 flops.
template <class Links>
struct StoutStapleForce {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, y;
  int omitted;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      if (mu == omitted) continue;
      const auto site = links.start(index, n / 4);
      const auto ahead = links.step(site, mu, +1);
      ColorMatrix<V> g = zero_matrix<V>();
      for (int nu = 0; nu < 4; ++nu) {
        if (nu == mu || nu == omitted) continue;
        add_staple(g, links, y, mu, site, ahead, nu);
        add_staple_adjoint(g, links, Numbered<Links>{y, nu}, Numbered<Links>{links, nu}, site, ahead, nu, mu);
      }
      sums.add(1.0, product_with_adjoint(links.load(site, mu), g), index, n / 4, mu);
    }
  }
};

/// The matrices of the force on smeared links become those on the links of the level before.
void pull_stout_force(GaugeField<double>& matrices, const GaugeField<double>& links, const StoutSmearing& smearing) {
  const Lattice& lattice = links.lattice();
  const int omitted = smearing.omitted().value_or(none_omitted);
  with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    using V = typename Access::Value;
    const Matrices u(links);
    Matrices y(lattice, directions);
    StoutDerivative<Access> derivative{
        u.access().node, NearLinks<double, V>(matrices), y.access(), {u.access(), omitted, 1.0}, {}};
    for (std::size_t mu = 0; mu < 4; ++mu) derivative.rho[mu] = smearing.rho[mu];
    run_near("kaon::stout_derivative", lattice, derivative);
    y.exchange();
    run_near("kaon::stout_staple_force", lattice,
             StoutStapleForce<Access>{u.access().node, NearSums<double, V>(matrices), u.access(), y.access(), omitted});
  });
}

}  // namespace
}  // namespace detail

void add_stout_force(GaugeField<double>& matrices, std::span<const GaugeField<double>> levels,
                     const StoutSmearing& smearing, GaugeField<double>& of_last) {
  require_possible(smearing);
  const auto count = static_cast<std::size_t>(smearing.levels);
  require(levels.size() == count + 1, [&] {
    return fmt::format("the force through {} levels of stout smearing needs {} fields of links, not {}", count,
                       count + 1, levels.size());
  });
  detail::require_storage(matrices.storage(), LinkStorage::full);
  detail::require_storage(of_last.storage(), LinkStorage::full);
  for (const GaugeField<double>& links : levels) {
    detail::require_storage(links.storage(), LinkStorage::full);
    require(links.lattice() == matrices.lattice() && links.lattice() == of_last.lattice(),
            "the matrices of a force and all levels of smeared links must lie on one lattice");
  }
  require(matrices.data() != of_last.data(), "the matrices of a force on thin links must not be those on smeared ones");
  for (std::size_t k = count; k-- > 0;) detail::pull_stout_force(of_last, levels[k], smearing);
  detail::add_multiple(matrices, 1.0, of_last);
}

}  // namespace kaon
