// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/hierarchy.hpp"
#include "operators/stencil_list.hpp"

#include <kaon/core/error.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/even_odd_solver.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace kaon {
namespace {

/// A solve in single precision ends at this part of its source.
constexpr double least_in_single = 1e-5;

template <class T>
std::shared_ptr<const detail::Hierarchy<float>> make_hierarchy(const detail::OperatorInPrecisions<T>& dirac,
                                                               const MultigridParameters& parameters) {
  const detail::StencilList& compiled = detail::compiled_stencils();
  const LinkStorage links = parameters.links                               ? *parameters.links
                            : compiled.has_storage(dirac.compressed_links) ? dirac.compressed_links
                                                                           : LinkStorage::full;
  std::optional<Ref<EvenOddOperator<half>>> rounded;
  if (parameters.smoothing == MultigridPrecision::half && compiled.has_precision(precision_name<half>())) {
    rounded = dirac.in_half(links, HaloPrecision::field);
  }
  const auto fine = [&]() -> Ref<EvenOddOperator<float>> {
    if constexpr (std::is_same_v<T, float>) return dirac.exact;
    return dirac.in_single(links, HaloPrecision::field);
  };
  return std::make_shared<detail::Hierarchy<float>>(fine(), rounded, parameters);
}

/// Right-hand sides that are solved at once.
constexpr int most_right_hand_sides = 12;

GcrParameters of_gcr(const MultigridParameters& parameters, double tolerance) {
  return {.krylov_space = parameters.krylov_space,
          .solve = {.tolerance = tolerance, .max_iterations = parameters.max_iterations}};
}

template <class T>
Ref<Solver<T>> make_solver(const detail::OperatorInPrecisions<T>& dirac, const detail::Hierarchy<float>& hierarchy,
                           const MultigridParameters& parameters) {
  if constexpr (std::is_same_v<T, float>) {
    return EvenOddSolver<float>(Ref<Solver<float>>(
        Gcr<float>(hierarchy.system(), hierarchy.cycle(), of_gcr(parameters, parameters.tolerance))));
  } else {
    InPrecision<T, float> refined(
        Ref<LinearOperator<T>>(Schur<T>(dirac.exact)),
        Gcr<float>(hierarchy.system(), hierarchy.cycle(), of_gcr(parameters, least_in_single)),
        {.tolerance = parameters.tolerance,
         .inner_tolerance = least_in_single,
         .max_iterations = parameters.max_iterations});
    return EvenOddSolver<T>(Ref<Solver<T>>(std::move(refined)));
  }
}

}  // namespace

template <class T>
Multigrid<T>::Multigrid(const detail::OperatorInPrecisions<T>& dirac, const MultigridParameters& parameters)
    : parameters_(parameters),
      hierarchy_(make_hierarchy(dirac, parameters)),
      solver_(make_solver(dirac, *hierarchy_, parameters)) {
  parameters_.near_null_vectors = nullptr;
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
  // Solves within solves begin anew with 1. Further right-hand sides of a solve end with the first ones.
  int before = 0, last = 0;
  bool goes_on = true;
  SolveRequest counting = request;
  if (request.on_iteration) {
    counting.on_iteration = [&](int number, std::span<const double> residuals) {
      if (number == 1) before += last;
      last = number;
      return goes_on = goes_on && request.on_iteration(before + number, residuals);
    };
  }
  if (right_hand_sides <= most_right_hand_sides || !fits)
    return solver_->solve(x, b, counting);  // it refuses what does not fit
  SolveResult total;
  for (int first = 0; first < right_hand_sides; first += most_right_hand_sides) {
    const int count = std::min(most_right_hand_sides, right_hand_sides - first);
    SpinorField<T> x_k = x.range(first, count);
    before = last = 0;
    total.append_right_hand_sides(solver_->solve(x_k, b.range(first, count), counting.range(first, count)));
  }
  return total;
}

template <class T>
const MultigridReport& Multigrid<T>::report() const {
  return hierarchy_->report();
}

template <class T>
SpinorField<float> Multigrid<T>::near_null_vectors() const {
  return hierarchy_->near_null_vectors();
}

template class Multigrid<double>;
template class Multigrid<float>;

}  // namespace kaon
