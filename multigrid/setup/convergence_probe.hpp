// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

#include <cstdint>

namespace kaon::detail {

/// Iterations of a solve up to which it is measured. Late ones are slower: the modes are left that the coarse lattice
/// has badly.
enum class Probe { early, late };

/// Factors by which an iteration brings the residual down.
struct ConvergenceFactors {
  double early = 1.0, late = 1.0;  ///< `late` is that of `Probe::late` alone
};

/// The factors of GCR on `matrix`, preconditioned with `cycle`: of a few right-hand sides of noise the worst; 1 where
/// the solver has given up.
template <class T>
ConvergenceFactors measure_convergence(const LinearOperator<T>& matrix, const LinearOperator<T>& cycle,
                                       std::uint64_t seed, Probe probe = Probe::early);

/// Seconds of `solver` on the right-hand sides of that measurement, of the slowest process. Measurements before have
/// tuned its kernels.
template <class T>
double measure_seconds(const EvenOddSystem<T>& system, const LinearOperator<T>& solver, std::uint64_t seed);

}  // namespace kaon::detail
