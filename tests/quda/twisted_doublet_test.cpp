// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/twisted_doublet.hpp"
#include "tests/reference/twisted_doublet.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr QudaDslashType types[] = {QUDA_TWISTED_MASS_DSLASH, QUDA_TWISTED_CLOVER_DSLASH};

TEST(QudaDoublet, MatricesAreQudasFormulas) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : types) {
    const Loaded loaded(links, type);
    const QudaInvertParam given = doublet_param(type);
    expect_matrices(QudaDoublet(links, given), given);
  }
}

// A splitting above the twist, no twist, and anisotropic links.
TEST(QudaDoublet, MatricesHaveEveryTwistSplittingAndAnisotropy) {
  const reference::Links links = random_links(1);
  QudaInvertParam param = doublet_param(QUDA_TWISTED_MASS_DSLASH);
  for (const auto& [mu, epsilon, anisotropy] :
       {std::array{0.1, 0.4, 1.0}, std::array{0.0, 0.3, 1.0}, std::array{-0.3, -0.2, 2.5}}) {
    const Loaded loaded(links, param.dslash_type, anisotropy);
    param.mu = mu;
    param.epsilon = epsilon;
    const QudaDoublet quda(links, param, anisotropy);
    const Slices psi = random_slices(param, 2);
    EXPECT_LT(difference(applied(psi, param), quda.mat(psi, false)), rounding) << mu << ' ' << epsilon;
  }
}

TEST(QudaDoublet, WithoutSplittingIsTwoFlavors) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : types) {
    const Loaded loaded(links, type);
    QudaInvertParam given = doublet_param(type);
    given.epsilon = 0.0;
    const Slices psi = random_slices(given, 2);
    for_each_matrix(given, [&](QudaInvertParam param) {
      const Slices in = restricted(psi, param), image = applied(in, param);
      QudaInvertParam flavor = param;
      flavor.twist_flavor = QUDA_TWIST_SINGLET;
      flavor.Ls = 1;
      for (std::size_t k = 0; k < 2; ++k) {
        flavor.mu = k == 0 ? param.mu : -param.mu;
        EXPECT_LT(difference({image[k]}, applied({in[k]}, flavor)), rounding);
      }
    });
  }
}

// A^-1 D; of a twisted mass with `dagger` A^-dag D^dag, in the symmetric form D^dag A^-dag.
TEST(QudaDoublet, HopsAreQudasFormulas) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : types) {
    const Loaded loaded(links, type);
    QudaInvertParam param = doublet_param(type);
    const QudaDoublet quda(links, param);
    const Slices psi = random_slices(param, 2);
    for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD_ASYMMETRIC}) {
      for (const bool dagger : {false, true}) {
        if (dagger && type == QUDA_TWISTED_CLOVER_DSLASH) continue;
        param.matpc_type = form;
        param.dagger = dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
        std::vector<Complex> in = to_client(psi, param), out(in.size());
        const auto half = static_cast<std::ptrdiff_t>(in.size() / 2);
        dslashQuda(out.data(), in.data() + half, &param, QUDA_EVEN_PARITY);
        dslashQuda(out.data() + half, in.data(), &param, QUDA_ODD_PARITY);
        const bool term_first = dagger && form == QUDA_MATPC_EVEN_EVEN;
        EXPECT_LT(difference(from_client(out, param), quda.hop(psi, term_first, dagger)), rounding);
      }
    }
  }
}

TEST(QudaDoublet, SolvesInvertEveryMatrix) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : types) {
    const Loaded loaded(links, type);
    const QudaInvertParam given = doublet_param(type);
    expect_solutions(QudaDoublet(links, given), given);
  }
}

TEST(QudaDoublet, KeepsEveryNormalization) {
  const reference::Links links = random_links(1);
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam given = doublet_param(QUDA_TWISTED_CLOVER_DSLASH);
  const QudaDoublet quda(links, given);
  const Slices b = random_slices(given, 3);
  for (const bool symmetric : {false, true}) {
    given.mass_normalization = symmetric ? QUDA_MASS_NORMALIZATION : QUDA_ASYMMETRIC_MASS_NORMALIZATION;
    for_each_matrix(given, [&](QudaInvertParam param) {
      const int powers = (symmetric && is_on_one_parity(param) ? 2 : 1) * (is_normal(param) ? 2 : 1);
      const double factor = std::pow(2.0 * param.kappa, powers);
      const Slices source = restricted(b, param), x = solved(source, param);
      EXPECT_LT(difference(quda.matrix(x, param), times(factor, source)), 1.01 * param.tol);
      EXPECT_LT(difference(applied(source, param), times(1.0 / factor, quda.matrix(source, param))), rounding);
    });
  }
}

TEST(QudaDoublet, SolvesSeveralShiftsOfANormalMatrix) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : types) {
    const Loaded loaded(links, type);
    const QudaInvertParam given = doublet_param(type);
    expect_shifted_solutions(QudaDoublet(links, given), given);
  }
}

// As in `invert_eo_MMdagger` of tmLQCD's doublets: mu = -mubar/(2 kappa), epsilon = epsbar/(2 kappa), `dagger`, the
// asymmetric form on odd sites, mass normalisation left at kappa, absolute residuals, half precision inside.
TEST(QudaDoublet, SolvesAsTmlqcdAsks) {
  const reference::Links links = random_links(1);
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam param = doublet_param(QUDA_TWISTED_CLOVER_DSLASH);
  const double mubar = 0.03, epsbar = 0.02;
  param.mu = -0.5 * mubar / param.kappa;
  param.epsilon = 0.5 * epsbar / param.kappa;
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  param.dagger = QUDA_DAG_YES;
  param.residual_type = QUDA_L2_ABSOLUTE_RESIDUAL;
  param.cuda_prec_sloppy = QUDA_HALF_PRECISION;
  param.tm_rho = 0.0;
  param.tol = 1e-8;
  param.num_offset = 2;
  param.offset[0] = 1e-4;
  param.offset[1] = 0.1;
  param.tol_offset[0] = param.tol_offset[1] = param.tol;
  const Slices b = on_parity(random_slices(param, 3), 1);
  std::vector<Complex> source = to_client(b, param);
  std::vector<std::vector<Complex>> x(2, std::vector<Complex>(source.size()));
  void* h_x[] = {subset(x[0], param), subset(x[1], param)};
  invertMultiShiftQuda(h_x, subset(source, param), &param);
  const QudaDoublet quda(links, param);
  const double norm = std::sqrt(reference::norm2(reference::joined(b)));
  for (std::size_t i = 0; i < 2; ++i) {
    const Slices solution = from_client(x[i], param);
    const Slices adjoint = quda.matpc(quda.matpc(solution, false, true), false, false);
    EXPECT_LT(difference(sum(adjoint, param.offset[i], solution), b) * norm, 1.01 * param.tol);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
