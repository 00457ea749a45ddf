// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_system.hpp>

#include <cstdint>

namespace kaon::detail {

/// Factor by which an iteration of GCR on `matrix`, preconditioned with `cycle`, brings the residual down: of a few
/// right-hand sides of noise the worst; 1 where the solver has given up.
template <class T>
double measure_convergence(const LinearOperator<T>& matrix, const LinearOperator<T>& cycle, std::uint64_t seed);

/// Seconds of `solver` on the right-hand sides of that measurement, of the slowest process.
template <class T>
double measure_seconds(const EvenOddSystem<T>& system, const LinearOperator<T>& solver, std::uint64_t seed);

extern template double measure_convergence(const LinearOperator<double>&, const LinearOperator<double>&, std::uint64_t);
extern template double measure_convergence(const LinearOperator<float>&, const LinearOperator<float>&, std::uint64_t);
extern template double measure_seconds(const EvenOddSystem<double>&, const LinearOperator<double>&, std::uint64_t);
extern template double measure_seconds(const EvenOddSystem<float>&, const LinearOperator<float>&, std::uint64_t);

}  // namespace kaon::detail
