// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/core/random.hpp>
#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <numbers>
#include <optional>
#include <type_traits>

// Operators are linear in the phases of the boundary, whose links their hops cross once: with a Dirichlet boundary M is
// the mean of M of the periodic and M of the antiperiodic boundary. This holds for all families, storages of links and
// partitions.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// Periodic, antiperiodic and Dirichlet in one direction, with phases in the others.
std::array<BoundaryAngles, 3> boundaries(std::size_t direction) {
  std::array<BoundaryAngles, 3> all;
  all.fill({0.3, -0.7, 1.1, 2.5});
  all[0][direction] = 0.0;
  all[1][direction] = std::numbers::pi;
  all[2][direction] = dirichlet;
  return all;
}

/// Right-hand side 1 of M in and of M^dag in.
template <class T>
std::array<HostValues, 2> images_of(const EvenOddOperator<T>& dirac, const SpinorField<T>& in) {
  SpinorField<T> out = dirac.make_field(2);
  std::array<HostValues, 2> images;
  dirac.apply(out, in);
  images[0] = out.to_host(1);
  dynamic_cast<const Adjointable<T>&>(dirac).apply_dagger(out, in);
  images[1] = out.to_host(1);
  return images;
}

/// `make(boundary, use)` calls use(operator).
template <class T, class Make>
void expect_mean(double bound, const Make& make) {
  std::optional<SpinorField<T>> in;  // noise
  for (const std::size_t direction : {std::size_t{0}, std::size_t{3}}) {
    std::vector<std::array<HostValues, 2>> images;
    for (const BoundaryAngles& boundary : boundaries(direction)) {
      make(boundary, [&](const EvenOddOperator<T>& dirac) {
        if (!in) set_gaussian(in.emplace(dirac.make_field(2)), {.seed = 11});
        images.push_back(images_of<T>(dirac, *in));
      });
    }
    for (const std::size_t dagger : {0U, 1U}) {
      HostValues missing = images[2][dagger];
      for (std::size_t n = 0; n < missing.size(); ++n) {
        missing[n] -= 0.5 * (images[0][dagger][n] + images[1][dagger][n]);
      }
      EXPECT_LE(norm(missing), bound * norm(images[2][dagger])) << direction << dagger;
    }
  }
}

/// Partitions of a small lattice, which has one lane at reach 3, and the ends of those of one with many lanes.
std::vector<Partition> partitions_for(int reach) {
  std::vector<Partition> all = shared_partitions({4, 4, 4, 8}, reach);
  if (reach == 3) all = ends_of(std::move(all));
  for (Partition& partition :
       ends_of(shared_partitions(reach == 1 ? Coordinates{8, 4, 4, 8} : Coordinates{8, 8, 8, 8}, reach))) {
    if (partition.parts.lanes() == Lanes::native) all.push_back(std::move(partition));
  }
  return all;
}

template <class T>
class DirichletBoundaries : public ::testing::Test {};
TYPED_TEST_SUITE(DirichletBoundaries, Precisions);

TYPED_TEST(DirichletBoundaries, AreMeansOfPeriodicAndAntiperiodicOnes) {
  using T = TypeParam;
  for (const int reach : {1, 3}) {
    if (reach == 3 && std::is_same_v<T, float>) continue;  // making improved links takes long
    for (const Partition& partition : partitions_for(reach)) {
      SCOPED_TRACE(partition.name);
      const GaugeField<T> links = weak_links<T>(partition.parts, 0.4, 5);
      for (const FermionFamily& family : fermion_families()) {
        if (family.links == FamilyLinks::given || !family.is_built() || family.reach() != reach) continue;
        SCOPED_TRACE(family.name);
        FermionParameters parameters{.action = family.action,
                                     .mass = 0.6,
                                     .mu = 0.1,
                                     .csw = 1.2,
                                     .u0 = 0.9,
                                     .naik_epsilon = -0.1,
                                     .slices = 4,
                                     .b = 1.5,
                                     .c = 0.5,
                                     .epsilon = 0.15};
        expect_mean<T>(tolerance<T>, [&](const BoundaryAngles& boundary, const auto& use) {
          parameters.boundary = boundary;
          use(dynamic_cast<const EvenOddOperator<T>&>(*make_quark(links, parameters)));
        });
      }
    }
  }
}

// Compressed links hold no zeros: the boundary is not in them.
TEST(CompressedDirichletBoundaries, HoldForAllStoragesOfLinks) {
  for (const Partition& partition : ends_of(shared_partitions({8, 4, 4, 8}))) {
    SCOPED_TRACE(partition.name);
    const GaugeField<double> links = weak_links<double>(partition.parts, 0.4, 5);
    for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal})) {
      SCOPED_TRACE(reals(storage));
      expect_mean<float>(tolerance<float>, [&](const BoundaryAngles& boundary, const auto& use) {
        use(Wilson<float>(Wilson<double>(links, {.mass = 0.2, .boundary = boundary}), storage));
      });
      const double bound = 10.0 * object_error<half>(24);
      expect_mean<half>(bound, [&](const BoundaryAngles& boundary, const auto& use) {
        use(Wilson<half>(Wilson<double>(links, {.mass = 0.2, .boundary = boundary}), storage));
      });
      expect_mean<half>(bound, [&](const BoundaryAngles& boundary, const auto& use) {
        use(Staggered<half>(Staggered<double>(links, {.mass = 0.2, .boundary = boundary}), storage));
      });
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
