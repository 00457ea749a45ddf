// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/targets.hpp"

#include "core/fields/field_checks.hpp"
#include "core/fields/not_finite.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kaon::detail {

template <class T>
blas::Reals finite_norm2(const SpinorField<T>& b) {
  blas::Reals norm2 = blas::norm2(b);
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    require(is_finite(norm2[k]), [&] {
      return fmt::format("right-hand side {} holds NaN or infinity {}", k, place_of_not_finite(b, static_cast<int>(k)));
    });
  }
  if constexpr (std::is_same_v<T, double>) {
    const bool small = std::ranges::any_of(norm2, [](double value) { return value < least_norm2; });
    require(
        !small || source_lengths(b).in_range,
        "a right-hand side is shorter than 1e-140, and double does not hold the squares of its residuals: multiply it "
        "and its solution by a number");
  }
  return norm2;
}

template <class T>
Targets make_targets(SpinorField<T>& x, const SpinorField<T>& b, double tolerance, const SolveRequest& request) {
  require(x.parameters() == b.parameters() && x.lattice() == b.lattice(),
          "x and b of a solve must have the same lattice, sites, spins, colours, slices and right-hand sides");
  require(!overlap(x, b), "x and b of a solve must be two fields: b is needed to the end");
  request.require_length(static_cast<std::size_t>(b.right_hand_sides()));
  for (std::size_t k = 0; k < request.residual_norms.size(); ++k) {
    require(request.residual_norms[k] >= 0.0, [&] {
      return fmt::format("the residual norm {} of right-hand side {} cannot be reached: give a number from 0 on",
                         request.residual_norms[k], k);
    });
  }
  Targets targets;
  const blas::Reals norm2 = finite_norm2(b);
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    const double norm = std::sqrt(norm2[k]);
    targets.active.push_back(request.is_active(k));
    if (norm == 0.0 && targets.active[k]) blas::set_zero(x.right_hand_side(k));
    targets.source_norm.push_back(norm == 0.0 ? 1.0 : norm);
    targets.residual_norm.push_back(request.residual_norms.empty() ? tolerance * norm : request.residual_norms[k]);
  }
  return targets;
}

template blas::Reals finite_norm2(const SpinorField<double>&);
template blas::Reals finite_norm2(const SpinorField<float>&);
template blas::Reals finite_norm2(const SpinorField<half>&);
template Targets make_targets(SpinorField<double>&, const SpinorField<double>&, double, const SolveRequest&);
template Targets make_targets(SpinorField<float>&, const SpinorField<float>&, double, const SolveRequest&);
template Targets make_targets(SpinorField<half>&, const SpinorField<half>&, double, const SolveRequest&);

}  // namespace kaon::detail
