// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "tests/core/blas_shapes.hpp"
#include "tests/support/error_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

double norm2_of(const Values& x) {
  double sum = 0.0;
  for (const auto& z : x) sum += std::norm(z);
  return sum;
}

std::complex<double> product_of(const Values& x, const Values& y) {
  std::complex<double> sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += std::conj(x[k]) * y[k];
  return sum;
}

/// Whether x equals formula(k) within a few roundings of T.
template <class T, class Formula>
void expect_values(const Values& x, const Formula& formula) {
  const double tolerance = 32.0 * std::numeric_limits<T>::epsilon();
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::complex<double> expected = formula(k);
    ASSERT_LE(std::abs(x[k] - expected), tolerance * (1.0 + std::abs(expected))) << "element " << k;
  }
}

/// Whether a sum equals what the host sums of the same rounded values; sums are in double for any T.
template <class S>
void expect_sum(const S& sum, const S& expected, double scale) {
  EXPECT_LE(std::abs(sum - expected), 1e-12 * scale);
}

template <class T>
class Blas : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Blas, Precisions);

TYPED_TEST(Blas, ComputesItsFormulas) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    const auto n = static_cast<std::size_t>(shape.parameters.right_hand_sides);
    std::vector<double> a, b;
    Values ca, cb;
    for (std::size_t r = 0; r < n; ++r) {
      a.push_back(0.5 + 0.1 * static_cast<double>(r));
      b.push_back(-1.25 + 0.3 * static_cast<double>(r));
      ca.emplace_back(0.7, -0.2 * static_cast<double>(r));
      cb.emplace_back(-0.4 + 0.1 * static_cast<double>(r), 1.1);
    }
    const SpinorField<T> x0 = noise<T>(shape, 0), y0 = noise<T>(shape, 1), z0 = noise<T>(shape, 2),
                         u0 = noise<T>(shape, 3), v0 = noise<T>(shape, 4);
    SpinorField<T> x = noise<T>(shape, 0), y = noise<T>(shape, 1);
    const auto each = [&](const auto& check) {
      for (std::size_t r = 0; r < n; ++r) check(r, static_cast<int>(r));
    };

    blas::scale(x, a);
    each([&](std::size_t r, int k) {
      expect_values<T>(x.to_host(k), [&, x1 = x0.to_host(k)](std::size_t i) { return a[r] * x1[i]; });
    });
    blas::copy(x, x0);
    blas::axpy(x, y0, a);
    each([&](std::size_t r, int k) {
      expect_values<T>(x.to_host(k),
                       [&, x1 = x0.to_host(k), y1 = y0.to_host(k)](std::size_t i) { return x1[i] + a[r] * y1[i]; });
    });
    blas::copy(x, x0);
    blas::xpay(x, y0, a);
    each([&](std::size_t r, int k) {
      expect_values<T>(x.to_host(k),
                       [&, x1 = x0.to_host(k), y1 = y0.to_host(k)](std::size_t i) { return y1[i] + a[r] * x1[i]; });
    });
    blas::copy(x, x0);
    blas::caxpy(x, y0, ca);
    each([&](std::size_t r, int k) {
      expect_values<T>(x.to_host(k),
                       [&, x1 = x0.to_host(k), y1 = y0.to_host(k)](std::size_t i) { return x1[i] + ca[r] * y1[i]; });
    });
    blas::copy(x, x0);
    const blas::Reals axpy_norm2 = blas::axpy_norm2(x, y0, a);
    each([&](std::size_t r, int k) {
      expect_sum(axpy_norm2[r], norm2_of(x.to_host(k)), axpy_norm2[r]);
      expect_values<T>(x.to_host(k),
                       [&, x1 = x0.to_host(k), y1 = y0.to_host(k)](std::size_t i) { return x1[i] + a[r] * y1[i]; });
    });
    blas::copy(x, x0);
    const blas::Reals residual = blas::xmy_norm2(x, y0);
    each([&](std::size_t r, int k) {
      expect_sum(residual[r], norm2_of(x.to_host(k)), residual[r]);
      expect_values<T>(x.to_host(k),
                       [&, x1 = x0.to_host(k), y1 = y0.to_host(k)](std::size_t i) { return y1[i] - x1[i]; });
    });

    const blas::Reals norms = blas::norm2(x0);
    const blas::Complexes products = blas::inner_product(x0, y0);
    const blas::ProductAndNorm both = blas::inner_product_norm2(x0, y0);
    each([&](std::size_t r, int k) {
      const Values x1 = x0.to_host(k), y1 = y0.to_host(k);
      expect_sum(norms[r], norm2_of(x1), norms[r]);
      expect_sum(products[r], product_of(x1, y1), norms[r]);
      expect_sum(both.product[r], product_of(x1, y1), norms[r]);
      expect_sum(both.norm2[r], norm2_of(x1), norms[r]);
    });

    blas::copy(x, x0);
    blas::copy(y, y0);
    blas::cg_update(x, y, z0, {a, b});
    each([&](std::size_t r, int k) {
      const Values x1 = x0.to_host(k), y1 = y0.to_host(k), z1 = z0.to_host(k);
      expect_values<T>(x.to_host(k), [&](std::size_t i) { return x1[i] + a[r] * y1[i]; });
      expect_values<T>(y.to_host(k), [&](std::size_t i) { return z1[i] + b[r] * y1[i]; });
    });
    blas::copy(x, x0);
    blas::copy(y, y0);
    const blas::Reals relaxed = blas::mr_update_norm2(x, y, z0, ca);
    each([&](std::size_t r, int k) {
      const Values x1 = x0.to_host(k), r1 = y0.to_host(k), t1 = z0.to_host(k);
      expect_values<T>(x.to_host(k), [&](std::size_t i) { return x1[i] + ca[r] * r1[i]; });
      expect_values<T>(y.to_host(k), [&](std::size_t i) { return r1[i] - ca[r] * t1[i]; });
      expect_sum(relaxed[r], norm2_of(y.to_host(k)), relaxed[r]);
    });
    blas::copy(x, x0);
    blas::copy(y, y0);
    const blas::ProductAndNorm stabilised = blas::bicgstab_update_xr(x, y, z0, u0, v0, {ca, cb});
    each([&](std::size_t r, int k) {
      const Values x1 = x0.to_host(k), r1 = y0.to_host(k), p1 = z0.to_host(k), t1 = u0.to_host(k);
      expect_values<T>(x.to_host(k), [&](std::size_t i) { return x1[i] + ca[r] * p1[i] + cb[r] * r1[i]; });
      expect_values<T>(y.to_host(k), [&](std::size_t i) { return r1[i] - cb[r] * t1[i]; });
      expect_sum(stabilised.product[r], product_of(v0.to_host(k), y.to_host(k)), stabilised.norm2[r]);
      expect_sum(stabilised.norm2[r], norm2_of(y.to_host(k)), stabilised.norm2[r]);
    });
    blas::copy(x, x0);
    blas::bicgstab_update_p(x, y0, z0, {ca, cb});
    each([&](std::size_t r, int k) {
      const Values p1 = x0.to_host(k), r1 = y0.to_host(k), v1 = z0.to_host(k);
      expect_values<T>(x.to_host(k), [&](std::size_t i) { return r1[i] + ca[r] * (p1[i] - cb[r] * v1[i]); });
    });
    blas::set_zero(x);
    for (const double norm2 : blas::norm2(x)) EXPECT_EQ(norm2, 0.0);
  }
}

TYPED_TEST(Blas, LeavesRightHandSidesAloneWhoseCoefficientIsNan) {
  for (const Shape& shape : shapes()) {
    if (shape.parameters.right_hand_sides < 2) continue;
    SpinorField<TypeParam> x = noise<TypeParam>(shape, 0);
    const SpinorField<TypeParam> y = noise<TypeParam>(shape, 1);
    const Values before = x.to_host(1);
    blas::Reals a(static_cast<std::size_t>(x.right_hand_sides()), 0.5);
    a[1] = std::numeric_limits<double>::quiet_NaN();
    const blas::Reals norms = blas::axpy_norm2(x, y, a);
    EXPECT_EQ(x.to_host(1), before);
    EXPECT_TRUE(std::isnan(norms[1]));
    EXPECT_TRUE(std::isfinite(norms[0]));
    EXPECT_NE(x.to_host(0), noise<TypeParam>(shape, 0).to_host(0));
  }
}

TYPED_TEST(Blas, SumsDoNotDependOnTheOtherRightHandSides) {
  for (const Shape& shape : shapes()) {
    const SpinorField<TypeParam> x = noise<TypeParam>(shape, 0);
    const blas::Reals norms = blas::norm2(x);
    for (int r = 0; r < x.right_hand_sides(); ++r) {
      EXPECT_EQ(blas::norm2(x.range(r, 1))[0], norms[static_cast<std::size_t>(r)]);
    }
  }
}

TYPED_TEST(Blas, RefusesFieldsAndCoefficientsThatDoNotFit) {
  const Shape shape = shapes()[0];
  SpinorField<TypeParam> x = noise<TypeParam>(shape, 0);
  const SpinorField<TypeParam> y = noise<TypeParam>(shape, 1), odd = noise<TypeParam>(shapes()[2], 1);
  KAON_EXPECT_ERROR(blas::axpy(x, y, std::vector{1.0}), "1 coefficients were given for 2 right-hand sides");
  KAON_EXPECT_ERROR(blas::cg_update(x, x, y, std::vector{1.0, 2.0}), "needs 2 coefficients, and 1 were given");
  KAON_EXPECT_ERROR((blas::Scalars{std::vector{1.0, 2.0}, std::vector{1.0}}), "one each for the same number");
  KAON_EXPECT_ERROR(blas::axpy(x, odd, std::vector{1.0, 2.0}), "must have the same lattice, sites");
  KAON_EXPECT_ERROR(blas::copy(x, odd), "can be copied only to one with the same lattice");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
