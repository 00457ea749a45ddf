// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/spinor_field.hpp>

#include <fmt/format.h>

namespace kaon::detail {

/// Throws `Error` unless the field is a propagator of so many spins.
template <class T>
void require_propagator(const SpinorField<T>& field, int spins) {
  require(field.parameters().spins == spins && field.components() == 3 * spins && field.slices() == 1 &&
              field.subset() == Subset::full && field.right_hand_sides() == field.components(),
          [&] {
            return fmt::format(
                "a contraction needs a propagator of {} spins: both parities, one slice and {} right-hand sides; got "
                "{} components, {} parities, {} slices and {} right-hand sides",
                spins, 3 * spins, field.components(), field.parities(), field.slices(), field.right_hand_sides());
          });
}

/// Throws `Error` unless both fields are propagators of so many spins on one lattice.
template <class T>
void require_propagators(const SpinorField<T>& one, const SpinorField<T>& other, int spins) {
  require_propagator(one, spins);
  require_propagator(other, spins);
  require(one.lattice() == other.lattice(), "a contraction needs its propagators on one lattice");
}

}  // namespace kaon::detail
