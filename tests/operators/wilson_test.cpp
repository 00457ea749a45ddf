// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_like_checks.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/message.hpp>

#include <cmath>
#include <limits>
#include <string>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class WilsonOperators : public ::testing::Test {};
TYPED_TEST_SUITE(WilsonOperators, Precisions);

TYPED_TEST(WilsonOperators, EqualReference) { expect_reference<TypeParam>(fermion_cases()); }

TYPED_TEST(WilsonOperators, HopFormsEqualReference) { expect_reference_hops<TypeParam>(fermion_cases()); }

TYPED_TEST(WilsonOperators, AreGamma5Hermitian) { expect_gamma5_hermiticity<TypeParam>(fermion_cases()); }

TYPED_TEST(WilsonOperators, AreGaugeCovariant) { expect_gauge_covariance<TypeParam>(fermion_cases()); }

TYPED_TEST(WilsonOperators, ActOnFreePlaneWavesInClosedForm) { expect_free_plane_waves<TypeParam>(fermion_cases()); }

TYPED_TEST(WilsonOperators, GiveEachRightHandSideWhatItGetsAlone) { expect_the_same_alone<TypeParam>(fermion_cases()); }

TYPED_TEST(WilsonOperators, WithExponentialCloverTermsEqualReference) {
  expect_reference_hops<TypeParam>(exponential_cases());
  expect_gauge_covariance<TypeParam>(exponential_cases());
  expect_reference_schur<TypeParam>(exponential_cases());
}

TEST(WilsonClover, TakesASiteTermAsGiven) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> links = hot_links<double>(lattice, 7);
  const Anisotropy anisotropy{.xi0 = 2.0, .nu = 1.1};
  const WilsonClover<double> computed(links, {.mass = 0.4, .csw = 1.1, .anisotropy = anisotropy});
  std::vector<double> packed(static_cast<std::size_t>(72 * lattice.volume())), inverse = packed;
  const auto view = [](std::vector<double>& numbers) -> ArrayView {
    return {.data = numbers.data(), .sites = SiteOrder::even_odd, .inside = InsideOrder::packed_clover};
  };
  copy_out(view(packed), computed.site_term());
  copy_out(view(inverse), computed.site_term_inverse());
  CloverField<double> term(lattice), term_inverse(lattice);
  copy_in(term, view(packed));
  copy_in(term_inverse, view(inverse));
  SpinorField<double> in = computed.make_field(2);
  set_gaussian(in, {.seed = 3});
  SpinorField<double> expected = computed.make_field(2), out = computed.make_field(2);
  computed.apply(expected, in);
  const WilsonHopParameters hop{.anisotropy = anisotropy};
  const WilsonClover<double> given(links, term, hop), given_with_inverse(links, term, term_inverse, hop);
  for (const WilsonClover<double>* dirac : {&given, &given_with_inverse}) {
    dirac->apply(out, in);
    EXPECT_EQ(out.to_host(1), expected.to_host(1));
    EXPECT_EQ(dirac->site_term_inverse().to_host(), computed.site_term_inverse().to_host());
    EXPECT_TRUE(std::isnan(dirac->parameters().mass));
  }
  // A site term alone, and the operator in another precision.
  const WilsonClover<float> rounded(given), expected_rounded(computed);
  EXPECT_EQ(rounded.site_term().to_host(), expected_rounded.site_term().to_host());
  const CloverField<double> even(lattice, Subset::even);
  KAON_EXPECT_ERROR(WilsonClover<double>(links, term, even, hop), "must be on all sites of the lattice of the links");
  KAON_EXPECT_ERROR(WilsonClover<double>(links, even, hop), "must be on all sites of the lattice of the links");
}

TEST(Wilson, TellsKappaFromMass) {
  EXPECT_DOUBLE_EQ(mass_from_kappa(0.125), 0.0);
  EXPECT_DOUBLE_EQ(kappa_from_mass(mass_from_kappa(0.1345)), 0.1345);
  KAON_EXPECT_ERROR(mass_from_kappa(0.0), "kappa must be positive, got 0");
  KAON_EXPECT_ERROR(kappa_from_mass(-4.5), "mass -4.5 has no kappa");
}

TEST(Wilson, WarnsOfKappaBeyondStrongCoupling) {
  std::string told;
  const MessageHandler before = set_message_handler([&](MessageKind, const std::string& text) { told += text; });
  EXPECT_DOUBLE_EQ(mass_from_kappa(0.25), -2.0);
  EXPECT_EQ(told, "");
  EXPECT_DOUBLE_EQ(mass_from_kappa(1.25), -3.6);
  EXPECT_EQ(told.find("kappa 1.25 is mass -3.6, but on isotropic lattices"), 0U) << told;
  set_message_handler(before);
}

TEST(Wilson, RefusesWhatDoesNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  KAON_EXPECT_ERROR(Wilson<double>(links, {.anisotropy = {.xi0 = -1.0}}), "must both be positive");
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Anisotropy& anisotropy :
       {Anisotropy{.xi0 = infinity}, Anisotropy{.nu = infinity}, Anisotropy{.xi0 = 1e-300, .nu = 1e300}}) {
    KAON_EXPECT_ERROR(Wilson<double>(links, {.anisotropy = anisotropy}), "must both be positive, and nu/xi_0 =");
    KAON_EXPECT_ERROR(WilsonClover<double>(links, {.anisotropy = anisotropy}), "must both be positive, and nu/xi_0 =");
  }
  KAON_EXPECT_ERROR(Wilson<double>(links, {.mass = 0.1, .boundary = {0.0, -infinity, 0.0, 0.0}}),
                    "the boundary angle of direction 1 is -inf: give a number, in radians");
  const Wilson<double> dirac(links, {.mass = 0.1});
  SpinorField<double> full(lattice), even(lattice, {.subset = Subset::even}), many(lattice, {.right_hand_sides = 2});
  KAON_EXPECT_ERROR(dirac.apply(even, full), "4 spins, 3 colours on all sites");
  KAON_EXPECT_ERROR(dirac.apply(many, full), "output has 2 right-hand sides and its input 1");
  KAON_EXPECT_ERROR(dirac.apply(full, full), "output must not be its input");
  SpinorField<double> three(lattice, {.right_hand_sides = 3}), end = three.range(1, 2);
  KAON_EXPECT_ERROR(dirac.apply(end, three.range(0, 2)), "output must not be its input");
  KAON_EXPECT_ERROR(dirac.hop(even, even, {}), "from one parity to the other");
  const Lattice other({.extents = {4, 4, 4, 8}});
  SpinorField<double> elsewhere(other);
  KAON_EXPECT_ERROR(dirac.apply(elsewhere, full), "different lattices");
  SpinorField<double> even_elsewhere = elsewhere.parity(Parity::even);
  KAON_EXPECT_ERROR(dirac.hop(even_elsewhere, elsewhere.parity(Parity::odd), {}), "different lattices");
  const WilsonClover<double> clover(links, {.mass = 0.1});
  for (const EvenOddOperator<double>* matrix :
       {static_cast<const EvenOddOperator<double>*>(&dirac), static_cast<const EvenOddOperator<double>*>(&clover)}) {
    KAON_EXPECT_ERROR(matrix->apply_site_term(full, full, SiteTerm::inverse, false), "on all sites");
    KAON_EXPECT_ERROR(matrix->apply_site_term(even, many.parity(Parity::even), SiteTerm::inverse, false),
                      "same parity, spins, colours, slices and right-hand sides");
    KAON_EXPECT_ERROR(matrix->apply_site_term(even_elsewhere, even_elsewhere, SiteTerm::inverse, false),
                      "different lattices");
    KAON_EXPECT_ERROR(matrix->apply_site_term(even, even, SiteTerm::none, false), "say which");
  }
  KAON_EXPECT_ERROR(Wilson<double>(links, {.mass = std::nan("")}), "is not a number");
  KAON_EXPECT_ERROR(WilsonClover<double>(links, {.mass = std::nan("")}), "must be numbers");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
