// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_hop.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"
#include "multigrid/test_seams.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/multigrid/coarse_cases.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <random>

namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace kaon::detail;
using reference::Matrix;
using reference::Spinor;

/// Lattices of hypercubes of two parities and of one, and with one hypercube in a direction.
std::vector<Lattice> lattices() {
  std::vector<Lattice> all = test_lattices();
  for (const Coordinates& extents : {Coordinates{2, 2, 2, 2}, Coordinates{8, 2, 4, 8}, Coordinates{6, 4, 4, 10}}) {
    all.emplace_back(LatticeParameters{.extents = extents});
  }
  return all;
}

/// Links that are any matrices, as fat links are.
GaugeField<float> any_links(const Lattice& lattice) {
  GaugeField<float> links(lattice);
  std::vector<std::complex<double>> values = links.to_host();
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal(0.0, 0.5);
  for (auto& value : values) value = {normal(generator), normal(generator)};
  links.from_host(values);
  return links;
}

/// The place of component `c` of hypercube h in a staggered field, by the formula.
std::size_t place_of(const Coordinates& h, int c, const Coordinates& extents) {
  const int s = c / 24, j = c % 24 / 3;
  Coordinates y{0, j % 2, j / 2 % 2, j / 4};
  y[0] = (s + y[1] + y[2] + y[3]) % 2;
  const Coordinates x{2 * h[0] + y[0], 2 * h[1] + y[1], 2 * h[2] + y[2], 2 * h[3] + y[3]};
  return reference::color_offset(x, extents) + static_cast<std::size_t>(c % 3);
}

/// T chi, slowly.
Spinor slow_scatter(const Spinor& chi, const Coordinates& extents) {
  Spinor out(chi.size());
  const Coordinates hypercubes{extents[0] / 2, extents[1] / 2, extents[2] / 2, extents[3] / 2};
  reference::for_each_site(hypercubes, [&](const Coordinates& h) {
    for (int c = 0; c < 48; ++c) {
      out[place_of(h, c, extents)] =
          chi[48 * static_cast<std::size_t>(lexicographic_index(h, hypercubes)) + static_cast<std::size_t>(c)];
    }
  });
  return out;
}

SpinorField<float> noise_on(const Lattice& lattice, int right_hand_sides) {
  SpinorField<float> field(lattice, {.spins = 2, .colors = 24, .right_hand_sides = right_hand_sides});
  set_gaussian(field, {.seed = 4});
  return field;
}

/// The matrix of a site of a field of columns.
Matrix matrix_at(const SpinorField<float>& columns, std::size_t site) {
  const std::size_t n = 48;
  Matrix matrix(n, n);
  for (std::size_t c = 0; c < n; ++c) {
    const auto values = columns.to_host(static_cast<int>(c));
    for (std::size_t row = 0; row < n; ++row) matrix(row, c) = values[n * site + row];
  }
  return matrix;
}

/// X of the operator with these links: columns.
SpinorField<float> site_term(const HypercubeMap& map, const GaugeField<float>& links, const BoundaryAngles& boundary,
                             double mass) {
  SpinorField<float> x = noise_on(map.hypercubes(), 48), outer = noise_on(map.hypercubes(), outer_columns);
  blas::set_zero(x);
  blas::set_zero(outer);
  hypercube_factors(x, outer, map, links, boundary, mass);
  return x;
}

TEST(Hypercubes, MapIsThePermutation) {
  for (const Lattice& lattice : lattices()) {
    SCOPED_TRACE(to_string(lattice.extents()));
    const HypercubeMap map(lattice);
    for (const int count : {1, 5}) {
      const SpinorField<float> chi = noise_on(map.hypercubes(), count);
      SpinorField<float> on_sites(lattice, {.spins = 1, .right_hand_sides = count}),
          back = noise_on(map.hypercubes(), count);
      map.scatter(on_sites, chi);
      blas::scale(back, 0.0);
      map.gather(back, on_sites);
      for (int k = 0; k < count; ++k) {
        EXPECT_EQ(on_sites.to_host(k), slow_scatter(chi.to_host(k), lattice.extents()));
        EXPECT_EQ(back.to_host(k), chi.to_host(k));
      }
      // eps T = T G5
      Spinor expected = slow_scatter(reference::multiply_gamma5(chi.to_host(), 48), lattice.extents());
      Spinor found = on_sites.to_host();
      reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
        for (std::size_t c = 0; c < 3; ++c) {
          if (reference::parity_of(x) == 1) found[reference::color_offset(x, lattice.extents()) + c] *= -1.0;
        }
      });
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(Hypercubes, RootsAreThoseOfTheSiteTerm) {
  const Lattice lattice({.extents = {4, 4, 2, 4}});
  const HypercubeMap map(lattice);
  const double tolerance = coarse_tolerance();
  for (const double mass : {0.001, 0.5}) {
    const GaugeField<float> links = any_links(lattice);
    const SpinorField<float> x_term = site_term(map, links, {0.3, -0.7, 1.1, 2.5}, mass);
    SpinorField<float> root(map.hypercubes(), x_term.parameters()), inverse_root(map.hypercubes(), root.parameters());
    const HypercubeSpectrum spectrum = hypercube_roots(root, inverse_root, x_term);
    EXPECT_EQ(spectrum.singular, 0);
    for (const std::size_t h : {0, 5}) {
      const Matrix x = matrix_at(x_term, h), y = matrix_at(root, h), z = matrix_at(inverse_root, h);
      const Matrix one = reference::identity_matrix(48);
      EXPECT_LT(max_difference(reference::dagger(x), reference::gamma5_conjugate(x)), tolerance);
      EXPECT_LT(max_difference(y * y, x), 10 * tolerance);
      EXPECT_LT(max_difference(y * z, one), 100 * tolerance);
      EXPECT_LT(max_difference(z * x * z, one), 1000 * tolerance);
      EXPECT_LT(max_difference(reference::dagger(y), reference::gamma5_conjugate(y)), tolerance);
      EXPECT_LT(max_difference(reference::dagger(z), reference::gamma5_conjugate(z)), 10 * tolerance);
      // The principal root: its Hermitian part is positive. The other roots have a smaller trace.
      double trace = 0.0;
      for (std::size_t k = 0; k < 48; ++k) trace += y(k, k).real();
      EXPECT_GT(trace, 48.0 * std::sqrt(mass));
      EXPECT_GT(max_difference(y, reference::gamma5_conjugate(y)), 0.1);
    }
  }
}

/// |found - expected| / |expected| of right-hand side k.
double difference(const SpinorField<float>& found, const SpinorField<float>& expected, int k) {
  return reference::relative_difference(found.to_host(k), expected.to_host(k));
}

/// A c = X^(-1/2) T^dag M T X^(-1/2) c with M by the slow reference, also with matrices in half, and by X^-1 T^dag M T;
/// A is G5-Hermitian. Hops along single directions are those of galerkin_test.cpp.
TEST(Hypercubes, OperatorIsTheTransformedOne) {
  const double tolerance = 10 * coarse_tolerance();
  for (const Lattice& lattice : lattices()) {
    for (const StaggeredParameters& parameters : staggered_cases()) {
      SCOPED_TRACE(describe(lattice, parameters));
      const GaugeField<float> links = any_links(lattice);
      const auto make = [&](MultigridPrecision stored) {
        return HypercubeOperator(links, parameters.boundary, parameters.mass, stored);
      };
      const HypercubeOperator fast = make(MultigridPrecision::single), rounded = make(MultigridPrecision::half);
      const SpinorField<float> a = noise_on(fast.map().hypercubes(), 5);
      SpinorField<float> image = fast.matrix().make_field(5), moved = fast.matrix().make_field(5),
                         other = fast.matrix().make_field(5), on_sites(lattice, {.spins = 1, .right_hand_sides = 5});
      fast.matrix().apply(image, a);
      fast.inverse_root().apply_to_all(moved, a);
      fast.left_matrix().apply(other, moved);  // X^(1/2) (X^-1 T^dag M T) X^(-1/2)
      fast.root().apply_to_all(other, other);
      fast.map().scatter(on_sites, moved);
      for (int k = 0; k < 5; ++k) on_sites.from_host(slow_staggered(links, parameters).apply(on_sites.to_host(k)), k);
      fast.map().gather(moved, on_sites);
      fast.inverse_root().apply_to_all(moved, moved);
      for (int k = 0; k < 5; ++k) {
        EXPECT_LT(difference(image, moved, k), tolerance);
        EXPECT_LT(difference(other, moved, k), 10 * tolerance);
      }
      rounded.matrix().apply(other, a);
      for (int k = 0; k < 5; ++k) {
        EXPECT_LT(difference(other, image, k), 1e-3);
        if (fast.map().hypercubes().volume() > 1) {  // else A = 1
          EXPECT_GT(difference(other, image, k), 1e-7);
        }
      }
      const Spinor v = a.to_host(0), w = a.to_host(1), a_w = image.to_host(1);
      SpinorField<float> flipped = fast.matrix().make_field(1), flipped_image = fast.matrix().make_field(1);
      flipped.from_host(reference::multiply_gamma5(v, 48));
      fast.matrix().apply(flipped_image, flipped);
      const reference::Complex left = reference::dot(v, a_w),
                               right = reference::dot(reference::multiply_gamma5(flipped_image.to_host(), 48), w);
      EXPECT_LT(std::abs(left - right), tolerance * std::sqrt(reference::norm2(v) * reference::norm2(a_w)));
      EXPECT_GT(std::abs(left - reference::dot(flipped_image.to_host(), w)), 1e-3 * std::abs(left));
    }
  }
}

/// Teams of threads compute E as GPUs do.
TEST(Hypercubes, HopsAlikeInAllShapes) {
  const GaugeField<float> links = rough_links<float>(Lattice({.extents = {8, 4, 4, 8}}));
  const HypercubeOperator fast(links, {0.3, -0.7, 1.1, 2.5}, 0.1, MultigridPrecision::half);
  const SpinorField<float> in = noise_on(fast.map().hypercubes(), 5);
  SpinorField<float> expected = fast.matrix().make_field(5), found = fast.matrix().make_field(5);
  fast.matrix().apply(expected, in);
  for (const LaunchShape& shape : coarse_part_shapes<half>(hypercube_components, 1, 5)) {
    {
      const ForcedCoarseShape forced(shape);
      fast.matrix().apply(found, in);
    }
    for (int k = 0; k < 5; ++k) {
      EXPECT_LT(difference(found, expected, k), coarse_tolerance()) << shape.sites << " " << shape.threads_per_site;
    }
  }
}

/// U = 1 times F: B B^dag = 4 F^2, and without mass A - 1 is unitary.
TEST(FreeHypercubes, HaveEqualSingularValuesAndACircleAsSpectrum) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  for (const double f : {1.0, 9.0 / 8.0}) {
    GaugeField<float> links = unit_links<float>(lattice);
    std::vector<std::complex<double>> values = links.to_host();
    for (auto& value : values) value *= f;
    links.from_host(values);
    const HypercubeOperator fast(links, antiperiodic_in_time, 1e-7, MultigridPrecision::single);
    EXPECT_NEAR(fast.spectrum().smallest, 2.0 * f, coarse_tolerance());
    EXPECT_NEAR(fast.spectrum().largest, 2.0 * f, coarse_tolerance());
    const SpinorField<float> in = noise_on(fast.map().hypercubes(), 1);
    SpinorField<float> out = fast.matrix().make_field(1);
    fast.matrix().apply(out, in);
    const Spinor moved = reference::add(out.to_host(), -1.0, in.to_host());
    EXPECT_NEAR(reference::norm2(moved) / reference::norm2(in.to_host()), 1.0, coarse_tolerance());
    EXPECT_GT(reference::relative_difference(out.to_host(), in.to_host()), 0.5);
  }
}

/// X^-1 = (2m - B^) / (4 m^2 + 4), B^ the hops of X.
TEST(FreeHypercubes, HaveTheKnownInverse) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<float> links = unit_links<float>(lattice);
  const HypercubeMap map(lattice);
  const double mass = 0.3;
  const SpinorField<float> x_term = site_term(map, links, periodic, mass);
  SpinorField<float> root(map.hypercubes(), x_term.parameters()), inverse_root(map.hypercubes(), root.parameters());
  hypercube_roots(root, inverse_root, x_term);
  const Matrix x = matrix_at(x_term, 3), z = matrix_at(inverse_root, 3);
  const Matrix adjoint = reference::dagger(x);  // 2m - B^
  EXPECT_LT(max_difference(z * z, reference::Complex(1.0 / (4.0 * mass * mass + 4.0)) * adjoint), coarse_tolerance());
}

TEST(HypercubeErrors, AreClear) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<float> links = rough_links<float>(lattice);
  const auto make = [&](double mass) {
    HypercubeOperator(links, antiperiodic_in_time, mass, MultigridPrecision::single);
  };
  KAON_EXPECT_ERROR(make(0.0), "needs a positive mass, not 0");
  KAON_EXPECT_ERROR(make(-0.1), "needs a positive mass, not -0.1");
  std::vector<std::complex<double>> values = links.to_host();
  for (int mu = 0; mu < 4; ++mu) std::fill_n(values.begin() + 9 * mu, 9, 0.0);  // links within the hypercube at 0
  links.from_host(values);
  KAON_EXPECT_ERROR(make(0.1), "the hops within 1 hypercubes of 2^4 sites have no inverse");
  const HypercubeMap map(lattice);
  SpinorField<float> chi(map.hypercubes(), {.spins = 2, .colors = 24});
  KAON_EXPECT_ERROR(map.gather(chi, SpinorField<float>(lattice, {})), "not 4 spins and 3 colours");
  KAON_EXPECT_ERROR(map.gather(chi, SpinorField<float>(lattice, {.spins = 1, .subset = Subset::even})),
                    "1 spins and 3 colours on one parity");
  KAON_EXPECT_ERROR(map.gather(chi, SpinorField<float>(lattice, {.spins = 1, .right_hand_sides = 2})),
                    "1 right-hand sides on hypercubes, 2 on sites");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
