// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/families.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>
#include <kaon/solvers/solver.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace kaon {

/// The method of a solve.
enum class KrylovMethod {
  automatic,  ///< `cgnr` for domain wall quarks and doublets; `cg` for staggered fermions and `bicgstab` for others
              ///< until the setup of `multigrid` pays
  bicgstab,   ///< the fastest for few solves and heavy quarks
  cgnr,       ///< conjugate gradients on M^dag M: converges for every spectrum
  cgne,       ///< conjugate gradients on M M^dag
  gcr_dd,     ///< GCR with additive Schwarz blocks (Babich et al., arXiv:1109.2935): for many processes
  cg,         ///< conjugate gradients on `StaggeredNormal`, on one parity: for `Staggered` and `ImprovedStaggered`
  multigrid   ///< GCR with a `Multigrid` cycle: for light masses and many solves; its setup takes some seconds
};

/// The precision of solutions.
enum class OuterPrecision {
  of_operator,  ///< the operator's
  single        ///< of an operator in double: half the memory, and residuals of about 1e-6 at best
};

/// The precision of the first iterations.
enum class InnerPrecision {
  half,    ///< 16 bits
  single,  ///< single, or that of the operator if it is lower
  outer    ///< that of solutions
};

/// Options of solves for one mass, several masses or several shifts, and of the terms of an action. Each solver reads
/// its own ones: docs/precision.md describes them.
struct SolveOptions {
  /// Bound on |b - M x| / |b| of the whole system, in the precision of the operator; between 0 and 1.
  double tolerance = 1e-10;
  /// The bound for solves for forces, if this is a term of an action. It may be larger: the error of a force is the
  /// same in the reversed trajectory, as long as solves start without a guess.
  double force_tolerance = 1e-8;
  int max_iterations = 10000;  ///< bound for each right-hand side, over all precisions; at least 1
  /// Several masses are solved for by `cg` in one Krylov space, by `multigrid` for the lightest ones, or as `automatic`
  /// chooses. Several shifts have conjugate gradients alone.
  KrylovMethod method = KrylovMethod::automatic;
  /// Even-odd preconditioning. Without it the iterations are on all sites, which `gcr_dd` cannot do. `cg` does not read
  /// it.
  std::optional<SchurForm> schur = SchurForm::symmetric;
  /// The sites of the iterations with even-odd preconditioning. `multigrid` uses the even ones.
  Parity parity = Parity::even;
  OuterPrecision outer = OuterPrecision::of_operator;
  /// Sweeps of several masses or shifts are in single precision for `half`, whose refinement alone is in 16 bits.
  /// Precisions that were not compiled are replaced by the next higher one.
  InnerPrecision inner = InnerPrecision::half;
  /// Links of the iterations. By default two rows (of third links with the determinant) in a lower precision than the
  /// operator's, and all reals in that. Links further than 1e-5 from SU(3) need all, or a determinant.
  std::optional<LinkStorage> links{};
  HaloPrecision halo = HaloPrecision::field;  ///< halos of the iterations
  /// The residual is computed in the outer precision when the iterated one has fallen by this factor: see
  /// `SolverParameters::reliable_delta`; `gcr_dd` solves to it in each of its cycles.
  double reliable_delta = 0.1;
  int schwarz_steps = 10;                  ///< minimal residual steps on the blocks of `gcr_dd`
  ShiftSweep sweep = ShiftSweep::falling;  ///< read by solves for several masses or shifts
  /// Eigenvectors that deflate conjugate gradients of staggered quarks, of `StaggeredNormal` with any mass on `parity`,
  /// or all systems of several shifts. For solutions in double.
  std::shared_ptr<const Eigenvectors<double>> eigenvectors{};
  /// The hierarchy of `multigrid`. Its tolerance, links and bounds are those given here.
  MultigridParameters multigrid{};
  OnIteration on_iteration{};  ///< called by solves whose request has none
  /// Called on all processes with a sentence about each change of the precision or the method during a solve. By
  /// default that is a notice to the message handler of process 0.
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

/// The methods in the order of `kaon_method` of kaon.h.
inline constexpr std::array krylov_methods{
    SolvingMethod{"auto", KrylovMethod::automatic, true, true, true},
    SolvingMethod{"cg", KrylovMethod::cg, false, false, true},
    SolvingMethod{"bicgstab", KrylovMethod::bicgstab, true, false, false},
    SolvingMethod{"gcr-dd", KrylovMethod::gcr_dd, true, false, false},
    SolvingMethod{"multigrid", KrylovMethod::multigrid, true, false, true},
    SolvingMethod{"cgnr", KrylovMethod::cgnr, true, true, false},
    SolvingMethod{"cgne", KrylovMethod::cgne, true, true, false},
};
/// The entry of a method.
constexpr const SolvingMethod& entry_of(KrylovMethod method) {
  for (const SolvingMethod& entry : krylov_methods) {
    if (entry.value == method) return entry;
  }
  return krylov_methods[0];
}

namespace detail {
/// The precision of the iterations of solutions in double: the one of solutions is single if these may be rounded to
/// it.
inline InnerPrecision inner_of_double(const SolveOptions& options) {
  const bool rounded = options.outer == OuterPrecision::single && options.inner == InnerPrecision::outer;
  return rounded ? InnerPrecision::single : options.inner;
}
/// Why the method does not solve for these operators, and which others do; empty if it does.
std::string refusal_of(KrylovMethod method, OperatorKind kind);
}  // namespace detail

/// An option of solvers, once for C++, C, Python and the program. Numbers have their type and their default from
/// `SolveOptions`.
struct SolverOption {
  std::string_view name;      ///< in C++, C and Python
  std::string_view option{};  ///< of the program
  std::variant<std::monostate, int SolveOptions::*, double SolveOptions::*> number{};
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
                 .number = &SolveOptions::tolerance,
                 .lowest = 0.0,
                 .highest = 1.0,
                 .text = "Relative residual to reach"},
    SolverOption{.name = "max_iterations",
                 .option = "--max-iterations",
                 .number = &SolveOptions::max_iterations,
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
                 .number = &SolveOptions::reliable_delta,
                 .lowest = 0.0,
                 .highest = 1.0,
                 .text = "Fall of the residual between reliable updates"},
    SolverOption{.name = "schwarz_steps",
                 .option = "--schwarz-steps",
                 .number = &SolveOptions::schwarz_steps,
                 .lowest = 1,
                 .text = "Minimal residual steps on the blocks of gcr-dd"},
    SolverOption{.name = "schur", .option = "--schur", .in_c = false},
    SolverOption{.name = "halo", .option = "--halo", .in_c = false},
};

/// Calls body(option, member) for each option that is a number, `member` that of `SolveOptions`.
template <class Body>
void for_each_solver_number(const Body& body) {
  for (const SolverOption& option : solver_options) {
    const auto visit = [&](auto member) {
      if constexpr (!std::is_same_v<decltype(member), std::monostate>) body(option, member);
    };
    std::visit(visit, option.number);
  }
}

}  // namespace kaon
