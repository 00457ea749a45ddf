// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/level_stack.hpp"

#include <cstdint>

namespace kaon::detail {

/// Weights of a polynomial of about `degree` that reduces S v most for noise v. It consists of polynomials of lower
/// degree, each of which fits the residuals of those before.
Weights relaxation_weights(const EvenOddSystem<float>& system, int degree, std::uint64_t seed);

/// Replaces the minimal residuals of all smoothers, and the GCR of a last level that iterates, by polynomials with
/// fixed weights, which need no sums over processes. The weights fit the residuals of a short solve. Collective.
void fix_weights(LevelStack& levels, std::uint64_t seed);
/// Undoes `fix_weights`.
void free_weights(LevelStack& levels);

}  // namespace kaon::detail
