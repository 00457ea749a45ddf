// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/precision.hpp>
#include <kaon/core/scalars.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

/// Right-hand sides of one launch of a vector operation: scalars and functions travel as kernel arguments.
inline constexpr int blas_batch = 16;

/// The scalars of right-hand sides that are to be left as they are.
inline constexpr double declined = std::numeric_limits<double>::quiet_NaN();

/// The numbers behind `blas::Scalars`.
struct ScalarState {
  static constexpr int all = -1;

  int right_hand_sides = 0;                       ///< `all`: they have the same scalars
  int count = 0;                                  ///< for each of them
  std::vector<std::complex<double>> values = {};  ///< [right-hand side][scalar]; empty: not known to the host yet
  std::shared_ptr<ScalarMemory> memory = {};      ///< where kernels compute them, in the same order; null: nowhere
  std::shared_ptr<ResultSlot> slot = {};          ///< where kernels write them for the host; null: it copies them
  std::size_t first = 0, stride = 0;              ///< there, of right-hand side 0, and to the next one
  std::optional<Execution> execution = {};        ///< of those kernels

  static blas::Scalars share(std::shared_ptr<ScalarState> state);
  static ScalarState* of(const blas::Scalars& scalars) { return scalars.state_.get(); }
  static double sign(const blas::Scalars& scalars) { return scalars.sign_; }

  /// The values, for which the host waits if kernels compute them.
  const std::vector<std::complex<double>>& wait();
};

/// The first N scalars of right-hand sides for kernels: values, or the place where other kernels compute them.
template <class T, int N>
struct KernelScalars {
  using Values = Complex<Arithmetic<T>>[std::max(N, 1)];
  /// Operations with more coefficients take values alone.
  static constexpr bool may_be_computed = N > 0 && N <= 3;

  const Complex<double>* computed = nullptr;  // [right-hand side][stride]; null: they are given
  int stride = 0;
  double sign = 1.0;  // of those
  Values given[blas_batch];

  /// False where the right-hand side is to be left as it is.
  KOKKOS_FORCEINLINE_FUNCTION bool load(int right_hand_side, Values& c) const {
    if (may_be_computed && computed != nullptr) {
      const Complex<double>* const of_rhs = computed + right_hand_side * stride;
      for (int k = 0; k < N; ++k) {
        c[k] = {static_cast<Arithmetic<T>>(sign * of_rhs[k].re), static_cast<Arithmetic<T>>(sign * of_rhs[k].im)};
      }
    } else {
      for (int k = 0; k < N; ++k) c[k] = given[right_hand_side][k];
    }
    return N == 0 || c[0].re == c[0].re;
  }
};

/// Scalars of right-hand sides [begin, start + count) of `right_hand_sides`. Throws `Error` unless there are N for
/// each.
template <class T, int N>
KernelScalars<T, N> kernel_scalars(const blas::Scalars& scalars, int right_hand_sides, int begin, int count) {
  KernelScalars<T, N> result;
  if constexpr (N > 0) {
    const ScalarState* const state = ScalarState::of(scalars);
    const int given_for = state == nullptr ? 0 : state->right_hand_sides;
    require(given_for == right_hand_sides || given_for == ScalarState::all, [&] {
      return fmt::format("{} coefficients were given for {} right-hand sides", given_for, right_hand_sides);
    });
    require(state->count >= N,
            [&] { return fmt::format("an operation needs {} coefficients, and {} were given", N, state->count); });
    if (state->memory != nullptr) {
      require(result.may_be_computed && right_hand_sides <= blas_batch,
              "kernels cannot compute so many coefficients for an operation");
      result.computed = state->memory->data();
      result.stride = state->count;
      result.sign = ScalarState::sign(scalars);
      return result;
    }
    for (int r = 0; r < count; ++r) {
      for (int k = 0; k < N; ++k) {
        const std::complex<double> value = scalars(static_cast<std::size_t>(begin + r), k);
        result.given[r][k] = {static_cast<Arithmetic<T>>(value.real()), static_cast<Arithmetic<T>>(value.imag())};
      }
    }
  }
  return result;
}

}  // namespace kaon::detail
