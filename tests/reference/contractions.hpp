// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gamma.hpp"
#include "propagator.hpp"

#include <functional>

namespace kaon::reference {

/// S_{sink spin, colour; source spin, colour}(x).
Complex propagator_number(const Propagator& s, const Coordinates& site, const Coordinates& extents, int sink,
                          int sink_color, int source, int source_color);

/// C(t) = sum_x exp(-i p.(x - x0)) density(x) with p = 2 pi n/L and t from the source x0 on.
std::vector<Complex> project(const std::function<Complex(const Coordinates&)>& density, const std::array<int, 3>& n,
                             const Coordinates& source, const Coordinates& extents);

/// tr[ A S B S'^dag ] at a site, product by product.
Complex meson_density(const Propagator& s, const Propagator& other, const SpinMatrix& a, const SpinMatrix& b,
                      const Coordinates& site, const Coordinates& extents);

/// coefficient eps_abc (q1^T G q2) q3, quarks by number.
struct BaryonTerm {
  double coefficient;
  std::array<std::size_t, 3> quarks;
};

/// < B_s Bbar_s' > at a site by Wick's theorem for anticommuting quarks: all permutations with their signs, both
/// epsilon tensors written out. `source_diquark` is the matrix in Bbar, g_t G^* g_t^T.
Complex baryon_density(const std::vector<BaryonTerm>& sink, const SpinMatrix& sink_diquark,
                       const std::vector<BaryonTerm>& source, const SpinMatrix& source_diquark,
                       const std::vector<const Propagator*>& quarks, int s, int r, const Coordinates& site,
                       const Coordinates& extents);

/// eps_abc eps_a'b'c' S1^{aa'}_{ii'} S2^{bb'}_{jj'} S3^{cc'}_{kk'} at a site.
Complex three_quark_density(const std::array<const Propagator*, 3>& quarks, const std::array<int, 3>& sink,
                            const std::array<int, 3>& source, const Coordinates& site, const Coordinates& extents);

}  // namespace kaon::reference
