// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/parameters.hpp>
#include <kaon/multigrid/report.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/solvers/solver.hpp>

#include <memory>

namespace kaon {

namespace detail {
class Levels;
}  // namespace detail

/// Adaptive multigrid for Wilson-like, staggered and domain wall operators: solves M x = b in a number of iterations
/// that hardly depends on the mass.
///
///   const WilsonClover<double> dirac(links, {.mass = -0.3, .csw = 1.769});
///   const Multigrid multigrid(dirac);                 // the setup: some seconds
///   require_converged(multigrid.solve(x, b));         // as often as wanted, any number of right-hand sides
///   std::cout << to_string(multigrid.report());
///
/// Flexible GCR on the symmetric Schur complement in single precision, preconditioned by a multigrid cycle whose
/// smoother works in half; residuals and solutions in T, `double` or `float`. Staggered operators: the same on all
/// sites, with a cycle for their hops to nearest neighbours on hypercubes of 2^4 sites. Setup, cycle and formulas:
/// docs/multigrid.md and docs/conventions.md. Babich et al., arXiv:1005.3043; Frommer et al., arXiv:1303.1377; Clark et
/// al., arXiv:1612.07873.
///
/// The operator is `Wilson`, `WilsonClover`, `TwistedMass`, `TwistedClover`, `Staggered` or `ImprovedStaggered`; or
/// `DomainWall` or `TwistedDoublet`, whose iterations are conjugate gradients on M^dag M of the asymmetric Schur
/// complement M, with two or three levels (docs/multigrid.md).
template <class T>
class Multigrid final : public Solver<T> {
 public:
  /// Throws `Error` for parameters that do not fit the lattice, for lattices that cannot be cut into aggregates, for a
  /// staggered mass that is not positive, for links that cannot be stored in two rows unless
  /// `MultigridParameters::links` chooses another storage, and for near-null vectors that are too few, not finite, or
  /// on another lattice.
  explicit Multigrid(const Quark<T>& dirac, const MultigridParameters& parameters = {});
  /// Shares the levels and the parameters of another mass, or of links that have changed a little, without a setup: the
  /// cycle of the other operator preconditions this one. For staggered operators, a mass of twice that of the levels
  /// takes few more iterations, a lighter one many (docs/decisions.md 43). Throws `Error` for another lattice and other
  /// spins.
  Multigrid(const Quark<T>& dirac, const Multigrid& levels);

  /// Makes a multigrid for another mass on the same links, or for links that have changed a little. It has the same
  /// parameters and starts from the near-null vectors of this one (`MultigridParameters::near_null_vectors`). `dirac`
  /// is on the same lattice. Throws as the constructor does.
  Multigrid updated(const Quark<T>& dirac) const { return Multigrid(dirac, parameters_of_update()); }

  /// Makes a multigrid for links that have changed a little, in less time than `updated`: steps of GCR with the cycle
  /// of this one turn its near-null vectors to the new operator, and the choices of its setup remain. For operators
  /// that are not Wilson-like it is `updated`. Throws `Error` for another lattice and other spins.
  Multigrid refreshed(const Quark<T>& dirac) const;

  using Solver<T>::solve;
  /// At most 12 right-hand sides at a time: as many as a propagator has, whose directions fit a device. Residuals that
  /// `on_iteration` gets are those of right-hand sides that are solved together. Iterations of the next group are
  /// numbered from 1 again; after a stop it is stopped, too, after an iteration.
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return solver_->solved_operator(); }
  double tolerance() const override { return parameters_.tolerance; }

  /// Report on the levels that the setup has built and on its measurements.
  const MultigridReport& report() const;

  /// The near-null vectors of the first level: the right-hand sides of a field on all sites, of domain wall operators
  /// on the even ones, for `MultigridParameters::near_null_vectors`.
  SpinorField<float> near_null_vectors() const;

 private:
  MultigridParameters parameters_of_update() const;
  void require_fits(const Quark<T>& dirac) const;

  MultigridParameters parameters_;  // without vectors
  std::shared_ptr<const detail::Levels> levels_;
  Ref<Solver<T>> solver_;
};

template <template <class> class Dirac, class T>
Multigrid(const Dirac<T>&, const MultigridParameters& = {}) -> Multigrid<T>;

}  // namespace kaon
