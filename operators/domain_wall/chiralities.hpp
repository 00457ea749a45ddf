// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// out = P_+ upper + P_- lower, P_+- = (1 +- g5)/2; null is zero. On one parity and one slice. `out` may be one of
/// them.
template <class T>
void join_chiralities(SpinorField<T>& out, const SpinorField<T>* upper, const SpinorField<T>* lower);

}  // namespace kaon::detail
