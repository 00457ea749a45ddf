// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "gauge/block_matrix.hpp"
#include "gauge/hmc/clover_force.hpp"
#include "gauge/hmc/field_strength_derivative.hpp"
#include "gauge/site_clover.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::BlockMatrix;
using detail::ColorMatrix;
using detail::PauliMatrix;

/// W += -(w/2) c tr_spin(sigma C^-1) in all planes, or, with a factor C of it, tr_spin(sigma C (C^2 + mu^2)^-1).
struct LogDeterminantForceKernel {
  detail::SiteClover<double> inverse, factor;
  bool has_factor;
  detail::SiteGauge<double> spatial_derivative, temporal_derivative;
  double spatial, temporal;  ///< -(w/2) c

  /// tr_spin(s_k B) of a block B
  KOKKOS_FUNCTION static ColorMatrix<double> trace(const PauliMatrix& pauli, const BlockMatrix& b) {
    ColorMatrix<double> sum = detail::zero_matrix<double>();
    for (int spin = 0; spin < 2; ++spin) {
      const int other = pauli.column(spin);
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
          const BlockMatrix::Number& element = b.e[3 * other + row][3 * spin + column];
          sum.e[row][column] += pauli.times(spin, detail::Complex<double>{element.real(), element.imag()});
        }
      }
    }
    return sum;
  }

  KOKKOS_FUNCTION BlockMatrix block(const int (&x)[4], int chirality) const {
    const BlockMatrix of_inverse = detail::unpack(inverse.load(x, chirality));
    return has_factor ? product(detail::unpack(factor.load(x, chirality)), of_inverse, 0.0) : of_inverse;
  }

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!inverse.holds(x)) return;
    const BlockMatrix upper_block = block(x, 0), lower_block = block(x, 1);
    for (int k = 1; k <= 3; ++k) {
      const PauliMatrix pauli{k};
      const ColorMatrix<double> upper = trace(pauli, upper_block), lower = trace(pauli, lower_block);
      ColorMatrix<double> w = spatial_derivative.load(x, pauli.spatial_plane());
      add_multiple(w, spatial, upper);
      add_multiple(w, spatial, lower);
      spatial_derivative.store(w, x, pauli.spatial_plane());
      w = temporal_derivative.load(x, pauli.temporal_plane());
      add_multiple(w, temporal * pauli.upper_sign(), upper);
      add_multiple(w, -temporal * pauli.upper_sign(), lower);
      temporal_derivative.store(w, x, pauli.temporal_plane());
    }
  }
};

/// The force of w ln det, with the inverse's factor if there is one.
void add_determinant(FieldStrengthDerivative& derivative, const CloverField<double>& inverse,
                     const CloverField<double>* factor, Parity parity, const CloverParameters& parameters,
                     double weight) {
  const Lattice& lattice = derivative.lattice();
  for (const CloverField<double>* field : {&inverse, factor}) {
    if (field == nullptr) continue;
    require(field->lattice() == lattice,
            "the inverse clover term and the derivative by the field strength must lie on one lattice");
    require(field->subset() == Subset::full || field->subset() == subset_of(parity),
            "the inverse clover term does not hold the parity of the determinant");
  }
  for (const double number : {parameters.spatial, parameters.temporal, weight}) {
    require(std::isfinite(number),
            [&] { return fmt::format("the number {} in the force of a clover determinant is not finite", number); });
  }
  detail::SiteClover<double> blocks = detail::site_access(inverse);
  blocks.data[1 - static_cast<int>(parity)] = nullptr;
  detail::for_each_single_site<double>(
      "kaon::log_determinant_force", lattice,
      LogDeterminantForceKernel{blocks, detail::site_access(factor != nullptr ? *factor : inverse), factor != nullptr,
                                detail::site_access(derivative.spatial()), detail::site_access(derivative.temporal()),
                                -0.5 * weight * parameters.spatial, -0.5 * weight * parameters.temporal});
}

}  // namespace

void add_log_determinant(FieldStrengthDerivative& derivative, const CloverField<double>& inverse, Parity parity,
                         const CloverParameters& parameters, double weight) {
  add_determinant(derivative, inverse, nullptr, parity, parameters, weight);
}

void add_log_norm_determinant(FieldStrengthDerivative& derivative, const CloverField<double>& clover,
                              const CloverField<double>& norm_inverse, Parity parity,
                              const CloverParameters& parameters, double weight) {
  add_determinant(derivative, norm_inverse, &clover, parity, parameters, weight);
}

}  // namespace kaon
