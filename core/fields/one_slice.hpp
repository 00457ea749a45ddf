// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/spinor_field.hpp>

#include <string>

namespace kaon::detail {

/// Throws `Error` unless the field has one slice, as `what`, "a point source", needs it.
template <class T>
void require_one_slice(const SpinorField<T>& field, const char* what) {
  require(field.slices() == 1,
          [&] { return std::string(what) + " needs a field of one slice, not of " + std::to_string(field.slices()); });
}

}  // namespace kaon::detail
