// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/quarks/propagator_solver.hpp>

#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"
#include "core/tuning/tuning.hpp"
#include "quarks/automatic_solver.hpp"
#include "quarks/rung_solver.hpp"
#include "solvers/contract/refinement.hpp"
#include "solvers/contract/source_scale.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kaon {
namespace detail {

/// A multigrid that a solver has built, in any precision; empty until then.
struct BuiltMultigrid {
  std::function<MultigridReport()> report{};
  std::function<SpinorField<float>()> near_null_vectors{};
  /// The multigrid itself; one of them.
  std::tuple<std::shared_ptr<const Multigrid<double>>, std::shared_ptr<const Multigrid<float>>> levels{};
  std::shared_ptr<SeriesOfSolves> series = std::make_shared<SeriesOfSolves>();  ///< of `automatic`
};

}  // namespace detail

namespace {

using detail::Parts;

/// Solves for `least_block` right-hand sides or more by a solver that is made at its first use, and for fewer by
/// another.
template <class T>
class BlockOrFew final : public Solver<T> {
 public:
  BlockOrFew(Ref<Solver<T>> few, std::function<Ref<Solver<T>>()> make_block)
      : few_(std::move(few)), make_block_(std::move(make_block)) {}

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override {
    if (b.right_hand_sides() < least_block) return few_->solve(x, b, request);
    if (!block_) block_ = make_block_();
    return (*block_)->solve(x, b, request);
  }
  const LinearOperator<T>& solved_operator() const override { return few_->solved_operator(); }
  double tolerance() const override { return few_->tolerance(); }
  bool shares_work() const override { return true; }

 private:
  Ref<Solver<T>> few_;
  std::function<Ref<Solver<T>>()> make_block_;
  mutable std::optional<Ref<Solver<T>>> block_{};
};

/// Runs plans: makes the solver of each rung when it is first needed.
template <class T>
struct PlanSolver {
  Quark<T> quark;
  std::shared_ptr<const SolvePlan> plan;
  std::function<void(const std::string& notice)> on_fallback;
  std::shared_ptr<detail::BuiltMultigrid> built;          // receives the multigrid once it is built
  std::shared_ptr<const detail::BuiltMultigrid> earlier;  // whose levels the multigrid has; null: its own
  bool refreshes = false;                                 // the levels of `earlier` are refreshed

  /// The solver of the whole plan.
  Ref<Solver<T>> solver() const {
    if (!plan->until_multigrid_pays.empty()) return automatic();
    if (plan->block_rungs.empty()) return solver_from(0);
    return BlockOrFew<T>(solver_from(0), [of = *this] {
      PlanSolver block = of;
      block.plan = std::make_shared<const SolvePlan>(SolvePlan{.rungs = of.plan->block_rungs});
      return block.solver_from(0);
    });
  }

 private:
  Ref<Solver<T>> automatic() const {
    if constexpr (Parts::multigrid) {
      typename detail::AutomaticSolver<T>::Methods methods;
      for (const SolveRung& rung : plan->until_multigrid_pays) {
        const auto make = [of = *this, rung]() -> Ref<Solver<T>> {
          return EvenOddSolver<T>(of.made(rung, detail::system_of<T>(of.quark.exact(), rung)));
        };
        methods.krylov.push_back({make, detail::cost_of_iteration(rung)});
      }
      methods.multigrid = [of = *this](double worst) { return of.multigrid(0, worst); };
      methods.drop_multigrid = [of = built] { *of = detail::BuiltMultigrid{.series = of->series}; };
      methods.series = built->series;
      const SolveRung& first = plan->until_multigrid_pays.front();
      methods.price = [method = first.method, lattice = quark->lattice()](int n) {
        return detail::usual_price(method, lattice, n);
      };
      // The first solver of a series reads and writes records: files at each step of a trajectory would cost more than
      // its solves.
      if (built->series->known.empty() && detail::SolveRecords::are_on(quark->lattice())) {
        const auto records = std::make_shared<const detail::SolveRecords>(quark, first);
        methods.recall = [records](int n) { return records->recall(n); };
        methods.remember = [records](int n, const detail::SolveRecord& record) { records->remember(n, record); };
        methods.clock = [] {
          const auto now = std::chrono::steady_clock::now().time_since_epoch();
          return std::chrono::duration<double>(now).count() - detail::tuning_seconds();
        };
      }
      return detail::AutomaticSolver<T>(
          std::move(methods), first.bounds.max_iterations,
          {.how = "by multigrid where that pays, or in higher precision", .on_fallback = on_fallback});
    }
    detail::refuse_part("multigrid");
  }

  /// The solver of the whole system by the rungs from number `first` on.
  Ref<Solver<T>> solver_from(std::size_t first) const {
    const SolveRung& rung = plan->rungs[first];
    if (rung.method == KrylovMethod::multigrid) return multigrid(first);
    Ref<LinearOperator<T>> matrix = detail::system_of<T>(quark.exact(), rung);
    Ref<Solver<T>> krylov = krylov_from(first, matrix);
    if constexpr (Parts::eigenvectors && std::is_same_v<T, double>) {
      if (plan->eigenvectors) krylov = Deflated<T>(std::move(krylov), plan->eigenvectors);
    }
    if (dynamic_cast<const EvenOddSystem<T>*>(&*matrix) == nullptr) return krylov;
    return EvenOddSolver<T>(std::move(krylov));
  }

  Ref<Solver<T>> multigrid(std::size_t number, double worst_convergence = 1.0) const {
    if constexpr (Parts::multigrid) {
      using Shared = std::shared_ptr<const Multigrid<T>>;
      MultigridParameters parameters = plan->rungs[number].multigrid;
      parameters.worst_convergence = std::min(parameters.worst_convergence, worst_convergence);
      const auto levels = [&]() -> Shared {
        if (earlier == nullptr) return std::make_shared<const Multigrid<T>>(quark, parameters);
        const Multigrid<T>& old = *std::get<Shared>(earlier->levels);
        if (refreshes) return std::make_shared<const Multigrid<T>>(old.refreshed(quark));
        return std::make_shared<const Multigrid<T>>(quark, old);
      }();
      built->report = [levels] { return levels->report(); };
      built->near_null_vectors = [levels] { return levels->near_null_vectors(); };
      std::get<Shared>(built->levels) = levels;
      // The later rungs need no near-null vectors, which would remain in memory with their plan.
      const auto later = std::make_shared<SolvePlan>(*plan);
      later->rungs[number].multigrid = {};
      PlanSolver of = *this;
      of.plan = later;
      of.earlier = nullptr;
      return Fallback<T>(levels, [of, number] { return of.solver_from(number + 1); },
                         {.how = plan->rungs[number + 1].how, .on_fallback = on_fallback});
    }
    detail::refuse_part("multigrid");
  }

  /// The solver of the system of a Krylov rung, `matrix`, by that rung and the later ones.
  Ref<Solver<T>> krylov_from(std::size_t number, const Ref<LinearOperator<T>>& matrix) const {
    Ref<Solver<T>> first = made(plan->rungs[number], matrix);
    if (number + 1 == plan->rungs.size()) return first;
    return Fallback<T>(std::move(first), [of = *this, number, matrix] { return of.krylov_from(number + 1, matrix); },
                       {.how = plan->rungs[number + 1].how, .on_fallback = on_fallback});
  }

  Ref<Solver<T>> made(const SolveRung& rung, const Ref<LinearOperator<T>>& matrix) const {
    if (!rung.notice.empty() && quark->lattice().communicator().rank() == 0)
      detail::tell(MessageKind::notice, rung.notice);
    return detail::rung_solver(quark, rung, matrix);
  }
};

/// Solves M x = b in double by `solver`, of the same operator in single precision. The residuals that count are those
/// of M in double: a solution that misses its target by rounding is solved for a lower one, at most three times.
/// Solutions are rounded to single precision.
class RoundedSolver final : public Solver<double> {
 public:
  RoundedSolver(Ref<EvenOddOperator<double>> dirac, Ref<Solver<float>> solver, int max_iterations)
      : dirac_(std::move(dirac)), solver_(std::move(solver)), max_iterations_(max_iterations) {}

  SolveResult solve(SpinorField<double>& x, const SpinorField<double>& b, const SolveRequest& request) const override {
    require_domain(x, b);
    const detail::Targets targets = detail::make_targets(x, b, tolerance(), request);
    if (auto result = detail::solve_scaled<double, float>(*this, x, b, targets, request)) return std::move(*result);
    SpinorField<float> x_float(x.lattice(), x.parameters()), b_float(b.lattice(), b.parameters());
    blas::copy(x_float, x);
    blas::copy(b_float, b);
    SpinorField<double> residual = dirac_->make_field(b.right_hand_sides());
    detail::Refinement refinement(targets, request.bounded(targets.active.size(), max_iterations_), {});
    const auto solve_in_single = [&](const SolveRequest& of_single) {
      return solver_->solve(x_float, b_float, of_single);
    };
    const auto goes_on = [&] {
      for (std::size_t k = 0; k < targets.active.size(); ++k) {
        if (targets.active[k]) blas::copy(x.right_hand_side(k), x_float.right_hand_side(k));
      }
      dirac_->apply(residual, x);
      return refinement.goes_on(detail::norms(blas::xmy_norm2(residual, b)));
    };
    refinement.run(solve_in_single, goes_on);
    return std::move(refinement.result());
  }
  const LinearOperator<double>& solved_operator() const override { return *dirac_; }
  double tolerance() const override { return solver_->tolerance(); }
  bool shares_work() const override { return solver_->shares_work(); }

 private:
  Ref<EvenOddOperator<double>> dirac_;
  Ref<Solver<float>> solver_;
  int max_iterations_;
};

/// The solver of a plan in double or single, whose multigrid is put into `built`. It continues the series of `earlier`,
/// unless null, and has its levels, if any; refreshed if `refreshes`.
template <class T>
Ref<Solver<T>> solver_of(const Quark<T>& quark, const SolveOptions& options,
                         const std::shared_ptr<detail::BuiltMultigrid>& built,
                         const std::shared_ptr<const detail::BuiltMultigrid>& earlier, bool refreshes) {
  const detail::Phase phase(detail::PhaseName::setup);
  const bool has_levels = earlier != nullptr && earlier->report;
  if (earlier != nullptr) built->series = earlier->series;
  const auto run = [&]<class S>(const Quark<S>& in_precision) {
    const auto planned = std::make_shared<const SolvePlan>(plan(in_precision, options));
    return PlanSolver<S>{in_precision, planned, options.on_fallback, built, has_levels ? earlier : nullptr, refreshes}
        .solver();
  };
  if constexpr (std::is_same_v<T, double>) {
    if (options.outer == OuterPrecision::single) {
      return RoundedSolver(quark.exact(), run(quark.in_single()), options.max_iterations);
    }
  }
  return run(quark);
}

}  // namespace

template <class T>
PropagatorSolver<T>::PropagatorSolver(const Quark<T>& quark, const SolveOptions& options)
    : PropagatorSolver(quark, options, nullptr) {}

template <class T>
PropagatorSolver<T>::PropagatorSolver(const Quark<T>& quark, const SolveOptions& options, const Levels& levels,
                                      bool refreshes)
    : options_(options),
      built_(std::make_shared<detail::BuiltMultigrid>()),
      solver_(solver_of(quark, options, built_, levels, refreshes)) {
  options_.multigrid.near_null_vectors = nullptr;
}

template <class T>
PropagatorSolver<T> PropagatorSolver<T>::updated(const Quark<T>& quark) const {
  SolveOptions options = options_of_update(quark);
  if (built_->report) {
    options.multigrid.near_null_vectors = std::make_shared<const SpinorField<float>>(near_null_vectors());
  }
  return PropagatorSolver(quark, options);
}

template <class T>
PropagatorSolver<T> PropagatorSolver<T>::kept(const Quark<T>& quark) const {
  return PropagatorSolver(quark, options_of_update(quark), built_);
}

template <class T>
PropagatorSolver<T> PropagatorSolver<T>::refreshed(const Quark<T>& quark) const {
  return PropagatorSolver(quark, options_of_update(quark), built_, true);
}

template <class T>
SolveOptions PropagatorSolver<T>::options_of_update(const Quark<T>& quark) const {
  require(quark->lattice() == this->lattice(), "an updated solver is on the lattice of the one before: make a new one");
  require(quark->domain() == this->domain(), [&] {
    return fmt::format(
        "an updated solver has the spins and slices of the one before, {} and {}, but the operator has {} and {}: make "
        "a new one",
        this->domain().spins, this->domain().slices, quark->domain().spins, quark->domain().slices);
  });
  SolveOptions options = options_;
  if (built_->report) options.method = KrylovMethod::multigrid;
  return options;
}

template <class T>
SolveResult PropagatorSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const detail::Phase phase(detail::PhaseName::solve);
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
