// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/shift_updates.hpp"
#include "core/blas/solver_blas.hpp"
#include "tests/core/blas_shapes.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
std::vector<SpinorField<T>> noise_fields(const Shape& shape, std::size_t count, std::uint32_t stream) {
  std::vector<SpinorField<T>> fields;
  for (std::size_t j = 0; j < count; ++j) fields.push_back(noise<T>(shape, stream + static_cast<std::uint32_t>(j)));
  return fields;
}

/// Coefficients of `count` fields that differ from field to field and from right-hand side to right-hand side.
std::vector<blas::Complexes> coefficients(std::size_t count, int right_hand_sides) {
  std::vector<blas::Complexes> a(count);
  for (std::size_t j = 0; j < count; ++j) {
    for (int r = 0; r < right_hand_sides; ++r) {
      a[j].push_back(std::polar(0.3 + 0.1 * static_cast<double>(j), 0.7 * r + 1.3 * static_cast<double>(j)));
    }
  }
  return a;
}

std::vector<blas::Reals> real_parts(const std::vector<blas::Complexes>& a) {
  std::vector<blas::Reals> result;
  for (const blas::Complexes& values : a) {
    result.emplace_back();
    for (const auto& value : values) result.back().push_back(value.real());
  }
  return result;
}

/// Rounding of T in sums of `terms` numbers of order 1.
template <class T>
double rounding(std::size_t terms) {
  return 4.0 * static_cast<double>(terms + 1) * std::numeric_limits<T>::epsilon();
}

template <class T>
class BlockBlas : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BlockBlas, Precisions);

TYPED_TEST(BlockBlas, AdvancesAllShifts) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    for (const std::size_t count : {1, 2, 4, 7}) {
      const auto a = real_parts(coefficients(count, shape.parameters.right_hand_sides));
      const auto b = real_parts(coefficients(count + 1, shape.parameters.right_hand_sides));
      const auto c = real_parts(coefficients(count + 2, shape.parameters.right_hand_sides));
      const std::span<const blas::Reals> b_s = std::span(b).last(count), c_s = std::span(c).last(count);
      const std::vector<detail::ShiftedStep> step{{a, {b_s.begin(), b_s.end()}, {c_s.begin(), c_s.end()}}};
      const std::vector<SpinorField<T>> x0 = noise_fields<T>(shape, count, 10), p0 = noise_fields<T>(shape, count, 30);
      std::vector<SpinorField<T>> x = noise_fields<T>(shape, count, 10), p = noise_fields<T>(shape, count, 30);
      const SpinorField<T> r = noise<T>(shape, 1);
      std::vector<SpinorField<T>*> given;
      for (SpinorField<T>& field : x) given.push_back(&field);
      const SpinorField<T>* const residual[] = {&r};
      detail::multi_shift_cg_steps<T>(given, p, residual, step);
      for (int rhs = 0; rhs < r.right_hand_sides(); ++rhs) {
        const auto k = static_cast<std::size_t>(rhs);
        const reference::Spinor zero(r.to_host(rhs).size());
        for (std::size_t s = 0; s < count; ++s) {
          const reference::Spinor old = p0[s].to_host(rhs), x_s = reference::add(x0[s].to_host(rhs), a[s][k], old);
          const reference::Spinor p_s = reference::add(reference::add(zero, c_s[s][k], r.to_host(rhs)), b_s[s][k], old);
          EXPECT_LE(reference::relative_difference(x[s].to_host(rhs), x_s), rounding<T>(2));
          EXPECT_LE(reference::relative_difference(p[s].to_host(rhs), p_s), rounding<T>(2));
        }
      }
    }
  }
}

// Steps that were put off are those that are made one by one.
TYPED_TEST(BlockBlas, MakesSeveralStepsOfAllShiftsAtOnce) {
  using T = TypeParam;
  for (const Shape& shape : shapes()) {
    for (const std::size_t count : {1, 3, 4, 7}) {
      for (std::size_t steps = 1; steps <= detail::steps_put_off; ++steps) {
        std::vector<SpinorField<T>> x = noise_fields<T>(shape, count, 10), p = noise_fields<T>(shape, count, 30);
        std::vector<SpinorField<T>> x_1 = noise_fields<T>(shape, count, 10), p_1 = noise_fields<T>(shape, count, 30);
        const std::vector<SpinorField<T>> r = noise_fields<T>(shape, steps, 50);
        std::vector<detail::ShiftedStep> put_off;
        std::vector<const SpinorField<T>*> residuals;
        std::vector<SpinorField<T>*> given, given_1;
        for (SpinorField<T>& field : x) given.push_back(&field);
        for (SpinorField<T>& field : x_1) given_1.push_back(&field);
        for (std::size_t k = 0; k < steps; ++k) {
          const auto all = real_parts(coefficients(count + 3 + k, shape.parameters.right_hand_sides));
          const std::span<const blas::Reals> a = std::span(all).last(count), b = std::span(all).subspan(1, count),
                                             c = std::span(all).first(count);
          put_off.push_back({{a.begin(), a.end()}, {b.begin(), b.end()}, {c.begin(), c.end()}});
          residuals.push_back(&r[k]);
          detail::multi_shift_cg_steps<T>(given_1, p_1, std::span(residuals).last(1), std::span(put_off).last(1));
        }
        detail::multi_shift_cg_steps<T>(given, p, residuals, put_off);
        for (int rhs = 0; rhs < r[0].right_hand_sides(); ++rhs) {
          for (std::size_t s = 0; s < count; ++s) {
            EXPECT_LE(reference::relative_difference(x[s].to_host(rhs), x_1[s].to_host(rhs)), rounding<T>(1));
            EXPECT_LE(reference::relative_difference(p[s].to_host(rhs), p_1[s].to_host(rhs)), rounding<T>(1));
          }
        }
      }
    }
  }
}

TYPED_TEST(BlockBlas, RefusesFieldsAndCoefficientsThatDoNotFit) {
  const Shape shape = shapes()[0];
  std::vector<SpinorField<TypeParam>> v = noise_fields<TypeParam>(shape, 3, 10),
                                      p = noise_fields<TypeParam>(shape, 2, 20);
  SpinorField<TypeParam> y = noise<TypeParam>(shape, 0), odd = noise<TypeParam>(shapes()[2], 1);
  const auto a = coefficients(2, 2), short_a = coefficients(3, 1);
  KAON_EXPECT_ERROR(blas::block_caxpy<TypeParam>(y, v, a), "the coefficients of 2 fields were given for 3 fields");
  KAON_EXPECT_ERROR(blas::block_caxpy<TypeParam>(y, v, short_a), "1 coefficients were given for 2 right-hand sides");
  KAON_EXPECT_ERROR(blas::block_inner_product<TypeParam>(v, odd), "must have the same lattice, sites");
  const auto reals = real_parts(a);
  SpinorField<TypeParam>* const one[] = {&y};
  const SpinorField<TypeParam>* const residuals[] = {&y};
  const std::span<SpinorField<TypeParam>> p_1 = std::span(p).first(1);
  const std::vector<detail::ShiftedStep> step{{{reals[0]}, {reals[0]}, {}}};
  KAON_EXPECT_ERROR(detail::multi_shift_cg_steps<TypeParam>(one, p, residuals, step), "1 fields x were given for 2 p");
  KAON_EXPECT_ERROR(detail::multi_shift_cg_steps<TypeParam>(one, p_1, {}, step), "0 residuals were given for 1 steps");
  KAON_EXPECT_ERROR(detail::multi_shift_cg_steps<TypeParam>(one, p_1, residuals, step),
                    "needs its coefficients for 1 shifts and 2 right-hand sides");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
