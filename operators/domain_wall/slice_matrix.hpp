// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/precision.hpp>
#include <kaon/core/spinor_field.hpp>

#include <complex>
#include <vector>

namespace kaon::detail {

/// The numbers of a matrix on slices, L_s of each:
///   y_s = u_s x_s + k_s (S y)_s,   out_s = p_s y_s + q_s (S y)_s.
struct SliceNumbers {
  std::vector<std::complex<double>> u, k, p, q;
};

/// m of each chirality.
struct SliceMasses {
  double upper, lower;
};

/// A matrix that mixes the slices of a Wilson spinor field by the shift S of `DomainWall`, alike on all sites.
///
/// Each chirality is a recurrence along s, rising for + and falling for -, and the other way for the adjoint:
///   r_s = a_s x_s + k_s r_before,   out_s = b_s x_s + c_s r_before,
/// from r = -m r_last before the first slice. With w_s the same recurrence from zero, r_last = w_last / (1 + m prod k).
///   the matrix:   r = y,             a = u,                b = p u,         c = q + p k
///   its adjoint:  r_s = conj(q_s) x_s + conj(k_s) y_s,  a = conj(q + k p),  k = conj(k),  b = conj(u p),  c = conj(u)
/// A pass reads x twice, the second time from cache; 216 flops a site and slice, 504 where the numbers are complex.
template <class T>
class SliceMatrix {
 public:
  /// Throws `Error`, which calls the matrix `name`, where 1 + m prod k is zero.
  SliceMatrix(const char* name, const SliceNumbers& numbers, const SliceMasses& masses);

  /// out = scale * matrix in + x_scale * x on all sites of the fields; x may be null. `out` may be `in` or x.
  void apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger, double scale = 1.0,
             const SpinorField<T>* x = nullptr, double x_scale = 1.0) const;

  /// For each site and slice.
  double flops() const { return is_real_ ? 216.0 : 504.0; }

  int slices() const { return slices_; }
  bool is_real() const { return is_real_; }
  using Number = Arithmetic<T>;
  /// The numbers of a recurrence, for kernels: [slice][a, k, b, c], then -m / (1 + m prod k) of both chiralities. Real,
  /// or as [re, im].
  const Number* table(bool dagger) const { return (dagger ? adjoint_ : forward_).data(); }

 private:
  Kokkos::View<Number*, Memory> stored(const std::vector<std::complex<double>>& recurrence) const;

  int slices_;
  bool is_real_;
  Kokkos::View<Number*, Memory> forward_, adjoint_;
};

}  // namespace kaon::detail
