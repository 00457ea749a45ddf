// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/levels.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <memory>
#include <optional>

namespace kaon::detail {

/// Levels below the even-odd system of an operator with 4 spins. `rounded`: the operator in half precision, for the
/// smoother of the first level.
std::shared_ptr<const Levels> make_spinor_levels(const Ref<EvenOddOperator<float>>& dirac,
                                                 const std::optional<Ref<EvenOddOperator<half>>>& rounded,
                                                 const MultigridParameters& parameters);

}  // namespace kaon::detail
