// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <complex>
#include <vector>

namespace kaon {

/// F_{mu nu}(x) from the four plaquette leaves around x, Hermitian 3x3 matrices, in double:
///   F_{mu nu} = (1/(8i)) (Q_{mu nu} - Q_{mu nu}^dag), its trace left in.
/// Fermion boundary phases do not enter.
class FieldStrength {
 public:
  /// Number of planes: xy, xz, yz, xt, yt, zt, in this order.
  static constexpr int planes = 6;
  static constexpr int plane_directions[planes][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

  template <class T>
  explicit FieldStrength(const GaugeField<T>& links);

  const Lattice& lattice() const { return lattice_; }
  /// 18 reals [row][column][re, im] on each plane of each local site, lexicographic.
  const double* data() const { return matrices_.data(); }
  /// Host values of the sites of this process, [t][z][y][x][plane][row][column].
  std::vector<std::complex<double>> to_host() const;

 private:
  Lattice lattice_;
  Kokkos::View<double*, Memory> matrices_;
};

}  // namespace kaon
