// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "core/tuning/tuning_clock.hpp"
#include "operators/stencil_list.hpp"
#include "quarks/automatic_solver.hpp"
#include "quarks/normal_on_parity.hpp"
#include "solvers/contract/solve_report.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/deflated.hpp>
#include <kaon/solvers/even_odd_solver.hpp>
#include <kaon/solvers/fallback.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>
#include <kaon/solvers/schwarz.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kaon {
namespace {

using detail::Parts;

/// Cycles of GCR-DD, each of which brings the residual down by about `delta`.
constexpr int max_refinements = 1000;

/// Makes Krylov solvers for one operator, with iterations in one precision or another. Each keeps what it needs. The
/// next rung takes over where iterations in a lower precision fail.
template <class T>
class Ladder {
 public:
  Ladder(const Quark<T>& dirac, const PropagatorSolverParameters& parameters)
      : dirac_(dirac), parameters_(parameters), matrix_(preconditioned<T>(dirac.exact())) {
    require(parameters.schur || parameters.method != KrylovMethod::gcr_dd,
            "GCR-DD needs even-odd preconditioning: name the form of the Schur complement");
  }

  /// Where multigrids are kept, once built.
  using Keep = std::function<void(std::shared_ptr<const Multigrid<T>>)>;

  /// The solver of the whole system.
  Ref<Solver<T>> solver(const Keep& keep) const {
    if (parameters_.method == KrylovMethod::multigrid) {
      require_cg_for_eigenvectors();
      return multigrid(keep);
    }
    if (parameters_.method != KrylovMethod::automatic) return krylov_solver();
    const bool normal = dirac_->normal_system(Parity::even) != nullptr;
    if (dirac_->is_indefinite()) {
      PropagatorSolverParameters parameters = parameters_;
      parameters.method = KrylovMethod::cgnr;
      if (parameters.schur && dirac_->suits_asymmetric_form()) parameters.schur = SchurForm::asymmetric;
      return Ladder(dirac_, parameters).krylov_solver();
    }
    const KrylovMethod krylov = normal ? KrylovMethod::cg : KrylovMethod::bicgstab;
    if constexpr (Parts::multigrid && detail::has_precision<float>) {  // in which it iterates
      const bool suits_multigrid =
          parameters_.schur == SchurForm::symmetric && !parameters_.eigenvectors && (normal || is_coarsenable(*dirac_));
      if (suits_multigrid) return automatic(krylov, keep);
    }
    return by(krylov).krylov_solver();
  }

 private:
  Ref<Solver<T>> krylov_solver() const {
    const Ref<Solver<T>> krylov = parameters_.eigenvectors ? deflated() : first();
    if (!parameters_.schur && parameters_.method != KrylovMethod::cg) return krylov;
    return EvenOddSolver<T>(krylov);
  }

  void require_cg_for_eigenvectors() const {
    require(parameters_.eigenvectors == nullptr || parameters_.method == KrylovMethod::cg,
            "eigenvectors deflate conjugate gradients of staggered operators only: leave them out, or take "
            "conjugate gradients (cg)");
  }

  Ref<Solver<T>> deflated() const {
    if constexpr (!Parts::eigenvectors) {
      detail::refuse_part("eigenvectors");
    } else if constexpr (std::is_same_v<T, double>) {
      require_cg_for_eigenvectors();
      return Deflated<T>(first(), parameters_.eigenvectors);
    } else {
      throw Error("eigenvectors deflate solvers in double only: leave them out");
    }
  }

  Ladder by(KrylovMethod method) const {
    PropagatorSolverParameters parameters = parameters_;
    parameters.method = method;
    return Ladder(dirac_, parameters);
  }

  /// A Krylov method, and multigrid once it pays.
  Ref<Solver<T>> automatic(KrylovMethod method, const Keep& keep) const {
    using Automatic = detail::AutomaticSolver<T>;
    typename Automatic::Methods methods;
    for (const InnerPrecision inner : rising_precisions()) {
      Ladder rung = by(method);
      rung.alone_ = true;
      rung.parameters_.inner = inner;
      // Rounded halos may be what was too coarse.
      if (!methods.krylov.empty()) rung.parameters_.halo = HaloPrecision::field;
      methods.krylov.push_back([rung] { return rung.krylov_solver(); });
    }
    methods.multigrid = [light = by(KrylovMethod::multigrid), keep] { return light.multigrid(keep); };
    const detail::MultigridPrice& price = method == KrylovMethod::cg ? detail::price_in_cg : detail::price_in_bicgstab;
    return Automatic(std::move(methods), price, parameters_.max_iterations,
                     fallback_parameters("by multigrid where that pays, or in higher precision"));
  }

  /// The precision of the first iterations, and higher ones.
  std::vector<InnerPrecision> rising_precisions() const {
    std::vector<InnerPrecision> result{parameters_.inner};
    const bool single_lies_between = parameters_.inner == InnerPrecision::half && std::is_same_v<T, double> &&
                                     detail::compiled_stencils().has_precision(precision_name<float>());
    if (single_lies_between) result.push_back(InnerPrecision::single);
    if (!pure()) result.push_back(InnerPrecision::outer);
    return result;
  }

  /// Multigrid, and as its fallback BiCGstab, or conjugate gradients of staggered operators.
  Ref<Solver<T>> multigrid(const Keep& keep) const {
    if constexpr (Parts::multigrid) {
      return built_multigrid(keep);
    } else {
      detail::refuse_part("multigrid");
    }
  }
  Ref<Solver<T>> built_multigrid(const Keep& keep) const {
    require(parameters_.schur == SchurForm::symmetric,
            "multigrid works on the symmetric Schur complement: no other form can be taken");
    MultigridParameters given = parameters_.multigrid;
    given.tolerance = parameters_.tolerance;
    given.max_iterations = std::min(given.max_iterations, std::max(1, parameters_.max_iterations / 2));
    given.links = links();
    if (parameters_.inner != InnerPrecision::half) given.smoothing = MultigridPrecision::single;
    const auto built = std::make_shared<const Multigrid<T>>(dirac_, given);
    keep(built);
    const bool normal = dirac_->normal_system(Parity::even) != nullptr;
    Ladder other = by(normal ? KrylovMethod::cg : KrylovMethod::bicgstab);
    other.parameters_.multigrid = {};
    const auto next = [other] { return other.krylov_solver(); };
    return Fallback<T>(built, next, fallback_parameters(normal ? "by conjugate gradients" : "by BiCGstab"));
  }

  /// Whether the first iterations are in T, too.
  bool pure() const {
    if (parameters_.inner == InnerPrecision::single) return std::is_same_v<T, float>;
    return parameters_.inner == InnerPrecision::outer;
  }

  LinkStorage links() const {
    if (parameters_.links) return *parameters_.links;
    return pure() ? LinkStorage::full : dirac_.compressed_links();
  }

  Ref<Solver<T>> first() const {
    if (pure()) return in_outer_precision();
    if (parameters_.inner == InnerPrecision::single) return rung<float>(parameters_.halo);
    return rung<half>(parameters_.halo);
  }

  /// Iterations in S, and behind them, should that be too coarse, in the next precision. Precisions that were not
  /// compiled are passed over.
  template <class S>
  Ref<Solver<T>> rung(HaloPrecision halo) const {
    if constexpr (std::is_same_v<S, T>) {
      return krylov<T>(matrix_);
    } else {
      using Next = std::conditional_t<std::is_same_v<S, half>, float, T>;
      if (!detail::compiled_stencils().has_precision(precision_name<S>())) {
        if (dirac_->lattice().communicator().rank() == 0) {
          detail::tell(MessageKind::notice,
                       fmt::format("this kaon was built without operators in {} precision (CMake's KAON_PRECISIONS): "
                                   "iterating in {} precision",
                                   precision_name<S>(), precision_name<Next>()));
        }
        return rung<Next>(halo);
      }
      if (alone_) return krylov<S>(inner<S>(halo));
      // Rounded halos may be what was too coarse.
      const auto next = [ladder = *this] { return ladder.template rung<Next>(HaloPrecision::field); };
      return Fallback<T>(krylov<S>(inner<S>(halo)), next,
                         fallback_parameters(fmt::format("in {} precision", precision_name<Next>())));
    }
  }

  /// Iterations in T, on the operator itself or on one with compressed links or rounded halos.
  Ref<Solver<T>> in_outer_precision() const {
    const bool rounded_halos = parameters_.halo != HaloPrecision::field && dirac_->lattice().is_partitioned();
    if (!rounded_halos && links() == LinkStorage::full) return rung<T>(HaloPrecision::field);
    if (!rounded_halos) return krylov<T>(inner<T>(parameters_.halo));
    if (alone_) return krylov<T>(inner<T>(parameters_.halo));
    const auto next = [ladder = *this] {
      return ladder.template krylov<T>(ladder.template inner<T>(HaloPrecision::field));
    };
    return Fallback<T>(krylov<T>(inner<T>(parameters_.halo)), next, fallback_parameters("with exact halos"));
  }

  /// The operator of the iterations, in S.
  template <class S>
  Ref<LinearOperator<S>> inner(HaloPrecision halo) const {
    return preconditioned<S>(dirac_.template in<S>(links(), halo));
  }

  template <class S>
  Ref<LinearOperator<S>> preconditioned(const Ref<EvenOddOperator<S>>& full) const {
    if (parameters_.method == KrylovMethod::cg) return detail::normal_on_parity(full, parameters_.parity);
    if (!parameters_.schur) return full;
    return Schur<S>(full, {.form = *parameters_.schur, .parity = parameters_.parity});
  }

  template <class S>
  Ref<Solver<T>> krylov(const Ref<LinearOperator<S>>& inner) const {
    const SolverParameters parameters{.tolerance = parameters_.tolerance,
                                      .max_iterations = parameters_.max_iterations,
                                      .reliable_delta = parameters_.reliable_delta};
    switch (parameters_.method) {
      case KrylovMethod::cgnr:
        if constexpr (Parts::solvers) return Cgnr<T, S>(matrix_, inner, parameters);
        break;
      case KrylovMethod::cgne:
        if constexpr (Parts::solvers) return Cgne<T, S>(matrix_, inner, parameters);
        break;
      case KrylovMethod::gcr_dd:
        if constexpr (Parts::solvers) return gcr_dd<S>(inner, parameters);
        break;
      case KrylovMethod::cg:
        if constexpr (Parts::solvers) return Cg<T, S>(matrix_, inner, parameters);
        break;
      case KrylovMethod::automatic:
      case KrylovMethod::bicgstab:
      case KrylovMethod::multigrid:
        return BiCgStab<T, S>(matrix_, inner, parameters);
    }
    detail::refuse_part("solvers");
  }

  /// Babich et al., arXiv:1109.2935, algorithm 1.
  template <class S>
  Ref<Solver<T>> gcr_dd(const Ref<LinearOperator<S>>& inner, const SolverParameters& bounds) const {
    const Ref<Schur<S>> schur(inner, dynamic_cast<const Schur<S>&>(*inner));
    Schwarz<S> schwarz(schur, {.steps = parameters_.schwarz_steps});
    if constexpr (std::is_same_v<S, T>) {
      return Gcr<T>(matrix_, std::move(schwarz), {.solve = bounds});
    } else {
      return InPrecision<T, S>(
          matrix_,
          Gcr<S>(inner, std::move(schwarz),
                 {.solve = {.tolerance = parameters_.reliable_delta, .max_iterations = bounds.max_iterations}}),
          {.tolerance = bounds.tolerance, .max_refinements = max_refinements, .max_iterations = bounds.max_iterations});
    }
  }

  FallbackParameters fallback_parameters(const std::string& how) const {
    return {.how = how, .on_fallback = parameters_.on_fallback};
  }

  Quark<T> dirac_;
  PropagatorSolverParameters parameters_;
  Ref<LinearOperator<T>> matrix_;  // whose residual counts
  bool alone_ = false;             // one rung, and no other behind it
};

}  // namespace

std::string detail::refusal_of(KrylovMethod method, OperatorKind kind) {
  static constexpr std::array quarks{"quarks of Wilson's kind", "domain wall quarks and twisted doublets",
                                     "staggered quarks"};
  std::vector<std::string_view> words;
  std::string_view given;
  for (const SolvingMethod& of : krylov_methods) {
    if (of.value == method) given = of.word;
    if (of.solves_for(kind)) words.push_back(of.word);
  }
  if (std::ranges::find(words, given) != words.end()) return {};
  const std::string_view last = words.back();
  words.pop_back();
  return fmt::format("{} does not solve for {}: take {} or {}", given, quarks[static_cast<std::size_t>(kind)],
                     fmt::join(words, ", "), last);
}

template <class T>
PropagatorSolver<T>::PropagatorSolver(const Quark<T>& dirac, const PropagatorSolverParameters& parameters)
    : parameters_(parameters), solver_([&] {
        detail::require_bounds({.tolerance = parameters.tolerance, .max_iterations = parameters.max_iterations});
        detail::require_reliable_delta(parameters.reliable_delta);
        detail::require_same_receivers(dirac->lattice(), parameters.on_iteration);
        const std::string refusal = detail::refusal_of(parameters.method, kind_of(*dirac));
        require(refusal.empty(), [&] { return refusal; });
        return Ladder<T>(dirac, parameters).solver([built = built_](auto multigrid) { built->multigrid = multigrid; });
      }()) {
  parameters_.multigrid.near_null_vectors = nullptr;
}

template <class T>
PropagatorSolverParameters PropagatorSolver<T>::parameters_of_update() const {
  PropagatorSolverParameters parameters = parameters_;
  if (built_->multigrid) {
    parameters.method = KrylovMethod::multigrid;
    parameters.multigrid.near_null_vectors = std::make_shared<const SpinorField<float>>(near_null_vectors());
  }
  return parameters;
}

template <class T>
PropagatorSolver<T> PropagatorSolver<T>::updated(const Quark<T>& dirac) const {
  require(dirac->lattice() == this->lattice(), "an updated solver is on the lattice of the one before: make a new one");
  require(dirac->domain() == this->domain(), [&] {
    return fmt::format(
        "an updated solver has the spins and slices of the one before, {} and {}, but the operator has {} and {}: make "
        "a new one",
        this->domain().spins, this->domain().slices, dirac->domain().spins, dirac->domain().slices);
  });
  return PropagatorSolver(dirac, parameters_of_update());
}

template <class T>
SolveResult PropagatorSolver<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const auto right_hand_sides = static_cast<std::size_t>(b.right_hand_sides());
  SolveRequest bounded = request.bounded(right_hand_sides, parameters_.max_iterations);
  if (!bounded.progress) bounded.progress = parameters_.on_iteration;
  const double before = detail::tuning_seconds();
  SolveResult result = solver_->solve(x, b, bounded);
  result.seconds -= detail::tuning_seconds() - before;
  return result;
}

template <class T>
std::optional<MultigridReport> PropagatorSolver<T>::multigrid_report() const {
  if constexpr (Parts::multigrid) {
    if (built_->multigrid) return built_->multigrid->report();
  }
  return std::nullopt;
}

template <class T>
SpinorField<float> PropagatorSolver<T>::near_null_vectors() const {
  require(built_->multigrid != nullptr, "this solver has no near-null vectors: choose the method multigrid");
  if constexpr (Parts::multigrid) return built_->multigrid->near_null_vectors();
  detail::refuse_part("multigrid");
}

template class PropagatorSolver<double>;
template class PropagatorSolver<float>;

}  // namespace kaon
