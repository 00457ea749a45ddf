// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <complex>
#include <vector>

namespace kaon {

/// g(x), an SU(3) matrix on every site, in double.
class GaugeTransformation {
 public:
  /// Every g(x) independent and distributed by Haar's measure.
  GaugeTransformation(const Lattice& lattice, const RandomKey& key);

  const Lattice& lattice() const { return lattice_; }
  /// 18 reals [row][column][re, im] on each local site, lexicographic.
  const double* data() const { return matrices_.data(); }
  /// Host values of the sites of this process, [t][z][y][x][row][column].
  std::vector<std::complex<double>> to_host() const;

 private:
  Lattice lattice_;
  Kokkos::View<double*, Memory> matrices_;
};

/// U_mu(x) <- g(x) U_mu(x) g(x+mu)^dag. Throws `Error` if g lives on another lattice.
template <class T>
void transform(GaugeField<T>& links, const GaugeTransformation& g);

/// psi(x) <- g(x) psi(x) on every spin, parity and right-hand side. Throws `Error` if g lives on another lattice or psi
/// has not 3 colours.
template <class T>
void transform(SpinorField<T>& psi, const GaugeTransformation& g);

}  // namespace kaon
