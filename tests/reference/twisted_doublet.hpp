// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "domain_wall.hpp"

namespace kaon::reference {

/// The doublet of two twisted flavours, flavour by flavour:
///
///   (M psi)_0 = D_W(mu) psi_0 - epsilon psi_1,   (M psi)_1 = D_W(-mu) psi_1 - epsilon psi_0,
///
/// D_W(mu) the Wilson or clover operator with i mu gamma_5. Source: arXiv:hep-lat/0311008, with the tau_1 of its twist
/// and the tau_3 of its splitting exchanged, as QUDA and tmLQCD have them.
class TwistedDoubletOperator {
 public:
  /// `parameters` are those of the first flavour.
  TwistedDoubletOperator(const Links& links, const Coordinates& extents, WilsonParameters parameters, double epsilon)
      : up_(links, extents, parameters), down_(links, extents, with_twist(parameters)), epsilon_(epsilon) {}

  Slices apply(const Slices& psi) const {
    return {add(up_.apply(psi[0]), -epsilon_, psi[1]), add(down_.apply(psi[1]), -epsilon_, psi[0])};
  }
  Slices apply_dagger(const Slices& psi) const {
    return {add(up_.apply_dagger(psi[0]), -epsilon_, psi[1]), add(down_.apply_dagger(psi[1]), -epsilon_, psi[0])};
  }

  /// sum_x ln |det A_2(x)| over the sites of a parity, A_2 the 24 x 24 matrix of a site, by Gauss elimination.
  double log_determinant(int parity) const {
    double sum = 0.0;
    for_each_site(up_.extents(), [&](const Coordinates& x) {
      if (parity_of(x) != parity) return;
      Matrix a(2 * site_components, 2 * site_components);
      for (std::size_t row = 0; row < site_components; ++row) {
        for (std::size_t column = 0; column < site_components; ++column) {
          a(row, column) = up_.diagonal_term(x)[site_components * row + column];
          a(site_components + row, site_components + column) = down_.diagonal_term(x)[site_components * row + column];
        }
        a(row, site_components + row) = a(site_components + row, row) = -epsilon_;
      }
      for (std::size_t k = 0; k < a.rows; ++k) {
        sum += std::log(std::abs(a(k, k)));
        for (std::size_t row = k + 1; row < a.rows; ++row) {
          const Complex factor = a(row, k) / a(k, k);
          for (std::size_t column = k; column < a.columns; ++column) a(row, column) -= factor * a(k, column);
        }
      }
    });
    return sum;
  }

 private:
  static WilsonParameters with_twist(WilsonParameters parameters) {
    parameters.twisted_mass = -parameters.twisted_mass;
    return parameters;
  }

  WilsonOperator up_, down_;
  double epsilon_;
};

}  // namespace kaon::reference
