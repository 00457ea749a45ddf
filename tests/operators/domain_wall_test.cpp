// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/domain_wall.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Shamir, Moebius, Borici, Pauli-Villars, one and two slices, an odd number of them, z-Moebius with anisotropy and
/// boundary angles.
std::vector<DomainWallParameters> cases() {
  const Anisotropy anisotropy{.xi0 = 2.464, .nu = 0.95};
  const BoundaryAngles angles{0.3, -0.7, 1.1, 2.5};
  return {{.mass = 0.04, .m5 = 1.8, .slices = 4},
          {.mass = 0.01, .m5 = 1.3, .slices = 6, .b = 1.5, .c = 0.5},
          {.mass = 0.2, .m5 = 0.9, .slices = 5, .b = 2.5, .c = 1.5, .anisotropy = anisotropy, .boundary = angles},
          {.mass = 1.0, .m5 = 1.8, .slices = 4, .b = 1.5, .c = 0.5},
          {.mass = 0.1, .m5 = 1.1, .slices = 3, .b = 1.0, .c = 1.0},
          {.mass = 0.3, .m5 = 1.8, .slices = 1, .b = 1.5, .c = 0.5},
          {.mass = 0.0, .m5 = 1.8, .slices = 2, .b = 1.5, .c = 0.5},
          {.mass = -0.5, .m5 = 1.8, .slices = 5, .b = 1.5, .c = 0.5},
          {.mass = 0.1,
           .m5 = 1.4,
           .slices = 3,
           .b_of_slices = {{1.46, 0.2}, {0.73, -0.1}, {1.1, 0.0}},
           .c_of_slices = {{0.46, -0.3}, {-0.27, 0.1}, {0.2, 0.05}},
           .anisotropy = anisotropy,
           .boundary = angles}};
}

std::string describe(const Lattice& lattice, const DomainWallParameters& p) {
  return "b = " + std::to_string(p.b) + ", c = " + std::to_string(p.c) + ", " + std::to_string(p.slices) +
         " slices, mass " + std::to_string(p.mass) + " on " + to_string(lattice.extents()) +
         (lattice.lanes() == Lanes::single ? ", one lane" : ", native lanes");
}

reference::DomainWallOperator slow_operator(const GaugeField<double>& links, const DomainWallParameters& p) {
  reference::DomainWallParameters slow{.mass = p.mass, .b = p.b_of_slices, .c = p.c_of_slices, .kernel = {}};
  if (slow.b.empty()) {
    slow.b.assign(static_cast<std::size_t>(p.slices), p.b);
    slow.c.assign(static_cast<std::size_t>(p.slices), p.c);
  }
  slow.kernel.mass = -p.m5;
  slow.kernel.anisotropy = p.anisotropy.xi0;
  slow.kernel.nu = p.anisotropy.nu;
  for (std::size_t mu = 0; mu < 4; ++mu) slow.kernel.boundary_phases[mu] = std::polar(1.0, p.boundary[mu]);
  return {links.to_host(), links.lattice().extents(), slow};
}

template <class T>
SpinorField<T> gaussian_slices(const Lattice& lattice, const DomainWallParameters& p, int right_hand_sides,
                               Subset subset = Subset::full) {
  SpinorField<double> wide(lattice, {.subset = subset, .right_hand_sides = right_hand_sides, .slices = p.slices});
  set_gaussian(wide, {.seed = 12});
  return in_precision<T>(wide);
}

template <class T>
double bound() {
  return std::is_same_v<T, half> ? 30.0 * rounding<half>() : tolerance<detail::Arithmetic<T>>;
}

/// R psi: g5 on each slice, and slices in reverse order.
reference::Spinor reflected(const reference::Spinor& values, int slices) {
  reference::Slices cut = reference::cut(values, static_cast<std::size_t>(slices));
  std::reverse(cut.begin(), cut.end());
  for (reference::Spinor& slice : cut) slice = reference::multiply(reference::gamma5(), slice);
  return reference::joined(cut);
}

template <class T>
class DomainWallIn : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(DomainWallIn, AllPrecisions);

TYPED_TEST(DomainWallIn, EachPrecisionEqualsReference) {
  using T = TypeParam;
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = random_links<double>(lattice);
    for (const DomainWallParameters& p : cases()) {
      SCOPED_TRACE(describe(lattice, p));
      const auto count = static_cast<std::size_t>(p.slices);
      const DomainWall<T> dirac(DomainWall<double>(links, p));
      const reference::DomainWallOperator slow = slow_operator(links, p);
      const SpinorField<T> in = gaussian_slices<T>(lattice, p, 2);
      SpinorField<T> out = dirac.make_field(2);
      for (int rhs = 0; rhs < 2; ++rhs) {
        const reference::Slices psi = reference::cut(in.to_host(rhs), count);
        const auto expect = [&](const reference::Slices& expected) {
          EXPECT_LT(reference::relative_difference(out.to_host(rhs), reference::joined(expected)), bound<T>());
        };
        dirac.apply(out, in);
        expect(slow.apply_primed(psi));
        dirac.apply_dagger(out, in);
        expect(slow.apply_primed_dagger(psi));
        dirac.apply_b(out, in);
        expect(slow.apply_b(psi));
        dirac.apply_b(out, in, true);
        expect(slow.apply_b_dagger(psi));
        dirac.apply_b_inverse(out, in);
        expect(slow.solve_b(psi));
        dirac.apply_b_inverse(out, in, true);
        expect(slow.solve_b_dagger(psi));
      }
    }
  }
}

/// A'^-1 is the inverse of A', in place and not, and all forms of a hop are made up of K, A' and A'^-1.
TYPED_TEST(DomainWallIn, HopsAreMadeOfKAndTheSiteTerm) {
  using T = TypeParam;
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const DomainWallParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    const DomainWall<T> dirac(DomainWall<double>(links, p));
    const SpinorField<T> in = gaussian_slices<T>(lattice, p, 2, Subset::odd);
    const SpinorField<T> x = gaussian_slices<T>(lattice, p, 2, Subset::even);
    SpinorField<T> hop(lattice, x.parameters()), out(lattice, x.parameters()), site(lattice, x.parameters());
    const auto combined = [](double a, const SpinorField<T>& left, double c, const SpinorField<T>& right, int rhs) {
      return reference::add(reference::add(reference::Spinor(left.to_host(rhs).size()), a, left.to_host(rhs)), c,
                            right.to_host(rhs));
    };
    const auto expect = [&](const auto& expected) {
      for (int rhs = 0; rhs < 2; ++rhs) {
        EXPECT_LT(reference::relative_difference(out.to_host(rhs), expected(rhs)), bound<T>());
      }
    };
    for (const bool dagger : {false, true}) {
      dirac.hop(hop, in, {.dagger = dagger});
      dirac.apply_site_term(site, x, SiteTerm::diagonal, dagger);
      dirac.apply_site_term(out, site, SiteTerm::inverse, dagger);
      expect([&](int rhs) { return x.to_host(rhs); });
      dirac.hop(out, in, {.term = SiteTerm::diagonal, .scale = -0.7, .x = &x, .dagger = dagger});
      expect([&](int rhs) { return combined(1.0, site, -0.7, hop, rhs); });
      blas::copy(out, x);
      dirac.hop(out, in, {.term = SiteTerm::diagonal, .scale = -0.7, .x = &out, .dagger = dagger});
      expect([&](int rhs) { return combined(1.0, site, -0.7, hop, rhs); });
      blas::copy(site, hop);
      dirac.apply_site_term(site, site, SiteTerm::inverse, dagger);
      dirac.hop(out, in, {.term = SiteTerm::inverse, .scale = 0.4, .dagger = dagger});
      expect([&](int rhs) { return combined(0.0, x, 0.4, site, rhs); });
      blas::PendingReductions reduced;
      dirac.hop(
          out, in,
          {.term = SiteTerm::inverse, .scale = 0.4, .x = &x, .x_scale = -1.2, .dagger = dagger, .reduced = &reduced});
      expect([&](int rhs) { return combined(-1.2, x, 0.4, site, rhs); });
      for (std::size_t rhs = 0; rhs < 2; ++rhs) {
        EXPECT_NEAR(reduced.wait().y_norm2[rhs] / blas::norm2(out)[rhs], 1.0, bound<T>());
      }
      blas::copy(out, x);
      dirac.hop(out, in, {.term = SiteTerm::inverse, .scale = 0.4, .x = &out, .x_scale = -1.2, .dagger = dagger});
      expect([&](int rhs) { return combined(-1.2, x, 0.4, site, rhs); });
    }
  }
}

/// R M R = M^dag for b and c that are real and alike on all slices, and for no others.
TEST(DomainWall, IsHermitianUnderGamma5AndReflectionOfSlices) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const DomainWallParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    const DomainWall<double> dirac(links, p);
    const SpinorField<double> in = gaussian_slices<double>(lattice, p, 1);
    SpinorField<double> turned = dirac.make_field(1), out = dirac.make_field(1), adjoint = dirac.make_field(1);
    turned.from_host(reflected(in.to_host(), p.slices));
    dirac.apply(out, turned);
    dirac.apply_dagger(adjoint, in);
    const double difference = reference::relative_difference(reflected(out.to_host(), p.slices), adjoint.to_host());
    if (p.b_of_slices.empty()) {
      EXPECT_LT(difference, tolerance<double>);
    } else {
      EXPECT_GT(difference, 0.1);
    }
  }
}

/// A solution of M phi = b on all sites solves the Schur systems, and reconstruction gives the other parity.
TEST(DomainWall, SolutionsOfTheSchurSystemAreThoseOfTheOperator) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const DomainWallParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    const DomainWall<double> dirac(links, p);
    const SpinorField<double> x = gaussian_slices<double>(lattice, p, 2);
    SpinorField<double> b = dirac.make_field(2);
    dirac.apply(b, x);
    for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const Schur<double> schur(dirac, {form, parity});
        SpinorField<double> source = schur.make_field(2), out = schur.make_field(2), rebuilt = dirac.make_field(2);
        schur.prepare(source, b);
        schur.apply(out, x.parity(parity));
        SpinorField<double> rebuilt_half = rebuilt.parity(parity);
        blas::copy(rebuilt_half, x.parity(parity));
        schur.reconstruct(rebuilt, b);
        SpinorField<double> adjoint = schur.make_field(2);
        schur.apply_dagger(adjoint, source);
        const blas::Complexes left = blas::inner_product(source, out),
                              right = blas::inner_product(adjoint, rebuilt_half);
        for (int rhs = 0; rhs < 2; ++rhs) {
          const auto k = static_cast<std::size_t>(rhs);
          EXPECT_LT(reference::relative_difference(out.to_host(rhs), source.to_host(rhs)), tolerance<double>);
          EXPECT_LT(reference::relative_difference(rebuilt.to_host(rhs), x.to_host(rhs)), tolerance<double>);
          EXPECT_LT(std::abs(left[k] - right[k]), tolerance<double> * std::abs(left[k]));
        }
      }
    }
  }
}

TEST(DomainWall, LinksInEightAndTwelveRealsGiveTheSame) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  const DomainWallParameters p = cases()[1];
  const DomainWall<double> dirac(links, p);
  const SpinorField<double> in = gaussian_slices<double>(lattice, p, 3);
  SpinorField<double> out = dirac.make_field(3), compressed = dirac.make_field(3);
  dirac.apply(out, in);
  for (const LinkStorage storage : {LinkStorage::two_rows, LinkStorage::minimal}) {
    DomainWall<double>(dirac, storage).apply(compressed, in);
    EXPECT_LT(reference::relative_difference(compressed.to_host(2), out.to_host(2)), 1e-12);
  }
}

TEST(DomainWall, RefusesParametersWithoutMeaning) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links(lattice);
  set_unit(links);
  const auto expect = [&](const DomainWallParameters& p, const char* text) {
    KAON_EXPECT_ERROR(DomainWall<double>(links, p), text);
  };
  expect({.slices = 0}, "at least one slice, not 0");
  expect({.mass = std::nan("")}, "must be numbers");
  expect({.m5 = -1.8}, "M5 = -1.8 of a domain wall operator is not positive");
  expect({.slices = 2, .b = 0.0}, "b of slice 0 is zero");
  expect({.m5 = 5.0, .slices = 2}, "b (4 - M5) + 1 of slice 0 is zero");
  expect({.slices = 4, .b_of_slices = {1.0, 1.0}, .c_of_slices = {0.0, 0.0}}, "2 numbers b and 2 numbers c");
  expect({.mass = 1.0, .slices = 3, .b = 1.0, .c = 1.0}, "matrix B of a domain wall operator with 3 slices and mass 1");
  const DomainWall<double> dirac(links, {.slices = 4});
  SpinorField<double> out(lattice, {.slices = 3});
  const SpinorField<double> in(lattice, {.slices = 3});
  KAON_EXPECT_ERROR(dirac.apply(out, in), "4 slices");
  KAON_EXPECT_ERROR(dirac.apply_b(out, in), "a matrix on 4 slices cannot act on a field of 3 slices");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
