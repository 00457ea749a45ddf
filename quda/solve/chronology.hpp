// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/client/interface.hpp"
#include "quda/solve/operator.hpp"

#include <vector>

// Solutions of earlier solves, from which later ones begin: Brower, Ivanenko, Levi, Orginos, hep-lat/9509012.

namespace kaon::quda {

/// x = sum_i a_i x_i of the solutions x_i that are kept under the client's `chrono_index`, where it says
/// `chrono_use_resident`: that with the smallest residual of N x = b, or for N^dag N the smallest error in its norm, as
/// in QUDA. False, and x stays, where there are none of the shape of x. Throws `Error` for an index that QUDA does not
/// have.
bool extrapolate(SpinorField<double>& x, const SpinorField<double>& b, const MatrixDescription& matrix,
                 const Operator& of, const QudaInvertParam& given);

/// Keeps a solution where the client says `chrono_make_resident`: the newest of `chrono_max_dim`, or, with
/// `chrono_replace_last`, in the place of the newest.
void remember(const SpinorField<double>& x, const QudaInvertParam& given);

/// Forgets the solutions of an index, or, below 0, of all.
void forget_solutions(int index);

/// Solutions that a client leaves here in the place of its arrays (`make_resident_solution`), for forces
/// (`use_resident_solution`). Each solve of several shifts, and each that makes or uses some, replaces them.
void keep_solutions(std::vector<SpinorField<double>> solutions);

/// The first `count` of them, as right-hand sides of one field. Throws `Error` where there are fewer, or of others than
/// the sites of a matrix.
SpinorField<double> kept_solutions(int count, const Operator& of, const MatrixDescription& matrix);

}  // namespace kaon::quda
