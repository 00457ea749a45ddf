// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <memory>

namespace kaon::detail {

/// The even-odd system of a level: the symmetric Schur complement on even sites. On a lattice of one parity, whose hops
/// connect sites of equal parity, S = 1 - A^-1 K on all sites, with source A^-1 b.
std::unique_ptr<EvenOddSystem<float>> make_system(const Ref<EvenOddOperator<float>>& full);

}  // namespace kaon::detail
