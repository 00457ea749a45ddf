// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/tuning.hpp"
#include "quarks/plan_solver.hpp"

#include <kaon/core/error.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <fmt/format.h>

#include <memory>
#include <type_traits>
#include <utility>

namespace kaon {
namespace {

/// The solver of a plan in double or single, whose multigrid is put into `built`.
template <class T, class Built>
Ref<Solver<T>> solver_of(const Quark<T>& quark, const SolveOptions& options, const std::shared_ptr<Built>& built) {
  const auto run = [&]<class S>(const Quark<S>& in_precision) {
    const auto keep = [built](detail::BuiltMultigrid multigrid) { *built = std::move(multigrid); };
    const auto planned = std::make_shared<const SolvePlan>(plan(in_precision, options));
    return detail::PlanSolver<S>{in_precision, planned, options.on_fallback, keep}.solver();
  };
  if constexpr (std::is_same_v<T, double>) {
    if (options.outer == OuterPrecision::single) {
      return detail::rounded_solver(quark.exact(), run(quark.in_single()), options.max_iterations);
    }
  }
  return run(quark);
}

}  // namespace

template <class T>
PropagatorSolver<T>::PropagatorSolver(const Quark<T>& quark, const SolveOptions& options)
    : options_(options),
      built_(std::make_shared<detail::BuiltMultigrid>()),
      solver_(solver_of(quark, options, built_)) {
  options_.multigrid.near_null_vectors = nullptr;
}

template <class T>
PropagatorSolver<T> PropagatorSolver<T>::updated(const Quark<T>& quark) const {
  require(quark->lattice() == this->lattice(), "an updated solver is on the lattice of the one before: make a new one");
  require(quark->domain() == this->domain(), [&] {
    return fmt::format(
        "an updated solver has the spins and slices of the one before, {} and {}, but the operator has {} and {}: make "
        "a new one",
        this->domain().spins, this->domain().slices, quark->domain().spins, quark->domain().slices);
  });
  SolveOptions options = options_;
  if (built_->report) {
    options.method = KrylovMethod::multigrid;
    options.multigrid.near_null_vectors = std::make_shared<const SpinorField<float>>(near_null_vectors());
  }
  return PropagatorSolver(quark, options);
}

template <class T>
SolveResult PropagatorSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const auto right_hand_sides = static_cast<std::size_t>(b.right_hand_sides());
  SolveRequest bounded = request.bounded(right_hand_sides, options_.max_iterations);
  if (!bounded.progress) bounded.progress = options_.on_iteration;
  const double before = detail::tuning_seconds();
  SolveResult result = solver_->solve(x, b, bounded);
  result.seconds -= detail::tuning_seconds() - before;
  return result;
}

template <class T>
std::optional<MultigridReport> PropagatorSolver<T>::multigrid_report() const {
  return built_->report ? std::optional(built_->report()) : std::nullopt;
}

template <class T>
SpinorField<float> PropagatorSolver<T>::near_null_vectors() const {
  require(built_->near_null_vectors != nullptr, "this solver has no near-null vectors: choose the method multigrid");
  return built_->near_null_vectors();
}

template class PropagatorSolver<double>;
template class PropagatorSolver<float>;

}  // namespace kaon
