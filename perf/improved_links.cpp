// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/link_benchmarks.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/staggered_force.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <memory>
#include <vector>

namespace kaon::perf {
namespace {

// A pass of fat links reads U and what the pass before made of it, for each direction.
constexpr double fat_flops = 42048.0, fat_links_moved = 4.0 * (4 + 3 + 4 + 3 + 3 + 4 + 3 + 1);
constexpr double third_flops = 1584.0, third_links_moved = 2.0 * 4.0;
constexpr double projection_flops = 4.0 * 3640.0, projection_links_moved = 2.0 * 4.0;

// For each direction twice the first two passes, and sums along it and across it, which are read and written; outer
// products; three steps of third links, twice two fields; U G^dag.
constexpr double gradient_flops = 4.0 * (2.0 * 3.0 * 828.0 + 2.0 * 3.0 * 1836.0 + 2664.0 + 3.0 * 6696.0);
constexpr double gradient_links_moved =
    4.0 * ((4 + 3) + (4 + 4 + 3) + 2.0 * (4 + 3 + 3) + (4 + 1 + 3 + 3 + 2) + (4 + 1 + 4.0 * 3 + 2.0 * 3));
constexpr double rest_flops = 8.0 * 432.0 * 4.0 + 4.0 * 1260.0 + 4.0 * 198.0;
constexpr double rest_links_moved = (4 + 4 + 4.0 * 4) + 4.0 * 4 + 3.0 * 4;
constexpr double closing_of_v_flops = 4.0 * 4500.0, closing_of_v_links_moved = 3.0 * 4.0;

/// A force of twelve vectors.
template <class Force>
void add_force(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved,
               const Force& force) {
  add_made_benchmark(suite, lattice, what, flops, links_moved, [force](const GaugeField<double>& links) {
    auto vectors =
        std::make_shared<SpinorField<double>>(links.lattice(), SpinorParameters{.spins = 1, .right_hand_sides = 12});
    set_gaussian(*vectors, {.seed = 2});
    return [vectors, force, &links, residues = std::vector<double>(12, 0.1)] {
      force(links, StaggeredForceTerm{.vectors = *vectors, .residues = residues});
    };
  });
}

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
  add_force(suite, lattice, "asqtad_force", gradient_flops + rest_flops, gradient_links_moved + rest_links_moved,
            [](const GaugeField<double>& u, const StaggeredForceTerm& term) {
              staggered_force(u, asqtad_coefficients(0.87), term);
            });
  add_force(suite, lattice, "hisq_force",
            2.0 * gradient_flops + rest_flops + closing_of_v_flops + fat_flops + projection_flops,
            2.0 * gradient_links_moved + rest_links_moved + closing_of_v_links_moved + fat_links_moved +
                projection_links_moved,
            [](const GaugeField<double>& u, const StaggeredForceTerm& term) { hisq_force(u, std::span(&term, 1)); });
}

}  // namespace kaon::perf
