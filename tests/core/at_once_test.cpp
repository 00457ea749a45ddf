// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/at_once.hpp"
#include "core/blas_at_once.hpp"
#include "core/blas_operations.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace kaon::test {
namespace {

using detail::Complex;

constexpr int right_hand_sides = 3;
constexpr int left_out = 1;

/// Coefficients from the first six sums, for all right-hand sides but one.
template <int Coefficients>
struct CopyRule {
  static constexpr int coefficients = Coefficients;
  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* c) const {
    for (int j = 0; j < coefficients; ++j) c[j] = {sums[2 * j], sums[2 * j + 1]};
    return k != left_out;
  }
};

/// Parts of sums, more than a team adds up, and their sums.
struct Parts {
  explicit Parts(double factor = 1.0) {
    constexpr int parts = 700;
    const auto size = static_cast<std::size_t>(right_hand_sides * parts * detail::site_sums);
    partial = Kokkos::View<double*, Memory>("partial", size);
    const auto host = Kokkos::create_mirror_view(partial);
    total.assign(right_hand_sides * detail::site_sums, 0.0);
    for (std::size_t n = 0; n < size; ++n) {
      host(n) = factor * (0.001 + 1e-6 * static_cast<double>(n % 1009));
      const std::size_t rhs = n / (parts * detail::site_sums);
      total[rhs * detail::site_sums + n % detail::site_sums] += host(n);
    }
    Kokkos::deep_copy(partial, host);
    sums.partial = partial.data();
    sums.parts = parts;
  }
  /// Coefficient j of all right-hand sides.
  blas::Complexes coefficient(std::size_t j) const {
    blas::Complexes values;
    for (std::size_t rhs = 0; rhs < right_hand_sides; ++rhs) {
      const double* const of_rhs = total.data() + rhs * detail::site_sums;
      values.emplace_back(of_rhs[2 * j], of_rhs[2 * j + 1]);
    }
    return values;
  }
  Kokkos::View<double*, Memory> partial;
  std::vector<double> total;
  detail::SiteSums sums;
};

template <class T>
SpinorField<T> noise(const Lattice& lattice, std::uint32_t stream) {
  SpinorField<double> gaussian(lattice, {.subset = Subset::odd, .right_hand_sides = right_hand_sides});
  set_gaussian(gaussian, {.seed = 5, .stream = stream});
  SpinorField<T> field(lattice, gaussian.parameters());
  blas::copy(field, gaussian);
  return field;
}

/// Whether `found` is `expected` to a few roundings, but for the right-hand side that was left out, which is `before`
/// to the last bit.
template <class T>
void expect_field(const SpinorField<T>& found, const SpinorField<T>& expected, const SpinorField<T>& before) {
  const double tolerance = std::is_same_v<T, double> ? 1e-14 : std::is_same_v<T, float> ? 1e-6 : 3e-4;
  for (int k = 0; k < right_hand_sides; ++k) {
    if (k == left_out) {
      EXPECT_EQ(found.to_host(k), before.to_host(k));
      continue;
    }
    const auto is = found.to_host(k), should = expected.to_host(k);
    double difference = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < is.size(); ++i) {
      difference += std::norm(is[i] - should[i]);
      norm += std::norm(should[i]);
    }
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm)) << "right-hand side " << k;
  }
}

template <class T>
class AtOnce : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
  SpinorField<T> x0_ = noise<T>(lattice_, 0), r0_ = noise<T>(lattice_, 1), p0_ = noise<T>(lattice_, 2),
                 t_ = noise<T>(lattice_, 3), v_ = noise<T>(lattice_, 4);
  SpinorField<T> x_ = noise<T>(lattice_, 0), r_ = noise<T>(lattice_, 1), p_ = noise<T>(lattice_, 2);
  SpinorField<T> x1_ = noise<T>(lattice_, 0), r1_ = noise<T>(lattice_, 1), p1_ = noise<T>(lattice_, 2);
};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(AtOnce, AllPrecisions);

TYPED_TEST(AtOnce, VectorOperationsTakeWhatRulesCompute) {
  const Parts parts;
  const blas::Complexes a = parts.coefficient(0), b = parts.coefficient(1), c = parts.coefficient(2);
  blas::Reals a_re, b_re;
  for (std::size_t k = 0; k < right_hand_sides; ++k) {
    a_re.push_back(a[k].real());
    b_re.push_back(b[k].real());
  }
  const auto reset = [&] {
    blas::copy(this->x_, this->x0_);
    blas::copy(this->r_, this->r0_);
    blas::copy(this->p_, this->p0_);
    blas::copy(this->x1_, this->x0_);
    blas::copy(this->r1_, this->r0_);
    blas::copy(this->p1_, this->p0_);
  };
  detail::PartsOfSums sums(this->lattice_, parts.sums, right_hand_sides);

  blas::caxpy(this->x_, this->t_, sums.add(CopyRule<1>{}));
  const detail::SumsInFlight& made = sums.wait();
  EXPECT_EQ(made.done(), (std::vector<bool>{true, false, true}));
  for (std::size_t n = 0; n < parts.total.size(); ++n) {
    EXPECT_NEAR(made.sums()[n], parts.total[n], 1e-12 * parts.total[n]);
  }
  blas::caxpy(this->x1_, this->t_, a);
  expect_field(this->x_, this->x1_, this->x0_);

  reset();
  blas::advance(this->x_, this->p_, this->t_, sums.add(CopyRule<2>{}));
  sums.wait();
  blas::advance(this->x1_, this->p1_, this->t_, a_re, b_re);
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->p_, this->p1_, this->p0_);

  reset();
  blas::relax(this->x_, this->r_, this->t_, sums.add(CopyRule<1>{}));
  sums.wait();
  blas::relax(this->x1_, this->r1_, this->t_, a);
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->r_, this->r1_, this->r0_);

  reset();
  blas::stabilise_redirect(this->x_, this->r_, this->p_, this->t_, this->v_, sums.add(CopyRule<3>{}));
  sums.wait();
  blas::stabilise_redirect(this->x1_, this->r1_, this->p1_, this->t_, this->v_, a, b, c);
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->r_, this->r1_, this->r0_);
  expect_field(this->p_, this->p1_, this->p0_);
}

/// x and y of `advance`: the coefficient that y = y + a x had, and |y|^2 / 100.
struct NormRule {
  static constexpr int coefficients = 2;
  const Complex<double>* a;
  KOKKOS_INLINE_FUNCTION bool operator()(int k, const double* sums, Complex<double>* c) const {
    c[0] = a[k];
    c[1] = {0.01 * sums[0], 0.0};
    return sums[0] >= 0.0;
  }
};

TYPED_TEST(AtOnce, RulesFollowOnSumsOfVectorOperations) {
  using T = TypeParam;
  const Parts parts;
  blas::Reals a;
  for (const auto& value : parts.coefficient(0)) a.push_back(value.real());
  detail::PartsOfSums sums(this->lattice_, parts.sums, right_hand_sides);
  const detail::ComputedCoefficients<1> computed = sums.add(CopyRule<1>{});
  detail::SumsInFlight norms = detail::run_blas_at_once<blas::ops::AxpyNorm2, T>(
      "test", {&this->r_, &this->t_}, detail::KernelCoefficients<T, blas::ops::AxpyNorm2>{computed},
      NormRule{computed.values});
  blas::advance(this->x_, this->p_, this->r_, norms.coefficients<2>());
  sums.wait();
  norms.wait();
  EXPECT_EQ(norms.done(), (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(std::isnan(norms.sum(left_out, 0)));

  const blas::Reals expected = blas::axpy_norm2(this->r1_, this->t_, a);
  blas::Reals b;
  for (int k = 0; k < right_hand_sides; ++k) {
    const double norm2 = expected[static_cast<std::size_t>(k)];
    b.push_back(0.01 * norm2);
    if (k != left_out) {
      EXPECT_NEAR(norms.sum(k, 0), norm2, 1e-6 * norm2);
    }
  }
  blas::advance(this->x1_, this->p1_, this->r1_, a, b);
  expect_field(this->r_, this->r1_, this->r0_);
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->p_, this->p1_, this->p0_);
}

TYPED_TEST(AtOnce, ProductsOutOfRangeAreLeftToTheHost) {
  const detail::ProductRange range{.least = 1e-3, .most = 1e3, .with_x = true};
  for (const double factor : {1e-9, 1.0, 1e9}) {
    const Parts parts(factor);
    detail::PartsOfSums sums(this->lattice_, parts.sums, right_hand_sides, range);
    blas::caxpy(this->x_, this->t_, sums.add(CopyRule<1>{}));
    const bool holds = factor == 1.0;
    EXPECT_EQ(sums.wait().done(), (std::vector<bool>{holds, false, holds}));
    if (holds) {
      blas::copy(this->x_, this->x0_);
      continue;
    }
    for (int k = 0; k < right_hand_sides; ++k) EXPECT_EQ(this->x_.to_host(k), this->x0_.to_host(k));
  }
}

}  // namespace
}  // namespace kaon::test
