// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/twisted_doublet.hpp"
#include "tests/reference/twisted_doublet.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);

/// Calls test(quda, param) for doublets with and without a clover term, on resident links.
template <class Test>
void for_each_type(const Test& test) {
  for (const QudaDslashType type : {QUDA_TWISTED_MASS_DSLASH, QUDA_TWISTED_CLOVER_DSLASH}) {
    const Loaded loaded(links, type);
    const QudaInvertParam param = doublet_param(type);
    test(QudaDoublet(links, param), param);
  }
}

TEST(QudaDoublet, MatricesAreQudasFormulas) {
  for_each_type([](const auto& quda, const auto& param) { expect_matrices(quda, param); });
}

// A splitting above the twist, no twist, and anisotropic links.
TEST(QudaDoublet, MatricesHaveEveryTwistSplittingAndAnisotropy) {
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

// A^-1 D; of a twisted mass with `dagger` A^-dag D^dag, in the symmetric form D^dag A^-dag.
TEST(QudaDoublet, HopsAreQudasFormulas) {
  for_each_type([](const QudaDoublet& quda, QudaInvertParam param) {
    const Slices psi = random_slices(param, 2);
    for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD_ASYMMETRIC}) {
      for (const bool dagger : {false, true}) {
        if (dagger && param.dslash_type == QUDA_TWISTED_CLOVER_DSLASH) continue;
        param.matpc_type = form;
        param.dagger = dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
        const bool term_first = dagger && form == QUDA_MATPC_EVEN_EVEN;
        EXPECT_LT(difference(hopped(psi, param), quda.hop(psi, term_first, dagger)), rounding);
      }
    }
  });
}

TEST(QudaDoublet, SolvesInvertEveryMatrix) {
  for_each_type([](const auto& quda, const auto& param) { expect_solutions(quda, param); });
}

TEST(QudaDoublet, MultigridInvertsEveryMatrix) {
  for_each_type([](const auto& quda, const auto& param) { expect_solutions_by_multigrid(quda, param, param); });
}

TEST(QudaDoublet, KeepsEveryNormalization) {
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  const QudaInvertParam given = doublet_param(QUDA_TWISTED_CLOVER_DSLASH);
  expect_normalizations(QudaDoublet(links, given), given, 2.0 * given.kappa, 2.0 * given.kappa);
}

TEST(QudaDoublet, SolvesSeveralShiftsOfANormalMatrix) {
  for_each_type([](const auto& quda, const auto& param) { expect_shifted_solutions(quda, param); });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
