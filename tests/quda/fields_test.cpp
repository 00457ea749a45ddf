// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/fermion_action.hpp"

// The hopping term on several sources, and a clover term without arrays of the client's.
namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);
const reference::Spinor psi = random_field(12, 2);

constexpr double rounding = 1e-13;

reference::WilsonOperator clover_operator(const reference::Links& links, double kappa, double csw, double mu = 0.0) {
  return {links, extents, {.mass = 0.5 / kappa - 4.0, .csw_spatial = csw, .csw_temporal = csw, .twisted_mass = mu}};
}

// D of Wilson's operator, and A^-1 D of the twisted clover operator, A = 2 kappa times the reference's site term.
TEST(QudaHops, TakeSeveralSourcesAndEachAsTheReference) {
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_TWISTED_CLOVER_DSLASH}) {
    const Loaded loaded(links, type);
    QudaInvertParam param = invert_param(type);
    param.num_src = 3;
    const bool has_term = type == QUDA_TWISTED_CLOVER_DSLASH;
    const reference::WilsonOperator m = clover_operator(links, param.kappa, param.clover_coeff / param.kappa, param.mu);
    std::vector<reference::Spinor> sources;
    for (unsigned seed = 2; seed < 5; ++seed) sources.push_back(random_field(12, seed));
    for (const int parity : {0, 1}) {
      std::vector<std::vector<Complex>> in, out(3, std::vector<Complex>(sources[0].size()));
      std::vector<void*> h_in, h_out;
      for (const reference::Spinor& psi : sources) in.push_back(even_odd(psi));
      for (std::size_t k = 0; k < 3; ++k) {
        h_in.push_back(half(in[k], 1 - parity));
        h_out.push_back(half(out[k], parity));
      }
      dslashMultiSrcQuda(h_out.data(), h_in.data(), &param, parity == 0 ? QUDA_EVEN_PARITY : QUDA_ODD_PARITY);
      for (std::size_t k = 0; k < 3; ++k) {
        reference::Spinor expected = m.hop_to_parity(sources[k], parity);
        if (has_term) expected = times(m.solve_diagonal(expected), 0.5 / param.kappa);
        EXPECT_LT(reference::relative_difference(lexicographic(out[k]), expected), rounding);
      }
    }
  }
}

// A^-dag D^dag, and D^dag A^-dag of a twisted mass in the symmetric form.
TEST(QudaHops, OfAdjointsHaveTheOrderOfTheForm) {
  for (const QudaDslashType type : {QUDA_CLOVER_WILSON_DSLASH, QUDA_TWISTED_MASS_DSLASH}) {
    const Loaded loaded(links, type);
    for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD_ASYMMETRIC}) {
      SCOPED_TRACE(testing::Message() << "type " << type << ", form " << form);
      QudaInvertParam param = invert_param(type);
      param.dagger = QUDA_DAG_YES;
      param.matpc_type = form;
      const bool twisted = type == QUDA_TWISTED_MASS_DSLASH;
      const reference::WilsonOperator m = clover_operator(links, param.kappa, twisted ? 0.0 : 1.3, twisted ? 0.1 : 0.0);
      std::vector<Complex> in = even_odd(psi), out(in.size());
      dslashQuda(half(out, 0), half(in, 1), &param, QUDA_EVEN_PARITY);
      dslashQuda(half(out, 1), half(in, 0), &param, QUDA_ODD_PARITY);
      reference::Spinor expected = twisted && form == QUDA_MATPC_EVEN_EVEN ? m.hop_dagger(m.solve_diagonal_dagger(psi))
                                                                           : m.solve_diagonal_dagger(m.hop_dagger(psi));
      EXPECT_LT(reference::relative_difference(lexicographic(out), times(expected, 0.5 / param.kappa)), rounding);
    }
  }
}

// From c_sw and kappa, or from their product if it is set.
TEST(QudaClover, IsMadeWithoutArrays) {
  for (const bool product : {false, true}) {
    const Loaded loaded(links, QUDA_WILSON_DSLASH);
    QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
    constexpr double csw = 1.7;
    param.clover_csw = product ? 0.2 : csw;
    param.clover_coeff = product ? csw * param.kappa : 0.0;
    createCloverQuda(&param);
    const reference::WilsonOperator m = clover_operator(links, param.kappa, csw);
    EXPECT_LT(reference::relative_difference(mat(psi, param), times(m.apply(psi), 2.0 * param.kappa)), rounding);
    // ln det of 2 kappa times the site term: 12 components a site.
    const double of_scale = 6.0 * static_cast<double>(volume_of(extents)) * std::log(2.0 * param.kappa);
    for (const int parity : {0, 1}) {
      const double logarithm = log_determinant(m, parity) + of_scale;
      EXPECT_NEAR(param.trlogA[parity], logarithm, 1e-11 * std::abs(logarithm));
    }
    param.compute_clover_trlog = 0;
    createCloverQuda(&param);
    for (const int parity : {0, 1}) EXPECT_EQ(param.trlogA[parity], 0.0);
  }
}

// A of links that were loaded before, D of those that were loaded since; with and without a twist, and also for
// anisotropic links.
TEST(QudaClover, StaysWhenLinksAreLoadedAnew) {
  const reference::Links before = random_links(1), since = random_links(2);
  constexpr double anisotropy = 1.5, w = 1.0 / anisotropy;
  for (const QudaDslashType type : {QUDA_CLOVER_WILSON_DSLASH, QUDA_TWISTED_CLOVER_DSLASH}) {
    const Loaded loaded(before, type, anisotropy);
    QdpLinks given(multiplied(since, true, w));
    QudaGaugeParam links = gauge_param();
    links.anisotropy = anisotropy;
    loadGaugeQuda(given.pointers(), &links);
    QudaInvertParam param = invert_param(type);
    reference::WilsonParameters parameters{.mass = 0.5 / param.kappa - 1.0 - 3.0 * w, .anisotropy = anisotropy};
    const double c = param.clover_coeff / param.kappa;
    parameters.csw_spatial = c * std::pow(w, 3);
    parameters.csw_temporal = c * w * w;
    if (type == QUDA_TWISTED_CLOVER_DSLASH) parameters.twisted_mass = param.mu;
    const reference::Spinor expected =
        reference::add(reference::WilsonOperator(before, extents, parameters).apply_diagonal(psi), -0.5,
                       reference::WilsonOperator(since, extents, parameters).hop(psi));
    EXPECT_LT(reference::relative_difference(mat(psi, param), times(expected, 2.0 * param.kappa)), rounding);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
