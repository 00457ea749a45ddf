// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/u3_projection.hpp>

namespace kaon::perf {
namespace {

/// Of a call on `lattice`: flops of a site, and links that move, each of 18 doubles, in all its passes.
Cost link_cost(const Lattice& lattice, double flops, double links) {
  const auto sites = static_cast<double>(lattice.volume());
  return {sites * flops, sites * links * 18.0 * sizeof(double)};
}

// A pass of fat links reads U and what the pass before made of it, for each direction.
constexpr double fat_flops = 42048.0, fat_links_moved = 4.0 * (4 + 3 + 4 + 3 + 3 + 4 + 3 + 1);
constexpr double third_flops = 1584.0, third_links_moved = 2.0 * 4.0;
constexpr double projection_flops = 4.0 * 3640.0, projection_links_moved = 2.0 * 4.0;

GaugeField<double> rough_links(const Lattice& lattice) {
  GaugeField<double> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  return links;
}

template <class Call>
void add(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved, const Call& call) {
  add_benchmark(std::string(what) + "/double/" + to_string(lattice.extents()),
                [&suite, &lattice, call, flops, links_moved](benchmark::State& state) {
                  const GaugeField<double> links = rough_links(lattice);
                  measure(state, suite, link_cost(lattice, flops, links_moved), [&] { call(links); });
                });
}

}  // namespace

void register_improved_links(Suite& suite, const Lattice& lattice) {
  add(suite, lattice, "fat_links", fat_flops, fat_links_moved,
      [](const GaugeField<double>& u) { fat_links(u, fat7_coefficients()); });
  add(suite, lattice, "third_links", third_flops, third_links_moved,
      [](const GaugeField<double>& u) { third_links(u); });
  add(suite, lattice, "u3_projection", projection_flops, projection_links_moved,
      [](const GaugeField<double>& u) { project_to_u3(u); });
  add(suite, lattice, "asqtad_links", fat_flops + third_flops, fat_links_moved + third_links_moved,
      [](const GaugeField<double>& u) { asqtad_links(u, 0.87); });
  add(suite, lattice, "hisq_links", 2.0 * fat_flops + third_flops + projection_flops,
      2.0 * fat_links_moved + third_links_moved + projection_links_moved,
      [](const GaugeField<double>& u) { hisq_links(u); });
}

}  // namespace kaon::perf
