// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon {

/// A system on one parity that M x = b on all sites can be reduced to: this operator S times x_p is `prepare(b)`, and
/// `reconstruct` finds the other parity.
template <class T>
class EvenOddSystem : public LinearOperator<T> {
 public:
  /// M
  virtual const EvenOddOperator<T>& full() const = 0;
  /// p
  virtual Parity parity() const = 0;
  /// The right-hand side of the system on p, from `b` on all sites.
  virtual void prepare(SpinorField<T>& source, const SpinorField<T>& b) const = 0;
  /// The other parity of `x` on all sites, whose parity p holds the solution; x_p is left as it is. `b` may be `x`.
  virtual void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const = 0;
  /// out = F r on p, where the residual of M x = b is F times that of the system, and zero on the other parity. `out`
  /// and `residual` are different fields.
  virtual void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const = 0;
};

}  // namespace kaon
