// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/gauge/gradient_flow.hpp>

namespace kaon {

/// Fermions chi that flow with the links V of a `GradientFlow`, in double precision:
///
///   dchi(x)/dt = Delta chi(x),   Delta = sum_mu [V_mu(x) chi(x+mu) + V_mu(x-mu)^dag chi(x-mu) - 2 chi(x)],
///
/// forward in time. A step of size e is that of the links' Runge-Kutta method, with the links W_i of its stages:
///
///   phi_1 = chi + (1/4) e Delta(V) chi,   phi_2 = chi + (8/9) e Delta(W_1) phi_1 - (2/9) e Delta(V) chi,
///   chi(t + e) = phi_1 + (3/4) e Delta(W_2) phi_2.
///
/// At a given time its error is of order e^3. Steps above about 0.15 are unstable. Any number of spins and right-hand
/// sides.
///
/// Boundary conditions of fermions are phases in the links: -1 in U_t(x) on the last time slice makes chi antiperiodic.
/// Links flow with these as without.
///
/// 1780 flops a site and spin in each step beside those of the links. Memory: two fields beside chi. Source: M.
/// Luescher, arXiv:1302.5246, appendix D.
class FermionFlow {
 public:
  /// Copies links and fermions. Collective. Throws `Error` as `GradientFlow` does, and for fermions on another lattice,
  /// on one parity, or without 3 colours, for an anisotropy, and for order 4.
  FermionFlow(const GaugeField<double>& links, const SpinorField<double>& fermions,
              const FlowParameters& parameters = {});

  /// Flows by so many steps. Collective. Throws `Error` where `steps` is negative.
  void advance(int steps = 1);

  double time() const { return flow_.time(); }
  const GaugeField<double>& links() const { return flow_.links(); }
  const SpinorField<double>& fermions() const { return chi_; }

 private:
  GradientFlow flow_;
  double step_;
  SpinorField<double> chi_, first_, second_;
};

}  // namespace kaon
