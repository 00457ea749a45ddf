// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/solve/operator.hpp"

#include <kaon/solvers/solver.hpp>

#include <complex>
#include <span>
#include <vector>

namespace kaon::quda {

/// Results of solves for several shifts, shift by shift.
struct ShiftedSolutions {
  std::vector<SolveResult> results;
  std::vector<double> heavy_quark;             ///< residuals
  std::vector<std::complex<double>> products;  ///< <b, x>
};

/// Solves (Q + shift_i) x_i = b for all shifts in one Krylov space: Q = F^dag F with the factor F of Wilson-like
/// matrices, Q = -D D of staggered ones, where shifts are 4 m_i^2. Throws `Error` for shifts that do not ascend.
ShiftedSolutions solve_shifted(const SolveDescription& solve, std::span<void* const> h_x, const void* h_b);

/// Q x = b from zero by conjugate gradients on Q = F^dag F itself: a solve with F^dag and one with F after it take
/// twice the iterations.
SolveResult solve_normal(const SolveDescription& solve, const Operator& of, SpinorField<double>& x,
                         const SpinorField<double>& b, SolveRequest request);

}  // namespace kaon::quda
