// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/fixed_point.hpp"
#include "tests/reference/vectors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/execution.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

// Errors of an operator's result by storing a field in T, or links in one of their ways.
namespace kaon::test {

/// Half the spacing of numbers around 1.
template <class T>
constexpr double rounding() {
  return 0.5 * detail::spacing<T>();
}

/// Error by storing an object of some real numbers: |psi_stored - psi| / |psi| of a site. In 16 bits each number is
/// wrong by eps times the largest, which is at most |psi|.
template <class T>
double object_error(int reals) {
  return (std::is_same_v<T, half> ? std::sqrt(static_cast<double>(reals)) : 1.0) * rounding<T>();
}

/// Error by storing a link, |U_stored - U| as an operator, at most its Frobenius norm: 18 numbers wrong by eps; two
/// rows, and a third wrong by the sum of their errors; for eight reals the bound that link_storage_test.cpp holds rough
/// fields to, 16 eps (root mean square) for each of nine elements; a determinant adds its error to the third row. In 16
/// bits times the field's scale.
template <class T>
double link_error(LinkStorage storage) {
  switch (storage) {
    case LinkStorage::full:
      return std::sqrt(18.0) * rounding<T>();
    case LinkStorage::two_rows_and_determinant:
    case LinkStorage::two_rows:
      return (storage == LinkStorage::two_rows ? 6.0 : 8.0) * rounding<T>();
    case LinkStorage::minimal_and_determinant:
    case LinkStorage::minimal:
      break;
  }
  return 48.0 * rounding<T>();
}

/// Rounding of a few hundred operations in single or double precision.
template <class T>
double arithmetic_error() {
  return 100.0 * rounding<detail::Arithmetic<T>>();
}

/// Expects of a right-hand side what it gets alone: to the last bit on hosts, to rounding on GPUs, where kernels for
/// several right-hand sides are other machine code.
template <class T>
void expect_as_alone(const std::vector<std::complex<double>>& found, const std::vector<std::complex<double>>& alone) {
  if (on_device) {
    EXPECT_LE(reference::relative_difference(found, alone), 10.0 * rounding<T>());
  } else {
    EXPECT_EQ(found, alone);
  }
}

/// |psi| of the first right-hand side.
inline double norm(const SpinorField<double>& psi) { return std::sqrt(blas::norm2(psi)[0]); }

/// |a - b|
template <class T>
double distance(const SpinorField<T>& a, const SpinorField<double>& b) {
  SpinorField<double> difference = blas::clone(b);
  blas::scale(difference, -1.0);
  blas::add(difference, a);
  return norm(difference);
}

}  // namespace kaon::test
