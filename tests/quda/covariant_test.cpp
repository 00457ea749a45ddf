// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);
const reference::Spinor psi = random_field(12, 2);
/// With the sign of antiperiodic fermions.
const reference::Links given = multiplied(links, true, 1.0);

constexpr double rounding = 1e-14;

/// The covariant derivative of QUDA's number: 0 to 3 forward, 4 to 7 backward.
reference::Spinor shifted(const reference::Spinor& psi, const reference::Links& links, int direction) {
  return reference::covariant_shift(psi, links, direction % 4, direction < 4 ? 1 : -1, extents);
}

/// (1 - kappa H) psi, with H in so many directions.
reference::Spinor laplace(const reference::Spinor& psi, const reference::Links& links, int dimensions, double kappa) {
  reference::Spinor result = psi;
  for (int mu = 0; mu < dimensions; ++mu) {
    for (const int direction : {mu, mu + 4}) result = reference::add(result, -kappa, shifted(psi, links, direction));
  }
  return result;
}

template <class Call>
std::vector<Complex> applied(const std::vector<Complex>& in, const Call& call) {
  std::vector<Complex> from = even_odd(in), to(in.size());
  call(to.data(), from.data());
  return lexicographic(to);
}

/// |call(in) - expected| / |expected|
template <class Call>
double error_of(const std::vector<Complex>& expected, const std::vector<Complex>& in, const Call& call) {
  return reference::relative_difference(applied(in, call), expected);
}

QudaInvertParam covdev_param(int direction) {
  QudaInvertParam param = invert_param(QUDA_COVDEV_DSLASH);
  param.covdev_mu = direction;
  return param;
}

// Links have the client's factors in them: the sign of antiperiodic fermions and 1/anisotropy.
TEST(QudaCovariant, DerivativesAreTheReferencesShifts) {
  for (const double anisotropy : {1.0, 2.5}) {
    const Loaded loaded(links, QUDA_WILSON_DSLASH, anisotropy);
    const reference::Links given = multiplied(links, true, 1.0 / anisotropy);
    for (int direction = 0; direction < 8; ++direction) {
      SCOPED_TRACE(direction);
      QudaInvertParam param = covdev_param(direction);
      const reference::Spinor expected = shifted(psi, given, direction);
      EXPECT_LT(error_of(expected, psi, [&](Complex* out, Complex* in) { MatQuda(out, in, &param); }), rounding);
      EXPECT_LT(error_of(shifted(expected, given, (direction + 4) % 8), psi,
                         [&](Complex* out, Complex* in) { MatDagMatQuda(out, in, &param); }),
                rounding);
      param.mass_normalization = QUDA_MASS_NORMALIZATION;
      EXPECT_LT(error_of(reference::add(reference::Spinor(psi.size()), 0.5 / param.kappa, expected), psi,
                         [&](Complex* out, Complex* in) { MatQuda(out, in, &param); }),
                rounding);
    }
  }
}

TEST(QudaCovariant, DerivativesOnOneParityAreHalvesOfThose) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  for (int direction = 0; direction < 8; ++direction) {
    QudaInvertParam param = covdev_param(direction);
    const reference::Spinor both = applied(psi, [&](Complex* out, Complex* in) {
      const std::size_t half = psi.size() / 2;
      dslashQuda(out, in + half, &param, QUDA_EVEN_PARITY);
      dslashQuda(out + half, in, &param, QUDA_ODD_PARITY);
    });
    EXPECT_LT(reference::relative_difference(both, shifted(psi, given, direction)), rounding);
  }
}

// Fields of staggered fermions have no spin.
TEST(QudaCovariant, DerivativesOfFieldsWithAndWithoutSpin) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  QudaInvertParam wilson = invert_param(QUDA_WILSON_DSLASH), staggered = invert_param(QUDA_STAGGERED_DSLASH);
  wilson.gamma_basis = QUDA_UKQCD_GAMMA_BASIS;
  for (int direction = 0; direction < 8; ++direction) {
    const reference::Spinor expected = shifted(psi, given, direction);
    EXPECT_LT(error_of(expected, psi, [&](Complex* out, Complex* in) { covDevQuda(out, in, direction, &wilson); }),
              rounding);
    const std::vector<Complex> found =
        applied(first_spin(psi), [&](Complex* out, Complex* in) { covDevQuda(out, in, direction, &staggered); });
    EXPECT_LT(reference::relative_difference(found, first_spin(expected)), rounding);
  }
}

TEST(QudaCovariant, ShiftsAreForwardBackwardOrHalfOfBoth) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  QudaInvertParam wilson = invert_param(QUDA_WILSON_DSLASH), staggered = invert_param(QUDA_STAGGERED_DSLASH);
  for (int direction = 0; direction < 4; ++direction) {
    const reference::Spinor forward = shifted(psi, given, direction), backward = shifted(psi, given, direction + 4);
    reference::Spinor half = reference::add(forward, 1.0, backward);
    for (Complex& z : half) z *= 0.5;
    const reference::Spinor* const expected[] = {&forward, &backward, &half};
    for (int sym = 1; sym <= 3; ++sym) {
      SCOPED_TRACE(10 * direction + sym);
      const reference::Spinor& of_sym = *expected[sym - 1];
      EXPECT_LT(error_of(of_sym, psi, [&](Complex* out, Complex* in) { shiftQuda(out, in, direction, sym, &wilson); }),
                rounding);
      const std::vector<Complex> found =
          applied(first_spin(psi), [&](Complex* out, Complex* in) { shiftQuda(out, in, direction, sym, &staggered); });
      EXPECT_LT(reference::relative_difference(found, first_spin(of_sym)), rounding);
    }
  }
}

TEST(QudaCovariant, LaplaceOperatorIsTheReferencesSum) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  for (const int dimensions : {3, 4}) {
    QudaInvertParam param = invert_param(QUDA_LAPLACE_DSLASH);
    param.laplace3D = dimensions;
    param.kappa = 0.5 / dimensions;
    const reference::Spinor once = laplace(psi, given, dimensions, param.kappa);
    EXPECT_LT(error_of(first_spin(once), first_spin(psi), [&](Complex* out, Complex* in) { MatQuda(out, in, &param); }),
              rounding);
    EXPECT_LT(error_of(first_spin(laplace(once, given, dimensions, param.kappa)), first_spin(psi),
                       [&](Complex* out, Complex* in) { MatDagMatQuda(out, in, &param); }),
              rounding);
  }
}

TEST(QudaCovariant, LaplaceOperatorIsInverted) {
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  for (const int dimensions : {3, 4}) {
    for (const bool normal : {false, true}) {
      for (const bool mass : {false, true}) {
        QudaInvertParam param = invert_param(QUDA_LAPLACE_DSLASH);
        param.inv_type = QUDA_CG_INVERTER;
        param.laplace3D = dimensions;
        param.kappa = 0.4 / dimensions;
        param.solution_type = normal ? QUDA_MATDAG_MAT_SOLUTION : QUDA_MAT_SOLUTION;
        if (mass) param.mass_normalization = QUDA_MASS_NORMALIZATION;
        const std::vector<Complex> x =
            applied(first_spin(psi), [&](Complex* out, Complex* in) { invertQuda(out, in, &param); });
        EXPECT_LE(param.true_res[0], param.tol);
        EXPECT_GT(param.iter, 10);
        reference::Spinor product = laplace(with_spin(x), given, dimensions, param.kappa);
        if (normal) product = laplace(product, given, dimensions, param.kappa);
        const double f = !mass ? 1.0 : normal ? 4.0 * param.kappa * param.kappa : 2.0 * param.kappa;
        for (Complex& z : product) z /= f;
        EXPECT_LT(reference::relative_difference(first_spin(product), first_spin(psi)), 1.01 * param.tol);
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
