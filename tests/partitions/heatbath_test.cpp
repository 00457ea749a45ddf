// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
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
  const auto momenta_on = [](const Lattice& lattice) {
    GaugeField<double> momenta(lattice);
    set_gaussian_momenta(momenta, 1.0, {.seed = 4});
    return momenta;
  };
  expect_same(all_partitions(), 0.0, [&](const Lattice& lattice) { return Made{{momenta_on(lattice).to_host()}}; });
  expect_same(all_partitions(), 1e-10, [&](const Lattice& lattice) {
    return Made{{}, {kinetic_energy(momenta_on(lattice))}};
  });
  expect_same(all_partitions(), tolerance<double>, [&](const Lattice& lattice) {
    GaugeField<double> links = hot_links<double>(lattice, 3);
    advance_links(links, momenta_on(lattice), {.size = 0.3});
    return Made{{links.to_host()}};
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
