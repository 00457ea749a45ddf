// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/gauge/staggered_force.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

GaugeField<double> weak_links(const Lattice& lattice) { return test::weak_links<double>(lattice, 0.3, 7); }

SpinorField<double> vectors_on(const Lattice& lattice, int count) {
  SpinorField<double> field(lattice, {.spins = 1, .right_hand_sides = count});
  HostValues values(static_cast<std::size_t>(3 * lattice.volume()));
  for (int k = 0; k < count; ++k) {
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto number = static_cast<double>(n);
      values[n] = {std::cos(0.37 * number + k), std::sin(0.23 * number * (k + 1))};
    }
    field.from_host(part_of(values, lattice), k);
  }
  return field;
}

// All paths and steps of staggered forces are in it, vectors go in two portions, and partitions leave more sites than
// the three steps of third links.
TEST(HisqForceInParts, IsTheSame) {
  const int last = processes().size() > 4 ? 16 : 8;
  expect_same(partitions({8, 4, 4, last}, 3), 1e-11, [](const Lattice& lattice) {
    const SpinorField<double> light = vectors_on(lattice, 13), charm = vectors_on(lattice, 2);
    const std::vector<double> of_light(13, 0.1), of_charm{0.7, -0.2};
    const StaggeredForceTerm terms[] = {{.vectors = light, .residues = of_light},
                                        {.vectors = charm, .residues = of_charm, .naik_epsilon = -0.3}};
    return Made{{hisq_force(weak_links(lattice), terms).to_host()}};
  });
}

// No third links, and local lattices that are narrower than three steps.
TEST(NaiveForceInParts, IsTheSame) {
  const std::vector<double> residues{0.7, -0.2};
  expect_same(partitions({4, 4, 4, 8}), 1e-12, [&](const Lattice& lattice) {
    const SpinorField<double> vectors = vectors_on(lattice, 2);
    return Made{{staggered_force(weak_links(lattice), {}, {.vectors = vectors, .residues = residues}).to_host()}};
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
