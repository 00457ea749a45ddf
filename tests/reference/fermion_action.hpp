// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "wilson.hpp"

#include <functional>
#include <optional>

namespace kaon::reference {

/// c / (Q + sigma), a term of a rational function of Q.
struct RationalTerm {
  double residue = 1.0;  ///< c
  double shift = 0.0;    ///< sigma
};

/// X = (N^dag N + sigma)^-1 phi by conjugate gradients to |r| < 1e-14 |phi|: N = M, or the asymmetric Schur complement
/// on a parity, on which phi lies.
Spinor solve_normal(const WilsonOperator& op, std::optional<int> parity, double shift, const Spinor& phi);

/// S = sum_r c_r <phi, (N^dag N + sigma_r)^-1 phi>.
double pseudofermion_action(const WilsonOperator& op, std::optional<int> parity, const std::vector<RationalTerm>& terms,
                            const Spinor& phi);

/// sum_x ln |det A(x)| over the sites of a parity, A the site-diagonal term of M.
double log_determinant(const WilsonOperator& op, int parity);

/// exp(step P) U of all links, by the exponential's series.
Links moved(const Links& links, const Links& momenta, double step, const Coordinates& extents);

/// df(exp(s P) U)/ds at s = 0 by central differences of six points, to order step^6.
double derivative_along(const std::function<double(const Links&)>& f, const Links& links, const Links& momenta,
                        double step, const Coordinates& extents);

}  // namespace kaon::reference
