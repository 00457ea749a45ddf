// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/force_cases.hpp"
#include "tests/quda/twisted_doublet.hpp"
#include "tests/reference/twisted_doublet.hpp"

// The action of twisted clover doublets by the slow reference.

namespace kaon::test::force {

inline constexpr double doublet_weights[vectors] = {1.0, -0.6};

inline QudaInvertParam doublet_force_param() {
  QudaInvertParam param = doublet_param(QUDA_TWISTED_CLOVER_DSLASH);
  param.clover_csw = param.clover_coeff / param.kappa;
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  param.dagger = QUDA_DAG_YES;
  param.evmax = 3.1;
  param.offset[0] = 0.3;
  param.offset[1] = 0.7;
  return param;
}

inline std::array<double, vectors> doublet_coefficients(const QudaInvertParam& param) {
  const double factor = 4.0 * param.kappa * param.kappa;
  return {factor * doublet_weights[0], factor * doublet_weights[1]};
}

/// -sum_r coeff_r/(2 kappa^2 evmax) |N' x_r|^2 of fields x that do not change, N' = gamma5 N^dag gamma5, whose twist
/// has the other sign, and -2 ln |det A_2| on the other parity.
inline double doublet_action(const reference::Links& links, const std::vector<Slices>& x, bool ratio) {
  QudaInvertParam turned = doublet_force_param();
  turned.mu = -turned.mu;
  const QudaDoublet quda(links, turned);
  const reference::TwistedDoubletOperator m(links, extents,
                                            {.mass = reference::mass_from_kappa(turned.kappa),
                                             .csw_spatial = turned.clover_csw,
                                             .csw_temporal = turned.clover_csw,
                                             .twisted_mass = turned.mu},
                                            turned.epsilon);
  double sum = ratio ? 0.0 : -2.0 * m.log_determinant(0);
  for (std::size_t r = 0; r < vectors; ++r) {
    const double factor = doublet_coefficients(turned)[r] / (2.0 * turned.kappa * turned.kappa * turned.evmax);
    sum -= factor * reference::norm2(reference::joined(quda.matpc(x[r], false, false)));
  }
  return sum;
}

/// Random fields on odd sites.
inline std::vector<Slices> doublet_solutions() {
  const QudaInvertParam param = doublet_force_param();
  std::vector<Slices> x;
  for (unsigned r = 0; r < vectors; ++r) x.push_back(on_parity(random_slices(param, 5 + r), 1));
  return x;
}

}  // namespace kaon::test::force
