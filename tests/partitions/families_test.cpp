// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/test_seams.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/operators/twisted_cases.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_doublet.hpp>

#include <cmath>

// Staggered and twisted operators on many processes, and on one with forced partitions, are those of the whole lattice.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// On native lanes the storages at both ends, on one lane, which is slower, the one between.
std::vector<LinkStorage> storages_on(const Lattice& lattice) {
  if (lattice.lanes() == Lanes::single) return {LinkStorage::two_rows};
  return {LinkStorage::full, LinkStorage::minimal};
}

double squared(const HostValues& values) {
  double sum = 0.0;
  for (const std::complex<double>& value : values) sum += std::norm(value);
  return sum;
}

/// |parts - whole| over all processes is at most `bound` times |whole|.
void expect_part(const HostValues& part_values, const HostValues& whole_values, const Lattice& parts, double bound) {
  const HostValues expected = part_of(whole_values, parts);
  ASSERT_EQ(expected.size(), part_values.size());
  HostValues difference = part_values;
  for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= expected[k];
  double total[] = {squared(difference)};
  parts.communicator().sum(total);
  EXPECT_LE(std::sqrt(total[0]), bound * std::sqrt(squared(whole_values)));
}

template <class T>
class FamiliesOverProcesses : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(FamiliesOverProcesses, AllPrecisions);

// A message is a colour vector of 3 complex numbers, rounded once more in 16 bits, in each of eight directions.
TYPED_TEST(FamiliesOverProcesses, StaggeredIsThatOfTheWholeLattice) {
  using T = TypeParam;
  const double bound = 10.0 * object_error<T>(6) + 2.0 * arithmetic_error<T>();
  for (const bool halo_first : {false, true}) {
    const detail::ForcedHaloOrder order(halo_first);
    for (const Partition& partition : all_partitions()) {
      SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
      const StaggeredParameters parameters = staggered_cases()[1];
      const Staggered<double> exact_parts(rough_links<double>(partition.parts), parameters);
      const Staggered<double> exact_whole(rough_links<double>(partition.whole), parameters);
      const SpinorField<T> parts_in = gaussian_colors<T>(partition.parts, 2);
      const SpinorField<T> whole_in = gaussian_colors<T>(partition.whole, 2);
      for (const LinkStorage storage : storages_on(partition.parts)) {
        const Staggered<T> parts(exact_parts, storage), whole(exact_whole, storage);
        SpinorField<T> parts_out = parts.make_field(2), whole_out = whole.make_field(2);
        for (const bool dagger : {false, true}) {
          dagger ? parts.apply_dagger(parts_out, parts_in) : parts.apply(parts_out, parts_in);
          dagger ? whole.apply_dagger(whole_out, whole_in) : whole.apply(whole_out, whole_in);
          expect_part(parts_out.to_host(1), whole_out.to_host(1), partition.parts, bound);
        }
        for (const Parity parity : {Parity::even, Parity::odd}) {
          const StaggeredNormal<T> parts_normal(parts, parity), whole_normal(whole, parity);
          SpinorField<T> parts_y = parts_normal.make_field(2), whole_y = whole_normal.make_field(2);
          const blas::Products found =
              parts_normal.apply_and_reduce(parts_y, parts_in.parity(parity), {.x = true}).wait();
          const blas::Products expected =
              whole_normal.apply_and_reduce(whole_y, whole_in.parity(parity), {.x = true}).wait();
          expect_part(parts_y.to_host(0), whole_y.to_host(0), partition.parts, 2.0 * bound);
          for (std::size_t k = 0; k < 2; ++k) {
            EXPECT_NEAR(found.y_norm2[k] / expected.y_norm2[k], 1.0, 4.0 * bound);
            EXPECT_NEAR(found.y_x[k].real() / expected.y_x[k].real(), 1.0, 4.0 * bound);
          }
        }
      }
    }
  }
}

/// Local extents of 4, where each site of a partitioned direction sees both faces, and such that keep their lanes.
std::vector<Partition> improved_partitions() {
  std::vector<Partition> all;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 8}, Coordinates{8, 8, 8, 8}}) {
    for (Partition& partition : partitions(extents, 3)) {
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
  std::size_t number = 0;
  for (const Partition& partition : improved_partitions()) {
    const LinkStorage storage = third_storages[1 + number++ % 4];  // those in full are what they are made of
    const ImprovedStaggeredParameters parameters = improved_cases()[1];
    const ImprovedStaggered<double> exact_parts = rough_improved<double>(partition.parts, parameters, storage);
    const ImprovedStaggered<double> exact_whole = rough_improved<double>(partition.whole, parameters, storage);
    const SpinorField<T> parts_in = gaussian_colors<T>(partition.parts, 2);
    const SpinorField<T> whole_in = gaussian_colors<T>(partition.whole, 2);
    const ImprovedStaggered<T> parts(exact_parts, storage), whole(exact_whole, storage);
    for (const bool halo_first : {false, true}) {
      const detail::ForcedHaloOrder order(halo_first);
      SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
      SpinorField<T> parts_out = parts.make_field(2), whole_out = whole.make_field(2);
      for (const bool dagger : {false, true}) {
        dagger ? parts.apply_dagger(parts_out, parts_in) : parts.apply(parts_out, parts_in);
        dagger ? whole.apply_dagger(whole_out, whole_in) : whole.apply(whole_out, whole_in);
        expect_part(parts_out.to_host(1), whole_out.to_host(1), partition.parts, bound);
      }
      const Parity parity = halo_first ? Parity::even : Parity::odd;
      const StaggeredNormal<T> parts_normal(parts, parity), whole_normal(whole, parity);
      SpinorField<T> parts_y = parts_normal.make_field(2), whole_y = whole_normal.make_field(2);
      const blas::Products found = parts_normal.apply_and_reduce(parts_y, parts_in.parity(parity), {.x = true}).wait();
      const blas::Products expected =
          whole_normal.apply_and_reduce(whole_y, whole_in.parity(parity), {.x = true}).wait();
      expect_part(parts_y.to_host(0), whole_y.to_host(0), partition.parts, 2.0 * bound);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_NEAR(found.y_norm2[k] / expected.y_norm2[k], 1.0, 4.0 * bound);
        EXPECT_NEAR(found.y_x[k].real() / expected.y_x[k].real(), 1.0, 4.0 * bound);
      }
    }
  }
}

TYPED_TEST(FamiliesOverProcesses, TwistedIsThatOfTheWholeLattice) {
  using T = TypeParam;
  const double bound = 20.0 * object_error<T>(24) + 2.0 * arithmetic_error<T>();
  for (const Partition& partition : partitions({4, 4, 4, 8})) {
    if (partition.parts.lanes() == Lanes::single) continue;
    for (const TwistedCase& twisted : {twisted_cases()[1], all_twisted_cases().back()}) {
      SCOPED_TRACE(twisted.fermion.name + " on " + partition.name);
      const auto exact_parts = make_operator<double>(random_links<double>(partition.parts), twisted);
      const auto exact_whole = make_operator<double>(random_links<double>(partition.whole), twisted);
      const auto parts = converted<T>(*exact_parts, twisted, LinkStorage::two_rows);
      const auto whole = converted<T>(*exact_whole, twisted, LinkStorage::two_rows);
      const SpinorField<T> parts_in = in_precision<T>(gaussian<double>(partition.parts, 2));
      const SpinorField<T> whole_in = in_precision<T>(gaussian<double>(partition.whole, 2));
      for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
        const Schur<T> parts_schur(*parts, {form, Parity::odd}), whole_schur(*whole, {form, Parity::odd});
        SpinorField<T> parts_out = parts_schur.make_field(2), whole_out = whole_schur.make_field(2);
        const SpinorField<T> parts_odd = parts_in.parity(Parity::odd), whole_odd = whole_in.parity(Parity::odd);
        for (const bool dagger : {false, true}) {
          dagger ? parts_schur.apply_dagger(parts_out, parts_odd) : parts_schur.apply(parts_out, parts_odd);
          dagger ? whole_schur.apply_dagger(whole_out, whole_odd) : whole_schur.apply(whole_out, whole_odd);
          expect_part(parts_out.to_host(1), whole_out.to_host(1), partition.parts, 2.0 * bound);
        }
      }
    }
  }
}

/// Slice s of right-hand side k on one parity.
template <class T>
HostValues slice_to_host(const SpinorField<T>& field, Parity parity, int s, int k) {
  return field.parity(parity).slice(s).to_host(k);
}

/// An operator on fields of several slices, which `make(lattice)` makes, is that of the whole lattice.
template <class T, class Make>
void expect_slices_of_whole_lattice(const Make& make) {
  const double bound = 40.0 * object_error<T>(24) + 4.0 * arithmetic_error<T>();
  for (const bool halo_first : {false, true}) {
    const detail::ForcedHaloOrder order(halo_first);
    for (const Partition& partition : partitions({4, 4, 4, 8})) {
      if (partition.parts.lanes() == Lanes::single) continue;
      SCOPED_TRACE(partition.name + (halo_first ? ", halos first" : ", edges afterwards"));
      const auto parts = make(partition.parts), whole = make(partition.whole);
      const int slices = parts.domain().slices;
      const auto noise = [&](const Lattice& lattice) {
        SpinorField<double> field(lattice, {.right_hand_sides = 2, .slices = slices});
        set_gaussian(field, {.seed = 11});
        return in_precision<T>(field);
      };
      const SpinorField<T> parts_in = noise(partition.parts), whole_in = noise(partition.whole);
      SpinorField<T> parts_out = parts.make_field(2), whole_out = whole.make_field(2);
      const auto expect_equal = [&](Parity parity) {
        for (int s = 0; s < slices; ++s) {
          expect_part(slice_to_host(parts_out, parity, s, 1), slice_to_host(whole_out, parity, s, 1), partition.parts,
                      bound);
        }
      };
      for (const bool dagger : {false, true}) {
        dagger ? parts.apply_dagger(parts_out, parts_in) : parts.apply(parts_out, parts_in);
        dagger ? whole.apply_dagger(whole_out, whole_in) : whole.apply(whole_out, whole_in);
        expect_equal(Parity::even);
        expect_equal(Parity::odd);
        for (const SiteTerm term : {SiteTerm::diagonal, SiteTerm::inverse}) {  // A x + c K in, a x + c A^-1 K in
          SpinorField<T> parts_odd = parts_out.parity(Parity::odd), whole_odd = whole_out.parity(Parity::odd);
          const SpinorField<T> parts_x = parts_in.parity(Parity::odd), whole_x = whole_in.parity(Parity::odd);
          parts.hop(parts_odd, parts_in.parity(Parity::even),
                    {.term = term, .scale = 0.7, .x = &parts_x, .x_scale = 0.4, .dagger = dagger});
          whole.hop(whole_odd, whole_in.parity(Parity::even),
                    {.term = term, .scale = 0.7, .x = &whole_x, .x_scale = 0.4, .dagger = dagger});
          expect_equal(Parity::odd);
        }
      }
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
  for (const Partition& partition : improved_partitions()) {
    if (partition.parts.lanes() == Lanes::single) continue;
    SCOPED_TRACE(partition.name);
    const ImprovedStaggeredParameters parameters = improved_cases()[1];
    const ImprovedStaggered<T> parts(rough_improved<double>(partition.parts, parameters),
                                     LinkStorage::two_rows_and_determinant, HaloPrecision::half);
    const ImprovedStaggered<T> whole(rough_improved<double>(partition.whole, parameters),
                                     LinkStorage::two_rows_and_determinant);
    SpinorField<T> parts_out = parts.make_field(2), whole_out = whole.make_field(2);
    parts.apply(parts_out, gaussian_colors<T>(partition.parts, 2));
    whole.apply(whole_out, gaussian_colors<T>(partition.whole, 2));
    expect_part(parts_out.to_host(1), whole_out.to_host(1), partition.parts, 10.0 * object_error<half>(6));
  }
}

template <class T>
class HopAlongOverProcesses : public ::testing::Test {};
TYPED_TEST_SUITE(HopAlongOverProcesses, Precisions);

// Of a partitioned direction, half spinors come from the process ahead.
TYPED_TEST(HopAlongOverProcesses, IsThatOfTheWholeLattice) {
  using T = TypeParam;
  const WilsonParameters parameters{
      .mass = 0.1, .anisotropy = {.xi0 = 2.0, .nu = 0.9}, .boundary = {0.3, -0.7, 1.1, 2.5}};
  for (const Partition& partition : all_partitions()) {
    SCOPED_TRACE(partition.name);
    const Wilson<T> parts(Wilson<double>(rough_links<double>(partition.parts), parameters), LinkStorage::two_rows);
    const Wilson<T> whole(Wilson<double>(rough_links<double>(partition.whole), parameters), LinkStorage::two_rows);
    const SpinorField<T> parts_in = gaussian<T>(partition.parts, 2);
    const SpinorField<T> whole_in = gaussian<T>(partition.whole, 2);
    SpinorField<T> parts_out = parts.make_field(2), whole_out = whole.make_field(2);
    for (int mu = 0; mu < directions; ++mu) {
      for (const Parity parity : {Parity::even, Parity::odd}) {
        SpinorField<T> parts_p = parts_out.parity(parity), whole_p = whole_out.parity(parity);
        parts.hop_along(parts_p, parts_in.parity(opposite(parity)), mu);
        whole.hop_along(whole_p, whole_in.parity(opposite(parity)), mu);
      }
      for (const int rhs : {0, 1}) {
        expect_part(parts_out.to_host(rhs), whole_out.to_host(rhs), partition.parts, tolerance<T>);
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
