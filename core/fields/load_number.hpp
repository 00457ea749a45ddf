// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"

namespace kaon::detail {

/// Loads one number that is stored as [re, im], on a device as one word.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Complex<T> load_number(const T* from) {
  const Word<T, 1> word = *reinterpret_cast<const Word<T, 1>*>(from);
  return {word.number[0], word.number[1]};
}

}  // namespace kaon::detail
