// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include <kaon/core/coordinates.hpp>

/// The slow truth that kaon's fast code is compared with: nested loops over `std::complex<double>`, one formula at a
/// time, sharing nothing with the library but the meaning of a site index. Conventions: docs/conventions.md.
namespace kaon::reference {

using Complex = std::complex<double>;
inline constexpr Complex i{0.0, 1.0};

inline constexpr int spins = 4;
/// Components of a spinor at one site, colour fastest: component = 3 spin + colour.
inline constexpr int site_components = spins * colors;

/// Gauge field: [t][z][y][x][mu][row][column], mu = x, y, z, t.
using Links = std::vector<Complex>;
/// Spinor field: [t][z][y][x][spin][colour]. Fields of one parity are full fields that vanish on the other.
using Spinor = std::vector<Complex>;

/// A colour matrix [row][column] as nine numbers.
using ColorMatrix = std::array<Complex, colors * colors>;
/// A matrix on the spin and colour of one site, [12 rows][12 columns].
using SiteMatrix = std::array<Complex, site_components * site_components>;
/// One component per spin and colour of one site.
using SiteVector = std::array<Complex, site_components>;

/// Site x + steps mu-hat on the periodic lattice.
inline Coordinates neighbor(Coordinates site, int mu, int steps, const Coordinates& extents) {
  site[mu] = ((site[mu] + steps) % extents[mu] + extents[mu]) % extents[mu];
  return site;
}

/// (x + y + z + t) mod 2: 0 is even.
inline int parity_of(const Coordinates& site) { return (site[0] + site[1] + site[2] + site[3]) % 2; }

/// Calls f(site) for every site, in lexicographic order.
template <class Function>
void for_each_site(const Coordinates& extents, Function&& f) {
  Coordinates x{};
  for (x[3] = 0; x[3] < extents[3]; ++x[3])
    for (x[2] = 0; x[2] < extents[2]; ++x[2])
      for (x[1] = 0; x[1] < extents[1]; ++x[1])
        for (x[0] = 0; x[0] < extents[0]; ++x[0]) f(static_cast<const Coordinates&>(x));
}

/// Position in a `Links` array of element [0][0] of U_mu(x).
inline std::size_t link_offset(const Coordinates& site, int mu, const Coordinates& extents) {
  return 9 * (4 * static_cast<std::size_t>(lexicographic_index(site, extents)) + static_cast<std::size_t>(mu));
}

/// Position in a `Spinor` array of component [0][0] of psi(x).
inline std::size_t spinor_offset(const Coordinates& site, const Coordinates& extents) {
  return site_components * static_cast<std::size_t>(lexicographic_index(site, extents));
}

/// U_mu(x).
inline ColorMatrix link(const Links& links, const Coordinates& site, int mu, const Coordinates& extents) {
  ColorMatrix u;
  std::copy_n(links.begin() + static_cast<std::ptrdiff_t>(link_offset(site, mu, extents)), u.size(), u.begin());
  return u;
}

/// psi(x).
inline SiteVector at(const Spinor& psi, const Coordinates& site, const Coordinates& extents) {
  SiteVector v;
  std::copy_n(psi.begin() + static_cast<std::ptrdiff_t>(spinor_offset(site, extents)), v.size(), v.begin());
  return v;
}

/// psi(x) += v.
inline void add_at(Spinor& psi, const Coordinates& site, const Coordinates& extents, const SiteVector& v) {
  const std::size_t offset = spinor_offset(site, extents);
  for (std::size_t i = 0; i < v.size(); ++i) psi[offset + i] += v[i];
}

}  // namespace kaon::reference
