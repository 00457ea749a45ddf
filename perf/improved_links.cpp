// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/link_benchmarks.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/u3_projection.hpp>

namespace kaon::perf {
namespace {

// A pass of fat links reads U and what the pass before made of it, for each direction.
constexpr double fat_flops = 42048.0, fat_links_moved = 4.0 * (4 + 3 + 4 + 3 + 3 + 4 + 3 + 1);
constexpr double third_flops = 1584.0, third_links_moved = 2.0 * 4.0;
constexpr double projection_flops = 4.0 * 3640.0, projection_links_moved = 2.0 * 4.0;

}  // namespace

void register_improved_links(Suite& suite, const Lattice& lattice) {
  add_link_benchmark(suite, lattice, "fat_links", fat_flops, fat_links_moved,
                     [](const GaugeField<double>& u) { fat_links(u, fat7_coefficients()); });
  add_link_benchmark(suite, lattice, "third_links", third_flops, third_links_moved,
                     [](const GaugeField<double>& u) { third_links(u); });
  add_link_benchmark(suite, lattice, "u3_projection", projection_flops, projection_links_moved,
                     [](const GaugeField<double>& u) { project_to_u3(u); });
  add_link_benchmark(suite, lattice, "asqtad_links", fat_flops + third_flops, fat_links_moved + third_links_moved,
                     [](const GaugeField<double>& u) { asqtad_links(u, 0.87); });
  add_link_benchmark(suite, lattice, "hisq_links", 2.0 * fat_flops + third_flops + projection_flops,
                     2.0 * fat_links_moved + third_links_moved + projection_links_moved,
                     [](const GaugeField<double>& u) { hisq_links(u); });
}

}  // namespace kaon::perf
