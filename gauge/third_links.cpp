// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch/launch.hpp"
#include "gauge/near_fields.hpp"

#include <kaon/gauge/fat_links.hpp>

namespace kaon {
namespace {

using detail::NearLinks;

/// out_mu(x) = U_mu(x) next_mu(x+mu): call n is a direction and a parity. 198 flops.
template <class Links, class Out>
struct ProductKernel {
  static constexpr int calls = 8;
  Out out;
  Links links, next;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      const auto site = links.start(index, n / 4);
      out.store(links.load(site, mu) * next.load(links.step(site, mu, +1), mu), out.start(index, n / 4), mu);
    }
  }
};

template <class Links, class Out>
void multiply_next(const Lattice& lattice, const Out& out, const Links& links, const Links& next) {
  detail::for_each_site("kaon::third_links", lattice.execution(), links.node.half_volume,
                        ProductKernel<Links, Out>::calls, ProductKernel<Links, Out>{out, links, next});
}

}  // namespace

GaugeField<double> third_links(const GaugeField<double>& links) {
  detail::require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  GaugeField<double> third(lattice);
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    Matrices pairs(lattice, directions);
    multiply_next(lattice, pairs.access(), u.access(), u.access());
    pairs.exchange();
    multiply_next(lattice, NearLinks<double, typename Access::Value>(third), u.access(), pairs.access());
  });
  return third;
}

}  // namespace kaon
