// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <source_location>

namespace kaon::detail {

/// Throws `ParameterError(parameter, message())` unless `condition` holds.
template <class Message>
void require_parameter(bool condition, const char* parameter, const Message& message,
                       std::source_location where = std::source_location::current()) {
  if (!condition) throw ParameterError(parameter, message(), where);
}

/// Throws `Error` for an angle that is no number and not `dirichlet`.
inline void require_boundary(const BoundaryAngles& angles) {
  for (std::size_t mu = 0; mu < angles.size(); ++mu) {
    require(std::isfinite(angles[mu]) || angles[mu] == dirichlet, [&] {
      return fmt::format("the boundary angle of direction {} is {}: give a number, in radians", mu, angles[mu]);
    });
  }
}

/// Check of the operands of every `EvenOddOperator::hop` beside their shape and parities: throws `Error` unless `out`
/// and `in` have as many right-hand sides, and `form.x` and what `form` wants of products fit `out` on `lattice`.
template <class T>
void require_hop_form(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                      const HopForm<T>& form);

}  // namespace kaon::detail
