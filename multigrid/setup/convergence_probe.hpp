// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

#include <cstdint>

namespace kaon::detail {

/// Iterations of a solve that are measured. Late iterations converge more slowly, because the remaining modes are those
/// that the coarse lattice represents badly.
enum class Probe { early, late };

/// Factors by which an iteration reduces the residual.
struct ConvergenceFactors {
  double early = 1.0, late = 1.0;  ///< `late` is measured by `Probe::late` only
};

/// The worst factors of GCR on `matrix`, preconditioned with `cycle`, for a few right-hand sides of noise; 1 if the
/// solver gives up.
ConvergenceFactors measure_convergence(const LinearOperator<float>& matrix, const LinearOperator<float>& cycle,
                                       std::uint64_t seed, Probe probe = Probe::early);

/// Seconds of `solver` on the right-hand sides of `measure_convergence`, which must have tuned its kernels before; the
/// maximum over processes.
double measure_seconds(const EvenOddSystem<float>& system, const LinearOperator<float>& solver, std::uint64_t seed);

}  // namespace kaon::detail
