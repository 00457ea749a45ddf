// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/hmc/loop_staples.hpp"
#include "gauge/staggered/omitted_direction.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/loop_action.hpp>
#include <kaon/gauge/observables.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::NearSums;
using detail::SubLattice;

/// V_mu = V_mu + w U_mu C_mu^dag. 234 flops and those of C.
template <class Staples>
struct LoopForce {
  using Links = typename Staples::Links;
  using V = typename Links::Value;
  static constexpr int calls = 2 * Staples::directions;
  SubLattice node;
  NearSums<double, V> matrices;
  Staples staples;
  double weight;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Links& links = staples.links;
    for (int n = first; n < last; ++n) {
      const int parity = n / Staples::directions, mu = staples.direction(n % Staples::directions);
      const auto site = links.start(index, parity);
      const ColorMatrix<V> sum = staples(site, links.step(site, mu, +1), mu);
      matrices.add(weight, times_adjoint(links.load(site, mu), sum), index, parity, mu);
    }
  }
};

void require_usable(const GaugeField<double>& links, double beta, const LoopWeights& weights) {
  detail::require_storage(links.storage(), LinkStorage::full);
  require(std::isfinite(beta) && std::isfinite(weights.plaquette) && std::isfinite(weights.rectangle), [&] {
    return fmt::format("an action of loops needs finite numbers, not beta = {}, c_0 = {} and c_1 = {}", beta,
                       weights.plaquette, weights.rectangle);
  });
}

/// (1/3) Re tr of the rectangles, averaged over all sites, planes and both positions.
double average_rectangle(const GaugeField<double>& links) {
  std::vector<LinkPath> rectangles;
  for (int mu = 1; mu <= directions; ++mu) {
    for (int nu = 1; nu <= directions; ++nu) {
      if (nu != mu) rectangles.push_back({mu, mu, nu, -mu, -mu, -nu});
    }
  }
  const std::vector<std::complex<double>> traces = loop_traces(links, rectangles);
  const double sum = std::accumulate(traces.begin(), traces.end(), 0.0,
                                     [](double so_far, std::complex<double> trace) { return so_far + trace.real(); });
  return sum / static_cast<double>(traces.size());
}

}  // namespace

double loop_action(const GaugeField<double>& links, double beta, const LoopWeights& weights) {
  require_usable(links, beta, weights);
  const double volume = static_cast<double>(links.lattice().volume());
  double density = 6.0 * weights.plaquette * (1.0 - plaquette(links).average);
  if (weights.rectangle != 0.0) density += 12.0 * weights.rectangle * (1.0 - average_rectangle(links));
  return beta * volume * density;
}

void add_loop_force(GaugeField<double>& matrices, const GaugeField<double>& links, double beta,
                    const LoopWeights& weights) {
  require_usable(links, beta, weights);
  detail::require_storage(matrices.storage(), LinkStorage::full);
  require(matrices.lattice() == links.lattice(), "the matrices of a force and the links must lie on one lattice");
  require(matrices.data() != links.data(), "the matrices of a force must not be the links themselves");
  detail::for_staples(links, weights, detail::none_omitted, [&]<class Staples>(const Staples& staples, double weight) {
    const NearSums<double, typename Staples::V> sums(matrices);
    detail::run_near("kaon::add_loop_force", links.lattice(),
                     LoopForce<Staples>{staples.links.node, sums, staples, -beta * weight / 3.0});
  });
}

}  // namespace kaon
