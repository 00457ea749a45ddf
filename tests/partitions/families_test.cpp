// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/test_seams.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/partitions/partitions.hpp"
#include "tests/support/built_storages.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_mass.hpp>

// Staggered and twisted operators on many processes, and on one with forced partitions, are those of the whole lattice.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// On native lanes the storages at both ends, on one lane, which is slower, the one between.
std::vector<LinkStorage> storages_on(const Lattice& lattice) {
  if (lattice.lanes() == Lanes::single) return built({LinkStorage::two_rows});
  return built({LinkStorage::full, LinkStorage::minimal});
}

std::vector<Partition> all_shared_partitions() {
  return all_partitions([](const Coordinates& extents) { return shared_partitions(extents); });
}

/// |parts - whole| over all processes is at most `bound` times |whole|.
void expect_part(const HostValues& part_values, const HostValues& whole_values, const Lattice& parts, double bound) {
  EXPECT_LE(distance(part_values, whole_values, parts), bound * norm(whole_values));
}

/// Images of two right-hand sides under staggered operators.
struct StaggeredAnswers {
  std::vector<HostValues> outputs{};       ///< M in, M^dag in
  std::vector<HostValues> normal{};        ///< of the normal operators of even and odd sites
  std::vector<blas::Products> products{};  ///< of these
};

template <class T, class Dirac>
StaggeredAnswers answers_of(const Dirac& dirac, const SpinorField<T>& in) {
  StaggeredAnswers answers;
  SpinorField<T> out = dirac.make_field(2);
  for (const bool dagger : {false, true}) {
    dagger ? dirac.apply_dagger(out, in) : dirac.apply(out, in);
    answers.outputs.push_back(out.to_host(1));
  }
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const StaggeredNormal<T> normal(dirac, parity);
    SpinorField<T> y = normal.make_field(2);
    answers.products.push_back(normal.apply_and_reduce(y, in.parity(parity), {.x = true}).wait());
    answers.normal.push_back(y.to_host(0));
  }
  return answers;
}

void expect_parts(const StaggeredAnswers& found, const StaggeredAnswers& expected, const Lattice& parts, double bound) {
  for (const std::size_t n : {0U, 1U}) {
    expect_part(found.outputs[n], expected.outputs[n], parts, bound);
    expect_part(found.normal[n], expected.normal[n], parts, 2.0 * bound);
    for (const std::size_t k : {0U, 1U}) {
      EXPECT_NEAR(found.products[n].y_norm2[k] / expected.products[n].y_norm2[k], 1.0, 4.0 * bound);
      EXPECT_NEAR(found.products[n].y_x[k].real() / expected.products[n].y_x[k].real(), 1.0, 4.0 * bound);
    }
  }
}

template <class T>
class FamiliesOverProcesses : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(FamiliesOverProcesses, AllPrecisions);

// A message is a colour vector of 3 complex numbers, rounded once more in 16 bits, in each of eight directions.
TYPED_TEST(FamiliesOverProcesses, StaggeredIsThatOfTheWholeLattice) {
  using T = TypeParam;
  const double bound = 10.0 * object_error<T>(6) + 2.0 * arithmetic_error<T>();
  const auto answers_on = [](const Lattice& lattice) {
    const Staggered<double> exact(rough_links<double>(lattice), staggered_cases()[1]);
    const SpinorField<T> in = gaussian_colors<T>(lattice, 2);
    std::vector<StaggeredAnswers> answers;
    for (const LinkStorage storage : storages_on(lattice)) {
      answers.push_back(answers_of(Staggered<T>(exact, storage), in));
    }
    return answers;
  };
  OfWhole<std::vector<StaggeredAnswers>> of_whole(answers_on);
  for (const bool halo_first : {false, true}) {
    const detail::ForcedHaloOrder order(halo_first);
    for (const Partition& partition : all_shared_partitions()) {
      SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
      const std::vector<StaggeredAnswers> found = answers_on(partition.parts), &expected = of_whole(partition);
      for (std::size_t k = 0; k < found.size(); ++k) expect_parts(found[k], expected[k], partition.parts, bound);
    }
  }
}

/// Local extents of 4, where each site of a partitioned direction sees both faces, and others that use their lanes.
std::vector<Partition> improved_partitions() {
  std::vector<Partition> all;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 8}, Coordinates{8, 8, 8, 8}}) {
    for (Partition& partition : shared_partitions(extents, 3)) {
      const bool again = partition.parts.lanes() == Lanes::single && extents[0] == 8;  // 4x4x4x8 has one lane
      if (!again) all.push_back(std::move(partition));
    }
  }
  return all;
}

// Through a face travel three layers of colour vectors; those that look behind are sums of up to two products.
TYPED_TEST(FamiliesOverProcesses, ImprovedStaggeredIsThatOfTheWholeLattice) {
  using T = TypeParam;
  const double bound = 10.0 * object_error<T>(6) + 2.0 * arithmetic_error<T>();
  const std::vector<Partition> all = improved_partitions();
  const std::size_t compressed = third_storages.size() - 1;
  for (std::size_t first = 0; first < compressed; ++first) {
    const LinkStorage storage = third_storages[1 + first];  // those in full are what they are made of
    const auto operator_on = [&](const Lattice& lattice) {
      return ImprovedStaggered<T>(rough_improved<double>(lattice, improved_cases()[1], storage), storage);
    };
    OfWhole<StaggeredAnswers> of_whole(
        [&](const Lattice& lattice) { return answers_of(operator_on(lattice), gaussian_colors<T>(lattice, 2)); });
    for (std::size_t number = first; number < all.size(); number += compressed) {
      const Partition& partition = all[number];
      const ImprovedStaggered<T> dirac = operator_on(partition.parts);
      for (const bool halo_first : {false, true}) {
        const detail::ForcedHaloOrder order(halo_first);
        SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
        expect_parts(answers_of(dirac, gaussian_colors<T>(partition.parts, 2)), of_whole(partition), partition.parts,
                     bound);
      }
    }
  }
}

TYPED_TEST(FamiliesOverProcesses, TwistedIsThatOfTheWholeLattice) {
  using T = TypeParam;
  const double bound = 20.0 * object_error<T>(24) + 2.0 * arithmetic_error<T>();
  for (const TwistedCase& twisted : {twisted_cases()[1], all_twisted_cases().back()}) {
    const auto images_on = [&](const Lattice& lattice) {
      const auto exact = make_operator<double>(random_links<double>(lattice), twisted);
      const auto dirac = converted<T>(*exact, twisted, LinkStorage::two_rows);
      const SpinorField<T> in = in_precision<T>(gaussian<double>(lattice, 2)), odd = in.parity(Parity::odd);
      std::vector<HostValues> images;
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<T> schur(*dirac, {form, Parity::odd});
        SpinorField<T> out = schur.make_field(2);
        for (const bool dagger : {false, true}) {
          dagger ? schur.apply_dagger(out, odd) : schur.apply(out, odd);
          images.push_back(out.to_host(1));
        }
      }
      return images;
    };
    OfWhole<std::vector<HostValues>> of_whole(images_on);
    for (const Partition& partition : shared_partitions({4, 4, 4, 8})) {
      if (partition.parts.lanes() == Lanes::single) continue;
      SCOPED_TRACE(twisted.fermion.name + " on " + partition.name);
      const std::vector<HostValues> found = images_on(partition.parts), &expected = of_whole(partition);
      for (std::size_t k = 0; k < found.size(); ++k) {
        expect_part(found[k], expected[k], partition.parts, 2.0 * bound);
      }
    }
  }
}

/// An operator on fields of several slices, which `make(lattice)` makes, is that of the whole lattice.
template <class T, class Make>
void expect_slices_of_whole_lattice(const Make& make) {
  const double bound = 40.0 * object_error<T>(24) + 4.0 * arithmetic_error<T>();
  // Right-hand side 1, slice by slice: the even and the odd sites of M in and M^dag in, and forms of the hop to odd
  // ones.
  const auto images = [](const auto& dirac) {
    SpinorField<double> noise(dirac.lattice(), {.right_hand_sides = 2, .slices = dirac.domain().slices});
    set_gaussian(noise, {.seed = 11});
    const SpinorField<T> in = in_precision<T>(noise), even = in.parity(Parity::even), odd = in.parity(Parity::odd);
    SpinorField<T> out = dirac.make_field(2);
    std::vector<HostValues> values;
    const auto keep = [&](Parity parity) {
      for (int s = 0; s < dirac.domain().slices; ++s) values.push_back(out.parity(parity).slice(s).to_host(1));
    };
    for (const bool dagger : {false, true}) {
      dagger ? dirac.apply_dagger(out, in) : dirac.apply(out, in);
      keep(Parity::even);
      keep(Parity::odd);
      for (const SiteTerm term : {SiteTerm::diagonal, SiteTerm::inverse}) {  // A x + c K in, a x + c A^-1 K in
        SpinorField<T> out_odd = out.parity(Parity::odd);
        dirac.hop(out_odd, even, {.term = term, .scale = 0.7, .x = &odd, .x_scale = 0.4, .dagger = dagger});
        keep(Parity::odd);
      }
    }
    return values;
  };
  OfWhole<std::vector<HostValues>> of_whole([&](const Lattice& lattice) { return images(make(lattice)); });
  for (const Partition& partition : shared_partitions({4, 4, 4, 8})) {
    if (partition.parts.lanes() == Lanes::single) continue;
    const auto dirac = make(partition.parts);
    for (const bool halo_first : {false, true}) {
      const detail::ForcedHaloOrder order(halo_first);
      SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
      const std::vector<HostValues> found = images(dirac), &expected = of_whole(partition);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) expect_part(found[k], expected[k], partition.parts, bound);
    }
  }
}

// The halos of slices are those of right-hand sides.
TYPED_TEST(FamiliesOverProcesses, DomainWallIsThatOfTheWholeLattice) {
  using T = TypeParam;
  expect_slices_of_whole_lattice<T>([](const Lattice& lattice) {
    const DomainWall<double> dirac(random_links<double>(lattice), {.mass = 0.1,
                                                                   .m5 = 1.4,
                                                                   .slices = 3,
                                                                   .b = 1.5,
                                                                   .c = 0.5,
                                                                   .anisotropy = {.xi0 = 2.0, .nu = 0.9},
                                                                   .boundary = {0.3, -0.7, 1.1, 2.5}});
    return DomainWall<T>(dirac, LinkStorage::two_rows);
  });
}

TYPED_TEST(FamiliesOverProcesses, TwistedDoubletIsThatOfTheWholeLattice) {
  using T = TypeParam;
  for (const auto& csw : {std::optional<double>(), std::optional(1.2)}) {
    expect_slices_of_whole_lattice<T>([&](const Lattice& lattice) {
      const TwistedDoublet<double> dirac(
          random_links<double>(lattice),
          {.mass = 0.1, .mu = 0.3, .epsilon = 0.5, .csw = csw, .boundary = {0.3, -0.7, 1.1, 2.5}});
      return TwistedDoublet<T>(dirac, LinkStorage::two_rows);
    });
  }
}

template <class T>
class RoundedHalos : public ::testing::Test {};
TYPED_TEST_SUITE(RoundedHalos, Precisions);

// A message of 16 bits is rounded once, the sum of two products too.
TYPED_TEST(RoundedHalos, OfImprovedStaggeredRoundWhatTravels) {
  using T = TypeParam;
  const auto image = [](const Lattice& lattice, HaloPrecision halo) {
    const ImprovedStaggered<T> dirac(rough_improved<double>(lattice, improved_cases()[1]),
                                     LinkStorage::two_rows_and_determinant, halo);
    SpinorField<T> out = dirac.make_field(2);
    dirac.apply(out, gaussian_colors<T>(lattice, 2));
    return out.to_host(1);
  };
  OfWhole<HostValues> of_whole([&](const Lattice& lattice) { return image(lattice, HaloPrecision::field); });
  for (const Partition& partition : improved_partitions()) {
    if (partition.parts.lanes() == Lanes::single) continue;
    SCOPED_TRACE(partition.name);
    expect_part(image(partition.parts, HaloPrecision::half), of_whole(partition), partition.parts,
                10.0 * object_error<half>(6));
  }
}

template <class T>
class HopAlongOverProcesses : public ::testing::Test {};
TYPED_TEST_SUITE(HopAlongOverProcesses, Precisions);

// In a partitioned direction half spinors come from the process ahead.
TYPED_TEST(HopAlongOverProcesses, IsThatOfTheWholeLattice) {
  using T = TypeParam;
  const WilsonParameters parameters{
      .mass = 0.1, .anisotropy = {.xi0 = 2.0, .nu = 0.9}, .boundary = {0.3, -0.7, 1.1, 2.5}};
  // Along each direction, of both right-hand sides.
  const auto images_on = [&](const Lattice& lattice) {
    const Wilson<T> dirac(Wilson<double>(rough_links<double>(lattice), parameters), LinkStorage::two_rows);
    const SpinorField<T> in = gaussian<T>(lattice, 2);
    SpinorField<T> out = dirac.make_field(2);
    std::vector<HostValues> images;
    for (int mu = 0; mu < directions; ++mu) {
      for (const Parity parity : {Parity::even, Parity::odd}) {
        SpinorField<T> of_parity = out.parity(parity);
        dirac.hop_along(of_parity, in.parity(opposite(parity)), mu);
      }
      for (const int rhs : {0, 1}) images.push_back(out.to_host(rhs));
    }
    return images;
  };
  OfWhole<std::vector<HostValues>> of_whole(images_on);
  for (const Partition& partition : all_shared_partitions()) {
    SCOPED_TRACE(partition.name);
    const std::vector<HostValues> found = images_on(partition.parts), &expected = of_whole(partition);
    for (std::size_t k = 0; k < found.size(); ++k) expect_part(found[k], expected[k], partition.parts, tolerance<T>);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
