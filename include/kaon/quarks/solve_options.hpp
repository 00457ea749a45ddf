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

/// The method of a solve; `krylov_methods` describes them.
enum class KrylovMethod { automatic, bicgstab, cgnr, cgne, gcr_dd, cg, multigrid, block_cg };

/// The precision of solutions.
enum class OuterPrecision {
  of_operator,  ///< the precision of the operator
  single        ///< single, for an operator in double: half the memory, and residuals of about 1e-6 at best
};

/// The precision of the first iterations.
enum class InnerPrecision {
  half,    ///< 16 bits
  single,  ///< single, or that of the operator if it is lower
  outer    ///< that of solutions
};

/// Options of solves for one mass, several masses or several shifts, and of the terms of an action. Each solver reads
/// some of them; docs/precision.md describes them.
struct SolveOptions {
  /// Bound on |b - M x| / |b| of the whole system, in the precision of the operator; between 0 and 1.
  double tolerance = 1e-10;
  /// The tolerance of solves for the force of a term of an action. It may be larger: the reversed trajectory repeats
  /// the error of a force if solves start without a guess.
  double force_tolerance = 1e-8;
  int max_iterations = 10000;  ///< bound for each right-hand side, over all precisions; at least 1
  /// Several masses are solved for by `cg` in one Krylov space, by `multigrid` for the lightest ones, or as `automatic`
  /// chooses. Several shifts are always solved for by conjugate gradients.
  KrylovMethod method = KrylovMethod::automatic;
  /// Even-odd preconditioning. Without it the iterations are on all sites, which `gcr_dd` cannot do. `cg` does not read
  /// it.
  std::optional<SchurForm> schur = SchurForm::symmetric;
  /// The sites of the iterations with even-odd preconditioning. `multigrid` uses the even ones.
  Parity parity = Parity::even;
  OuterPrecision outer = OuterPrecision::of_operator;
  /// For `half`, sweeps of several masses or shifts are in single precision, and their refinement is in 16 bits.
  /// Precisions that were not compiled are replaced by the next higher one.
  InnerPrecision inner = InnerPrecision::half;
  /// Links of the iterations. By default links have two rows (third links also the determinant) in a lower precision
  /// than the operator's, and all reals in that. Links further than 1e-5 from SU(3) need all, or a determinant.
  std::optional<LinkStorage> links{};
  HaloPrecision halo = HaloPrecision::field;  ///< halos of the iterations
  /// The residual is computed in the outer precision when the iterated one has fallen by this factor: see
  /// `SolverParameters::reliable_delta`. `gcr_dd` solves to this factor in each of its cycles.
  double reliable_delta = 0.1;
  int schwarz_steps = 10;                  ///< minimal residual steps on the blocks of `gcr_dd`
  ShiftSweep sweep = ShiftSweep::falling;  ///< read by solves for several masses or shifts
  /// Eigenvectors that deflate conjugate gradients: of `StaggeredNormal` with any mass on `parity` for staggered
  /// quarks, of the normal operator for several shifts. They deflate solutions in double.
  std::shared_ptr<const Eigenvectors<double>> eigenvectors{};
  /// The hierarchy of `multigrid`. Its tolerance, links and bounds are those given here.
  MultigridParameters multigrid{};
  OnIteration on_iteration{};  ///< called by solves whose request has no receiver
  /// Called on all processes with a sentence about each change of the precision or the method during a solve. By
  /// default that is a notice to the message handler of process 0.
  std::function<void(const std::string& notice)> on_fallback{};

  /// Returns the steps on the blocks of a method; 0 if it has no blocks.
  int block_steps(KrylovMethod by) const { return by == KrylovMethod::gcr_dd ? schwarz_steps : 0; }
};

/// A word of the program and of Python; "gcr-dd" is KAON_GCR_DD in C.
template <class Value>
struct OptionWord {
  std::string_view word;
  Value value;
};

/// Returns the kind of an operator.
template <class T>
OperatorKind kind_of(const EvenOddOperator<T>& dirac) {
  if (dirac.is_indefinite()) return OperatorKind::indefinite;
  return dirac.normal_system(Parity::even) != nullptr ? OperatorKind::staggered : OperatorKind::definite;
}

/// A set of kinds of operators.
struct OperatorKinds {
  bool definite = true, indefinite = true, staggered = true;

  constexpr bool operator[](OperatorKind kind) const {
    return kind == OperatorKind::definite ? definite : kind == OperatorKind::indefinite ? indefinite : staggered;
  }
};

/// A method and the operators that it solves for; for others it needs far more iterations or fails.
struct SolvingMethod {
  std::string_view word;  ///< its word in the program and in Python, as in `OptionWord`
  KrylovMethod value;
  OperatorKinds kinds;
  std::string_view part{};     ///< the part of KAON_PARTS without which it is not built; empty: it is always built
  OperatorKinds for_forces{};  ///< hybrid Monte Carlo may solve for them by it

  constexpr bool solves_for(OperatorKind kind) const { return kinds[kind]; }
  /// Returns whether this build has the method and an operator that it solves for.
  bool is_built() const;
};

/// The methods in the order of `kaon_method` of kaon.h.
inline constexpr std::array krylov_methods{
    // `cgnr` for doublets and one or two columns of domain wall quarks, `block-cg` for more columns; `cg` for staggered
    // quarks and `bicgstab` for others until the setup of `multigrid` pays.
    SolvingMethod{"auto", KrylovMethod::automatic, {true, true, true}},
    // Conjugate gradients on `StaggeredNormal`, on one parity.
    SolvingMethod{"cg", KrylovMethod::cg, {false, false, true}, "solvers"},
    // The fastest for few solves and heavy quarks.
    SolvingMethod{"bicgstab", KrylovMethod::bicgstab, {true, false, false}},
    // GCR with additive Schwarz blocks, for many processes (Babich et al., arXiv:1109.2935).
    SolvingMethod{"gcr-dd", KrylovMethod::gcr_dd, {true, false, false}, "solvers", {false, false, false}},
    // GCR with a `Multigrid` cycle, for light masses and many solves; its setup takes some seconds. For domain wall
    // quarks and doublets conjugate gradients on M^dag M with the cycle of their own multigrid.
    SolvingMethod{"multigrid", KrylovMethod::multigrid, {true, true, true}, "multigrid", {true, false, true}},
    // Conjugate gradients on M^dag M, which converge for every spectrum.
    SolvingMethod{"cgnr", KrylovMethod::cgnr, {true, true, false}, "solvers"},
    // Conjugate gradients on M M^dag.
    SolvingMethod{"cgne", KrylovMethod::cgne, {true, true, false}, "solvers", {false, false, false}},
    // Conjugate gradients of all right-hand sides in one Krylov space, on `StaggeredNormal` or on M^dag M. They iterate
    // in single precision in place of `half`: the space needs its digits.
    SolvingMethod{"block-cg", KrylovMethod::block_cg, {true, true, true}, "solvers", {false, false, false}},
};
/// Returns the entry of a method.
constexpr const SolvingMethod& entry_of(KrylovMethod method) {
  for (const SolvingMethod& entry : krylov_methods) {
    if (entry.value == method) return entry;
  }
  return krylov_methods[0];
}

namespace detail {
/// Returns the precision of the iterations for solutions in double: that of solutions is single if these may be rounded
/// to it.
inline InnerPrecision inner_of_double(const SolveOptions& options) {
  const bool rounded = options.outer == OuterPrecision::single && options.inner == InnerPrecision::outer;
  return rounded ? InnerPrecision::single : options.inner;
}
/// Returns why the method does not solve for these operators, and which others do; an empty text if it does.
std::string refusal_of(KrylovMethod method, OperatorKind kind);
}  // namespace detail

/// An option of solvers, once for C++, C, Python and the program. The type and the default of numbers are those of
/// `SolveOptions`.
struct SolverOption {
  std::string_view name;      ///< its name in C++, C and Python
  std::string_view option{};  ///< its option in the program
  std::variant<std::monostate, int SolveOptions::*, double SolveOptions::*> number{};
  double lowest = 0.0;   ///< allowed for integers, excluded for other numbers
  double highest = 0.0;  ///< excluded; integers have no bound
  std::string_view text{};
  std::optional<KrylovMethod> method{};  ///< the only method that reads the option; none: all methods read it
  OperatorKinds kinds{};                 ///< the operators whose solves may read the option
  bool in_c = true;                      ///< it exists in kaon.h and Python

  constexpr bool reads(KrylovMethod by) const { return !method || *method == by; }
  constexpr bool reads(OperatorKind of) const { return kinds[of] && (!method || entry_of(*method).solves_for(of)); }
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
    SolverOption{.name = "near_null_file",
                 .option = "--multigrid-file",
                 .method = KrylovMethod::multigrid,
                 .kinds = {true, false, true}},
    SolverOption{.name = "on_iteration"},
    SolverOption{.name = "on_iteration_context"},
    SolverOption{.name = "eigenvectors", .option = "--eigenvectors", .method = KrylovMethod::cg},
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
                 .text = "Minimal residual steps on the blocks of gcr-dd",
                 .method = KrylovMethod::gcr_dd},
    SolverOption{.name = "schur", .option = "--schur", .kinds = {.staggered = false}, .in_c = false},
    SolverOption{.name = "halo", .option = "--halo", .in_c = false},
};

/// Returns the option of a name. Throws `Error` for an unknown name.
const SolverOption& solver_option(std::string_view name);

/// Calls body(option, member) for each option that is a number, with the member of `SolveOptions`.
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
