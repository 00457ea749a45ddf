// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/domain_wall_levels.hpp"
#include "multigrid/setup/hierarchy_builder.hpp"
#include "multigrid/staggered/staggered_levels.hpp"
#include "operators/stencil_list.hpp"

#include <kaon/core/error.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <type_traits>

namespace kaon {
namespace {

/// A solve in single precision ends at this part of its source.
constexpr double least_in_single = 1e-5;

template <class T>
LinkStorage stored_links(const Quark<T>& dirac, const MultigridParameters& parameters) {
  return parameters.links.value_or(dirac.compressed_links());
}

template <class T>
Ref<EvenOddOperator<float>> in_single(const Quark<T>& dirac, const MultigridParameters& parameters) {
  if constexpr (std::is_same_v<T, float>) return dirac.exact();
  return dirac.template in<float>(stored_links(dirac, parameters), HaloPrecision::field);
}

template <class T>
std::shared_ptr<const detail::Levels> make_levels(const Quark<T>& dirac, const MultigridParameters& parameters,
                                                  const detail::Hierarchy* earlier = nullptr) {
  if (dirac->domain().spins == 1) {  // a staggered operator
    return detail::make_staggered_levels(in_single(dirac, parameters), parameters);
  }
  if (dirac->is_indefinite()) {  // a domain wall operator, or a twisted doublet
    detail::require_parameters(parameters);
    return detail::make_domain_wall_levels(in_single(dirac, parameters), parameters);
  }
  detail::require_parameters(parameters);  // before a smoother refuses some of them in other words
  detail::HierarchyKind kind;
  if (parameters.smoothing == MultigridPrecision::half &&
      detail::compiled_stencils().has_precision(precision_name<half>())) {
    const Ref<EvenOddOperator<half>> rounded =
        dirac.template in<half>(stored_links(dirac, parameters), HaloPrecision::field);
    kind.make_smoother = [=, &parameters](const detail::Weights& weights) -> Ref<LinearOperator<float>> {
      return detail::Rounded(detail::make_relaxation<half>(Schur<half>(rounded), parameters, weights));
    };
  }
  return std::make_shared<detail::Hierarchy>(
      detail::build_hierarchy(in_single(dirac, parameters), parameters, kind, earlier));
}

GcrParameters of_gcr(const MultigridParameters& parameters, double tolerance) {
  return {.krylov_space = parameters.krylov_space,
          .solve = {.tolerance = tolerance, .max_iterations = parameters.max_iterations}};
}

/// Flexible GCR in single precision on `matrix`, which is `exact` in that precision, preconditioned by a cycle.
template <class T>
Ref<Solver<T>> make_solver(const Ref<LinearOperator<T>>& exact, const Ref<LinearOperator<float>>& matrix,
                           const LinearOperator<float>& cycle, const MultigridParameters& parameters) {
  if constexpr (std::is_same_v<T, float>) {
    return Gcr<float>(matrix, cycle, of_gcr(parameters, parameters.tolerance));
  } else {
    return InPrecision<T, float>(exact, Gcr<float>(matrix, cycle, of_gcr(parameters, least_in_single)),
                                 {.tolerance = parameters.tolerance,
                                  .inner_tolerance = least_in_single,
                                  .max_iterations = parameters.max_iterations});
  }
}

/// Flexible conjugate gradients on M^dag M in single precision, M an asymmetric Schur complement.
template <class T>
Ref<Solver<T>> make_normal_solver(const Quark<T>& dirac, const Ref<LinearOperator<float>>& matrix,
                                  const detail::Levels& levels, const MultigridParameters& parameters) {
  return FlexibleCgnr<T, float>(Schur<T>(dirac.exact(), {.form = SchurForm::asymmetric}), matrix, levels.cycle(),
                                {.tolerance = parameters.tolerance, .max_iterations = parameters.max_iterations});
}

/// The solver for an operator whose matrix in single precision is `matrix`, preconditioned by the cycle of levels that
/// may be those of another operator.
template <class T>
Ref<Solver<T>> make_solver(const Quark<T>& dirac, const Ref<LinearOperator<float>>& matrix,
                           const detail::Levels& levels, const MultigridParameters& parameters) {
  if (levels.on_all_sites()) {
    return make_solver<T>(Ref<LinearOperator<T>>(dirac.exact()), matrix, levels.cycle(), parameters);
  }
  if (levels.is_normal()) return EvenOddSolver<T>(make_normal_solver(dirac, matrix, levels, parameters));
  return EvenOddSolver<T>(
      make_solver<T>(Ref<LinearOperator<T>>(Schur<T>(dirac.exact())), matrix, levels.cycle(), parameters));
}

/// Returns the matrix that the levels have, made of another operator.
template <class T>
Ref<LinearOperator<float>> matrix_of(const Quark<T>& dirac, const detail::Levels& levels,
                                     const MultigridParameters& parameters) {
  const Ref<EvenOddOperator<float>> single = in_single(dirac, parameters);
  if (levels.on_all_sites()) return single;
  return Schur<float>(single, {.form = levels.is_normal() ? SchurForm::asymmetric : SchurForm::symmetric});
}

}  // namespace

template <class T>
Multigrid<T>::Multigrid(const Quark<T>& dirac, const MultigridParameters& parameters)
    : parameters_(parameters),
      levels_(make_levels(dirac, parameters)),
      solver_(make_solver<T>(dirac, levels_->matrix(), *levels_, parameters)) {
  parameters_.near_null_vectors = nullptr;
}

template <class T>
Multigrid<T>::Multigrid(const Quark<T>& dirac, const Multigrid& levels)
    : parameters_(levels.parameters_), levels_(levels.levels_), solver_([&] {
        levels.require_fits(dirac);
        return make_solver<T>(dirac, matrix_of(dirac, *levels_, parameters_), *levels_, parameters_);
      }()) {}

template <class T>
Multigrid<T> Multigrid<T>::refreshed(const Quark<T>& dirac) const {
  const auto* const earlier = dynamic_cast<const detail::Hierarchy*>(levels_.get());
  if (earlier == nullptr) return updated(dirac);
  require_fits(dirac);
  Multigrid multigrid = *this;
  multigrid.levels_ = make_levels(dirac, parameters_, earlier);
  multigrid.solver_ = make_solver<T>(dirac, multigrid.levels_->matrix(), *multigrid.levels_, parameters_);
  return multigrid;
}

template <class T>
void Multigrid<T>::require_fits(const Quark<T>& dirac) const {
  require(dirac->lattice() == this->lattice() && dirac->domain() == this->domain(),
          "levels serve operators on their own lattice alone: make a new Multigrid");
}

template <class T>
MultigridParameters Multigrid<T>::parameters_of_update() const {
  MultigridParameters parameters = parameters_;
  parameters.near_null_vectors = std::make_shared<const SpinorField<float>>(near_null_vectors());
  return parameters;
}

template <class T>
SolveResult Multigrid<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const int right_hand_sides = b.right_hand_sides();
  request.require_length(static_cast<std::size_t>(right_hand_sides));
  const bool fits = right_hand_sides == x.right_hand_sides();
  SolveRequest counting = request;
  counting.progress = request.progress.counted();
  if (!fits) return solver_->solve(x, b, counting);  // it refuses them
  const int together = levels_->right_hand_sides_in_memory(right_hand_sides);
  if (right_hand_sides <= together) return solver_->solve(x, b, counting);
  SolveResult total;
  for (int first = 0; first < right_hand_sides; first += together) {
    const int count = std::min(together, right_hand_sides - first);
    SpinorField<T> x_k = x.range(first, count);
    SolveRequest group = request.range(first, count);
    group.progress = total.stopped ? Progress::ending() : group.progress.counted();
    total.append_right_hand_sides(solver_->solve(x_k, b.range(first, count), group));
  }
  return total;
}

template <class T>
const MultigridReport& Multigrid<T>::report() const {
  return levels_->report();
}

template <class T>
SpinorField<float> Multigrid<T>::near_null_vectors() const {
  return levels_->near_null_vectors();
}

template class Multigrid<double>;
template class Multigrid<float>;

}  // namespace kaon
