// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/domain_wall.hpp"

#include <algorithm>

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);

constexpr QudaDslashType types[] = {QUDA_DOMAIN_WALL_DSLASH, QUDA_DOMAIN_WALL_4D_DSLASH, QUDA_MOBIUS_DWF_DSLASH,
                                    QUDA_MOBIUS_DWF_EOFA_DSLASH};

/// Tests on resident links.
struct QudaDomainWalls : testing::Test {
  const Loaded loaded{links, QUDA_MOBIUS_DWF_DSLASH};
};

TEST_F(QudaDomainWalls, MatricesAreQudasFormulas) {
  for (const QudaDslashType type : types) {
    for (const int slices : {1, 2, 5}) {
      const QudaInvertParam given = domain_wall_param(type, slices);
      expect_matrices(QudaDomainWall(links, given), given);
    }
  }
}

// N = Lambda D: rows of QUDA's formulas have the kappa_b of their slice.
TEST_F(QudaDomainWalls, MatricesOfZMoebiusAreQudasFormulas) {
  for (const int slices : {2, 5}) {
    const QudaInvertParam given = z_moebius_param(slices);
    expect_matrices(QudaDomainWall(links, given), given);
  }
}

TEST_F(QudaDomainWalls, SolutionsOfZMoebiusAreThoseOfTheMatrices) {
  QudaInvertParam param = z_moebius_param(4);
  param.tol = 1e-11;
  const QudaDomainWall quda(links, param);
  const Slices b = random_slices(param, 3), psi = solved(b, param);
  EXPECT_LT(difference(quda.mat(psi, false), b), 1.01 * param.tol);
  for (const QudaMatPCType form : forms) {
    param.solution_type = QUDA_MATPC_SOLUTION;
    param.matpc_type = form;
    const Slices source = quda.prepared(b, param), x = solved(source, param);
    const double residual = difference(matrix(quda, x, param), source);
    EXPECT_LT(residual, 1.01 * param.tol) << form;
    EXPECT_NEAR(param.true_res[0] / residual, 1.0, 0.01) << form;
    EXPECT_LT(difference(x, on_parity(psi, parity_of(param))), 1e-9) << form;
  }
  const QudaInvertParam given = z_moebius_param(4);
  expect_shifted_solutions(QudaDomainWall(links, given), given);
}

// Terms of the exact one-flavour action on each chirality, and with masses that differ from that of Shamir's walls.
TEST_F(QudaDomainWalls, MatricesOfTheExactOneFlavorActionAreQudasFormulas) {
  for (const int slices : {2, 3, 4}) {
    for (const bool shamir : {false, true}) {
      for (const int upper : {0, 1}) {
        QudaInvertParam param = domain_wall_param(QUDA_MOBIUS_DWF_EOFA_DSLASH, slices);
        param.eofa_pm = upper;
        param.mq1 = 0.3;
        for (int s = 0; shamir && s < slices; ++s) {
          param.b_5[s] = 1.0;
          param.c_5[s] = 0.0;
        }
        const QudaDomainWall quda(links, param);
        const Slices psi = random_slices(param, 2);
        EXPECT_LT(difference(applied(psi, param), quda.mat(psi, false)), rounding) << slices << shamir << upper;
        param.solution_type = QUDA_MATPC_SOLUTION;
        const Slices even = on_parity(psi, 0);
        EXPECT_LT(difference(applied(psi, param), matrix(quda, even, param)), rounding) << slices << shamir << upper;
      }
    }
  }
}

TEST_F(QudaDomainWalls, HopsAreThoseOfEachSlice) {
  for (const QudaDslashType type : {QUDA_DOMAIN_WALL_4D_DSLASH, QUDA_MOBIUS_DWF_DSLASH}) {
    QudaInvertParam param = domain_wall_param(type, 3);
    const QudaDomainWall quda(links, param);
    const Slices psi = random_slices(param, 2);
    for (const bool dagger : {false, true}) {
      param.dagger = dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
      EXPECT_LT(difference(hopped(psi, param), quda.d4(psi, dagger)), rounding);
    }
  }
}

// Links with 1/xi_0 in space: QUDA's 4 + m5 does not change.
TEST(QudaDomainWall, TakesAnisotropyFromTheLinks) {
  const Loaded loaded(links, QUDA_MOBIUS_DWF_DSLASH, 1.25);
  const QudaInvertParam param = domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, 3);
  reference::Links weighted = multiplied(links, false, 1.0 / 1.25);
  const QudaDomainWall quda(weighted, param);
  const Slices psi = random_slices(param, 2);
  EXPECT_LT(difference(applied(psi, param), quda.mat(psi, false)), rounding);
}

TEST_F(QudaDomainWalls, TakesOtherOrdersAndBases) {
  for (const QudaDslashType type : types) {
    QudaInvertParam param = domain_wall_param(type, 3);
    const Slices psi = random_slices(param, 2);
    std::vector<Complex> in = to_client(psi, param), out(in.size()), expected(in.size());
    MatQuda(expected.data(), in.data(), &param);

    // Odd sites first.
    std::vector<Complex> exchanged = in;
    const auto middle = static_cast<std::ptrdiff_t>(in.size() / 2);
    std::rotate(exchanged.begin(), exchanged.begin() + middle, exchanged.end());
    param.dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER;
    MatQuda(out.data(), exchanged.data(), &param);
    std::rotate(out.begin(), out.begin() + middle, out.end());
    EXPECT_LT(reference::relative_difference(out, expected), 1e-15);
    param.dirac_order = QUDA_DIRAC_ORDER;

    // psi_DR = V psi_UKQCD with V = (1/sqrt 2) [[s_2, s_2], [s_2, -s_2]], as for Wilson quarks.
    const double h = std::sqrt(0.5);
    const Complex i(0.0, h);
    const Complex v[4][4] = {{0.0, -i, 0.0, -i}, {i, 0.0, i, 0.0}, {0.0, -i, 0.0, i}, {i, 0.0, -i, 0.0}};
    const auto to_degrand_rossi = [&](const std::vector<Complex>& field) {
      std::vector<Complex> result(field.size());
      for (std::size_t k = 0; k < field.size(); ++k) {
        const std::size_t site = k - k % 12, color = k % 3;
        for (std::size_t spin = 0; spin < 4; ++spin) {
          result[k] += v[k % 12 / 3][spin] * field[site + 3 * spin + color];
        }
      }
      return result;
    };
    param.gamma_basis = QUDA_UKQCD_GAMMA_BASIS;
    MatQuda(out.data(), in.data(), &param);
    param.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;
    std::vector<Complex> rotated = to_degrand_rossi(in), image(in.size());
    MatQuda(image.data(), rotated.data(), &param);
    EXPECT_LT(reference::relative_difference(to_degrand_rossi(out), image), rounding);
    EXPECT_GT(reference::relative_difference(out, expected), 0.1);
  }
}

TEST_F(QudaDomainWalls, SolvesInvertEveryMatrix) {
  for (const QudaDslashType type : types) {
    const QudaInvertParam given = domain_wall_param(type, 4);
    expect_solutions(QudaDomainWall(links, given), given);
  }
}

TEST_F(QudaDomainWalls, MultigridInvertsEveryMatrix) {
  for (const QudaDslashType type : {QUDA_MOBIUS_DWF_DSLASH, QUDA_MOBIUS_DWF_EOFA_DSLASH}) {
    const QudaInvertParam given = domain_wall_param(type, 4);
    QudaInvertParam heavier = given;
    heavier.mass += 0.1;
    expect_solutions_by_multigrid(QudaDomainWall(links, given), given, heavier);
  }
}

// QUDA multiplies sources by 2 kappa_5 = 1/(5 + m5), of Moebius quarks too, and divides results by 2 `kappa`.
TEST_F(QudaDomainWalls, KeepsEveryNormalization) {
  QudaInvertParam given = domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, 3);
  const QudaDomainWall quda(links, given);
  const double two_kappa5 = 1.0 / (5.0 + given.m5);
  given.kappa = 0.2;
  expect_normalizations(quda, given, two_kappa5, 2.0 * given.kappa);
}

TEST_F(QudaDomainWalls, SolvesSeveralShiftsOfANormalMatrix) {
  for (const QudaDslashType type : {QUDA_DOMAIN_WALL_DSLASH, QUDA_MOBIUS_DWF_EOFA_DSLASH}) {
    const QudaInvertParam given = domain_wall_param(type, 4);
    expect_shifted_solutions(QudaDomainWall(links, given), given);
  }
}

// Chroma calls so with QUDA_NEF_INVERTER: even-odd sources and solutions are its own, and QUDA solves the asymmetric
// system on odd sites with half precision inside.
TEST_F(QudaDomainWalls, ServesChroma) {
  constexpr std::size_t slices = 6;
  QudaInvertParam param = domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, slices);
  param.solution_type = QUDA_MATPC_SOLUTION;
  param.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  param.preserve_source = QUDA_PRESERVE_SOURCE_NO;
  param.cuda_prec_sloppy = QUDA_HALF_PRECISION;
  const QudaDomainWall quda(links, param);
  // (1 - c D_W) eta on the first slice, which a source of upper components has.
  const reference::WilsonOperator kernel(links, extents, {.mass = param.m5});
  const reference::Spinor eta = reference::point_source({0, 0, 0, 0}, 1, 0, extents);
  Slices source(slices, reference::zero_spinor(extents));
  source[0] = reference::add(eta, -0.5, kernel.apply(eta));
  // D = A - K B with A = M5/(2 kappa_b) and K = D4/2.
  const double two_kappa = 2.0 * quda.kappa_b;
  const auto from_even = [&](const Slices& even) { return times(0.5, quda.hop(even, false)); };
  const auto inverse = [&](const Slices& in) { return times(two_kappa, quda.m5_inverse(in, false)); };
  const Slices even = on_parity(source, 0);
  const Slices chi = sum(on_parity(source, 1), 1.0, from_even(inverse(even)));
  const Slices odd = times(two_kappa, solved(chi, param));
  EXPECT_LE(param.true_res[0], param.tol);
  const Slices psi = sum(odd, 1.0, inverse(sum(even, 1.0, from_even(odd))));
  const reference::DomainWallOperator d(links, extents,
                                        {.mass = param.mass,
                                         .b = std::vector<Complex>(slices, 1.5),
                                         .c = std::vector<Complex>(slices, 0.5),
                                         .kernel = {.mass = param.m5}});
  EXPECT_LT(difference(d.apply(psi), source), 10.0 * param.tol);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
