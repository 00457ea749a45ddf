// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/color_field.hpp"

#include <numbers>

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);

TEST(QudaGauge, ComesBackAsItWasLoaded) {
  for (const double anisotropy : {1.0, 2.0}) {
    const reference::Links given = multiplied(random_links(1), true, 1.0 / anisotropy);
    QdpLinks links(given), back(reference::Links(given.size()));
    QudaGaugeParam param = gauge_param();
    param.anisotropy = anisotropy;
    loadGaugeQuda(links.pointers(), &param);
    saveGaugeQuda(back.pointers(), &param);
    for (std::size_t mu = 0; mu < 4; ++mu) EXPECT_EQ(back.parts[mu], links.parts[mu]);
    freeGaugeQuda();
  }
}

TEST(QudaGauge, IsReadInMilcsOrders) {
  const Complex expected_corner = links[9];
  struct Site {
    double before[3];
    Complex link[4][9];
    double momentum[40];
  };
  const std::vector<Complex> in_order = even_odd(links);  // [site][mu][row][column]
  std::vector<Site> sites(static_cast<std::size_t>(volume_of(extents)));
  for (std::size_t k = 0; k < in_order.size(); ++k) sites[k / 36].link[k % 36 / 9][k % 9] = in_order[k];
  QudaGaugeParam param = gauge_param();
  param.t_boundary = QUDA_PERIODIC_T;
  QudaGaugeParam qdp = param;
  for (const QudaGaugeFieldOrder order : {QUDA_MILC_GAUGE_ORDER, QUDA_MILC_SITE_GAUGE_ORDER}) {
    param.gauge_order = order;
    param.gauge_offset = order == QUDA_MILC_SITE_GAUGE_ORDER ? offsetof(Site, link) : 0;
    param.site_size = order == QUDA_MILC_SITE_GAUGE_ORDER ? sizeof(Site) : 0;
    std::vector<Complex> copy = in_order;
    loadGaugeQuda(order == QUDA_MILC_GAUGE_ORDER ? static_cast<void*>(copy.data()) : sites.data(), &param);
    QdpLinks back(reference::Links(links.size()));
    saveGaugeQuda(back.pointers(), &qdp);
    const QdpLinks expected(links);
    for (std::size_t mu = 0; mu < 4; ++mu) EXPECT_EQ(back.parts[mu], expected.parts[mu]);
    EXPECT_EQ(back.parts[1][0], expected_corner);
  }
  freeGaugeQuda();
}

TEST(QudaGauge, HasTheReferencesPlaquette) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  double found[3];
  plaqQuda(found);
  EXPECT_NEAR(found[0], reference::plaquette(links, extents), 1e-14);
  EXPECT_NEAR(0.5 * (found[1] + found[2]), found[0], 1e-14);
  EXPECT_NE(found[1], found[2]);
  QudaGaugeObservableParam param = newQudaGaugeObservableParam();
  param.compute_plaquette = QUDA_BOOLEAN_TRUE;
  gaugeObservablesQuda(&param);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(param.plaquette[k], found[k]);
}

TEST(QudaGauge, HasTheReferencesPolyakovLoop) {
  const reference::Complex expected = 3.0 * reference::polyakov_loop(links, 3, extents);
  ASSERT_GT(std::abs(expected), 0.01);
  for (const bool antiperiodic : {false, true}) {
    QdpLinks given(multiplied(links, antiperiodic, 1.0));
    QudaGaugeParam param = gauge_param();
    param.t_boundary = antiperiodic ? QUDA_ANTI_PERIODIC_T : QUDA_PERIODIC_T;
    loadGaugeQuda(given.pointers(), &param);
    double found[2];
    polyakovLoopQuda(found, 3);
    EXPECT_LT(std::abs(reference::Complex(found[0], found[1]) - (antiperiodic ? -expected : expected)), 1e-14);
    QudaGaugeObservableParam observed = newQudaGaugeObservableParam();
    observed.compute_polyakov_loop = QUDA_BOOLEAN_TRUE;
    gaugeObservablesQuda(&observed);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(observed.ploop[k], found[k]);
    freeGaugeQuda();
  }
}

// An imaginary chemical potential, exp(i pi i_mu/L_t) on links in time, is added and removed with the phases.
TEST(QudaGauge, GetsMilcsPhasesAndAChemicalPotential) {
  for (const double i_mu : {0.0, 0.7}) {
    reference::Links expected = reference::fold_phases(links, extents, true, 1);
    for (std::size_t k = 0; k < links.size(); ++k) {
      if (k / 9 % 4 == 3) expected[k] *= std::polar(1.0, i_mu * std::numbers::pi / extents[3]);
    }
    QdpLinks given(links);
    QudaGaugeParam param = gauge_param();
    param.staggered_phase_type = QUDA_STAGGERED_PHASE_MILC;
    param.i_mu = i_mu;
    for (const reference::Links& wanted : {expected, links}) {
      staggeredPhaseQuda(given.pointers(), &param);
      EXPECT_LT(reference::relative_difference(from_qdp(given), wanted), i_mu == 0.0 ? 1e-300 : 1e-15);
      param.staggered_phase_applied = 1;
    }
  }
}

// Resident links get phases and lose them, and so do links that the call makes resident.
TEST(QudaGauge, ResidentGetsPhasesAndLosesThem) {
  const QdpLinks plain(links), phased(reference::fold_phases(links, extents, true, 1));
  QudaGaugeParam param = gauge_param();
  param.staggered_phase_type = QUDA_STAGGERED_PHASE_MILC;
  param.t_boundary = QUDA_PERIODIC_T;
  QdpLinks given(links), found{reference::Links(links.size())};
  loadGaugeQuda(given.pointers(), &param);
  param.t_boundary = QUDA_ANTI_PERIODIC_T;
  QudaGaugeParam resident = param;
  resident.use_resident_gauge = 1;
  resident.return_result_gauge = 0;
  const auto expect = [&](const QdpLinks& expected) {
    saveGaugeQuda(found.pointers(), &param);
    EXPECT_EQ(found.parts, expected.parts);
  };
  staggeredPhaseQuda(nullptr, &resident);
  expect(phased);
  QudaInvertParam invert = invert_param(QUDA_STAGGERED_DSLASH);
  const std::vector<Complex> chi = random_field(3, 2);
  const reference::StaggeredOperator m(links, extents, {.mass = invert.mass});
  EXPECT_LT(reference::relative_difference(mat(chi, invert), m.apply_dagger(chi)), 1e-14);
  staggeredPhaseQuda(nullptr, &resident);
  expect(plain);
  resident.return_result_gauge = 1;
  QdpLinks back{reference::Links(links.size())};
  staggeredPhaseQuda(back.pointers(), &resident);
  EXPECT_EQ(back.parts, phased.parts);
  expect(phased);
  // A client's own array.
  QudaGaugeParam making = param;
  making.make_resident_gauge = 1;
  QdpLinks other(random_links(2));
  const QdpLinks expected(reference::fold_phases(random_links(2), extents, true, 1));
  staggeredPhaseQuda(other.pointers(), &making);
  EXPECT_EQ(other.parts, expected.parts);
  expect(expected);
  freeGaugeQuda();
}

// The value of `use_resident_gauge` counts, and not whether there is a pointer. Links outside SU(3) are unchanged in
// iterations, for every `reconstruct_sloppy`.
TEST(QudaGauge, StaysWhereItIsResident) {
  reference::Links links = random_links(1);
  for (Complex& z : links) z *= 0.9;
  QdpLinks given(multiplied(links, true, 1.0)), other(random_links(2)), found{reference::Links(links.size())};
  QudaGaugeParam param = gauge_param();
  loadGaugeQuda(given.pointers(), &param);
  param.use_resident_gauge = 1;
  loadGaugeQuda(other.pointers(), &param);
  saveGaugeQuda(found.pointers(), &param);
  EXPECT_EQ(found.parts, given.parts);
  QudaInvertParam invert = invert_param(QUDA_WILSON_DSLASH);
  std::vector<Complex> b = random_field(12, 1), x(b.size());
  invertQuda(x.data(), b.data(), &invert);
  const reference::WilsonOperator m(links, extents, {.mass = 1.0 / (2.0 * invert.kappa) - 4.0});
  const reference::Spinor image = times(m.apply(lexicographic(x)), 2.0 * invert.kappa);
  EXPECT_LT(reference::relative_difference(image, lexicographic(b)), 1.01 * invert.tol);
  freeGaugeQuda();
}

// Operators of both conventions differ by signs s(x) of the fields: s(x) N_milc s(y) = N_chroma, with s as PyQUDA's
// tests contain it.
TEST(QudaGauge, GetsChromasPhases) {
  const auto sign = [](const Coordinates& x) { return (x[0] + x[1] + x[2]) % 2 == 1 || x[3] % 2 == 1 ? -1.0 : 1.0; };
  const auto with_signs = [&](std::vector<Complex> chi) {
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (std::size_t c = 0; c < 3; ++c) chi[reference::color_offset(x, extents) + c] *= sign(x);
    });
    return chi;
  };
  const auto applied = [](QudaStaggeredPhase phases, const std::vector<Complex>& chi) {
    QdpLinks given(random_links(1));
    QudaGaugeParam param = gauge_param();
    param.staggered_phase_type = phases;
    staggeredPhaseQuda(given.pointers(), &param);
    param.staggered_phase_applied = 1;
    loadGaugeQuda(given.pointers(), &param);
    const std::vector<Complex> image = mat(chi, invert_param(QUDA_STAGGERED_DSLASH));
    freeGaugeQuda();
    return image;
  };
  const std::vector<Complex> chi = random_field(3, 2);
  const std::vector<Complex> found = applied(QUDA_STAGGERED_PHASE_CHROMA, chi);
  EXPECT_LT(reference::relative_difference(found, with_signs(applied(QUDA_STAGGERED_PHASE_MILC, with_signs(chi)))),
            1e-15);
  EXPECT_GT(reference::relative_difference(found, applied(QUDA_STAGGERED_PHASE_MILC, chi)), 0.1);
  EXPECT_GT(reference::relative_difference(found, applied(QUDA_STAGGERED_PHASE_TIFR, chi)), 0.1);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
