// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/test_fields.hpp"
#include "tests/reference/propagator.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>

#include <cmath>

namespace kaon {
namespace KAON_TEST_FILE {

using test::propagator_shape;
using test::test_lattices;
using test::to_host;

constexpr Coordinates site{1, 3, 0, 2};

template <class T>
class Source : public ::testing::Test {};
TYPED_TEST_SUITE(Source, test::Precisions);

TYPED_TEST(Source, PointsAreTheIdentityAtOneSite) {
  for (const Lattice& lattice : test_lattices()) {
    SpinorField<TypeParam> source = test::random_spinors<TypeParam>(lattice, 12, 1);
    set_point_sources(source, {.site = site});
    EXPECT_EQ(to_host(source), reference::point_sources(site, lattice.extents()));
    SpinorField<TypeParam> one = test::random_spinors<TypeParam>(lattice, 1, 1);
    set_point_source(one, {.site = site, .spin = 2, .color = 1});
    EXPECT_EQ(one.to_host(), source.to_host(3 * 2 + 1));
  }
}

TYPED_TEST(Source, PointsFitStaggeredAndEvenOddFields) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  SpinorField<TypeParam> staggered(lattice, {.spins = 1, .right_hand_sides = 3});
  set_point_sources(staggered, {.site = site});
  EXPECT_EQ(blas::norm2(staggered), blas::Reals(3, 1.0));
  SpinorField<TypeParam> even(lattice, {.subset = Subset::even, .right_hand_sides = 12});
  set_point_sources(even, {.site = site});
  EXPECT_EQ(blas::norm2(even), blas::Reals(12, 1.0));
  KAON_EXPECT_ERROR(set_point_sources(even, {.site = {1, 0, 0, 0}}),
                    "source site (1, 0, 0, 0) is odd, but the field holds only the other parity");
}

TYPED_TEST(Source, PointsAreRefusedWhereTheyDoNotFit) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  SpinorField<TypeParam> twelve(lattice, propagator_shape);
  SpinorField<TypeParam> one(lattice);
  KAON_EXPECT_ERROR(set_point_sources(twelve, {.site = {0, 0, 2, 0}}),
                    "source site (0, 0, 2, 0) lies outside the lattice of 4x6x2x8 sites");
  KAON_EXPECT_ERROR(set_point_source(one, {.site = {0, -1, 0, 0}}),
                    "source site (0, -1, 0, 0) lies outside the lattice of 4x6x2x8 sites");
  KAON_EXPECT_ERROR(set_point_sources(one, {}),
                    "sources in every spin and colour need 12 right-hand sides, one a component, not 1");
  KAON_EXPECT_ERROR(set_point_source(twelve, {}), "is one right-hand side, not 12");
  KAON_EXPECT_ERROR(set_point_source(one, {.spin = 4}),
                    "source spin 4 and colour 0 do not exist in a field of 4 spins and 3 colours");
  KAON_EXPECT_ERROR(set_point_source(one, {.color = -1}), "source spin 0 and colour -1 do not exist");
}

TYPED_TEST(Source, DilutedWallHasOneNoiseFieldInEveryComponent) {
  constexpr int time = 3;
  for (const Lattice& lattice : test_lattices()) {
    SpinorField<TypeParam> source = test::random_spinors<TypeParam>(lattice, 12, 1);
    set_z2_wall_source(source, {.time = time, .key = {.seed = 5}});
    const std::vector<reference::Spinor> host = to_host(source);
    reference::Complex sum = 0.0;
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      const reference::Complex eta = host[0][reference::spinor_offset(x, lattice.extents())];
      sum += eta;
      EXPECT_NEAR(std::abs(eta.real()), x[3] == time ? std::sqrt(0.5) : 0.0, test::tolerance<TypeParam>);
      EXPECT_NEAR(std::abs(eta.imag()), x[3] == time ? std::sqrt(0.5) : 0.0, test::tolerance<TypeParam>);
      for (std::size_t rhs = 0; rhs < 12; ++rhs) {
        reference::SiteVector expected{};
        expected[rhs] = eta;
        EXPECT_EQ(reference::at(host[rhs], x, lattice.extents()), expected);
      }
    });
    // The sum of n independent numbers of modulus 1 is of order sqrt(n).
    const auto sites = static_cast<double>(lattice.volume() / lattice.extents()[3]);
    EXPECT_LT(std::abs(sum), 4.0 * std::sqrt(sites));
  }
}

TYPED_TEST(Source, WallIsRefusedWhereItDoesNotFit) {
  SpinorField<TypeParam> source(Lattice({.extents = {4, 6, 2, 8}}), {.right_hand_sides = 4});
  KAON_EXPECT_ERROR(set_z2_wall_source(source, {.time = 8}), "wall source at t = 8: the lattice has t = 0 to 7");
  KAON_EXPECT_ERROR(set_z2_wall_source(source, {.time = 0}), "need 12 right-hand sides, one a component, not 4");
  KAON_EXPECT_ERROR(set_uniform_wall_sources(source, {.time = -1}),
                    "wall source at t = -1: the lattice has t = 0 to 7");
  KAON_EXPECT_ERROR(set_uniform_wall_sources(source, {.time = 0}), "need 12 right-hand sides, one a component, not 4");
}

TYPED_TEST(Source, UniformWallsAreTheIdentityOnTheirSites) {
  constexpr int time = 3;
  const auto is_even = [](int n) { return n % 2 == 0; };
  for (const Lattice& lattice : test_lattices()) {
    for (const WallSites sites : {WallSites::all, WallSites::even, WallSites::corners}) {
      SpinorField<TypeParam> source = test::random_spinors<TypeParam>(lattice, 12, 1);
      set_uniform_wall_sources(source, {.time = time, .sites = sites});
      const std::vector<reference::Spinor> host = to_host(source);
      reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
        bool covered = x[3] == time;
        if (sites == WallSites::even) covered = covered && is_even(x[0] + x[1] + x[2] + x[3]);
        if (sites == WallSites::corners) covered = covered && is_even(x[0]) && is_even(x[1]) && is_even(x[2]);
        for (std::size_t rhs = 0; rhs < 12; ++rhs) {
          reference::SiteVector expected{};
          if (covered) expected[rhs] = 1.0;
          EXPECT_EQ(reference::at(host[rhs], x, lattice.extents()), expected);
        }
      });
    }
  }
}

TYPED_TEST(Source, SmearedEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
    for (const int steps : {1, 4}) {
      SpinorField<TypeParam> chi = test::random_spinors<TypeParam>(lattice, 3, 2);
      std::vector<reference::Spinor> expected = to_host(chi);
      for (reference::Spinor& psi : expected) {
        psi = reference::gaussian_smear(psi, links.to_host(), 1.5, steps, lattice.extents());
      }
      gaussian_smear(chi, links, {.width = 1.5, .steps = steps});
      EXPECT_LT(test::relative_difference(to_host(chi), expected), test::tolerance<TypeParam>);
    }
  }
}

TYPED_TEST(Source, SmearedOverTwoLinksEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
    for (const int dimensions : {3, 4}) {
      SpinorField<TypeParam> chi = test::random_spinors<TypeParam>(lattice, 2, 2);
      std::vector<reference::Spinor> expected = to_host(chi);
      for (reference::Spinor& psi : expected) {
        psi = reference::two_link_smear(psi, links.to_host(), 1.5, 3, dimensions, lattice.extents());
      }
      gaussian_smear(chi, links, {.width = 1.5, .steps = 3, .stride = 2, .dimensions = dimensions});
      EXPECT_LT(test::relative_difference(to_host(chi), expected), test::tolerance<TypeParam>);
    }
  }
}

// Slices without a source can be left out, whichever lane the slice is in.
TYPED_TEST(Source, SmearedSliceEqualsSmearedField) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
    for (const int time : {0, 3, lattice.extents()[3] - 1}) {
      for (const int steps : {1, 4}) {
        SpinorField<TypeParam> slice(lattice, {.right_hand_sides = 12}), field(lattice, {.right_hand_sides = 12});
        set_uniform_wall_sources(slice, {.time = time, .sites = WallSites::even});
        blas::copy(field, slice);
        gaussian_smear(slice, links, {.width = 1.5, .steps = steps, .time = time});
        gaussian_smear(field, links, {.width = 1.5, .steps = steps});
        EXPECT_EQ(to_host(slice), to_host(field));
      }
    }
  }
}

// A point source spreads over the corners of its kind alone, in space and over one link in time, too.
TYPED_TEST(Source, SmearingKeepsToItsSites) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
  const auto touched = [&](const GaussianSmearingParameters& parameters) {
    SpinorField<TypeParam> chi(lattice, {.spins = 1});
    std::vector<reference::Complex> point(static_cast<std::size_t>(3 * lattice.volume()));
    point[0] = 1.0;
    chi.from_host(point);
    gaussian_smear(chi, links, parameters);
    const auto host = chi.to_host();
    std::size_t sites = 0;
    bool odd = false;
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      const auto at = static_cast<std::size_t>(3 * lexicographic_index(x, lattice.extents()));
      if (host[at] == 0.0 && host[at + 1] == 0.0 && host[at + 2] == 0.0) return;
      ++sites;
      for (const int coordinate : x) odd = odd || coordinate % 2 != 0;
    });
    EXPECT_EQ(odd, parameters.stride == 1);
    return sites;
  };
  EXPECT_EQ(touched({.width = 1.0, .steps = 1, .stride = 2}), 5U);  // +-2 are one site where the extent is 4
  EXPECT_EQ(touched({.width = 1.0, .steps = 1, .stride = 2, .dimensions = 4}), 7U);
  EXPECT_EQ(touched({.width = 1.0, .steps = 1}), 7U);
  EXPECT_EQ(touched({.width = 1.0, .steps = 1, .dimensions = 4}), 9U);
}

// One spin of a Wilson-like field is a staggered one; right-hand sides of a part are smeared without the others.
TYPED_TEST(Source, SmearingTreatsSpinsAndRightHandSidesAlike) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
  SpinorField<TypeParam> wilson = test::random_spinors<TypeParam>(lattice, 3, 2);
  SpinorField<TypeParam> staggered(lattice, {.spins = 1});
  const auto spin_of = [](const reference::Spinor& psi, std::size_t spin) {
    reference::Spinor part;
    for (std::size_t k = 3 * spin; k < psi.size(); k += 12) part.insert(part.end(), {psi[k], psi[k + 1], psi[k + 2]});
    return part;
  };
  staggered.from_host(spin_of(wilson.to_host(1), 2));
  const std::vector<reference::Spinor> before = to_host(wilson);
  SpinorField<TypeParam> middle = wilson.range(1, 1);
  gaussian_smear(middle, links, {.width = 2.0, .steps = 3});
  gaussian_smear(staggered, links, {.width = 2.0, .steps = 3});
  EXPECT_EQ(wilson.to_host(0), before[0]);
  EXPECT_EQ(wilson.to_host(2), before[2]);
  EXPECT_EQ(spin_of(wilson.to_host(1), 2), staggered.to_host());
}

// The roughest mode of unit links changes its sign with each step, by a factor beyond 1 where the width is refused.
TYPED_TEST(Source, SmearingIsRefusedFromTheWidthOnWithWhichItGrows) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<TypeParam> links(lattice);
  set_unit(links);
  SpinorField<TypeParam> source(lattice, {.right_hand_sides = 12}), rough(lattice, {.spins = 1});
  std::vector<reference::Complex> signs(static_cast<std::size_t>(3 * lattice.volume()));
  reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
    signs[static_cast<std::size_t>(3 * lexicographic_index(x, lattice.extents()))] =
        (x[0] + x[1] + x[2]) % 2 == 0 ? 1.0 : -1.0;
  });
  rough.from_host(signs);
  const double before = blas::norm2(rough).front();
  for (const double width : {1.99, 2.01}) {
    const bool grows = width > 2.0;  // sqrt(2/3 * 6)
    SpinorField<TypeParam> smeared(lattice, {.spins = 1});
    blas::copy(smeared, rough);
    gaussian_smear(smeared, links, {.width = width, .steps = 6});
    EXPECT_EQ(blas::norm2(smeared).front() > before, grows);
    const SourceParameters parameters{.kind = SourceKind::gaussian, .width = width, .steps = 6};
    if (grows) {
      KAON_EXPECT_ERROR(set_sources(source, parameters, links),
                        "smearing to 2.01 in 6 steps grows without bound: width^2 is at most 2/3 of the steps");
    } else {
      set_sources(source, parameters, links);
    }
  }
}

TYPED_TEST(Source, SmearingIsRefusedWhereItMakesNoSense) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<TypeParam> links = test::random_links<TypeParam>(lattice, 1);
  SpinorField<TypeParam> chi(lattice);
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = 2.0}), "smearing needs at least one step, got 0");
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = -1.0, .steps = 5}), "smearing width must be positive, got -1");
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = std::nan(""), .steps = 5}), "must be positive, got nan");
  for (const int stride : {1, 2}) {
    KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = 1e160, .steps = 5, .stride = stride}),
                      "the weight of a step overflows for the width 1e+160");
  }
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = 1.0, .steps = 1, .stride = 3}), "smearing over 3 links");
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = 1.0, .steps = 1, .dimensions = 2}),
                    "smearing in 2 dimensions");
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = 1.0, .steps = 1, .time = 4}),
                    "smearing of the slice t = 4: the lattice has t = 0 to 3");
  KAON_EXPECT_ERROR(gaussian_smear(chi, links, {.width = 1.0, .steps = 1, .dimensions = 4, .time = 0}),
                    "takes one link at a time in 3 dimensions, not 1 in 4");
  SpinorField<TypeParam> even = chi.parity(Parity::even);
  KAON_EXPECT_ERROR(gaussian_smear(even, links, {.width = 1.0, .steps = 1}),
                    "needs a field of 3 colours on both parities, not 3 colours on one");
  SpinorField<TypeParam> larger(Lattice({.extents = {4, 4, 4, 8}}));
  KAON_EXPECT_ERROR(gaussian_smear(larger, links, {.width = 1.0, .steps = 1}),
                    "a field on lattice 4x4x4x8 cannot be smeared by links on lattice 4x4x4x4");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
