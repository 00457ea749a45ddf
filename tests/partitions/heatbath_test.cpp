// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/partitions/partitions.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/momenta.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(HeatbathInParts, GoesTheSameWay) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<double> parts(partition.parts), whole(partition.whole);
    for (GaugeField<double>* links : {&parts, &whole}) {
      set_random(*links, {.seed = 3});
      for (std::uint32_t k = 0; k < 2; ++k) {
        update(*links, {.beta = 5.9, .overrelaxation_sweeps = 1, .seed = 4, .update = k});
      }
    }
    // Packs and single numbers may be rounded differently, as compilers join products and sums.
    const bool same_lanes = partition.parts.lane_count<double>() == partition.whole.lane_count<double>();
    EXPECT_LE(largest_difference(parts.to_host(), part_of(whole.to_host(), partition.parts)), same_lanes ? 0.0 : 1e-9)
        << partition.name;
  }
}

TEST(MomentaInParts, AreTheSame) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<double> links(partition.parts), whole_links(partition.whole);
    GaugeField<double> momenta(partition.parts), whole(partition.whole);
    set_random(links, {.seed = 3});
    set_random(whole_links, {.seed = 3});
    set_gaussian_momenta(momenta, 1.0, {.seed = 4});
    set_gaussian_momenta(whole, 1.0, {.seed = 4});
    EXPECT_EQ(momenta.to_host(), part_of(whole.to_host(), partition.parts)) << partition.name;
    EXPECT_NEAR(kinetic_energy(momenta), kinetic_energy(whole), 1e-10) << partition.name;
    advance_links(links, momenta, {.size = 0.3});
    advance_links(whole_links, whole, {.size = 0.3});
    EXPECT_LT(largest_difference(links.to_host(), part_of(whole_links.to_host(), partition.parts)), tolerance<double>)
        << partition.name;
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
