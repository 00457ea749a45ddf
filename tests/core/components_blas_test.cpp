// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "tests/core/components.hpp"

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Vector operations on fields of any number of components against loops over their values in double.

template <class T>
class ComponentsBlas : public ::testing::Test {};
using Precisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(ComponentsBlas, Precisions);

using Number = std::complex<double>;

/// A sum of products, and the size of its terms.
struct Term {
  Number value = 0.0;
  double size = 0.0;
};
Term operator+(const Term& a, const Term& b) { return {a.value + b.value, a.size + b.size}; }
Term operator-(const Term& a, const Term& b) { return {a.value - b.value, a.size + b.size}; }
Term operator*(const Number& a, const Term& b) { return {a * b.value, std::abs(a) * b.size}; }

/// Relative error of sums made in double, of numbers made in T's arithmetic.
template <class T>
constexpr double sum_error = 1e-12 + 16.0 * std::numeric_limits<detail::Arithmetic<T>>::epsilon();

/// A field of each name, with its values: some right-hand sides, of one parity.
template <class T>
struct Operands {
  static constexpr int right_hand_sides = 3;

  Operands(const Lattice& lattice_, const Components& components_) : lattice(lattice_), components(components_) {
    for (std::uint32_t n = 0; n < 5; ++n) {
      fields.emplace_back(lattice, parameters());
      values.emplace_back();
      for (int r = 0; r < right_hand_sides; ++r) {
        fields.back().from_host(uneven_values(lattice, components, 5 * n + static_cast<std::uint32_t>(r)), r);
        values.back().push_back(fields.back().to_host(r));
      }
    }
  }
  SpinorParameters parameters() const {
    return {.spins = components.spins,
            .colors = components.colors,
            .subset = Subset::odd,
            .right_hand_sides = right_hand_sides};
  }
  SpinorField<T> fresh(std::size_t n) const {
    SpinorField<T> field(lattice, parameters());
    blas::copy(field, fields[n]);
    return field;
  }
  /// Number k of right-hand side r of field n.
  Term term(std::size_t n, std::size_t r, std::size_t k) const { return {values[n][r][k], std::abs(values[n][r][k])}; }
  /// Whether `field` = formula(r, k), a `Term`.
  template <class Formula>
  void expect(const SpinorField<T>& field, const Formula& formula) const {
    for (std::size_t r = 0; r < right_hand_sides; ++r) {
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
  void expect_product(const Found& found, const A& a, const B& b) const {
    for (std::size_t r = 0; r < right_hand_sides; ++r) {
      Term sum;
      for (std::size_t k = 0; k < values[0][r].size(); ++k) {
        sum = sum + Term{std::conj(a(r, k).value) * b(r, k).value, a(r, k).size * b(r, k).size};
      }
      EXPECT_LE(std::abs(found[r] - sum.value), sum_error<T> * sum.size) << components.count() << " a site";
    }
  }

  Lattice lattice;
  Components components;
  std::vector<SpinorField<T>> fields;
  std::vector<std::vector<Values>> values;
  std::vector<double> real{0.5, -1.25, 0.3};
  Values a{{0.7, -0.2}, {-0.4, 1.1}, {0.3, 0.9}}, b{{-1.2, 0.1}, {0.2, 0.3}, {0.6, -0.8}};
};

template <class T, class Body>
void for_each_case(const Body& body) {
  for_each_components<T>(
      [&](const Lattice& lattice, const Components& components) { body(Operands<T>(lattice, components)); });
}

TYPED_TEST(ComponentsBlas, UpdatesAreTheirFormulas) {
  using T = TypeParam;
  for_each_case<T>([](const Operands<T>& f) {
    const auto term = [&](std::size_t n) { return [&f, n](std::size_t r, std::size_t k) { return f.term(n, r, k); }; };
    const auto x = term(0), y = term(1), z = term(2), u = term(3), v = term(4);
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
  });
}

TYPED_TEST(ComponentsBlas, SumsAreThoseOfTheNumbers) {
  using T = TypeParam;
  for_each_case<T>([](const Operands<T>& f) {
    const auto term = [&](std::size_t n) { return [&f, n](std::size_t r, std::size_t k) { return f.term(n, r, k); }; };
    const auto x = term(0), y = term(1), z = term(2), u = term(3);
    f.expect_product(blas::norm2(f.fields[0]), x, x);
    f.expect_product(blas::inner_product(f.fields[0], f.fields[1]), x, y);
    SpinorField<T> out = f.fresh(0);
    SpinorField<T> second = f.fresh(1);
    // Sums are computed from numbers before they are rounded to T.
    const auto rest = [&](std::size_t r, std::size_t k) { return y(r, k) - f.b[r] * u(r, k); };
    const blas::ProductAndNorm both =
        blas::bicgstab_update_xr(out, second, f.fields[2], f.fields[3], f.fields[2], {f.a, f.b});
    f.expect_product(both.product, z, rest);
    f.expect_product(both.norm2, rest, rest);
    f.expect(second, rest);
  });
}

TYPED_TEST(ComponentsBlas, BlocksAreTheirFormulas) {
  using T = TypeParam;
  for_each_case<T>([](const Operands<T>& f) {
    const auto term = [&](std::size_t n) { return [&f, n](std::size_t r, std::size_t k) { return f.term(n, r, k); }; };
    const std::span<const SpinorField<T>> v(f.fields.data() + 1, 3);
    const blas::ProductsAndNorm products = blas::block_inner_product<T>(v, f.fields[0]);
    for (std::size_t j = 0; j < v.size(); ++j) f.expect_product(products.products[j], term(j + 1), term(0));
    f.expect_product(products.norm2, term(0), term(0));

    const std::vector<blas::Complexes> a{f.a, f.b, f.a};
    const auto first_two = [&](std::size_t r, std::size_t k) {
      return f.term(0, r, k) + a[0][r] * f.term(1, r, k) + a[1][r] * f.term(2, r, k);
    };
    SpinorField<T> y = f.fresh(0);
    blas::block_caxpy<T>(y, v.first(2), std::span(a).first(2));
    f.expect(y, first_two);
  });
}

TYPED_TEST(ComponentsBlas, DoesNotDependOnTheLanes) {
  using T = TypeParam;
  for (const Components& components : component_cases) {
    std::vector<Values> results;
    std::vector<double> norms;
    for (const Lanes lanes : {Lanes::native, Lanes::single, Lanes::components}) {
      const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
      if (!has_fields<T>(lattice, components)) continue;
      Operands<T> f(lattice, components);
      norms.push_back(blas::axpy_norm2(f.fields[0], f.fields[1], f.real)[0]);
      results.push_back(f.fields[0].to_host());
      EXPECT_EQ(results.back(), results[0]);
      EXPECT_NEAR(norms.back(), norms[0], 1e-12 * norms[0]);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
