// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <array>

namespace kaon {

/// The terms of `covariant_sum`.
struct CovariantSum {
  std::array<bool, 4> forward{};   ///< directions mu of the terms U_mu(x) psi(x+mu)
  std::array<bool, 4> backward{};  ///< and of the terms U_mu(x-mu)^dag psi(x-mu)
  double weight = 1.0;             ///< w, of all these
  double center = 0.0;             ///< c, of psi(x)
};

/// A sum of gauge-covariant shifts:
///
///   out(x) = c in(x) + w sum_{mu in forward} U_mu(x) in(x+mu) + w sum_{mu in backward} U_mu(x-mu)^dag in(x-mu)
///
/// The Laplace operator in space has three directions of both kinds, w = 1 and c = -6. Periodic: no boundary condition
/// of fermions enters. Any number of spins and right-hand sides. 66 flops a spin and term, 6 for each sum of two terms,
/// 6 for w and 12 for c; 18 reals a term and 12 a spin. Without c no in(x) is read.
///
/// Throws `Error` for weights that are not finite, for fields on different lattices or of different shapes, for `out`
/// that is `in`, for compressed links, and for fields that are not of 3 colours and both parities.
template <class T>
void covariant_sum(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links, const CovariantSum& sum);

struct CovariantShift {
  int direction = 0;    ///< mu, 0 to 3
  bool forward = true;  ///< from x+mu; else from x-mu
};

/// out(x) = U_mu(x) in(x+mu), or U_mu(x-mu)^dag in(x-mu), one the inverse of the other: a `covariant_sum` of one term.
///
/// Throws `Error` as `covariant_sum` does, and for a direction that is none of 0 to 3.
template <class T>
void covariant_shift(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links,
                     const CovariantShift& shift);

}  // namespace kaon
