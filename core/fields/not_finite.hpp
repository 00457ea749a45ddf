// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <string>

namespace kaon::detail {

/// Place of the first NaN or infinity of a right-hand side, for messages: "at site (1, 2, 3, 4)", and on which process
/// if there are several. "nowhere, but its norm is too large" if it holds none. Equal on all processes.
/// Collective: to be called where a norm, which all processes share, is not finite.
template <class T>
std::string place_of_not_finite(const SpinorField<T>& psi, int right_hand_side);

}  // namespace kaon::detail
