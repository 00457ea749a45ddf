// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge/hmc/clover_force.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/even_odd_operator.hpp>

namespace kaon {

// The parts of include/kaon/operators/fermion_force.hpp, for other actions.

/// Fields X and Y on all sites of which dS = sum_r Re <Y_r, dM X_r>.
struct ForceFields {
  SpinorField<double> x;
  SpinorField<double> y;
};
/// The fields of <Y_p, N X_p>, N the asymmetric Schur complement; of X and Y themselves on all sites. Throws `Error`
/// unless X and Y have one shape.
ForceFields force_fields(const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                         const SpinorField<double>& y);
/// V <- V + w times the matrices of the hops in S = sum_r Re <Y_r, M X_r>, M = A - K. 888 flops a site, direction and
/// right-hand side. Throws `Error` for staggered operators, too.
void add_hop_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const ForceFields& fields,
                   double weight = 1.0);
/// W <- W + w times the derivative of S = sum_r Re <Y_r, A X_r> by the field strength, with the coefficients of
/// A = d - (1/2) sum_{mu<nu} c_{mu nu} sigma_{mu nu} F_{mu nu}. 864 flops a site and right-hand side and as many a
/// site.
void add_clover_products(FieldStrengthDerivative& derivative, const ForceFields& fields,
                         const CloverParameters& parameters, double weight = 1.0);
/// `add_product_force` with these coefficients of A, which an operator with a given site term does not know.
void add_product_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                       const SpinorField<double>& y, double flavors, const CloverParameters& coefficients);

}  // namespace kaon
