// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "contractions.hpp"

#include <cmath>
#include <numbers>

namespace kaon::reference {
namespace {

/// The six permutations of three places and their signs.
struct Permutation {
  std::array<int, 3> places;
  double sign;
};
constexpr Permutation permutations[] = {{{0, 1, 2}, 1.0},  {{1, 2, 0}, 1.0},  {{2, 0, 1}, 1.0},
                                        {{1, 0, 2}, -1.0}, {{0, 2, 1}, -1.0}, {{2, 1, 0}, -1.0}};

}  // namespace

Complex propagator_number(const Propagator& s, const Coordinates& site, const Coordinates& extents, int sink,
                          int sink_color, int source, int source_color) {
  const Spinor& column = s[static_cast<std::size_t>(3 * source + source_color)];
  return column[spinor_offset(site, extents) + static_cast<std::size_t>(3 * sink + sink_color)];
}

std::vector<Complex> project(const std::function<Complex(const Coordinates&)>& density, const std::array<int, 3>& n,
                             const Coordinates& source, const Coordinates& extents) {
  std::vector<Complex> sums(static_cast<std::size_t>(extents[3]));
  for_each_site(extents, [&](const Coordinates& x) {
    double angle = 0.0;
    for (std::size_t mu = 0; mu < 3; ++mu) {
      angle += 2.0 * std::numbers::pi * n[mu] * (x[mu] - source[mu]) / extents[mu];
    }
    const int t = (x[3] - source[3] + extents[3]) % extents[3];
    sums[static_cast<std::size_t>(t)] += std::exp(Complex(0.0, -angle)) * density(x);
  });
  return sums;
}

Complex meson_density(const Propagator& s, const Propagator& other, const SpinMatrix& a, const SpinMatrix& b,
                      const Coordinates& site, const Coordinates& extents) {
  Complex trace = 0.0;
  for (int k = 0; k < 4; ++k)
    for (int l = 0; l < 4; ++l)
      for (int m = 0; m < 4; ++m)
        for (int n = 0; n < 4; ++n) {
          const auto at = [](int spin) { return static_cast<std::size_t>(spin); };
          const Complex factor = a[at(k)][at(l)] * b[at(m)][at(n)];
          if (factor == 0.0) continue;
          for (int c = 0; c < 3; ++c)
            for (int d = 0; d < 3; ++d)
              trace += factor * propagator_number(s, site, extents, l, c, m, d) *
                       std::conj(propagator_number(other, site, extents, k, c, n, d));
        }
  return trace;
}

Complex baryon_density(const std::vector<BaryonTerm>& sink, const SpinMatrix& sink_diquark,
                       const std::vector<BaryonTerm>& source, const SpinMatrix& source_diquark,
                       const std::vector<const Propagator*>& quarks, int s, int r, const Coordinates& site,
                       const Coordinates& extents) {
  Complex sum = 0.0;
  for (const BaryonTerm& a : sink)
    for (const BaryonTerm& b : source)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          for (int k = 0; k < 4; ++k)
            for (int l = 0; l < 4; ++l) {
              const auto at = [](int spin) { return static_cast<std::size_t>(spin); };
              const Complex factor =
                  a.coefficient * b.coefficient * sink_diquark[at(i)][at(j)] * source_diquark[at(k)][at(l)];
              if (factor == 0.0) continue;
              const std::array<int, 3> spins_sink{i, j, s}, spins_source{k, l, r};
              for (const Permutation& joined : permutations) {
                bool same = true;
                for (std::size_t n = 0; n < 3; ++n) same = same && a.quarks[n] == b.quarks[at(joined.places[n])];
                if (!same) continue;
                for (const Permutation& c : permutations)
                  for (const Permutation& d : permutations) {
                    Complex product = factor * joined.sign * c.sign * d.sign;
                    for (std::size_t n = 0; n < 3; ++n) {
                      const std::size_t to = at(joined.places[n]);
                      product *= propagator_number(*quarks[a.quarks[n]], site, extents, spins_sink[n], c.places[n],
                                                   spins_source[to], d.places[to]);
                    }
                    sum += product;
                  }
              }
            }
  return sum;
}

Complex three_quark_density(const std::array<const Propagator*, 3>& quarks, const std::array<int, 3>& sink,
                            const std::array<int, 3>& source, const Coordinates& site, const Coordinates& extents) {
  Complex sum = 0.0;
  for (const Permutation& c : permutations)
    for (const Permutation& d : permutations) {
      Complex product = c.sign * d.sign;
      for (std::size_t n = 0; n < 3; ++n) {
        product *= propagator_number(*quarks[n], site, extents, sink[n], c.places[n], source[n], d.places[n]);
      }
      sum += product;
    }
  return sum;
}

}  // namespace kaon::reference
