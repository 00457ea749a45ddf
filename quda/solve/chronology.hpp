// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/client/interface.hpp"
#include "quda/solve/operator.hpp"

#include <vector>

// Initial guesses from the solutions of earlier solves (solvers/adapters/forecast.hpp).

namespace kaon::quda {

/// Sets x = sum_i a_i x_i of the solutions x_i that are stored under the client's `chrono_index`, if it sets
/// `chrono_use_resident`: the sum with the smallest residual of N x = b, or for N^dag N the smallest error in its norm,
/// as in QUDA. Returns false and leaves x unchanged if there are none of the shape of x. Throws `Error` for an index
/// that QUDA does not have.
bool extrapolate(SpinorField<double>& x, const SpinorField<double>& b, const MatrixDescription& matrix,
                 const Operator& of, const QudaInvertParam& given);

/// Stores a solution if the client sets `chrono_make_resident`, as the newest of `chrono_max_dim`, or, with
/// `chrono_replace_last`, in place of the newest.
void remember(const SpinorField<double>& x, const QudaInvertParam& given);

/// Forgets the solutions of an index, or, below 0, of all.
void forget_solutions(int index);

/// Solutions that a client leaves here in the place of its arrays (`make_resident_solution`), for forces
/// (`use_resident_solution`). Each solve of several shifts, and each that makes or uses some, replaces them.
void keep_solutions(std::vector<SpinorField<double>> solutions);

/// The first `count` of them, as right-hand sides of one field. Throws `Error` if there are fewer, or if they are on
/// other sites than the matrix.
SpinorField<double> kept_solutions(int count, const Operator& of, const MatrixDescription& matrix);

}  // namespace kaon::quda
