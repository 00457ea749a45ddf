// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/solver.hpp>

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kaon {

/// The method of a `PropagatorSolver`.
enum class KrylovMethod {
  automatic,  ///< `cgnr` for domain wall and doublets; `cg` for staggered fermions and `bicgstab` for others until the
              ///< setup of `multigrid` pays
  bicgstab,   ///< fastest for few solves and heavy quarks
  cgnr,       ///< conjugate gradients on M^dag M: wherever the spectrum lies
  cgne,       ///< conjugate gradients on M M^dag
  gcr_dd,     ///< GCR with additive Schwarz blocks (Babich et al., arXiv:1109.2935): for many processes
  cg,         ///< conjugate gradients on `StaggeredNormal`, on one parity: for `Staggered` and `ImprovedStaggered`
  multigrid   ///< GCR with a `Multigrid` cycle: for light masses and many solves; its setup takes some seconds
};

/// The precision in which a `PropagatorSolver` iterates first.
enum class InnerPrecision {
  half,    ///< 16 bits
  single,  ///< single, or that of the operator if it is lower
  outer    ///< that of the operator
};

struct PropagatorSolverParameters {
  /// Between 0 and 1: on |b - M x| / |b| of the whole system, in the precision of the operator.
  double tolerance = 1e-10;
  int max_iterations = 10000;  ///< for each right-hand side, over all precisions; at least 1
  KrylovMethod method = KrylovMethod::automatic;
  /// Even-odd preconditioning; none: the iterations are on all sites, which `gcr_dd` cannot do. `cg` does not read it.
  std::optional<SchurForm> schur = SchurForm::symmetric;
  /// The sites that iterations with even-odd preconditioning are on. `multigrid` takes the even ones.
  Parity parity = Parity::even;
  InnerPrecision inner = InnerPrecision::half;
  /// Links of the iterations; unless it is set, two rows in a lower precision than the operator's (of third links with
  /// the determinant) and all reals in that. Links further than 1e-5 from SU(3) need all, or a determinant.
  std::optional<LinkStorage> links{};
  HaloPrecision halo = HaloPrecision::field;  ///< of the iterations
  /// The residual is computed in the outer precision when the iterated one has fallen by this factor: see
  /// `SolverParameters::reliable_delta`; `gcr_dd` solves to it in each of its cycles.
  double reliable_delta = 0.1;
  int schwarz_steps = 10;  ///< of minimal residuals on the blocks of `gcr_dd`
  /// Of `StaggeredNormal` on `parity`, with any mass: `cg` begins with them, and corrects by them in its course
  /// (`Deflated`). For solutions in double.
  std::shared_ptr<const Eigenvectors<double>> eigenvectors{};
  /// The hierarchy of `multigrid`. Its tolerance, links and bounds are those given here.
  MultigridParameters multigrid{};
  OnIteration on_iteration{};  ///< of solves whose request has none
  /// Called on all processes, with a sentence about it, when iterations go on in another precision.
  std::function<void(const std::string& notice)> on_fallback{};
};

/// A word of the program and of Python; "gcr-dd" is KAON_GCR_DD in C.
template <class Value>
struct OptionWord {
  std::string_view word;
  Value value;
};

/// The kind of an operator.
template <class T>
OperatorKind kind_of(const EvenOddOperator<T>& dirac) {
  if (dirac.is_indefinite()) return OperatorKind::indefinite;
  return dirac.normal_system(Parity::even) != nullptr ? OperatorKind::staggered : OperatorKind::definite;
}

/// A method and the operators that it solves for; for others it needs far more iterations or fails.
struct SolvingMethod {
  std::string_view word;  ///< as of `OptionWord`
  KrylovMethod value;
  bool definite = false;
  bool indefinite = false;
  bool staggered = false;

  constexpr bool solves_for(OperatorKind kind) const {
    return kind == OperatorKind::definite ? definite : kind == OperatorKind::indefinite ? indefinite : staggered;
  }
};

/// In the order of `kaon_method` of kaon.h, where KAON_CG is `cgnr` for operators that are not staggered.
inline constexpr std::array krylov_methods{
    SolvingMethod{"auto", KrylovMethod::automatic, true, true, true},
    SolvingMethod{"cg", KrylovMethod::cg, false, false, true},
    SolvingMethod{"bicgstab", KrylovMethod::bicgstab, true, false, false},
    SolvingMethod{"gcr-dd", KrylovMethod::gcr_dd, true, false, false},
    SolvingMethod{"multigrid", KrylovMethod::multigrid, true, false, true},
    SolvingMethod{"cgnr", KrylovMethod::cgnr, true, true, false},
    SolvingMethod{"cgne", KrylovMethod::cgne, true, true, false},
};

namespace detail {
/// Why the method does not solve for these operators, and which others do; empty: it does.
std::string refusal_of(KrylovMethod method, OperatorKind kind);
}  // namespace detail

/// An option of solvers, once for C++, C, Python and the program. Numbers have their type and their default from
/// `PropagatorSolverParameters`.
struct SolverOption {
  std::string_view name;      ///< in C++, C and Python
  std::string_view option{};  ///< of the program
  std::variant<std::monostate, int PropagatorSolverParameters::*, double PropagatorSolverParameters::*> number{};
  double lowest = 0.0;   ///< integers may be that
  double highest = 0.0;  ///< of integers: no bound
  std::string_view text{};
  bool in_c = true;  ///< kaon.h and Python have it
};

/// The options of kaon.h come first, in its order.
inline constexpr std::array solver_options{
    SolverOption{.name = "method", .option = "--solver"},
    SolverOption{.name = "outer", .option = "--precision"},
    SolverOption{.name = "inner", .option = "--precision"},
    SolverOption{.name = "tolerance",
                 .option = "--tolerance",
                 .number = &PropagatorSolverParameters::tolerance,
                 .lowest = 0.0,
                 .highest = 1.0,
                 .text = "Relative residual to reach"},
    SolverOption{.name = "max_iterations",
                 .option = "--max-iterations",
                 .number = &PropagatorSolverParameters::max_iterations,
                 .lowest = 1,
                 .text = "Iterations after which to give up"},
    SolverOption{.name = "links", .option = "--links"},
    SolverOption{.name = "seed", .option = "--seed"},
    SolverOption{.name = "near_null_file", .option = "--multigrid-file"},
    SolverOption{.name = "on_iteration"},
    SolverOption{.name = "on_iteration_context"},
    SolverOption{.name = "eigenvectors", .option = "--eigenvectors"},
    SolverOption{.name = "reliable_delta",
                 .option = "--delta",
                 .number = &PropagatorSolverParameters::reliable_delta,
                 .lowest = 0.0,
                 .highest = 1.0,
                 .text = "Fall of the residual between reliable updates"},
    SolverOption{.name = "schwarz_steps",
                 .option = "--schwarz-steps",
                 .number = &PropagatorSolverParameters::schwarz_steps,
                 .lowest = 1,
                 .text = "Minimal residual steps on the blocks of gcr-dd"},
    SolverOption{.name = "schur", .option = "--schur", .in_c = false},
    SolverOption{.name = "halo", .option = "--halo", .in_c = false},
};

/// Calls body(option, member) for each option that is a number, `member` that of `PropagatorSolverParameters`.
template <class Body>
void for_each_solver_number(const Body& body) {
  for (const SolverOption& option : solver_options) {
    const auto visit = [&](auto member) {
      if constexpr (!std::is_same_v<decltype(member), std::monostate>) body(option, member);
    };
    std::visit(visit, option.number);
  }
}

/// The fast and robust way to a propagator, M^-1 of some sources: even-odd preconditioning, iterations in 16 bits with
/// links of 12 reals, a solution in the precision T by reliable updates; where 16 bits are too coarse for a right-hand
/// side, it goes on in single precision and at last in T.
///
/// Multigrid is built when the iterations have cost as much as its setup: in the first solve with 12 right-hand sides
/// of light quarks, later with fewer, and never for heavy ones (docs/decisions.md 25). It needs the symmetric Schur
/// complement and a lattice that can be cut into aggregates.
///
///   const WilsonClover<double> dirac(links, {.mass = 0.1, .csw = 1.0});
///   const PropagatorSolver solver(dirac, {.tolerance = 1e-10});
///   require_converged(solver.solve(x, b));
///
/// Operators in lower precisions are made here, the one of a fallback when it is first used. docs/precision.md says
/// what each parameter does.
template <class T>
class PropagatorSolver final : public Solver<T> {
 public:
  /// Throws `Error` for a method that does not solve for the operator (`krylov_methods`), for `gcr_dd` without Schur
  /// complement, for eigenvectors with another method than `cg`, for links that cannot be stored so, and for what the
  /// solvers and operators that it is made of refuse.
  explicit PropagatorSolver(const Quark<T>& dirac, const PropagatorSolverParameters& parameters = {});

  /// The solver of another mass on the same links, or of links that have changed a little, with the parameters of this
  /// one. Where multigrid has been built, by `automatic` too, it is built here for the new operator and begins with the
  /// near-null vectors of this one (`Multigrid::updated`). Throws `Error` as the constructor does, and
  /// for an operator on another lattice or with other spins.
  PropagatorSolver updated(const Quark<T>& dirac) const;
  /// The parameters of `updated`.
  PropagatorSolverParameters parameters_of_update() const;

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return solver_->solved_operator(); }
  double tolerance() const override { return parameters_.tolerance; }
  /// The multigrid that has been built; none with other methods, and with `automatic` before it pays.
  std::optional<MultigridReport> multigrid_report() const;
  /// `Multigrid::near_null_vectors` of the multigrid that has been built. Throws `Error` where there is none.
  SpinorField<float> near_null_vectors() const;

 private:
  /// Null until it is built, perhaps in a solve.
  struct Built {
    std::shared_ptr<const Multigrid<T>> multigrid;
  };
  PropagatorSolverParameters parameters_;  // as given, without vectors
  std::shared_ptr<Built> built_ = std::make_shared<Built>();
  Ref<Solver<T>> solver_;
};

template <template <class> class Dirac, class T>
PropagatorSolver(const Dirac<T>&, const PropagatorSolverParameters& = {}) -> PropagatorSolver<T>;

extern template class PropagatorSolver<double>;
extern template class PropagatorSolver<float>;

}  // namespace kaon
