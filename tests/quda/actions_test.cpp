// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

// The action that a solve reports (`compute_action`): <f b, x>, f the normalisation's factor of right-hand sides.
namespace kaon::test {
namespace KAON_TEST_FILE {

void expect_equal(const double (&found)[2], Complex expected) {
  EXPECT_GT(std::abs(expected), 0.01);
  EXPECT_LT(std::abs(Complex(found[0], found[1]) - expected), 1e-12 * std::abs(expected));
}

TEST(QudaActions, OfSolvesAreProducts) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  const double two_kappa = 2.0 * param.kappa;
  const struct {
    QudaSolutionType solution;
    QudaMassNormalization normalization;
    double factor;
  } cases[] = {{QUDA_MAT_SOLUTION, QUDA_KAPPA_NORMALIZATION, 1.0},
               {QUDA_MAT_SOLUTION, QUDA_MASS_NORMALIZATION, two_kappa},
               {QUDA_MATDAG_MAT_SOLUTION, QUDA_MASS_NORMALIZATION, two_kappa * two_kappa},
               {QUDA_MATPCDAG_MATPC_SOLUTION, QUDA_MASS_NORMALIZATION, std::pow(two_kappa, 4)}};
  for (const auto& of : cases) {
    param.solution_type = of.solution;
    param.mass_normalization = of.normalization;
    param.compute_action = 1;
    std::vector<Complex> b = random_field(12, 7);
    if (of.solution == QUDA_MATPCDAG_MATPC_SOLUTION) b.resize(b.size() / 2);
    std::vector<Complex> x(b.size());
    invertQuda(x.data(), b.data(), &param);
    expect_equal(param.action, of.factor * reference::dot(b, x));
    if (of.solution != QUDA_MAT_SOLUTION) {  // the matrix is Hermitian
      EXPECT_LT(std::abs(param.action[1]), 1e-8 * param.action[0]);
    }
    // Without a wish nothing is written.
    param.compute_action = 0;
    const double before = param.action[0];
    for (Complex& z : b) z *= 2.0;
    invertQuda(x.data(), b.data(), &param);
    EXPECT_EQ(param.action[0], before);
  }
}

// sum_i r_i <f b, x_i>: that of a rational function.
TEST(QudaActions, OfSeveralShiftsAreSums) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_STAGGERED_DSLASH}) {
    const Loaded loaded(links, type);
    QudaInvertParam param = invert_param(type);
    const bool staggered = type == QUDA_STAGGERED_DSLASH;
    param.inv_type = QUDA_CG_INVERTER;
    param.solution_type = staggered ? QUDA_MATPC_SOLUTION : QUDA_MATPCDAG_MATPC_SOLUTION;
    param.mass_normalization = staggered ? QUDA_MASS_NORMALIZATION : QUDA_KAPPA_NORMALIZATION;
    const double residues[] = {0.3, -0.7, 1.1}, offsets[] = {0.05, 0.2, 0.9};
    param.num_offset = 3;
    for (int i = 0; i < 3; ++i) {
      param.residue[i] = residues[i];
      param.offset[i] = offsets[i];
      param.tol_offset[i] = param.tol;
    }
    param.compute_action = 1;
    std::vector<Complex> b = random_field(staggered ? 3 : 12, 7);
    b.resize(b.size() / 2);
    std::vector<std::vector<Complex>> x(3, std::vector<Complex>(b.size()));
    void* solutions[] = {x[0].data(), x[1].data(), x[2].data()};
    invertMultiShiftQuda(solutions, b.data(), &param);
    Complex expected = 0.0;
    for (std::size_t i = 0; i < 3; ++i) expected += residues[i] * reference::dot(b, x[i]);
    expect_equal(param.action, expected);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
