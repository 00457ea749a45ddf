// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_operations.hpp"

#include <span>
#include <vector>

namespace kaon::detail {

// Vector operations of multi-shift conjugate gradients.

/// Steps that one pass of `multi_shift_cg_steps` makes.
inline constexpr int steps_put_off = 4;

/// Coefficients of a step of all shifts: [shift][right-hand side].
struct ShiftedStep {
  std::vector<blas::Reals> a, b, c;
};

/// For each of `steps` in turn, whose residual is r[k]: x_s = x_s + a_s p_s, then p_s = c_s r[k] + b_s p_s, for n
/// shifts s and m <= `steps_put_off` steps.
///
/// A shift needs nothing but the residuals and three numbers a step: its steps may be put off until several can be made
/// while its x and p are in registers. (2n + m for n <= 4, 2n) instead of m times (2n + 1, 2n), with the same digits as
/// one by one. Throws `Error` for numbers of fields and coefficients that do not fit each other.
template <class T>
void multi_shift_cg_steps(std::span<SpinorField<T>* const> x, std::span<SpinorField<T>> p,
                          std::span<const SpinorField<T>* const> r, std::span<const ShiftedStep> steps);

/// z0 = z1 + a z2, |z0|^2
struct NextResidual : blas::ops::Shape<3, 0b110, 0b001, 1, 1> {
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S& s) {
    z[0] = z[1];
    z[0] += V(c[0].re) * z[2];
    blas::ops::add_norm2(s[0], z[0]);
  }
};

/// out = y + a x; |out|^2, to which `function_of(k)` is applied as in core/blas/fused_updates.hpp (2, 1)
template <class T, class FunctionOf>
PendingSums next_residual(SpinorField<T>& out, const SpinorField<T>& y, const SpinorField<T>& x, const blas::Scalars& a,
                          const FunctionOf& function_of, const blas::Scalars& earlier) {
  return run_blas<NextResidual, T>("kaon::blas::next_residual", {&out, blas::mutate(y), blas::mutate(x)}, a,
                                   function_of, earlier);
}

}  // namespace kaon::detail
