// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/plan_solver.hpp"

#include "core/base/parts.hpp"
#include "quarks/automatic_solver.hpp"
#include "quarks/rung_solver.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <type_traits>
#include <utility>

namespace kaon::detail {

template <class T>
Ref<Solver<T>> PlanSolver<T>::solver() const {
  return plan->until_multigrid_pays.empty() ? solver_from(0) : automatic();
}

template <class T>
Ref<Solver<T>> PlanSolver<T>::automatic() const {
  if constexpr (Parts::multigrid) {
    typename AutomaticSolver<T>::Methods methods;
    for (std::size_t k = 0; k < plan->until_multigrid_pays.size(); ++k) {
      methods.krylov.push_back([of = *this, k]() -> Ref<Solver<T>> {
        const SolveRung& rung = of.plan->until_multigrid_pays[k];
        return EvenOddSolver<T>(of.made(rung, system_of<T>(of.quark.exact(), rung)));
      });
    }
    methods.multigrid = [of = *this] { return of.solver_from(0); };
    const SolveRung& first = plan->until_multigrid_pays.front();
    return AutomaticSolver<T>(
        std::move(methods), first.method == KrylovMethod::cg ? price_in_cg : price_in_bicgstab,
        first.bounds.max_iterations,
        {.how = "by multigrid where that pays, or in higher precision", .on_fallback = on_fallback});
  }
  refuse_part("multigrid");
}

template <class T>
Ref<Solver<T>> PlanSolver<T>::solver_from(std::size_t first) const {
  const SolveRung& rung = plan->rungs[first];
  if (rung.method == KrylovMethod::multigrid) return multigrid(first);
  Ref<LinearOperator<T>> matrix = system_of<T>(quark.exact(), rung);
  Ref<Solver<T>> krylov = krylov_from(first, matrix);
  if constexpr (Parts::eigenvectors && std::is_same_v<T, double>) {
    if (plan->eigenvectors) krylov = Deflated<T>(std::move(krylov), plan->eigenvectors);
  }
  if (dynamic_cast<const EvenOddSystem<T>*>(&*matrix) == nullptr) return krylov;
  return EvenOddSolver<T>(std::move(krylov));
}

template <class T>
Ref<Solver<T>> PlanSolver<T>::multigrid(std::size_t number) const {
  if constexpr (Parts::multigrid) {
    const auto built = std::make_shared<const Multigrid<T>>(quark, plan->rungs[number].multigrid);
    if (keep) keep({[built] { return built->report(); }, [built] { return built->near_null_vectors(); }});
    // The later rungs need no near-null vectors, which would stay in memory with their plan.
    const auto later = std::make_shared<SolvePlan>(*plan);
    later->rungs[number].multigrid = {};
    PlanSolver of = *this;
    of.plan = later;
    return Fallback<T>(built, [of, number] { return of.solver_from(number + 1); },
                       {.how = plan->rungs[number + 1].how, .on_fallback = on_fallback});
  }
  refuse_part("multigrid");
}

template <class T>
Ref<Solver<T>> PlanSolver<T>::krylov_from(std::size_t number, const Ref<LinearOperator<T>>& matrix) const {
  Ref<Solver<T>> first = made(plan->rungs[number], matrix);
  if (number + 1 == plan->rungs.size()) return first;
  return Fallback<T>(std::move(first), [of = *this, number, matrix] { return of.krylov_from(number + 1, matrix); },
                     {.how = plan->rungs[number + 1].how, .on_fallback = on_fallback});
}

template <class T>
Ref<Solver<T>> PlanSolver<T>::made(const SolveRung& rung, const Ref<LinearOperator<T>>& matrix) const {
  if (!rung.notice.empty() && quark->lattice().communicator().rank() == 0) tell(MessageKind::notice, rung.notice);
  return rung_solver(quark, rung, matrix);
}

template struct PlanSolver<double>;
template struct PlanSolver<float>;

}  // namespace kaon::detail
