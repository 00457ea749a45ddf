// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/domain_wall_levels.hpp"
#include "multigrid/domain_wall/corner_images.hpp"
#include "multigrid/domain_wall/corner_operator.hpp"
#include "multigrid/domain_wall/normal_cycle.hpp"
#include "multigrid/domain_wall/sliced_transfer.hpp"
#include "multigrid/test_seams.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/relative_difference.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::Aggregation;
using detail::CornerDisplacements;
using detail::CornerImages;
using detail::CornerOperator;
using detail::SlicedTransfer;

constexpr double tolerance = 100.0 * std::numeric_limits<float>::epsilon();

struct Case {
  Coordinates extents, block;
  int slices, vectors, right_hand_sides;
  Lanes lanes = Lanes::native;
};

/// Coarse extents of 1, 2, 3, 4 and 5; lanes that hold whole aggregates, and none; numbers of vectors and components
/// that fill packs, and others; more right-hand sides than a team has.
std::vector<Case> cases() {
  return {{{4, 4, 4, 8}, {2, 2, 2, 4}, 4, 8, 3},
          {{8, 8, 8, 16}, {4, 4, 4, 4}, 4, 16, 1},
          {{4, 4, 8, 16}, {4, 2, 4, 4}, 3, 6, 5},
          {{4, 4, 8, 20}, {2, 4, 4, 4}, 2, 10, 18, Lanes::single},
          {{6, 4, 4, 4}, {2, 2, 2, 2}, 5, 4, 2}};
}

struct Fixture {
  explicit Fixture(const Case& of)
      : lattice({.extents = of.extents, .lanes = of.lanes}),
        links(lattice),
        dirac(make(of)),
        system(dirac, {.form = SchurForm::asymmetric}),
        normal(system),
        aggregation(lattice, of.block),
        transfer(aggregation, system.domain(), of.vectors),
        vectors(system.make_field(of.vectors)) {
    set_gaussian(vectors, {.seed = 3});
    detail::iterate_towards_inverse(normal, vectors, 5);
    transfer.set_columns(0, vectors);
    pivot = transfer.orthonormalize();
  }
  DomainWall<float> make(const Case& of) {
    set_weak(links, 0.4, {.seed = 5});
    return {links, {.mass = 0.1, .slices = of.slices, .b = 1.5, .c = 0.5}};
  }
  SpinorField<float> coarse_noise(int right_hand_sides, std::uint32_t stream) const {
    SpinorField<float> field(aggregation.coarse(), transfer.coarse_domain().with_right_hand_sides(right_hand_sides));
    set_gaussian(field, {.seed = 11, .stream = stream});
    return field;
  }
  SpinorField<float> fine_noise(int right_hand_sides) const {
    SpinorField<float> field = system.make_field(right_hand_sides);
    set_gaussian(field, {.seed = 12});
    return field;
  }

  Lattice lattice;
  GaugeField<float> links;
  DomainWall<float> dirac;
  Schur<float> system;
  NormalOperator<float> normal;
  Aggregation aggregation;
  SlicedTransfer transfer;
  SpinorField<float> vectors;
  double pivot = 0.0;
};

TEST(SlicedTransfer, RestrictsWhatItProlongs) {
  for (const Case& of : cases()) {
    const Fixture f(of);
    EXPECT_GT(f.pivot, 1e-3);
    const SpinorField<float> y = f.coarse_noise(of.right_hand_sides, 0);
    SpinorField<float> fine = f.system.make_field(of.right_hand_sides), back = f.coarse_noise(of.right_hand_sides, 1);
    f.transfer.prolong(fine, y);
    f.transfer.restrict(back, fine);
    EXPECT_LT(relative_difference(back, y), tolerance) << to_string(of.extents);
  }
}

TEST(SlicedTransfer, RestrictorIsAdjointOfProlongator) {
  for (const Case& of : cases()) {
    const Fixture f(of);
    const SpinorField<float> y = f.coarse_noise(of.right_hand_sides, 0), x = f.fine_noise(of.right_hand_sides);
    SpinorField<float> fine = f.system.make_field(of.right_hand_sides), coarse = f.coarse_noise(of.right_hand_sides, 1);
    f.transfer.prolong(fine, y);
    f.transfer.restrict(coarse, x);
    const blas::Complexes on_fine = blas::inner_product(fine, x), on_coarse = blas::inner_product(y, coarse);
    for (std::size_t k = 0; k < on_fine.size(); ++k) {
      EXPECT_LT(std::abs(on_fine[k] - on_coarse[k]), tolerance * std::sqrt(blas::norm2(x)[k] * blas::norm2(y)[k]));
    }
  }
}

TEST(SlicedTransfer, SpansTheVectors) {
  for (const Case& of : cases()) {
    const Fixture f(of);
    SpinorField<float> coarse = f.coarse_noise(of.vectors, 0), fine = f.system.make_field(of.vectors);
    f.transfer.restrict(coarse, f.vectors);
    f.transfer.prolong(fine, coarse);
    EXPECT_LT(relative_difference(fine, f.vectors), tolerance / f.pivot) << to_string(of.extents);
  }
}

/// P e, for one coarse site and component, vanishes outside of the site's aggregate: coordinates say which that is.
TEST(SlicedTransfer, ProlongsSitesToTheirAggregates) {
  const Case of = cases()[2];
  const Fixture f(of);
  const Coordinates& coarse = f.aggregation.coarse().extents();
  for (const Coordinates& a : {Coordinates{0, 0, 0, 0}, Coordinates{0, 1, 1, 2}}) {
    SpinorParameters shape = f.transfer.coarse_domain();
    SpinorField<float> y(f.aggregation.coarse(), shape);
    std::vector<std::complex<double>> values(static_cast<std::size_t>(volume_of(coarse) * of.vectors));
    values[static_cast<std::size_t>(lexicographic_index(a, coarse) * of.vectors)] = 1.0;
    y.from_host(values);
    SpinorField<float> fine = f.system.make_field(1);
    f.transfer.prolong(fine, y);
    EXPECT_NEAR(blas::norm2(fine)[0], 1.0, tolerance);
    const std::vector<std::complex<double>> host = fine.to_host();
    double outside = 0.0;
    for (std::size_t n = 0; n < host.size(); ++n) {
      const auto site = static_cast<std::ptrdiff_t>(n / 12) % volume_of(of.extents);
      const Coordinates x = lexicographic_site(site, of.extents);
      bool inside = true;
      for (std::size_t mu = 0; mu < 4; ++mu) inside = inside && x[mu] / of.block[mu] == a[mu];
      if (!inside) outside += std::norm(host[n]);
    }
    EXPECT_EQ(outside, 0.0);
  }
}

TEST(SlicedTransfer, FindsDependentVectors) {
  const Case of = cases()[0];
  Fixture f(of);
  blas::copy(f.vectors.range(of.vectors - 1, 1), std::as_const(f.vectors).range(0, 1));
  f.transfer.set_columns(0, f.vectors);
  EXPECT_LT(f.transfer.orthonormalize(), 1e-6);
}

/// From plane waves; from images of M that are all in memory; and from some of them at a time.
TEST(CornerOperator, IsTheGalerkinOperator) {
  std::vector<Case> all = cases();
  all.push_back({{20, 4, 4, 8}, {5, 4, 4, 4}, 2, 6, 2});
  all.push_back({{18, 8, 4, 12}, {6, 4, 2, 4}, 3, 4, 1});
  for (const Case& of : all) {
    SCOPED_TRACE(to_string(of.extents) + " in " + to_string(of.block));
    const Fixture f(of);
    const SpinorField<float> y = f.coarse_noise(of.right_hand_sides, 0);
    SpinorField<float> fine = f.system.make_field(of.right_hand_sides),
                       image = f.system.make_field(of.right_hand_sides);
    SpinorField<float> slow = f.coarse_noise(of.right_hand_sides, 1), fast = f.coarse_noise(of.right_hand_sides, 2);
    f.transfer.prolong(fine, y);
    f.normal.apply(image, fine);
    f.transfer.restrict(slow, image);
    const auto expect_galerkin = [&](const CornerOperator& coarse) {
      coarse.apply(fast, y);
      EXPECT_LT(relative_difference(fast, slow), tolerance);
    };
    expect_galerkin(CornerOperator(f.transfer, f.normal, CornerOperator::range_of_normal, 4));
    const CornerDisplacements displacements(f.aggregation.coarse().extents());
    const CornerImages images(f.transfer, displacements, nullptr);
    if (!CornerImages::fit(f.aggregation)) {  // three aggregates of two sites: by plane waves
      EXPECT_EQ(of.extents[0], 3 * of.block[0]);
      expect_galerkin(CornerOperator(CornerOperator::OfNormal(), f.transfer, f.system, 4));
      continue;
    }
    EXPECT_EQ(images.columns_in_memory(4), of.vectors);
    expect_galerkin(CornerOperator(CornerOperator::OfNormal(), f.transfer, f.system, 4));
    const double of_fields = 8.0 * SlicedTransfer::bytes(f.aggregation, f.system.domain(), 1);
    const detail::PretendedMemory memory(of_fields + (of.vectors / 2 + 1) * images.bytes());
    EXPECT_EQ(images.columns_in_memory(1), of.vectors / 2);
    expect_galerkin(CornerOperator(CornerOperator::OfNormal(), f.transfer, f.system, 1));
  }
}

TEST(CornerOperator, IsHermitianAndPositive) {
  for (const Case& of : cases()) {
    const Fixture f(of);
    const CornerOperator coarse(CornerOperator::OfNormal(), f.transfer, f.system, of.vectors);
    const SpinorField<float> y = f.coarse_noise(1, 0), z = f.coarse_noise(1, 1);
    SpinorField<float> a_y = f.coarse_noise(1, 2), a_z = f.coarse_noise(1, 3);
    coarse.apply(a_y, y);
    coarse.apply(a_z, z);
    const std::complex<double> one = blas::inner_product(y, a_z)[0], other = blas::inner_product(z, a_y)[0];
    EXPECT_LT(std::abs(one - std::conj(other)), tolerance * std::sqrt(blas::norm2(a_y)[0] * blas::norm2(z)[0]));
    EXPECT_GT(blas::inner_product(y, a_y)[0].real(), 0.0);
  }
}

/// A coarse operator is coarsened as fine ones are.
TEST(CornerOperator, IsTheGalerkinOperatorOfAnother) {
  for (const Coordinates& block : {Coordinates{2, 2, 2, 2}, Coordinates{1, 2, 1, 1}, Coordinates{2, 1, 2, 4}}) {
    SCOPED_TRACE(to_string(block));
    const Fixture f({{8, 8, 8, 16}, {4, 4, 4, 4}, 2, 8, 3});
    const CornerOperator coarse(CornerOperator::OfNormal(), f.transfer, f.system, 8);
    SlicedTransfer transfer(Aggregation(coarse.lattice(), block), coarse.domain(), 6);
    transfer.set_columns(0, f.coarse_noise(6, 4));
    transfer.orthonormalize();
    const CornerOperator last(transfer, coarse, CornerOperator::range_of_corners, 4);
    SpinorField<float> y = last.make_field(3), slow = last.make_field(3), fast = last.make_field(3);
    set_gaussian(y, {.seed = 2});
    SpinorField<float> fine = coarse.make_field(3), image = coarse.make_field(3);
    transfer.prolong(fine, y);
    transfer.restrict(slow, fine);
    EXPECT_LT(relative_difference(slow, y), tolerance);
    coarse.apply(image, fine);
    transfer.restrict(slow, image);
    last.apply(fast, y);
    EXPECT_LT(relative_difference(fast, slow), tolerance);
  }
}

TEST(CornerOperator, RefusesAggregatesWithinItsRange) {
  const Fixture f({{4, 4, 4, 8}, {2, 2, 2, 2}, 2, 4, 1});
  KAON_EXPECT_ERROR(CornerOperator(f.transfer, f.normal, CornerOperator::range_of_normal, 4),
                    "aggregates of 2x2x2x2 sites are too small");
}

TEST(SlicedAggregates, HaveFourSitesWherePossible) {
  const auto chosen = [](const Coordinates& extents) {
    return detail::choose_sliced_aggregates(Lattice({.extents = extents}));
  };
  EXPECT_EQ(chosen({16, 16, 16, 32}), (Coordinates{4, 4, 4, 4}));
  EXPECT_EQ(chosen({6, 10, 12, 20}), (Coordinates{3, 5, 4, 4}));
  EXPECT_EQ(chosen({4, 8, 14, 18}), (Coordinates{4, 4, 7, 6}));
}

TEST(SlicedAggregates, HaveAnEvenExtent) {
  const auto chosen = [](const Coordinates& extents) {
    return detail::choose_sliced_aggregates(Lattice({.extents = extents}));
  };
  EXPECT_EQ(chosen({6, 6, 6, 6}), (Coordinates{2, 3, 3, 3}));
  EXPECT_EQ(chosen({10, 6, 10, 10}), (Coordinates{5, 2, 5, 5}));
  EXPECT_EQ(chosen({14, 10, 10, 14}), (Coordinates{7, 10, 5, 7}));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
