// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/column_products.hpp"
#include "tests/core/blas_shapes.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::SmallMatrix;

/// Numbers that differ from each other, zero below the diagonal of an upper triangle and above that of a lower one.
SmallMatrix some_matrix(std::size_t rows, std::size_t columns, double seed,
                        detail::Triangle triangle = detail::Triangle::none) {
  SmallMatrix matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (triangle == detail::Triangle::upper && i > j) continue;
      if (triangle == detail::Triangle::lower && i < j) continue;
      matrix(i, j) = std::polar(0.2 + 0.05 * static_cast<double>(i), seed + 1.7 * static_cast<double>(i * j + 2 * j));
    }
  }
  return matrix;
}

template <class T>
SpinorField<T> columns(Shape shape, int count, std::uint32_t stream) {
  shape.parameters.right_hand_sides = count;
  return noise<T>(shape, stream);
}

template <class T>
std::vector<reference::Spinor> on_host(const SpinorField<T>& field) {
  std::vector<reference::Spinor> result;
  for (int k = 0; k < field.right_hand_sides(); ++k) result.push_back(field.to_host(k));
  return result;
}

/// y + x m
std::vector<reference::Spinor> add_product(std::vector<reference::Spinor> y, const std::vector<reference::Spinor>& x,
                                           const SmallMatrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.columns(); ++j) y[j] = reference::add(y[j], m(i, j), x[i]);
  }
  return y;
}

template <class T>
void expect_columns(const SpinorField<T>& field, const std::vector<reference::Spinor>& expected, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_LE(reference::relative_difference(field.to_host(static_cast<int>(k)), expected[k]),
              64.0 * std::numeric_limits<T>::epsilon());
  }
}

template <class T>
void expect_gram(const SmallMatrix& gram, const std::vector<reference::Spinor>& u,
                 const std::vector<reference::Spinor>& v) {
  for (std::size_t i = 0; i < gram.rows(); ++i) {
    for (std::size_t j = 0; j < gram.columns(); ++j) {
      const double scale = std::sqrt(reference::norm2(u[i]) * reference::norm2(v[j]));
      EXPECT_LE(std::abs(gram(i, j) - reference::dot(u[i], v[j])), 64.0 * std::numeric_limits<T>::epsilon() * scale)
          << i << " " << j;
    }
  }
}

std::vector<reference::Spinor> zeros_like(const std::vector<reference::Spinor>& v, std::size_t count) {
  return std::vector<reference::Spinor>(count, reference::Spinor(v[0].size()));
}

template <class T>
class ColumnProducts : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(ColumnProducts, Precisions);

TYPED_TEST(ColumnProducts, AreGramMatrices) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    for (const auto& [rows, count] : {std::pair{1, 1}, {7, 5}}) {
      const SpinorField<T> u = columns<T>(shape, rows, 10), v = columns<T>(shape, count, 20);
      expect_gram<T>(detail::gram(u, v, false).wait(), on_host(u), on_host(v));
      const SmallMatrix own = detail::gram(u).wait();
      expect_gram<T>(own, on_host(u), on_host(u));
      for (std::size_t i = 0; i < own.rows(); ++i) EXPECT_EQ(own(i, i).imag(), 0.0);
    }
  }
}

TYPED_TEST(ColumnProducts, UpdateTheColumnsThatTheyRead) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    for (const auto& [before, after, others] : {std::tuple{1, 1, 1}, {6, 3, 5}, {3, 6, 4}}) {
      const auto m = static_cast<std::size_t>(after);
      const SmallMatrix a = some_matrix(static_cast<std::size_t>(before), m, 0.3);
      const SmallMatrix b = some_matrix(static_cast<std::size_t>(others), m, 0.9);
      SpinorField<T> w = columns<T>(shape, std::max(before, after), 10);
      const SpinorField<T> z = columns<T>(shape, others, 40);
      const auto old = on_host(w);
      const auto product = add_product(zeros_like(old, m), old, a);
      const auto expected = add_product(product, on_host(z), b);
      const SmallMatrix of_w = detail::update_columns(w, {a}, z, {b}).wait();
      expect_columns(w, expected, m);
      expect_gram<T>(of_w, on_host(w), on_host(w));
      w = columns<T>(shape, std::max(before, after), 10);
      expect_gram<T>(detail::update_columns(w, {a}).wait(), product, product);
      expect_columns(w, product, m);
    }
  }
}

TYPED_TEST(ColumnProducts, StepAllColumns) {
  using T = TypeParam;
  using detail::Triangle;
  for (const Shape& shape : shapes()) {
    for (const auto& [ranks, all] : {std::pair{1, 3}, {7, 7}}) {
      const auto m = static_cast<std::size_t>(ranks), n = static_cast<std::size_t>(all);
      const SmallMatrix p = some_matrix(m, n, 0.1), a = some_matrix(m, m, 0.5, Triangle::upper),
                        b = some_matrix(m, m, 0.8, Triangle::lower);
      SpinorField<T> x = columns<T>(shape, all, 10), d = columns<T>(shape, ranks, 40);
      const SpinorField<T> w = columns<T>(shape, ranks, 70);
      const auto x_old = on_host(x), d_old = on_host(d);
      const auto d_new = add_product(add_product(zeros_like(d_old, m), on_host(w), a), d_old, b);
      const auto x_new = add_product(x_old, d_old, p);
      detail::step_columns(x, p, d, w, {a, Triangle::upper}, {b, Triangle::lower});
      expect_columns(x, x_new, n);
      expect_columns(d, d_new, m);
      x = columns<T>(shape, all, 10);
      d = columns<T>(shape, ranks, 40);
      detail::add_columns(x, d, p);
      expect_columns(x, x_new, n);
      expect_columns(d, d_old, m);
      detail::turn_columns(d, w, {a}, {b});
      expect_columns(d, d_new, m);
    }
  }
}

TYPED_TEST(ColumnProducts, TakeAsManyColumnsAsABlockHas) {
  using T = TypeParam;
  const Shape shape = shapes()[2];
  constexpr int most = detail::most_columns;
  const SmallMatrix a = some_matrix(most, most, 0.5), b = some_matrix(most, most, 0.8);
  SpinorField<T> w = columns<T>(shape, most, 10);
  const SpinorField<T> z = columns<T>(shape, most, 40);
  const auto old = on_host(w);
  const auto expected = add_product(add_product(zeros_like(old, most), old, a), on_host(z), b);
  expect_gram<T>(detail::gram(w, z, false).wait(), old, on_host(z));
  expect_gram<T>(detail::update_columns(w, {a}, z, {b}).wait(), expected, expected);
  expect_columns(w, expected, most);
}

TYPED_TEST(ColumnProducts, RefuseFieldsThatDoNotFit) {
  using T = TypeParam;
  SpinorField<T> w = columns<T>(shapes()[0], 2, 1), many = columns<T>(shapes()[0], 17, 1);
  const SpinorField<T> odd = columns<T>(shapes()[2], 2, 1);
  KAON_EXPECT_ERROR((void)detail::gram(w, odd, false), "the columns of one operation must have the same lattice");
  KAON_EXPECT_ERROR((void)detail::gram(many), "an operation on 17 columns was given a field with 17; 16 are possible");
  KAON_EXPECT_ERROR((void)detail::gram(w, w.range(0, 1), true), "needs as many columns on both sides: 2 and 1");
  KAON_EXPECT_ERROR((void)detail::update_columns(w, {some_matrix(2, 3, 0.0)}),
                    "an operation on 3 columns was given a field with 2");
}

TEST(ThinQr, HasOrthonormalColumnsAndTheirCoordinates) {
  // W^dag W of a W with orthonormal rows is that of its coordinates: columns 1 and 3 depend on 0 and 2, and 4 is zero.
  SmallMatrix w = some_matrix(7, 5, 0.4);
  for (std::size_t i = 0; i < 7; ++i) {
    w(i, 1) = 1e-3 * w(i, 0);
    w(i, 3) = w(i, 0) - std::complex(0.0, 2.0) * w(i, 2);
    w(i, 4) = 0.0;
  }
  const detail::ThinQr qr = detail::thin_qr(w.adjoint() * w, 1e-12);
  ASSERT_EQ(qr.to_q.columns(), 2U);
  const SmallMatrix q = w * qr.to_q, of_q = q.adjoint() * q - SmallMatrix::identity(2), rest = q * qr.coordinates - w;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) EXPECT_LE(std::abs(of_q(i, j)), 1e-13);
  }
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 5; ++j) EXPECT_LE(std::abs(rest(i, j)), 1e-13);
  }
}

TEST(Cholesky, HasAPositiveTriangle) {
  const SmallMatrix w = some_matrix(9, 4, 0.2), gram = w.adjoint() * w;
  const auto of_gram = detail::cholesky(gram);
  ASSERT_TRUE(of_gram);
  const SmallMatrix rest = of_gram->triangle.adjoint() * of_gram->triangle - gram;
  const SmallMatrix one = of_gram->triangle * detail::inverse_of_triangle(of_gram->triangle) - SmallMatrix::identity(4);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_LE(std::abs(rest(i, j)), 1e-14);
      EXPECT_LE(std::abs(one(i, j)), 1e-13);
    }
  }
  EXPECT_GT(of_gram->smallest_pivot, 0.0);
  SmallMatrix negative = gram;
  negative(2, 2) = -1.0;
  EXPECT_FALSE(detail::cholesky(negative));
  negative(2, 2) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(detail::cholesky(negative));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
