// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/domain_wall.hpp"
#include "tests/operators/wilson_like_checks.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/domain_wall.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Shamir, Moebius, Borici, Pauli-Villars, one and two slices, an odd number of them, chiralities of two masses,
/// z-Moebius with anisotropy and boundary angles.
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
          {.mass = -1.0, .m5 = 1.9, .slices = 2, .b = 1.5, .c = 0.5},
          {.mass = 0.1, .m5 = 1.8, .slices = 4, .b = 1.5, .c = 0.5, .lower_mass = 0.6},
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
  reference::DomainWallParameters slow{
      .mass = p.mass, .b = p.b_of_slices, .c = p.c_of_slices, .kernel = {}, .lower_mass = p.lower_mass};
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
      const SpinorField<T> in = noise_for(dirac, 2);
      SpinorField<T> out = dirac.make_field(2);
      for (int rhs = 0; rhs < 2; ++rhs) {
        const reference::Slices psi = reference::cut(in.to_host(rhs), count);
        const auto expect = [&](const reference::Slices& expected) {
          EXPECT_LT(reference::relative_difference(out.to_host(rhs), reference::joined(expected)),
                    bound_of_slices<T>());
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
    expect_hops_of_k_and_site_term(DomainWall<T>(DomainWall<double>(links, p)));
  }
}

/// R M R = M^dag for b and c that are real and alike on all slices, and for no others.
TEST(DomainWall, IsHermitianUnderGamma5AndReflectionOfSlices) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const DomainWallParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    const DomainWall<double> dirac(links, p);
    const SpinorField<double> in = noise_for(dirac, 1);
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

TEST(DomainWall, SolutionsOfTheSchurSystemAreThoseOfTheOperator) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const DomainWallParameters& p : cases()) {
    SCOPED_TRACE(describe(lattice, p));
    expect_solution_in_schur(DomainWall<double>(links, p));
  }
}

TEST(DomainWall, LinksInEightAndTwelveRealsGiveTheSame) {
  expect_the_same_of_compressed_links(
      DomainWall<double>(random_links<double>(Lattice({.extents = {8, 4, 4, 8}})), cases()[1]));
}

TEST(DomainWall, RefusesParametersWithoutMeaning) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const auto expect = [&](const DomainWallParameters& p, const char* text) {
    KAON_EXPECT_ERROR(DomainWall<double>(links, p), text);
  };
  expect({.slices = 0}, "at least one slice, not 0");
  expect({.slices = 1'000'000'000}, "1000000000 slices: 65536 are possible, and one field takes");
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
