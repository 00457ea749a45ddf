// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "su3.hpp"

#include <kaon/io/host_links.hpp>

#include <array>

namespace kaon::io {
namespace {

/// Sum of Re Tr of the six plaquettes at every site of one time slice.
double plaquette_sum(const HostLinks& field, int t) {
  const auto& extents = field.extents;
  std::array<Complex, 9> forward, backward;
  double sum = 0;
  Coordinates site{0, 0, 0, t};
  for (site[2] = 0; site[2] < extents[2]; ++site[2]) {
    for (site[1] = 0; site[1] < extents[1]; ++site[1]) {
      for (site[0] = 0; site[0] < extents[0]; ++site[0]) {
        const auto here = lexicographic_index(site, extents);
        std::array<std::ptrdiff_t, directions> next;
        for (std::size_t mu = 0; mu < next.size(); ++mu) {
          Coordinates neighbour = site;
          neighbour[mu] = (site[mu] + 1) % extents[mu];
          next[mu] = lexicographic_index(neighbour, extents);
        }
        for (int mu = 0; mu < directions; ++mu) {
          for (int nu = mu + 1; nu < directions; ++nu) {
            multiply(forward.data(), field.link(here, mu), field.link(next[static_cast<std::size_t>(mu)], nu));
            multiply(backward.data(), field.link(here, nu), field.link(next[static_cast<std::size_t>(nu)], mu));
            sum += real_trace_of_product_with_adjoint(forward.data(), backward.data());
          }
        }
      }
    }
  }
  return sum;
}

}  // namespace

HostLinks::HostLinks(const Coordinates& lattice_extents)
    : extents(lattice_extents), links(static_cast<std::size_t>(volume_of(lattice_extents)) * 36) {}

double plaquette(const HostLinks& field) {
  std::vector<double> sums(static_cast<std::size_t>(field.extents[3]));
#pragma omp parallel for
  for (int t = 0; t < field.extents[3]; ++t) sums[static_cast<std::size_t>(t)] = plaquette_sum(field, t);
  double sum = 0;
  for (const double slice : sums) sum += slice;
  return sum / (18.0 * static_cast<double>(volume_of(field.extents)));
}

double link_trace(const HostLinks& field) {
  double sum = 0;
  for (std::size_t k = 0; k < field.links.size(); k += 9) {
    sum += field.links[k].real() + field.links[k + 4].real() + field.links[k + 8].real();
  }
  return sum / (12.0 * static_cast<double>(volume_of(field.extents)));
}

}  // namespace kaon::io
