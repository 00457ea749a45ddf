// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/smeared_links.hpp"

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);

/// A client's way to asqtad quarks: phases, fat and long links, and both loaded.
struct Asqtad {
  explicit Asqtad(const reference::Links& links)
      : thin(links), fat(reference::Links(links.size())), lengthy(reference::Links(links.size())) {
    QudaGaugeParam param = gauge_param();
    param.staggered_phase_type = QUDA_STAGGERED_PHASE_MILC;
    staggeredPhaseQuda(thin.pointers(), &param);
    param.staggered_phase_applied = 1;
    param.type = QUDA_ASQTAD_FAT_LINKS;
    std::array<double, 6> coefficients = asqtad_with_phases();
    computeKSLinkQuda(fat.pointers(), lengthy.pointers(), nullptr, thin.pointers(), coefficients.data(), &param);
    loadGaugeQuda(fat.pointers(), &param);
    param.type = QUDA_ASQTAD_LONG_LINKS;
    param.reconstruct_sloppy = QUDA_RECONSTRUCT_13;
    loadGaugeQuda(lengthy.pointers(), &param);
  }
  ~Asqtad() { freeGaugeQuda(); }
  QdpLinks thin, fat, lengthy;
};

TEST(QudaLinks, OfAsqtadAreTheReferences) {
  const Asqtad made(links);
  const reference::Links fat =
      reference::fold_phases(reference::fat_links(links, reference::asqtad_paths(u0), extents), extents, true, 1);
  EXPECT_LT(reference::relative_difference(from_qdp(made.fat), fat), 1e-14);
  reference::Links lengthy = reference::fold_phases(reference::third_links(links, extents), extents, true, 3);
  for (Complex& z : lengthy) z *= -1.0 / (24.0 * u0 * u0);
  EXPECT_LT(reference::relative_difference(from_qdp(made.lengthy), lengthy), 1e-14);
}

TEST(QudaLinks, AreUnitarized) {
  QdpLinks thin(links), unitary(reference::Links(links.size()));
  QudaGaugeParam param = gauge_param(QUDA_GENERAL_LINKS);
  // One link and three-staples of plain links.
  double coefficients[] = {0.125, 0.0, 0.0625, 0.0, 0.0, 0.0};
  computeKSLinkQuda(nullptr, nullptr, unitary.pointers(), thin.pointers(), coefficients, &param);
  const reference::Links expected =
      reference::project_to_u3(reference::fat_links(links, {.one_link = 0.125, .three_staple = 0.0625}, extents));
  EXPECT_LT(reference::relative_difference(from_qdp(unitary), expected), 1e-12);
}

// With Chroma's phases they are in SU(3), as in QUDA: phases are removed before, and restored.
TEST(QudaLinks, AreInSu3WithChromasPhases) {
  reference::Links expected = reference::fat_links(links, {.one_link = 0.125, .three_staple = 0.0625}, extents);
  for (std::size_t k = 0; k < expected.size(); k += 9) {
    reference::ColorMatrix link;
    std::copy_n(&expected[k], 9, link.begin());
    link = reference::project_to_su3(link);
    std::copy_n(link.begin(), 9, &expected[k]);
  }
  QudaGaugeParam param = gauge_param();
  param.staggered_phase_type = QUDA_STAGGERED_PHASE_CHROMA;
  QdpLinks wanted(expected);
  for (const bool phases : {false, true}) {
    QdpLinks thin(links), unitary(reference::Links(links.size()));
    if (phases) {
      staggeredPhaseQuda(thin.pointers(), &param);
      staggeredPhaseQuda(wanted.pointers(), &param);
      param.staggered_phase_applied = 1;
    }
    double coefficients[] = {0.125, 0.0, phases ? -0.0625 : 0.0625, 0.0, 0.0, 0.0};
    computeKSLinkQuda(nullptr, nullptr, unitary.pointers(), thin.pointers(), coefficients, &param);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      EXPECT_LT(reference::relative_difference(unitary.parts[mu], wanted.parts[mu]), 1e-12);
    }
  }
}

// U_mu(x) U_mu(x+mu) of links as they are given, or of the resident ones with their factors.
TEST(QudaLinks, AreJoinedInPairs) {
  const reference::Links links = random_links(1), other = multiplied(random_links(2), true, 0.5);
  const auto pairs = [](const reference::Links& of) {
    reference::Links result(of.size());
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 4; ++mu) {
        const auto product = reference::path_product(of, x, {mu + 1, mu + 1}, extents);
        std::copy(product.begin(), product.end(),
                  result.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, mu, extents)));
      }
    });
    return result;
  };
  QdpLinks resident(other), given(links), found{reference::Links(links.size())};
  QudaGaugeParam param = gauge_param();
  param.anisotropy = 2.0;
  loadGaugeQuda(resident.pointers(), &param);
  computeTwoLinkQuda(found.pointers(), given.pointers(), &param);
  EXPECT_LT(reference::relative_difference(from_qdp(found), pairs(links)), 1e-14);
  computeTwoLinkQuda(found.pointers(), nullptr, &param);
  EXPECT_LT(reference::relative_difference(from_qdp(found), pairs(other)), 1e-14);
  freeGaugeQuda();
}

TEST(QudaLinks, OfAsqtadMakeTheReferencesOperatorAndSolve) {
  const Asqtad made(links);
  QudaInvertParam param = invert_param(QUDA_ASQTAD_DSLASH);
  param.inv_type = QUDA_CG_INVERTER;
  param.mass_normalization = QUDA_MASS_NORMALIZATION;
  const reference::StaggeredOperator m = asqtad_operator(links, param.mass);
  const std::vector<Complex> b = random_field(3, 2);
  std::vector<Complex> in = even_odd(b), out(in.size());
  EXPECT_LT(reference::relative_difference(mat(b, param), m.apply_dagger(b)), 1e-13);
  invertQuda(out.data(), in.data(), &param);
  EXPECT_LT(reference::relative_difference(m.apply_dagger(lexicographic(out)), b), 1.01 * param.tol);
}

// sum over all links of |P|^2/2 - 4, P the Hermitian matrix whose numbers MILC stores.
TEST(QudaLinks, MeasureTheActionOfMomenta) {
  const std::vector<Complex> numbers = random_field(20, 3);  // 10 reals for each of 4 links of a site
  std::vector<double> momenta;
  for (const Complex& z : numbers) {
    momenta.push_back(z.real());
    momenta.push_back(z.imag());
  }
  double expected = 0.0;
  for (std::size_t link = 0; link < momenta.size() / 10; ++link) {
    const double* const p = &momenta[10 * link];
    Complex matrix[3][3] = {{p[6], {p[0], p[1]}, {p[2], p[3]}}, {{}, p[7], {p[4], p[5]}}, {{}, {}, p[8]}};
    double norm2 = 0.0;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) {
        norm2 += std::norm(row > column ? std::conj(matrix[column][row]) : matrix[row][column]);
      }
    }
    expected += 0.5 * norm2 - 4.0;
  }
  QudaGaugeParam param = gauge_param();
  param.gauge_order = QUDA_MILC_GAUGE_ORDER;
  EXPECT_NEAR(momActionQuda(momenta.data(), &param), expected, 1e-10 * std::abs(expected));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
