// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/clover.hpp>

namespace kaon {

// The part of a fermion force that comes from the clover term: first the derivative of an action with respect to the
// field strength, then that of the field strength with respect to the links.

/// Hermitian matrices W_{mu nu}(x) of colour, one for each plane: the derivative of an action by the clover-leaf field
/// strength F of `FieldStrength`,
///
///   dS = sum_x sum_{mu<nu} tr(W_{mu nu}(x) dF_{mu nu}(x)).
class FieldStrengthDerivative {
 public:
  /// W = 0.
  explicit FieldStrengthDerivative(const Lattice& lattice) : spatial_(lattice), temporal_(lattice) {}

  const Lattice& lattice() const { return spatial_.lattice(); }
  /// W of the planes xy, xz, yz in the place of the links in x, y, z; those in t are not used.
  GaugeField<double>& spatial() { return spatial_; }
  const GaugeField<double>& spatial() const { return spatial_; }
  /// W of the planes xt, yt, zt in the place of the links in x, y, z; those in t are not used.
  GaugeField<double>& temporal() { return temporal_; }
  const GaugeField<double>& temporal() const { return temporal_; }

 private:
  GaugeField<double> spatial_;
  GaugeField<double> temporal_;
};

/// W <- W + w tr_spin(C^-1 dC/dF) on the sites of one parity: the derivative of
///
///   S = w sum_x ln det C(x),   C = d - (1/2) sum_{mu<nu} c_{mu nu} sigma_{mu nu} F_{mu nu},
///
/// with `inverse` = C^-1 (`invert_clover`) and c that of `parameters`, whose diagonal is not read. n flavours have w =
/// -n.
///
/// 648 flops a site. Throws `Error` for fields on different lattices, an inverse without that parity, and numbers that
/// are not finite.
void add_log_determinant(FieldStrengthDerivative& derivative, const CloverField<double>& inverse, Parity parity,
                         const CloverParameters& parameters, double weight);

/// Adds the matrices of a twisted term, S = w sum_x ln |det (C(x) + i mu gamma5)| = (w/2) sum_x ln det(C(x)^2 + mu^2):
/// W <- W + w tr_spin(C (C^2 + mu^2)^-1 dC/dF), with `clover` = C and `norm_inverse` = (C^2 + mu^2)^-1
/// (`invert_clover_norm`). The two flavours of a doublet, +mu and -mu, have w = -2. 4104 flops a site.
void add_log_norm_determinant(FieldStrengthDerivative& derivative, const CloverField<double>& clover,
                              const CloverField<double>& norm_inverse, Parity parity,
                              const CloverParameters& parameters, double weight);

/// V <- V + the matrices of the force that an action exerts through the clover-leaf field strength: of
///
///   dS = sum_x sum_{mu<nu} tr(W_{mu nu} dF_{mu nu}) = sum_{x, mu} Re Tr(P_mu(x) V_mu(x)) dt   for dU/dt = P U,
///
/// for `kick_momenta`. V_mu(x) is the sum over the six plaquettes with U_mu(x) of their paths from x to x,
/// with -(i/4) W at one of their four corners. Links are periodic.
///
/// 41200 flops a site. Collective. Throws `Error` for compressed links and for fields on different lattices. Source:
/// the derivative of B. Sheikholeslami and R. Wohlert, Nucl. Phys. B 259 (1985) 572, as drawn in K. Jansen and C. Liu,
/// Comput. Phys. Commun. 99 (1997) 221.
void add_field_strength_force(GaugeField<double>& matrices, const GaugeField<double>& links,
                              const FieldStrengthDerivative& derivative);

}  // namespace kaon
