// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/near_fields.hpp"
#include "gauge/near_launch.hpp"

#include <kaon/gauge/fat_links.hpp>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::NearLinks;
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
