// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <string>

namespace kaon::detail {

/// Where a right-hand side holds the first NaN or infinity, for a message: "at site (1, 2, 3, 4)", and on which process
/// where there are several. "nowhere, but its norm is too large" if it holds none. The same on all processes.
/// Collective: to be called where a norm, which all processes share, is not finite.
template <class T>
std::string place_of_not_finite(const SpinorField<T>& psi, int right_hand_side);

}  // namespace kaon::detail
