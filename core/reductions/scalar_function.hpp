// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/kernel_scalars.hpp"

#include <concepts>
#include <limits>

namespace kaon::detail {

// Solvers compute coefficients from reductions, and vector operations wait for these. If the host does it, a device
// is still until the host has seen the reductions and launched the next kernel, which takes longer than many a
// kernel. So solvers write each formula as a *scalar function*, which runs where the reductions are, on the device or
// on the host (docs/decisions.md 13).

/// The reductions of one right-hand side, in double.
struct ReducedSums {
  const double* sums;
  KOKKOS_INLINE_FUNCTION double y_norm2() const { return sums[0]; }
  KOKKOS_INLINE_FUNCTION Complex<double> y_x() const { return {sums[1], sums[2]}; }
  KOKKOS_INLINE_FUNCTION double x_norm2() const { return sums[3]; }
  KOKKOS_INLINE_FUNCTION Complex<double> w_y() const { return {sums[4], sums[5]}; }
  KOKKOS_INLINE_FUNCTION Complex<double> w_x() const { return {sums[6], sums[7]}; }
};

/// From the reductions of a right-hand side and `Function::earlier` scalars e that were computed earlier to
/// `Function::scalars` scalars s. A function treats the ordinary case: it returns false to decline all else, which is
/// left to the host. There is one object for each right-hand side.
template <class Function>
concept ScalarFunction = requires(const Function& function, const ReducedSums& sums, Complex<double>* s) {
  { function(sums, s, s) } -> std::same_as<bool>;
  { Function::scalars } -> std::convertible_to<int>;
  { Function::earlier } -> std::convertible_to<int>;
};

/// No function: the host alone wants the reductions.
struct NoFunction {
  static constexpr int scalars = 0;
  static constexpr int earlier = 0;
};
inline NoFunction no_function(std::size_t) { return {}; }

/// The range of norms for which reductions are right: kernels may square numbers in the precision of their arithmetic,
/// which squares may leave.
struct SumRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool with_x = false;  ///< |x|^2 is among them

  KOKKOS_INLINE_FUNCTION bool holds(const double* sums) const { return holds(sums[0]) && (!with_x || holds(sums[3])); }
  KOKKOS_INLINE_FUNCTION bool holds(double norm2) const { return norm2 > least && norm2 < most; }
};

/// How kernels apply a function.
template <class Function>
struct KernelFunction {
  static constexpr int scalars = Function::scalars;
  Complex<double>* computed = nullptr;  ///< [right-hand side][scalar]; null: not by kernels
  Function function[blas_batch];
  KernelScalars<double, Function::earlier> earlier;
  SumRange range = {};
  bool norm_is_y_x = false;  ///< |y|^2 is to be read as <y, x>

  /// Computes `s` of a right-hand side from so many sums; NaN where the function declines.
  template <int Sums>
  KOKKOS_INLINE_FUNCTION void apply(int rhs, double* sums, Complex<double>* s) const {
    typename KernelScalars<double, Function::earlier>::Values e;
    bool computes = earlier.load(rhs, e);
    if constexpr (Sums > 3) {
      computes = computes && range.holds(sums);
      if (norm_is_y_x) {
        sums[1] = sums[0];
        sums[2] = 0.0;
      }
    }
    computes = computes && function[rhs](ReducedSums{sums}, e, s);
    for (int k = 0; k < scalars; ++k) {
      if (!computes) s[k] = {declined, declined};
      computed[rhs * scalars + k] = s[k];
    }
  }
};
template <>
struct KernelFunction<NoFunction> {
  static constexpr int scalars = 0;
};

}  // namespace kaon::detail
