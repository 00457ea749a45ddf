// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

// Near-null vectors: the right-hand sides of one field on all sites.

/// v = v / |v| for each right-hand side.
template <class T>
void normalize(SpinorField<T>& v);

/// v_p = v_p - e with e = `relaxation` applied to S v_p, an approximation of v_p that is good for modes with large S;
/// v_q such that M v vanishes there; then v = v / |v|. S is the matrix of `system` on parity p. If S is 1 up to
/// rounding, the difference would be zero, and v_p is unchanged.
template <class T>
void relax(SpinorField<T>& v, const EvenOddSystem<T>& system, const LinearOperator<T>& relaxation);

}  // namespace kaon::detail
