// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <span>

namespace kaon {

// Fermion forces of hybrid Monte Carlo: matrices V_mu(x) with dS/dt = sum_{x, mu} Re Tr(P_mu(x) V_mu(x)) for
// dU/dt = P U. `kick_momenta` accepts them.

/// V <- V + the matrices of
///
///   S = sum_r c_r <phi, (N^dag N + sigma_r)^-1 phi>
///
/// with the solutions X_r = (N^dag N + sigma_r)^-1 phi as right-hand sides of `solutions`, and c_r `residues`. For
/// solutions on all sites N = M; on one parity N is the asymmetric Schur complement A_p - K_pq A_q^-1 K_qp
/// (`SchurForm::asymmetric`), whose determinant lacks that of A_q: `add_determinant_force`. One right-hand side with c
/// = 1 and sigma = 0 is a doublet of quarks, of twisted ones +mu and -mu; several make a rational approximation.
///
///   V_mu(x) = -sum_r tr_spin [ (K_{+mu} X_r)(x) Y_r(x)^dag + (g5 K_{+mu} g5 Y_r)(x) X_r(x)^dag ] + V of the clover
///   term
///
/// with Y_r = -2 c_r N X_r and, on the other parity q, X_q = A_q^-1 K_qp X_p, Y_q = A_q^-dag K_pq^dag Y_p:
/// dS = sum_r Re <Y_r, dM X_r>.
///
/// `flavors` = n, for solutions on one parity: with S = -n ln |det A_q| in it (`add_determinant_force`), which costs
/// 700 flops a site here and 41 kflop as a call of its own.
///
/// For `Wilson`, `WilsonClover`, `TwistedMass`, `TwistedClover`, `DomainWall` and `TwistedDoublet`, over all slices.
/// Collective. Throws `Error` for other operators, fields on different lattices, links that are compressed, another
/// number of residues than right-hand sides, residues that are not finite, and an operator with a given site term,
/// whose c_sw is not known.
void add_fermion_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac,
                       const SpinorField<double>& solutions, std::span<const double> residues, double flavors = 0.0);

/// V <- V + the matrices of
///
///   S = sum_r Re <Y_r, N X_r> - n ln |det A_q|
///
/// with fields X and Y of one shape that do not change, N as in `add_fermion_force` and n = `flavors`: of ratios of
/// determinants, whose numerator acts on pseudofermions. Conditions and errors as above.
void add_product_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                       const SpinorField<double>& y, double flavors = 0.0);

/// V <- V + the matrices of S = -n ln |det A_q|, A_q the site term on parity q: what even-odd preconditioning of n
/// flavours by the Schur complement on the other parity leaves. A twisted term has |det (C + i mu gamma5)| = det(C^2 +
/// mu^2)^(1/2), so that a doublet of +mu and -mu is n = 2; `TwistedDoublet` has det A = det(C^2 + mu^2 - epsilon^2).
/// Adds nothing for operators without a clover term. Conditions and errors are those of `add_fermion_force`.
void add_determinant_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, Parity parity,
                           double flavors);

}  // namespace kaon
