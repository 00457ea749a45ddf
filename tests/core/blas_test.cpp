// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "tests/core/blas_shapes.hpp"
#include "tests/core/components.hpp"
#include "tests/support/error_text.hpp"

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Vector operations on fields of any shape and number of components against loops over their values in double.

template <class T>
class Blas : public ::testing::Test {};
using Precisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(Blas, Precisions);

using Number = std::complex<double>;

/// A sum of products, and the size of its terms.
struct Term {
  Number value = 0.0;
  double size = 0.0;
};
Term operator+(const Term& a, const Term& b) { return {a.value + b.value, a.size + b.size}; }
Term operator-(const Term& a, const Term& b) { return {a.value - b.value, a.size + b.size}; }
Term operator*(const Number& a, const Term& b) { return {a * b.value, std::abs(a) * b.size}; }

/// Relative error of sums made in double of numbers that are computed in single precision if they have 16 bits.
template <class T>
constexpr double sum_error = std::same_as<T, half> ? 16.0 * std::numeric_limits<float>::epsilon() : 1e-12;

/// A field of each name, with its values.
template <class T>
struct Operands {
  Operands(const Lattice& lattice_, const Components& components_, const SpinorParameters& parameters_)
      : lattice(lattice_), components(components_), parameters(parameters_) {
    for (std::uint32_t n = 0; n < 5; ++n) {
      fields.emplace_back(lattice, parameters);
      values.emplace_back();
      for (int r = 0; r < parameters.right_hand_sides; ++r) {
        fields.back().from_host(uneven_values(lattice, components, 32 * n + static_cast<std::uint32_t>(r)), r);
        values.back().push_back(fields.back().to_host(r));
      }
    }
    for (int r = 0; r < parameters.right_hand_sides; ++r) {
      real.push_back(0.5 - 0.35 * r);
      a.push_back(std::polar(0.7, -0.3 + 0.8 * r));
      b.push_back(std::polar(1.2, 3.0 - 0.5 * r));
    }
  }
  SpinorField<T> fresh(std::size_t n) const {
    SpinorField<T> field(lattice, parameters);
    blas::copy(field, fields[n]);
    return field;
  }
  /// Number k of right-hand side r of field n.
  auto term(std::size_t n) const { return term_of(values[n]); }
  static auto term_of(const std::vector<Values>& of) {
    return [&of](std::size_t r, std::size_t k) { return Term{of[r][k], std::abs(of[r][k])}; };
  }
  /// Whether `field` = formula(r, k), a `Term`.
  template <class Formula>
  void expect(const SpinorField<T>& field, const Formula& formula) const {
    for (std::size_t r = 0; r < real.size(); ++r) {
      Values expected(values[0][r].size());
      std::vector<double> sizes(expected.size());
      for (std::size_t k = 0; k < expected.size(); ++k) {
        const Term term_k = formula(r, k);
        expected[k] = term_k.value;
        sizes[k] = term_k.size;
      }
      expect_stored<T>(field.to_host(static_cast<int>(r)), expected, components, sizes);
    }
  }
  /// Whether found[r] = sum_k conj(a(r, k)) b(r, k).
  template <class Found, class A, class B>
  void expect_product(const Found& found, const A& of_a, const B& of_b) const {
    for (std::size_t r = 0; r < real.size(); ++r) {
      Term sum;
      for (std::size_t k = 0; k < values[0][r].size(); ++k) {
        sum = sum + Term{std::conj(of_a(r, k).value) * of_b(r, k).value, of_a(r, k).size * of_b(r, k).size};
      }
      EXPECT_LE(std::abs(found[r] - sum.value), sum_error<T> * sum.size) << components.count() << " a site";
    }
  }
  /// Whether `field` = formula(r, k), and |field|^2 and <fields[n], field> are as found. Sums are computed from numbers
  /// before they are rounded to 16 bits.
  template <class Formula>
  void expect_sums(const SpinorField<T>& field, const Formula& formula, const blas::Reals& norm2, std::size_t n = 0,
                   const blas::Complexes& product = {}) const {
    expect(field, formula);
    std::vector<Values> stored;
    for (int r = 0; r < parameters.right_hand_sides; ++r) stored.push_back(field.to_host(r));
    const auto check = [&](const auto& of_field) {
      expect_product(norm2, of_field, of_field);
      if (!product.empty()) expect_product(product, term(n), of_field);
    };
    if constexpr (std::same_as<T, half>) {
      check(formula);
    } else {
      check(term_of(stored));
    }
  }

  Lattice lattice;
  Components components;
  SpinorParameters parameters;
  std::vector<SpinorField<T>> fields;
  std::vector<std::vector<Values>> values;
  std::vector<double> real;
  Values a, b;
};

template <class T, class Body>
void for_each_case(const Body& body) {
  for_each_components<T>([&](const Lattice& lattice, const Components& c) {
    const SpinorParameters odd{.spins = c.spins, .colors = c.colors, .subset = Subset::odd, .right_hand_sides = 3};
    body(Operands<T>(lattice, c, odd));
  });
  if constexpr (std::same_as<T, half>) return;
  for (const Shape& shape : shapes()) {
    body(Operands<T>(shape.lattice(), {shape.parameters.spins, shape.parameters.colors, 0}, shape.parameters));
  }
}

TYPED_TEST(Blas, UpdatesAreTheirFormulas) {
  using T = TypeParam;
  for_each_case<T>([](const Operands<T>& f) {
    const auto x = f.term(0), y = f.term(1), z = f.term(2), u = f.term(3), v = f.term(4);
    SpinorField<T> out = f.fresh(0);
    blas::scale(out, f.real);
    f.expect(out, [&](std::size_t r, std::size_t k) { return f.real[r] * x(r, k); });
    out = f.fresh(0);
    blas::axpy(out, f.fields[1], f.real);
    f.expect(out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.real[r] * y(r, k); });
    out = f.fresh(0);
    blas::xpay(out, f.fields[1], f.real);
    f.expect(out, [&](std::size_t r, std::size_t k) { return y(r, k) + f.real[r] * x(r, k); });
    out = f.fresh(0);
    blas::caxpy(out, f.fields[1], f.a);
    f.expect(out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.a[r] * y(r, k); });
    out = f.fresh(0);
    blas::bicgstab_update_p(out, f.fields[1], f.fields[2], {f.a, f.b});
    f.expect(out, [&](std::size_t r, std::size_t k) { return y(r, k) + f.a[r] * (x(r, k) - f.b[r] * z(r, k)); });
    out = f.fresh(0);
    SpinorField<T> second = f.fresh(1);
    blas::cg_update(out, second, f.fields[2], {f.real, f.real});
    f.expect(out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.real[r] * y(r, k); });
    f.expect(second, [&](std::size_t r, std::size_t k) { return z(r, k) + f.real[r] * y(r, k); });
    out = f.fresh(0);
    second = f.fresh(1);
    SpinorField<T> third = f.fresh(2);
    blas::bicgstab_update(out, second, third, f.fields[3], f.fields[4], {f.a, f.b, f.a});
    const auto new_r = [&](std::size_t r, std::size_t k) { return y(r, k) - f.b[r] * u(r, k); };
    f.expect(out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.a[r] * z(r, k) + f.b[r] * y(r, k); });
    f.expect(second, new_r);
    f.expect(third, [&](std::size_t r, std::size_t k) { return new_r(r, k) + f.a[r] * (z(r, k) - f.b[r] * v(r, k)); });
    blas::set_zero(out);
    for (const double norm2 : blas::norm2(out)) EXPECT_EQ(norm2, 0.0);
  });
}

TYPED_TEST(Blas, SumsAreThoseOfTheNumbers) {
  using T = TypeParam;
  for_each_case<T>([](const Operands<T>& f) {
    const auto x = f.term(0), y = f.term(1), z = f.term(2), u = f.term(3);
    f.expect_product(blas::norm2(f.fields[0]), x, x);
    f.expect_product(blas::inner_product(f.fields[0], f.fields[1]), x, y);
    blas::ProductAndNorm both = blas::inner_product_norm2(f.fields[0], f.fields[1]);
    f.expect_product(both.product, x, y);
    f.expect_product(both.norm2, x, x);

    SpinorField<T> out = f.fresh(0), second = f.fresh(1);
    blas::Reals norm2 = blas::axpy_norm2(out, f.fields[1], f.real);
    f.expect_sums(
        out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.real[r] * y(r, k); }, norm2);
    out = f.fresh(0);
    norm2 = blas::xmy_norm2(out, f.fields[1]);
    f.expect_sums(
        out, [&](std::size_t r, std::size_t k) { return y(r, k) - x(r, k); }, norm2);
    out = f.fresh(0);
    norm2 = blas::mr_update_norm2(out, second, f.fields[2], f.a);
    f.expect(out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.a[r] * y(r, k); });
    f.expect_sums(
        second, [&](std::size_t r, std::size_t k) { return y(r, k) - f.a[r] * z(r, k); }, norm2);
    out = f.fresh(0);
    second = f.fresh(1);
    both = blas::bicgstab_update_xr(out, second, f.fields[2], f.fields[3], f.fields[4], {f.a, f.b});
    f.expect(out, [&](std::size_t r, std::size_t k) { return x(r, k) + f.a[r] * z(r, k) + f.b[r] * y(r, k); });
    f.expect_sums(
        second, [&](std::size_t r, std::size_t k) { return y(r, k) - f.b[r] * u(r, k); }, both.norm2, 4, both.product);
  });
}

TYPED_TEST(Blas, BlocksAreTheirFormulas) {
  using T = TypeParam;
  for_each_case<T>([](const Operands<T>& f) {
    // 0, fewer than a pass takes, just as many, and more. Each pass rounds a sum of 16 bits.
    for (const std::size_t count : {0, 1, 2, 3, 8, 11}) {
      if (std::same_as<T, half> && count > 2) break;
      std::vector<SpinorField<T>> v;
      std::vector<blas::Complexes> a;
      for (std::size_t j = 0; j < count; ++j) {
        v.push_back(f.fresh(1 + j % 4));
        a.push_back(j % 2 == 0 ? f.a : f.b);
      }
      const auto x = f.term(0), y = f.term(4);
      const blas::ProductsAndNorm products = blas::block_inner_product<T>(v, f.fields[0]);
      ASSERT_EQ(products.products.size(), count);
      for (std::size_t j = 0; j < count; ++j) f.expect_product(products.products[j], f.term(1 + j % 4), x);
      f.expect_product(products.norm2, x, x);
      const blas::ProductsWithResidual more = blas::block_inner_product<T>(v, f.fields[0], f.fields[4]);
      EXPECT_EQ(more.products, products.products);
      f.expect_product(more.residual_product, x, y);
      f.expect_product(more.residual_norm2, y, y);

      SpinorField<T> sum = f.fresh(0);
      blas::block_caxpy<T>(sum, v, a);
      f.expect(sum, [&](std::size_t r, std::size_t k) {
        Term expected = x(r, k);
        for (std::size_t j = 0; j < count; ++j) expected = expected + a[j][r] * f.term(1 + j % 4)(r, k);
        return expected;
      });
    }
  });
}

TYPED_TEST(Blas, DoesNotDependOnTheLanes) {
  using T = TypeParam;
  for (const Components& components : component_cases) {
    std::vector<Values> results;
    std::vector<double> norms;
    for (const Lanes lanes : {Lanes::native, Lanes::single, Lanes::components}) {
      const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
      if (!has_fields<T>(lattice, components)) continue;
      Operands<T> f(lattice, components, {.spins = components.spins, .colors = components.colors});
      norms.push_back(blas::axpy_norm2(f.fields[0], f.fields[1], f.real)[0]);
      results.push_back(f.fields[0].to_host());
      EXPECT_EQ(results.back(), results[0]);
      EXPECT_NEAR(norms.back(), norms[0], 1e-12 * norms[0]);
    }
  }
}

template <class T>
class BlasOfShapes : public ::testing::Test {};
using ArithmeticPrecisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BlasOfShapes, ArithmeticPrecisions);

TYPED_TEST(BlasOfShapes, SumsDoNotDependOnTheOtherRightHandSides) {
  for (const Shape& shape : shapes()) {
    const SpinorField<TypeParam> x = noise<TypeParam>(shape, 0);
    const blas::Reals norms = blas::norm2(x);
    for (int r = 0; r < x.right_hand_sides(); ++r) {
      EXPECT_EQ(blas::norm2(x.range(r, 1))[0], norms[static_cast<std::size_t>(r)]);
    }
  }
}

TYPED_TEST(BlasOfShapes, RefusesFieldsAndCoefficientsThatDoNotFit) {
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
