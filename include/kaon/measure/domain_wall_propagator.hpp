// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/propagator_solver.hpp>

namespace kaon {

/// Propagators of domain wall quarks in four dimensions, q = (D_ov(m)^-1 - 1)/(1 - m) eta, from the sources `eta`,
/// fields of one slice on all sites: `set_wall_source`, a solver in five dimensions, `take_walls`. `midpoint`, if it is
/// not null, is set to `take_midpoint` of the solutions, and `current` to the `axial_current` of all right-hand sides
/// together. The residuals are those of D psi = eta_5. Throws `Error` for a solver of another operator than
/// `DomainWall`, for fields that do not fit, and as the solver, `take_midpoint` and `axial_current` do.
///
/// Slices share the links of a hop as right-hand sides do. Right-hand sides are solved in groups of at most 32 slices
/// together, which saves memory and costs no time.
template <class T>
SolveResult solve_walls(const Solver<T>& solver, SpinorField<T>& q, const SpinorField<T>& eta,
                        SpinorField<T>* midpoint = nullptr, std::vector<double>* current = nullptr);

/// `solve_walls` by a `PropagatorSolver` of its own.
///
///   const DomainWall<double> dirac(links, {.mass = 0.01, .slices = 12, .b = 1.5, .c = 0.5});
///   const DomainWallPropagator solver(dirac, {.tolerance = 1e-10});
///   require_converged(solver.solve(q, eta));
template <class T>
class DomainWallPropagator {
 public:
  /// Borrows `dirac`. `KrylovMethod::automatic` is CGNR on the asymmetric Schur complement (docs/decisions.md 40).
  /// Throws `Error` as `PropagatorSolver` does.
  explicit DomainWallPropagator(const DomainWall<T>& dirac, const SolveOptions& parameters = {});

  SolveResult solve(SpinorField<T>& q, const SpinorField<T>& eta, SpinorField<T>* midpoint = nullptr,
                    std::vector<double>* current = nullptr) const {
    return solve_walls(solver_, q, eta, midpoint, current);
  }

  /// Of fields in five dimensions.
  const PropagatorSolver<T>& solver() const { return solver_; }

 private:
  PropagatorSolver<T> solver_;
};

/// m_res(t) = sum_x |q_mp|^2 / sum_x |q|^2 at distance t from the source: correlators of `take_midpoint` and
/// `take_walls`; NaN where one of them leaves the range of double. Throws `Error` for correlators of different lengths.
std::vector<double> residual_mass(std::span<const double> midpoint, std::span<const double> walls);

extern template class DomainWallPropagator<double>;
extern template class DomainWallPropagator<float>;

}  // namespace kaon
