// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/spinor_field.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace kaon::detail {

/// True if two fields of the same lattice and parameters share numbers: if they are one field, or ranges of one field
/// with right-hand sides in common. Strides may differ: that of one parity of a full field is twice that of a field of
/// its own.
template <class T>
bool overlap(const SpinorField<T>& a, const SpinorField<T>& b) {
  const auto address = [](const SpinorField<T>& field) {
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(field.data()));
  };
  const auto bytes = [](std::size_t numbers) { return static_cast<std::ptrdiff_t>(numbers * sizeof(T)); };
  const std::ptrdiff_t size = bytes(a.size()), last = a.right_hand_sides() - 1;
  const std::ptrdiff_t of_a = bytes(a.right_hand_side_stride()), of_b = bytes(b.right_hand_side_stride());
  for (std::ptrdiff_t k = 0; k < b.right_hand_sides(); ++k) {
    const std::ptrdiff_t distance = address(b) + k * of_b - address(a);  // from right-hand side 0 of a to k of b
    const std::ptrdiff_t before = std::clamp<std::ptrdiff_t>(distance / of_a, 0, last),
                         behind = std::min(before + 1, last);
    for (const std::ptrdiff_t r : {before, behind}) {
      if (std::abs(distance - r * of_a) < size) return true;
    }
  }
  return false;
}

/// Throws `Error` unless the field has one slice, as `what`, "a point source", needs it.
template <class T>
void require_one_slice(const SpinorField<T>& field, const char* what) {
  require(field.slices() == 1,
          [&] { return std::string(what) + " needs a field of one slice, not of " + std::to_string(field.slices()); });
}

}  // namespace kaon::detail
