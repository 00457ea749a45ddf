// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>

#include <complex>
#include <cstddef>
#include <vector>

namespace kaon::io {

/// A gauge field in host memory, in double precision: the content of a file of any format, or the sites of one
/// process.
///
/// Order [t][z][y][x][mu][row][column]: site x fastest, mu = x, y, z, t, matrices row by row. U[row][column] of
/// direction mu at site s is links[(4 s + mu) 9 + 3 row + column] with s = lexicographic_index(site, extents).
struct HostLinks {
  Coordinates extents{};
  std::vector<std::complex<double>> links;

  HostLinks() = default;
  /// A field of zeros.
  explicit HostLinks(const Coordinates& lattice_extents);

  /// The nine elements of the link in direction `mu` at the site with this lexicographic index.
  std::complex<double>* link(std::ptrdiff_t site, int mu) { return links.data() + offset(site, mu); }
  const std::complex<double>* link(std::ptrdiff_t site, int mu) const { return links.data() + offset(site, mu); }

 private:
  static std::size_t offset(std::ptrdiff_t site, int mu) { return (static_cast<std::size_t>(site) * 4 + mu) * 9; }
};

/// (1/3) Re Tr U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag averaged over all sites and the six planes; 1 on a unit
/// field. Plain loops; the digits do not depend on the order of summation, nor on the number of threads.
double plaquette(const HostLinks& field);

/// (1/3) Re Tr U averaged over all links.
double link_trace(const HostLinks& field);

}  // namespace kaon::io
