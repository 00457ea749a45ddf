// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

// Near-null vectors: the right-hand sides of one field on all sites.

/// v = v / |v|, each by itself.
template <class T>
void normalize(SpinorField<T>& v);

/// v_p = v_p - e with e = `relaxation` applied to S v_p, an approximation of v_p that is good where S is large; v_q
/// such that M v vanishes there; then v = v / |v|. S is the matrix of `system` on parity p. Where S is 1 to rounding
/// nothing would be left: v_p stays as it is.
template <class T>
void relax(SpinorField<T>& v, const EvenOddSystem<T>& system, const LinearOperator<T>& relaxation);

}  // namespace kaon::detail
