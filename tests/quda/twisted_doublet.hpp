// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/slices.hpp"
#include "tests/reference/matrix.hpp"

// A client of QUDA's doublets of two twisted flavours, and QUDA's formulas for them on fields of the slow reference.

namespace kaon::test {

inline QudaInvertParam doublet_param(QudaDslashType type) {
  QudaInvertParam param = invert_param(type);
  param.inv_type = QUDA_CG_INVERTER;
  param.solve_type = QUDA_NORMOP_PC_SOLVE;
  param.twist_flavor = QUDA_TWIST_NONDEG_DOUBLET;
  param.mu = 0.15;
  param.epsilon = 0.1;
  param.Ls = 2;
  return param;
}

/// QUDA's matrices in kappa normalisation, as in lib/dirac_twisted_mass.cpp, lib/dirac_twisted_clover.cpp and
/// `tm_ndeg_*` of tests/host_reference/wilson_dslash_reference.cpp of 9521952, except for matrices of 24 x 24 numbers
/// of a site, which Gauss inverts:
///
///   N = A_2 - kappa D,   A_2 = A + 2 i kappa mu g5 tau3 - 2 kappa epsilon tau1.
class QudaDoublet {
 public:
  QudaDoublet(const reference::Links& links, const QudaInvertParam& param, double anisotropy = 1.0)
      : wilson_(links, extents, parameters_of(param, anisotropy)), kappa_(param.kappa) {
    const Complex twist(0.0, 2.0 * kappa_ * param.mu);
    reference::for_each_site(extents, [&](const Coordinates& x) {
      reference::Matrix a(24, 24);
      for (std::size_t row = 0; row < 12; ++row) {
        for (std::size_t column = 0; column < 12; ++column) {
          a(row, column) = a(row + 12, column + 12) = 2.0 * kappa_ * wilson_.diagonal_term(x)[12 * row + column];
        }
        const double chirality = row < 6 ? 1.0 : -1.0;
        a(row, row) += chirality * twist;
        a(row + 12, row + 12) -= chirality * twist;
        a(row, row + 12) = a(row + 12, row) = -2.0 * kappa_ * param.epsilon;
      }
      terms_.push_back(a);
      inverses_.push_back(reference::inverse(a));
    });
  }

  Slices d(const Slices& psi, bool dagger) const {
    Slices out;
    for (const reference::Spinor& flavor : psi)
      out.push_back(dagger ? wilson_.hop_dagger(flavor) : wilson_.hop(flavor));
    return out;
  }
  Slices term(const Slices& psi, bool dagger) const { return on_sites(terms_, psi, dagger); }
  Slices inverse(const Slices& psi, bool dagger) const { return on_sites(inverses_, psi, dagger); }
  /// `dslashQuda`
  Slices hop(const Slices& psi, bool term_first, bool dagger) const {
    return term_first ? d(inverse(psi, dagger), dagger) : inverse(d(psi, dagger), dagger);
  }
  Slices mat(const Slices& psi, bool dagger) const { return sum(term(psi, dagger), -kappa_, d(psi, dagger)); }
  /// On the fields of one parity.
  Slices matpc(const Slices& psi, bool symmetric, bool dagger) const {
    const double k2 = -kappa_ * kappa_;
    if (!symmetric) return sum(term(psi, dagger), k2, d(hop(psi, false, dagger), dagger));
    return sum(psi, k2, hop(hop(psi, dagger, dagger), dagger, dagger));
  }

 private:
  /// Parameters of A/(2 kappa) - D/2.
  static reference::WilsonParameters parameters_of(const QudaInvertParam& param, double anisotropy) {
    const double csw = param.dslash_type == QUDA_TWISTED_CLOVER_DSLASH ? param.clover_coeff / param.kappa : 0.0;
    return {.mass = 0.5 / param.kappa - 1.0 - 3.0 / anisotropy,
            .csw_spatial = csw,
            .csw_temporal = csw,
            .anisotropy = anisotropy};
  }
  static Slices on_sites(const std::vector<reference::Matrix>& matrices, const Slices& psi, bool dagger) {
    Slices out(2, reference::Spinor(psi[0].size()));
    for (std::size_t site = 0; site < matrices.size(); ++site) {
      std::vector<Complex> in, result(24);
      for (const reference::Spinor& flavor : psi) {
        in.insert(in.end(), flavor.data() + 12 * site, flavor.data() + 12 * (site + 1));
      }
      reference::add_product(dagger ? reference::dagger(matrices[site]) : matrices[site], in.data(), result.data());
      for (std::size_t k = 0; k < 24; ++k) out[k / 12][12 * site + k % 12] = result[k];
    }
    return out;
  }

  reference::WilsonOperator wilson_;
  double kappa_;
  std::vector<reference::Matrix> terms_, inverses_;  // of the sites
};

}  // namespace kaon::test
