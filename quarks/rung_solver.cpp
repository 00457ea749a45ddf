// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/rung_solver.hpp"

#include "core/base/parts.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <memory>
#include <utility>

namespace kaon::detail {
namespace {

/// Bound on the cycles of GCR-DD, each of which brings the residual down by about `reliable_delta`.
constexpr int max_refinements = 1000;

/// Babich et al., arXiv:1109.2935, algorithm 1.
template <class T, class S>
Ref<Solver<T>> gcr_dd(const SolveRung& rung, const Ref<LinearOperator<T>>& matrix,
                      const Ref<LinearOperator<S>>& inner) {
  const SolverParameters& bounds = rung.bounds;
  const Ref<Schur<S>> schur(inner, dynamic_cast<const Schur<S>&>(*inner));
  Schwarz<S> schwarz(schur, rung.schwarz);
  if constexpr (std::is_same_v<S, T>) {
    return Gcr<T>(matrix, std::move(schwarz), {.solve = bounds});
  } else {
    return InPrecision<T, S>(
        matrix,
        Gcr<S>(inner, std::move(schwarz),
               {.solve = {.tolerance = bounds.reliable_delta, .max_iterations = bounds.max_iterations}}),
        {.tolerance = bounds.tolerance, .max_refinements = max_refinements, .max_iterations = bounds.max_iterations});
  }
}

}  // namespace

template <class T>
Ref<LinearOperator<T>> system_of(const Ref<EvenOddOperator<T>>& full, const SolveRung& rung) {
  const bool is_cg = rung.method == KrylovMethod::cg;
  if (auto normal = is_cg || rung.normal ? full->normal_system(rung.parity) : nullptr) {
    struct Both {
      Ref<EvenOddOperator<T>> full;  // the system borrows it
      std::unique_ptr<EvenOddSystem<T>> normal;
    };
    const auto both = std::make_shared<const Both>(full, std::move(normal));
    return std::shared_ptr<const LinearOperator<T>>(both, both->normal.get());
  }
  if (!rung.form) return full;
  Schur<T> schur(full, {.form = *rung.form, .parity = rung.parity});
  if constexpr (Parts::solvers) {
    if (is_cg) return NormalOperator<T>(std::move(schur));
  }
  return schur;
}

template <class T>
bool is_exact(const Quark<T>& quark, const SolveRung& rung) {
  const bool exact_halos = rung.halo == HaloPrecision::field || !quark->lattice().is_partitioned();
  return rung.precision == precision_name<T>() && rung.links == LinkStorage::full && exact_halos;
}

template <class T, class S>
Ref<Solver<T>> krylov_solver(const SolveRung& rung, const Ref<LinearOperator<T>>& matrix,
                             const Ref<LinearOperator<S>>& inner) {
  if constexpr (Parts::solvers) {
    if (rung.method == KrylovMethod::cg) return Cg<T, S>(matrix, inner, rung.bounds);
    if (rung.method == KrylovMethod::cgnr) return Cgnr<T, S>(matrix, inner, rung.bounds);
    if (rung.method == KrylovMethod::cgne) return Cgne<T, S>(matrix, inner, rung.bounds);
    if (rung.method == KrylovMethod::gcr_dd) return gcr_dd<T, S>(rung, matrix, inner);
    if constexpr (!std::is_same_v<S, half>) {
      if (rung.method == KrylovMethod::block_cg && rung.normal) return BlockCg<T, S>(matrix, inner, rung.bounds);
      if (rung.method == KrylovMethod::block_cg) return BlockCgnr<T, S>(matrix, inner, rung.bounds);
    }
  }
  if (rung.method != KrylovMethod::bicgstab) refuse_part("solvers");
  return BiCgStab<T, S>(matrix, inner, rung.bounds);
}

template Ref<LinearOperator<double>> system_of(const Ref<EvenOddOperator<double>>&, const SolveRung&);
template Ref<LinearOperator<float>> system_of(const Ref<EvenOddOperator<float>>&, const SolveRung&);
template Ref<LinearOperator<half>> system_of(const Ref<EvenOddOperator<half>>&, const SolveRung&);
template bool is_exact(const Quark<double>&, const SolveRung&);
template bool is_exact(const Quark<float>&, const SolveRung&);

template <class T, class S>
using Krylov = Ref<Solver<T>>(const SolveRung&, const Ref<LinearOperator<T>>&, const Ref<LinearOperator<S>>&);
template Krylov<double, double> krylov_solver;
template Krylov<double, float> krylov_solver;
template Krylov<double, half> krylov_solver;
template Krylov<float, float> krylov_solver;
template Krylov<float, half> krylov_solver;
template Krylov<half, half> krylov_solver;

}  // namespace kaon::detail
