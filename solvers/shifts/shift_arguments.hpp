// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_checks.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <vector>

namespace kaon::detail {

/// The numbers of the shifts from the smallest to the largest. Throws `Error` without shifts, and for a shift that is
/// negative or not a number.
std::vector<std::size_t> order_of_shifts(const std::vector<double>& shifts);

/// The tolerances of the shifts from the smallest to the largest, or `tolerance` for each where `tolerances` is empty.
/// Throws `Error` where the number of tolerances is not that of the shifts, and for a tolerance not between 0 and 1.
std::vector<double> ordered_tolerances(const std::vector<double>& tolerances, double tolerance,
                                       const std::vector<std::size_t>& order);

/// Throws `Error` for a request that names residual norms or activity of right-hand sides.
void require_no_targets(const SolveRequest& request);
/// The iterations of a sweep: those of `request`, `most` at most.
int iterations_of_sweep(const SolveRequest& request, int most);

/// Throws `Error` unless x are as many fields as there are `systems` ("shifts"), each of its own and none of them b.
template <class T>
void require_own_fields(std::span<SpinorField<T>> x, const SpinorField<T>& b, std::size_t count, const char* systems) {
  require(x.size() == count, [&] { return fmt::format("{} fields were given for {} {}", x.size(), count, systems); });
  for (std::size_t s = 0; s < count; ++s) {
    require(!overlap(x[s], b), "x and b of a solve must be two fields: b is needed to the end");
    for (std::size_t other = 0; other < s; ++other) {
      require(!overlap(x[s], x[other]), [&] {
        return fmt::format("solutions {} and {} share numbers: give each of the {} a field of its own", other, s,
                           systems);
      });
    }
  }
}

}  // namespace kaon::detail
