// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <memory>

namespace kaon::detail {

/// The normal system of `full` on a parity, which keeps `full` alive. Throws `Error` for an operator that has none.
template <class T>
Ref<EvenOddSystem<T>> normal_on_parity(const Ref<EvenOddOperator<T>>& full, Parity parity) {
  struct Kept {
    Ref<EvenOddOperator<T>> full;
    std::unique_ptr<EvenOddSystem<T>> system;
  };
  const auto kept = std::make_shared<Kept>(Kept{full, full->normal_system(parity)});
  require(kept->system != nullptr, "CG solves with the normal operator of staggered fermions: use CGNR for others");
  return std::shared_ptr<EvenOddSystem<T>>(kept, kept->system.get());
}

}  // namespace kaon::detail
