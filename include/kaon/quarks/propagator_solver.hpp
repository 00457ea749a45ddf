// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/solver.hpp>

#include <memory>
#include <optional>

namespace kaon {

namespace detail {
struct BuiltMultigrid;
}

/// Computes propagators, M^-1 of some sources, fast and robustly: even-odd preconditioning, iterations in 16 bits with
/// links of 12 reals, a solution in the precision T by reliable updates; where 16 bits are too coarse for a right-hand
/// side, it continues in single precision and then in T.
///
/// Multigrid is built when it is predicted to be faster than the iterations that remain: in the first solve with 12
/// right-hand sides of light quarks, never for heavy ones (docs/decisions.md 25). It needs the symmetric Schur
/// complement and a lattice that can be cut into aggregates.
///
///   const WilsonClover<double> dirac(links, {.mass = 0.1, .csw = 1.0});
///   const PropagatorSolver solver(dirac, {.tolerance = 1e-10});
///   require_converged(solver.solve(x, b));
///
/// The constructor makes operators in lower precisions; that of a fallback is made at its first use. docs/precision.md
/// says what each parameter does.
template <class T>
class PropagatorSolver final : public Solver<T> {
 public:
  /// Throws `Error` for a method that does not solve for the operator (`krylov_methods`), for `gcr_dd` without Schur
  /// complement, for eigenvectors with another method than `cg`, for links that cannot be stored so, and for what the
  /// solvers and operators that it is made of refuse.
  explicit PropagatorSolver(const Quark<T>& quark, const SolveOptions& options = {});

  /// The solver of another mass on the same links, or of links that have changed a little, with the options of this
  /// one. If multigrid has been built, by `automatic` too, it is built here for the new operator from the near-null
  /// vectors of this one (`Multigrid::updated`). Throws `Error` as the constructor does, and
  /// for an operator on another lattice or with other spins.
  PropagatorSolver updated(const Quark<T>& quark) const;
  /// Returns such a solver without a setup: its multigrid shares the levels of the one that has been built
  /// (`Multigrid(const Quark<T>&, const Multigrid&)`), so that it needs more iterations the more links have changed.
  /// `automatic` counts on from the solves of this one. Throws `Error` as `updated` does.
  PropagatorSolver kept(const Quark<T>& quark) const;
  /// Returns such a solver whose levels are refreshed (`Multigrid::refreshed`). Throws `Error` as `updated` does.
  PropagatorSolver refreshed(const Quark<T>& quark) const;

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return solver_->solved_operator(); }
  double tolerance() const override { return options_.tolerance; }
  bool shares_work() const override {
    return options_.method == KrylovMethod::block_cg || options_.method == KrylovMethod::multigrid ||
           solver_->shares_work();
  }
  /// The multigrid that has been built; none with other methods, and with `automatic` before it pays.
  std::optional<MultigridReport> multigrid_report() const;
  /// `Multigrid::near_null_vectors` of the multigrid that has been built. Throws `Error` before.
  SpinorField<float> near_null_vectors() const;

 private:
  using Levels = std::shared_ptr<const detail::BuiltMultigrid>;
  /// Without a setup: with the levels of a multigrid in place of those of the options, unless null; or with those
  /// refreshed.
  PropagatorSolver(const Quark<T>& quark, const SolveOptions& options, const Levels& levels, bool refreshes = false);
  SolveOptions options_of_update(const Quark<T>& quark) const;

  SolveOptions options_;  // as given, without vectors
  std::shared_ptr<detail::BuiltMultigrid> built_;
  Ref<Solver<T>> solver_;
};

template <template <class> class Dirac, class T>
PropagatorSolver(const Dirac<T>&, const SolveOptions& = {}) -> PropagatorSolver<T>;

}  // namespace kaon
