// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/guard.hpp"

#include <kaon/operators/schur.hpp>

namespace kaon::capi {

/// Throws `Error` for numbers that are in none of their lists.
SchurParameters schur_parameters(const kaon_schur_options* options);

constexpr Parity other(Parity parity) { return parity == Parity::even ? Parity::odd : Parity::even; }

}  // namespace kaon::capi
