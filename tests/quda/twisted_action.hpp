// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/force_cases.hpp"
#include "tests/reference/schur.hpp"

// The action of twisted clover quarks by the slow reference.

namespace kaon::test::force {

struct TwistedForceCase {
  int parity = 1;
  bool dagger = true;
  bool ratio = false;
  QudaDslashType dslash = QUDA_TWISTED_CLOVER_DSLASH;
  double rho = 0.0;  ///< tm_rho
};

inline QudaInvertParam force_param(const TwistedForceCase& of) {
  QudaInvertParam param = invert_param(of.dslash);
  param.mu = 0.23;
  param.tm_rho = of.rho;
  param.clover_csw = param.clover_coeff / param.kappa;
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.solve_type = QUDA_NORMOP_PC_SOLVE;
  param.matpc_type = of.parity == 0 ? QUDA_MATPC_EVEN_EVEN_ASYMMETRIC : QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  param.dagger = of.dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
  return param;
}

/// M of N' = 2 kappa M = gamma5 N^dag gamma5, N the client's operator: the twist has the other sign.
inline reference::WilsonOperator turned_operator(const reference::Links& links, const TwistedForceCase& of) {
  const QudaInvertParam param = force_param(of);
  reference::WilsonParameters parameters{.mass = 0.5 / param.kappa - 4.0};
  parameters.csw_spatial = parameters.csw_temporal = param.clover_csw;
  if (of.dslash == QUDA_TWISTED_CLOVER_DSLASH) parameters.twisted_mass = -param.mu;
  parameters.twist_shifts[static_cast<std::size_t>(of.parity)] = -of.rho;
  return {links, extents, parameters};
}

inline constexpr double weights[vectors] = {1.0, -0.6};

/// coeff of the client: 4 kappa^2 for a doublet.
inline double coefficient(const QudaInvertParam& param, std::size_t r) {
  return 4.0 * param.kappa * param.kappa * weights[r];
}

/// With fields x and phi that do not change: -sum_r coeff_r/(2 kappa^2) (|N' x_r|^2 + 2 Re <gamma5 phi_r, N' x_r>) has
/// the derivative that the action has. Two doublets' determinant.
inline double action(const reference::Links& links, const Solutions& x, const Solutions& phi,
                     const TwistedForceCase& of) {
  const reference::WilsonOperator m = turned_operator(links, of);
  const QudaInvertParam param = force_param(of);
  const double two_kappa = 2.0 * param.kappa;
  double sum = of.ratio ? 0.0 : -4.0 * log_determinant(m, 1 - of.parity);
  for (std::size_t r = 0; r < vectors; ++r) {
    reference::Spinor image =
        of.dagger ? schur_asymmetric(m, x.slow[r], of.parity) : schur_asymmetric_dagger(m, x.slow[r], of.parity);
    for (Complex& z : image) z *= two_kappa;
    double term = reference::norm2(image);
    if (of.ratio) term += 2.0 * reference::dot(reference::multiply_gamma5(phi.slow[r], 12), image).real();
    sum -= coefficient(param, r) / (2.0 * param.kappa * param.kappa) * term;
  }
  return sum;
}

}  // namespace kaon::test::force
