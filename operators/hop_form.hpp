// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

/// Check of the operands of every `EvenOddOperator::hop` beside their shape and parities: throws `Error` unless `out`
/// and `in` have as many right-hand sides, and `form.x` and what `form` wants of products fit `out` on `lattice`.
template <class T>
void require_hop_form(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                      const HopForm<T>& form);

}  // namespace kaon::detail
