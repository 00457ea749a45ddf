// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

// Checks of the operands of operators on coarse lattices. Each throws `Error` for fields of other shapes, parities or
// lattices, and for adjoints, which coarse operators do not have.

template <class T>
void require_coarse_site_term(const EvenOddOperator<T>& dirac, const SpinorField<T>& out, const SpinorField<T>& in,
                              SiteTerm term, bool dagger);
template <class T>
void require_coarse_hop(const EvenOddOperator<T>& dirac, const SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form);

}  // namespace kaon::detail
