// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/matrix.hpp"
#include "tests/reference/schur.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);
const reference::Spinor psi = random_field(12, 2);

constexpr double rounding = 1e-13;

/// The reference's M of QUDA's operator N = 2 kappa M on the same links.
reference::WilsonOperator wilson_like(const reference::Links& links, const QudaInvertParam& param,
                                      double anisotropy = 1.0) {
  reference::WilsonParameters parameters{.anisotropy = anisotropy};
  parameters.mass = 0.5 / param.kappa - 1.0 - 3.0 / anisotropy;
  if (param.dslash_type == QUDA_CLOVER_WILSON_DSLASH || param.dslash_type == QUDA_TWISTED_CLOVER_DSLASH) {
    parameters.csw_spatial = parameters.csw_temporal = param.clover_coeff / param.kappa;
  }
  if (param.dslash_type == QUDA_TWISTED_MASS_DSLASH || param.dslash_type == QUDA_TWISTED_CLOVER_DSLASH) {
    parameters.twisted_mass = param.mu;
  }
  return {links, extents, parameters};
}

constexpr QudaDslashType wilson_types[] = {QUDA_WILSON_DSLASH, QUDA_CLOVER_WILSON_DSLASH, QUDA_TWISTED_MASS_DSLASH,
                                           QUDA_TWISTED_CLOVER_DSLASH};

TEST(QudaMatrices, OfWilsonsFamilyAreTwoKappaTimesTheReference) {
  for (const QudaDslashType type : wilson_types) {
    SCOPED_TRACE(static_cast<int>(type));
    const Loaded loaded(links, type);
    QudaInvertParam param = invert_param(type);
    const reference::WilsonOperator m = wilson_like(links, param);
    EXPECT_LT(reference::relative_difference(mat(psi, param), times(m.apply(psi), 2.0 * param.kappa)), rounding);
    param.dagger = QUDA_DAG_YES;
    EXPECT_LT(reference::relative_difference(mat(psi, param), times(m.apply_dagger(psi), 2.0 * param.kappa)), rounding);
    param.mass_normalization = QUDA_MASS_NORMALIZATION;
    EXPECT_LT(reference::relative_difference(mat(psi, param), m.apply_dagger(psi)), rounding);
    param.mass_normalization = QUDA_ASYMMETRIC_MASS_NORMALIZATION;
    EXPECT_LT(reference::relative_difference(mat(psi, param), m.apply_dagger(psi)), rounding);
  }
}

TEST(QudaMatrices, TakeAnisotropyFromTheLinks) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH, 2.5);
  const QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  const reference::WilsonOperator m = wilson_like(links, param, 2.5);
  EXPECT_LT(reference::relative_difference(mat(psi, param), times(m.apply(psi), 2.0 * param.kappa)), rounding);
}

// Links that are not in SU(3) are used unchanged, with any factors.
TEST(QudaMatrices, TakeLinksThatAreNotUnitary) {
  reference::Links links = random_links(1);
  for (Complex& z : links) z *= Complex(0.9, 0.2);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  const QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  EXPECT_LT(
      reference::relative_difference(mat(psi, param), times(wilson_like(links, param).apply(psi), 2.0 * param.kappa)),
      rounding);
}

TEST(QudaMatrices, ActOnSpinorsInOtherOrdersBasesAndPrecisions) {
  const Loaded loaded(links, QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  const reference::Spinor expected = mat(psi, param);

  const auto transposed = [](const reference::Spinor& field, std::size_t rows) {  // [row][column] of a site
    reference::Spinor result(field.size());
    for (std::size_t k = 0; k < field.size(); ++k) {
      const std::size_t c = k % 12;
      result[k - c + c % (12 / rows) * rows + c / (12 / rows)] = field[k];
    }
    return result;
  };
  param.dirac_order = QUDA_QDP_DIRAC_ORDER;
  EXPECT_LT(reference::relative_difference(transposed(mat(transposed(psi, 4), param), 3), expected), 1e-15);
  param.dirac_order = QUDA_DIRAC_ORDER;

  // The rotation of a basis is unitary: norms of results do not change, but results do.
  for (const QudaGammaBasis basis : {QUDA_UKQCD_GAMMA_BASIS, QUDA_CHIRAL_GAMMA_BASIS, QUDA_DIRAC_PAULI_GAMMA_BASIS}) {
    param.gamma_basis = basis;
    EXPECT_GT(reference::relative_difference(mat(psi, param), expected), 0.1);
  }
  param.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;

  param.cpu_prec = QUDA_SINGLE_PRECISION;
  const reference::Spinor from = even_odd(psi);
  std::vector<std::complex<float>> in(from.begin(), from.end()), out(from.size());
  MatQuda(out.data(), in.data(), &param);
  EXPECT_LT(reference::relative_difference(lexicographic(reference::Spinor(out.begin(), out.end())), expected), 1e-6);
}

TEST(QudaMatrices, OfOneParityAreTheReferencesSchurComplements) {
  for (const QudaDslashType type : wilson_types) {
    const Loaded loaded(links, type);
    QudaInvertParam param = invert_param(type);
    param.solution_type = QUDA_MATPC_SOLUTION;
    const reference::WilsonOperator m = wilson_like(links, param);
    for (const int parity : {0, 1}) {
      for (const bool asymmetric : {false, true}) {
        for (const bool dagger : {false, true}) {
          SCOPED_TRACE(testing::Message() << "type " << type << ", parity " << parity << ", asymmetric " << asymmetric
                                          << ", dagger " << dagger);
          param.matpc_type = parity == 0 ? (asymmetric ? QUDA_MATPC_EVEN_EVEN_ASYMMETRIC : QUDA_MATPC_EVEN_EVEN)
                                         : (asymmetric ? QUDA_MATPC_ODD_ODD_ASYMMETRIC : QUDA_MATPC_ODD_ODD);
          param.dagger = dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
          std::vector<Complex> in = even_odd(psi), out(in.size());
          MatQuda(half(out, parity), half(in, parity), &param);
          reference::Spinor expected;
          if (asymmetric) {
            expected = times(dagger ? reference::schur_asymmetric_dagger(m, psi, parity)
                                    : reference::schur_asymmetric(m, psi, parity),
                             2.0 * param.kappa);
          } else {
            expected =
                dagger ? reference::schur_symmetric_dagger(m, psi, parity) : reference::schur_symmetric(m, psi, parity);
          }
          EXPECT_LT(reference::relative_difference(lexicographic(out), expected), rounding);
        }
      }
    }
  }
}

// A_p has the twist mu + rho, A_q^-1 has mu.
TEST(QudaMatrices, OfOneParityHaveHasenbuschsShift) {
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam param = invert_param(QUDA_TWISTED_CLOVER_DSLASH);
  param.tm_rho = 0.7;
  for (const int parity : {0, 1}) {
    param.matpc_type = parity == 0 ? QUDA_MATPC_EVEN_EVEN_ASYMMETRIC : QUDA_MATPC_ODD_ODD_ASYMMETRIC;
    param.solution_type = QUDA_MATPC_SOLUTION;
    reference::WilsonParameters shifted = wilson_like(links, param).parameters();
    shifted.twist_shifts[static_cast<std::size_t>(parity)] = param.tm_rho;
    const reference::WilsonOperator m(links, extents, shifted);
    for (const bool dagger : {false, true}) {
      param.dagger = dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
      std::vector<Complex> in = even_odd(psi), out(in.size());
      MatQuda(half(out, parity), half(in, parity), &param);
      const reference::Spinor expected =
          dagger ? reference::schur_asymmetric_dagger(m, psi, parity) : reference::schur_asymmetric(m, psi, parity);
      EXPECT_LT(reference::relative_difference(lexicographic(out), times(expected, 2.0 * param.kappa)), rounding);
      // Solves invert it.
      std::vector<Complex> x(in.size()), image(in.size());
      for (const QudaSolutionType type : {QUDA_MATPC_SOLUTION, QUDA_MATPCDAG_MATPC_SOLUTION}) {
        param.solution_type = type;
        invertQuda(half(x, parity), half(in, parity), &param);
        type == QUDA_MATPC_SOLUTION ? MatQuda(half(image, parity), half(x, parity), &param)
                                    : MatDagMatQuda(half(image, parity), half(x, parity), &param);
        const reference::Spinor wanted = reference::restrict_to_parity(psi, parity, extents);
        EXPECT_LT(reference::relative_difference(lexicographic(image), wanted), 1.01 * param.tol);
      }
      param.num_offset = 1;
      param.offset[0] = 0.2;
      param.tol_offset[0] = param.tol;
      void* solution = half(x, parity);
      invertMultiShiftQuda(&solution, half(in, parity), &param);
      MatDagMatQuda(half(image, parity), half(x, parity), &param);
      for (std::size_t k = 0; k < image.size(); ++k) image[k] += param.offset[0] * x[k];
      EXPECT_LT(
          reference::relative_difference(lexicographic(image), reference::restrict_to_parity(psi, parity, extents)),
          1.01 * param.tol);
      param.num_offset = 0;
      param.solution_type = QUDA_MATPC_SOLUTION;
    }
  }
}

// A^-1 D: N x on a parity is A (x - kappa A^-1 D x) with x on the other.
TEST(QudaMatrices, AreMadeOfDslashAndClover) {
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_CLOVER_WILSON_DSLASH}) {
    const Loaded loaded(links, type);
    QudaInvertParam param = invert_param(type);
    std::vector<Complex> in = even_odd(psi), hop(in.size()), sum(in.size());
    for (const int parity : {0, 1}) {
      dslashQuda(half(hop, parity), half(in, 1 - parity), &param, parity == 0 ? QUDA_EVEN_PARITY : QUDA_ODD_PARITY);
    }
    for (std::size_t k = 0; k < in.size(); ++k) sum[k] = in[k] - param.kappa * hop[k];
    if (type == QUDA_CLOVER_WILSON_DSLASH) {
      std::vector<Complex> back(in.size());
      for (const int parity : {0, 1}) {
        const QudaParity side = parity == 0 ? QUDA_EVEN_PARITY : QUDA_ODD_PARITY;
        cloverQuda(half(hop, parity), half(sum, parity), &param, side, 0);
        cloverQuda(half(back, parity), half(hop, parity), &param, side, 1);
      }
      EXPECT_LT(reference::relative_difference(back, sum), rounding);
      sum = hop;
    }
    EXPECT_LT(reference::relative_difference(lexicographic(sum), mat(psi, param)), rounding);
  }
}

// The term is A^2 + (2 kappa mu)^2, less (2 kappa epsilon)^2 of doublets; the term itself has no twist.
void expect_logarithms_and_inverse(QudaTwistFlavorType flavor) {
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam param = invert_param(QUDA_TWISTED_CLOVER_DSLASH);
  param.twist_flavor = flavor;
  param.mu = 0.7;
  param.epsilon = 0.5;
  std::vector<double> inverse(static_cast<std::size_t>(72 * volume_of(extents))), term(inverse.size());
  param.return_clover = param.return_clover_inverse = 1;
  loadCloverQuda(term.data(), inverse.data(), &param);
  const double epsilon = flavor == QUDA_TWIST_NONDEG_DOUBLET ? param.epsilon : 0.0;
  const double shift = 4.0 * param.kappa * param.kappa * (param.mu * param.mu - epsilon * epsilon);
  QudaInvertParam plain = param;
  plain.dslash_type = QUDA_CLOVER_WILSON_DSLASH;
  const reference::WilsonOperator m = wilson_like(links, plain);
  double expected[2] = {0.0, 0.0};
  reference::for_each_site(extents, [&](const Coordinates& x) {
    const reference::SiteMatrix& site = m.diagonal_term(x);
    for (std::size_t first : {0, 6}) {
      reference::Matrix block(6, 6), square(6, 6);
      for (std::size_t k = 0; k < 36; ++k) {
        block.elements[k] = 2.0 * param.kappa * site[12 * (first + k / 6) + first + k % 6];
      }
      square = block * block;
      for (std::size_t k = 0; k < 6; ++k) square.elements[7 * k] += shift;
      expected[reference::parity_of(x)] += std::log(reference::determinant(square).real());
      // The diagonals of packed blocks come first.
      const reference::Matrix inverse_square = reference::inverse(square);
      const std::size_t place = 72 * even_odd_place(x) + 6 * first;
      for (std::size_t k = 0; k < 6; ++k) {
        EXPECT_NEAR(term[place + k], block.elements[7 * k].real(), 1e-12);
        EXPECT_NEAR(inverse[place + k], inverse_square(k, k).real(), 1e-12);
      }
    }
  });
  for (std::size_t parity : {0, 1}) EXPECT_NEAR(param.trlogA[parity] / expected[parity], 1.0, 1e-12);
}

TEST(QudaMatrices, TellTheLogarithmsAndInverseOfTwistedTerms) {
  expect_logarithms_and_inverse(QUDA_TWIST_SINGLET);
  expect_logarithms_and_inverse(QUDA_TWIST_NONDEG_DOUBLET);
}

// A and A^-1 without the twist, as QUDA's function has them.
TEST(QudaMatrices, OfCloverTermsHaveNoTwist) {
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam twisted = invert_param(QUDA_TWISTED_CLOVER_DSLASH), plain = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  std::vector<Complex> in = even_odd(random_field(12, 2)), of_twisted(in.size()), of_plain(in.size());
  for (const int inverse : {0, 1}) {
    for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
      twisted.dagger = dagger;
      cloverQuda(half(of_twisted, 1), half(in, 1), &twisted, QUDA_ODD_PARITY, inverse);
      cloverQuda(half(of_plain, 1), half(in, 1), &plain, QUDA_ODD_PARITY, inverse);
      EXPECT_EQ(of_twisted, of_plain);
    }
  }
}

// Clients' inverses may be rounded to single precision or hold one parity alone: they are not read.
TEST(QudaMatrices, TakeNoInverseOfAClients) {
  const Loaded loaded(random_links(1), QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  std::vector<double> term(static_cast<std::size_t>(72 * volume_of(extents))), inverse(term.size());
  param.return_clover = 1;
  loadCloverQuda(term.data(), nullptr, &param);
  param.return_clover = param.compute_clover = param.compute_clover_inverse = 0;
  param.tol = 1e-12;
  std::vector<std::vector<Complex>> solutions;
  for (const double wrong : {0.0, 1.0}) {
    std::fill(inverse.begin(), inverse.end(), wrong);
    loadCloverQuda(term.data(), inverse.data(), &param);
    for (const QudaSolutionType solution : {QUDA_MAT_SOLUTION, QUDA_MATPC_SOLUTION}) {
      param.solution_type = solution;
      std::vector<Complex> b = random_field(12, 2), &x = solutions.emplace_back(b.size());
      invertQuda(x.data(), b.data(), &param);
      EXPECT_LE(param.true_res[0], param.tol);
    }
    freeCloverQuda();
  }
  EXPECT_EQ(solutions[0], solutions[2]);
  EXPECT_EQ(solutions[1], solutions[3]);
}

TEST(QudaMatrices, TakeACloverTermThatTheyHaveGiven) {
  const Loaded loaded(links, QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  const reference::Spinor expected = mat(psi, param);
  std::vector<double> term(static_cast<std::size_t>(72 * volume_of(extents))), inverse(term.size());
  param.return_clover = param.return_clover_inverse = 1;
  loadCloverQuda(term.data(), inverse.data(), &param);
  param.return_clover = param.return_clover_inverse = 0;
  freeCloverQuda();
  param.compute_clover = param.compute_clover_inverse = 0;
  param.clover_coeff = 0.0;
  loadCloverQuda(term.data(), inverse.data(), &param);
  EXPECT_LT(reference::relative_difference(mat(psi, param), expected), 1e-15);
  // It remains when links are loaded again; the operator uses and returns it.
  for (double& number : term) number *= 2.0;
  const std::vector<double> given = term;
  param.return_clover = 1;
  loadCloverQuda(term.data(), nullptr, &param);
  EXPECT_EQ(term, given);
  reference::Spinor difference = mat(psi, param);
  const reference::WilsonOperator m = wilson_like(links, invert_param(QUDA_CLOVER_WILSON_DSLASH));
  const reference::WilsonOperator hop = wilson_like(links, invert_param(QUDA_WILSON_DSLASH));
  // 2 A - kappa D = 2 N + kappa D = 2 N + 1 - (1 - kappa D)
  reference::Spinor wanted = times(m.apply(psi), 4.0 * param.kappa);
  const reference::Spinor plain = times(hop.apply(psi), 2.0 * param.kappa);
  for (std::size_t k = 0; k < wanted.size(); ++k) wanted[k] += psi[k] - plain[k];
  EXPECT_LT(reference::relative_difference(difference, wanted), rounding);
}

TEST(QudaMatrices, OfStaggeredQuarksAreTwiceTheMassMinusD) {
  const std::vector<Complex> chi = random_field(3, 2);
  const Loaded loaded(links, QUDA_STAGGERED_DSLASH);
  QudaInvertParam param = invert_param(QUDA_STAGGERED_DSLASH);
  const reference::StaggeredOperator m(links, extents, {.mass = param.mass});
  EXPECT_LT(reference::relative_difference(mat(chi, param), m.apply_dagger(chi)), rounding);
  param.dagger = QUDA_DAG_YES;
  EXPECT_LT(reference::relative_difference(mat(chi, param), m.apply(chi)), rounding);
  param.dagger = QUDA_DAG_NO;

  param.mass_normalization = QUDA_MASS_NORMALIZATION;
  std::vector<Complex> in = even_odd(chi), out(in.size());
  dslashQuda(half(out, 0), half(in, 1), &param, QUDA_EVEN_PARITY);
  dslashQuda(half(out, 1), half(in, 0), &param, QUDA_ODD_PARITY);
  EXPECT_LT(reference::relative_difference(lexicographic(out), m.hop(chi)), rounding);
  param.solution_type = QUDA_MATPC_SOLUTION;
  for (const int parity : {0, 1}) {
    param.matpc_type = parity == 0 ? QUDA_MATPC_EVEN_EVEN : QUDA_MATPC_ODD_ODD;
    std::vector<Complex> result(in.size());
    MatQuda(half(result, parity), half(in, parity), &param);
    EXPECT_LT(reference::relative_difference(lexicographic(result), reference::staggered_normal(m, chi, parity)),
              rounding);
  }
}

// QUDA divides results of every matrix by the same powers of 2 kappa.
TEST(QudaMatrices, OfStaggeredQuarksAreDividedByTwoKappa) {
  const Loaded loaded(random_links(1), QUDA_STAGGERED_DSLASH);
  QudaInvertParam param = invert_param(QUDA_STAGGERED_DSLASH);
  std::vector<Complex> in = even_odd(random_field(3, 2)), plain(in.size()), divided(in.size());
  const auto apply = [&](std::vector<Complex>& out) {
    std::fill(out.begin(), out.end(), Complex());
    const bool normal = param.solution_type == QUDA_MATDAG_MAT_SOLUTION;
    normal ? MatDagMatQuda(out.data(), in.data(), &param) : MatQuda(out.data(), in.data(), &param);
  };
  struct Case {
    QudaSolutionType solution;
    QudaMassNormalization normalization;
    int powers;
  };
  for (const Case& of : {Case{QUDA_MAT_SOLUTION, QUDA_MASS_NORMALIZATION, 1},
                         {QUDA_MAT_SOLUTION, QUDA_ASYMMETRIC_MASS_NORMALIZATION, 1},
                         {QUDA_MATDAG_MAT_SOLUTION, QUDA_MASS_NORMALIZATION, 2},
                         {QUDA_MATPC_SOLUTION, QUDA_MASS_NORMALIZATION, 2},
                         {QUDA_MATPC_SOLUTION, QUDA_ASYMMETRIC_MASS_NORMALIZATION, 1}}) {
    SCOPED_TRACE(testing::Message() << of.solution << ' ' << of.normalization);
    param.solution_type = of.solution;
    param.mass_normalization = QUDA_KAPPA_NORMALIZATION;
    param.kappa = 0.2;
    apply(plain);
    param.mass_normalization = of.normalization;
    apply(divided);
    EXPECT_LT(reference::relative_difference(divided, times(plain, std::pow(0.4, -of.powers))), rounding);
    param.kappa = newQudaInvertParam().kappa;  // not set: as 1/2
    apply(divided);
    EXPECT_LT(reference::relative_difference(divided, plain), rounding);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
