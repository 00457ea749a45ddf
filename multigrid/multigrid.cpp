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

template <class T>
Ref<Solver<T>> make_solver(const detail::OperatorInPrecisions<T>& dirac, const detail::Hierarchy<float>& hierarchy,
                           const MultigridParameters& parameters) {
  if constexpr (std::is_same_v<T, float>) {
    return EvenOddSolver<float>(Ref<Solver<float>>(Gcr<float>(hierarchy.system(), hierarchy.cycle(),
                                                              {.tolerance = parameters.tolerance,
                                                               .max_iterations = parameters.max_iterations,
                                                               .krylov_space = parameters.krylov_space,
                                                               .on_iteration = parameters.on_iteration})),
                                parameters.tolerance);
  } else {
    Gcr<float> inner(hierarchy.system(), hierarchy.cycle(),
                     {.tolerance = least_in_single,
                      .max_iterations = parameters.max_iterations,
                      .krylov_space = parameters.krylov_space,
                      .on_iteration = parameters.on_iteration});
    InPrecision<T, float> refined(Ref<LinearOperator<T>>(Schur<T>(dirac.exact)), std::move(inner),
                                  {.tolerance = parameters.tolerance,
                                   .inner_tolerance = least_in_single,
                                   .max_iterations = parameters.max_iterations});
    return EvenOddSolver<T>(Ref<Solver<T>>(std::move(refined)), parameters.tolerance);
  }
}

}  // namespace

/// Counts on through all solves that `solve` takes. In double, refinements in single precision begin anew with
/// residuals of length one: theirs are multiplied with what the earlier ones have left.
template <class T>
class Multigrid<T>::Progress {
 public:
  explicit Progress(OnIteration receiver) : receiver_(std::move(receiver)) {}

  void begin() { *this = Progress(std::move(receiver_)); }
  /// The same for further right-hand sides of a solve, which ends with the first ones.
  void begin_next() {
    const bool goes_on = goes_on_;
    begin();
    goes_on_ = goes_on;
  }
  bool take(int number, std::span<const double> residuals) {
    if (number == 1) {
      before_ += last_;
      if (refines) left_ = whole_;
      left_.resize(residuals.size(), 1.0);
    }
    last_ = number;
    whole_.resize(residuals.size());
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      // A right-hand side that has ended is a source of zero in later refinements: it keeps the residual that it had.
      if (before_ == 0 || residuals[k] != 0.0) whole_[k] = left_[k] * residuals[k];
    }
    goes_on_ = goes_on_ && receiver_(before_ + number, whole_);
    return goes_on_;
  }

 private:
  static constexpr bool refines = std::is_same_v<T, double>;

  OnIteration receiver_;
  bool goes_on_ = true;
  int before_ = 0, last_ = 0;
  std::vector<double> left_{}, whole_{};  // by right-hand side, relative residuals
};

template <class T>
Multigrid<T>::Multigrid(const detail::OperatorInPrecisions<T>& dirac, const MultigridParameters& parameters)
    : parameters_(parameters),
      hierarchy_(make_hierarchy(dirac, parameters)),
      progress_(std::make_shared<Progress>(parameters.on_iteration)),
      solver_([&] {
        MultigridParameters given = parameters;
        if (given.on_iteration) {
          given.on_iteration = [progress = progress_](int number, std::span<const double> residuals) {
            return progress->take(number, residuals);
          };
        }
        return make_solver(dirac, *hierarchy_, given);
      }()) {
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
  if (right_hand_sides <= most_right_hand_sides || !fits) {  // which the solver refuses
    progress_->begin();
    return solver_->solve(x, b, request);
  }
  SolveResult total;
  for (int first = 0; first < right_hand_sides; first += most_right_hand_sides) {
    const int count = std::min(most_right_hand_sides, right_hand_sides - first);
    SpinorField<T> x_k = x.range(first, count);
    first == 0 ? progress_->begin() : progress_->begin_next();
    total.append_right_hand_sides(solver_->solve(x_k, b.range(first, count), request.range(first, count)));
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
