// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <functional>
#include <span>

namespace kaon::detail {

/// The quantity that is smallest for a forecast.
enum class ForecastNorm {
  residual,  ///< |b - A x|
  error      ///< <x - A^-1 b, A (x - A^-1 b)>, for a Hermitian positive A
};

/// x = sum_i a_i x_i of the solutions x_i of earlier systems, with the smallest norm of all such sums: an initial guess
/// for A x = b with an A that differs little from theirs.
///
/// One application of A to n right-hand sides, n + 1 sums over processes and 2 n fields of memory for n solutions.
/// Solutions that depend on the others to rounding are left out. Fields have one right-hand side, and x is no x_i.
/// Collective. Source: R. C. Brower, T. Ivanenko, A. R. Levi and K. N. Orginos, arXiv:hep-lat/9509012.
void forecast(SpinorField<double>& x, const SpinorField<double>& b, std::span<const SpinorField<double>> earlier,
              ForecastNorm norm,
              const std::function<void(SpinorField<double>& out, const SpinorField<double>& in)>& apply);

}  // namespace kaon::detail
