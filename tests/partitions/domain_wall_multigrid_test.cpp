// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/domain_wall_levels.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/partitions/coarse_partitions.hpp"

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/domain_wall.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

// Multigrid of domain wall quarks on many processes, and with forced partitions, is that of the whole lattice.
namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{4, 4, 16, 16}, block{2, 2, 4, 4};
constexpr int vectors = 4;

DomainWall<double> wall(const Lattice& lattice) {
  return {random_links<double>(lattice), {.mass = 0.1, .slices = 2, .b = 1.5, .c = 0.5}};
}

MultigridParameters levels() {
  return {.tolerance = 1e-10,
          .levels = {{.block = block, .vectors = vectors / 2, .bootstraps = 1}},
          .relaxation_steps = 10};
}

/// The largest difference of a slice on the even sites.
template <class T>
double distance_of_slices(const SpinorField<T>& parts, const SpinorField<T>& whole) {
  const SpinorField<T> of_parts = parts.parity(Parity::even), of_whole = whole.parity(Parity::even);
  double largest = 0.0;
  for (int s = 0; s < parts.slices(); ++s) {
    largest = larger(largest, relative_distance(of_parts.slice(s), of_whole.slice(s)));
  }
  return largest;
}

std::vector<Partition> partitions_with_aggregates() {
  std::vector<Partition> all;
  for (Partition& partition : partitions(extents)) {
    if (has_aggregates(partition.parts, block)) all.push_back(std::move(partition));
  }
  return all;
}

TEST(DomainWallMultigridInParts, CyclesAreThoseOfTheWholeLattice) {
  const auto cycled = [](const Lattice& lattice, int largest_inverse) {
    const DomainWall<float> dirac(wall(lattice), LinkStorage::full);
    const SpinorParameters shape = dirac.domain().on(Subset::even);
    MultigridParameters parameters = levels();
    parameters.largest_inverse = largest_inverse;
    parameters.levels.front().bootstraps = 0;
    parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(noise<float>(lattice, shape, vectors));
    const auto made = detail::make_domain_wall_levels(dirac, parameters);
    EXPECT_EQ(made->report().exact_bottom, largest_inverse > 0);
    SpinorField<float> out = noise<float>(lattice, shape, 2);
    made->cycle().apply(out, noise<float>(lattice, shape, 2));
    return out;
  };
  for (const int largest_inverse : {4096, 0}) {
    OfWhole<SpinorField<float>> of_whole([&](const Lattice& whole) { return cycled(whole, largest_inverse); });
    const std::vector<Partition> all = partitions_with_aggregates();
    EXPECT_GE(all.size(), 1U);
    for (const Partition& partition : all) {
      SCOPED_TRACE(partition.name);
      // Conjugate gradients on the coarse lattice stop at 0.1, and their iterations amplify rounding.
      const double bound = largest_inverse > 0 ? 20.0 * tolerance<float> : 500.0 * tolerance<float>;
      EXPECT_LE(distance_of_slices(cycled(partition.parts, largest_inverse), of_whole(partition)), bound);
    }
  }
}

TEST(DomainWallMultigridInParts, SolvesInAsManyIterations) {
  struct Solution {
    SpinorField<double> x;
    int iterations;
  };
  const auto solve = [](const Lattice& lattice) {
    const DomainWall<double> dirac = wall(lattice);
    Solution solution{dirac.make_field(2), 0};
    const SolveResult result =
        Multigrid<double>(dirac, levels()).solve(solution.x, noise<double>(lattice, dirac.domain(), 2));
    require_converged(result);
    solution.iterations = result.iterations();
    return solution;
  };
  OfWhole<Solution> of_whole(solve);
  for (const Partition& partition : partitions_with_aggregates()) {
    SCOPED_TRACE(partition.name);
    const Solution parts = solve(partition.parts);
    const Solution& whole = of_whole(partition);
    EXPECT_LE(distance_of_slices(parts.x, whole.x), 1e-8);
    EXPECT_LE(std::abs(parts.iterations - whole.iterations), 2);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
