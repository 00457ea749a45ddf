// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/linear_operator.hpp>
#include <kaon/quarks/solve_plan.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <string>
#include <tuple>
#include <type_traits>

namespace kaon::detail {

/// Calls body.operator()<S>() in the precision of that name, T or a lower one.
template <class T, class Body>
decltype(auto) with_precision(const std::string& precision, const Body& body) {
  if (precision == precision_name<half>()) return body.template operator()<half>();
  if constexpr (std::is_same_v<T, double>) {
    if (precision == precision_name<double>()) return body.template operator()<double>();
  }
  return body.template operator()<float>();
}

/// The system of a rung: the operator itself, its Schur complement, or with the method `cg` the normal system of
/// staggered quarks and S^dag S of others.
template <class T>
Ref<LinearOperator<T>> system_of(const Ref<EvenOddOperator<T>>& full, const SolveRung& rung);

/// A matrix A = `matrix(M)` of an operator M, a `Ref<EvenOddOperator>` in any precision.
class MatrixInPrecisions {
 public:
  template <class Matrix>
  MatrixInPrecisions(const Matrix& matrix) : of_(matrix, matrix, matrix) {}

  template <class T>
  Ref<LinearOperator<T>> operator()(const Ref<EvenOddOperator<T>>& full) const {
    return std::get<Of<T>>(of_)(full);
  }

 private:
  template <class T>
  using Of = std::function<Ref<LinearOperator<T>>(const Ref<EvenOddOperator<T>>&)>;

  std::tuple<Of<double>, Of<float>, Of<half>> of_;
};

/// The cost of an iteration of conjugate gradients in those in 16 bits: its bytes. Iterations of other methods cost 1
/// in all precisions.
inline double cost_of_iteration(const SolveRung& rung) {
  if (rung.method != KrylovMethod::cg || rung.precision == precision_name<half>()) return 1.0;
  return rung.precision == precision_name<float>() ? 2.0 : 4.0;
}

/// Whether the iterations are on the exact operator itself.
template <class T>
bool is_exact(const Quark<T>& quark, const SolveRung& rung);

/// The operator of the iterations, in their precision.
template <class S, class T>
Ref<EvenOddOperator<S>> operator_of(const Quark<T>& quark, const SolveRung& rung) {
  if constexpr (std::is_same_v<S, T>) {
    if (is_exact(quark, rung)) return quark.exact();
  }
  return quark.template in<S>(rung.links, rung.halo);
}

/// The Krylov solver of matrix x = b in T, with iterations on `inner`, the same matrix in S.
template <class T, class S>
Ref<Solver<T>> krylov_solver(const SolveRung& rung, const Ref<LinearOperator<T>>& matrix,
                             const Ref<LinearOperator<S>>& inner);

/// The Krylov solver of matrix x = b in T by a rung, where `of` makes the matrix in other precisions.
template <class T>
Ref<Solver<T>> rung_solver(const Quark<T>& quark, const SolveRung& rung, const Ref<LinearOperator<T>>& matrix,
                           const MatrixInPrecisions& of) {
  return with_precision<T>(rung.precision, [&]<class S>() {
    if constexpr (std::is_same_v<S, T>) {
      if (is_exact(quark, rung)) return krylov_solver<T, T>(rung, matrix, matrix);
    }
    return krylov_solver<T, S>(rung, matrix, of(operator_of<S>(quark, rung)));
  });
}
/// The Krylov solver for the system of the rung.
template <class T>
Ref<Solver<T>> rung_solver(const Quark<T>& quark, const SolveRung& rung, const Ref<LinearOperator<T>>& matrix) {
  return rung_solver(quark, rung, matrix,
                     [&]<class S>(const Ref<EvenOddOperator<S>>& full) { return system_of(full, rung); });
}

}  // namespace kaon::detail
