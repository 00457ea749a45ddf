// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "propagator.hpp"

#include <algorithm>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

namespace kaon::reference {

Solution solve_cgne(const WilsonOperator& op, const Spinor& b, double tolerance, int max_iterations) {
  Spinor x(b.size());
  Spinor r = op.apply_dagger(b);
  Spinor p = r;
  double r2 = norm2(r);
  const double target = tolerance * tolerance * r2;
  int iterations = 0;
  for (; iterations < max_iterations && r2 > target; ++iterations) {
    const Spinor mp = op.apply(p);
    const double alpha = r2 / norm2(mp);
    x = add(x, alpha, p);
    r = add(r, -alpha, op.apply_dagger(mp));
    const double previous = r2;
    r2 = norm2(r);
    p = add(r, r2 / previous, p);
  }
  const double b2 = norm2(b);
  const double residual2 = norm2(add(b, -1.0, op.apply(x)));
  return {x, iterations, b2 > 0.0 ? std::sqrt(residual2 / b2) : std::sqrt(residual2)};
}

Propagator point_sources(const Coordinates& site, const Coordinates& extents) {
  Propagator sources;
  for (int spin = 0; spin < spins; ++spin)
    for (int color = 0; color < colors; ++color) sources.push_back(point_source(site, spin, color, extents));
  return sources;
}

Propagator solve(const WilsonOperator& op, const Propagator& sources, double tolerance) {
  Propagator propagator;
  for (const Spinor& source : sources) {
    Solution solution = solve_cgne(op, source, tolerance);
    if (!(solution.relative_residual <= 100.0 * tolerance))
      throw std::runtime_error("reference solve stopped at a relative residual of " +
                               std::to_string(solution.relative_residual));
    propagator.push_back(std::move(solution.x));
  }
  return propagator;
}

std::vector<double> correlator(const Propagator& propagator, int direction, int origin, const Coordinates& extents) {
  const int length = extents[direction];
  std::vector<double> sum(static_cast<std::size_t>(length));
  for (const Spinor& column : propagator)
    for_each_site(extents, [&](const Coordinates& x) {
      const int distance = ((x[direction] - origin) % length + length) % length;
      for (const Complex& component : at(column, x, extents))
        sum[static_cast<std::size_t>(distance)] += std::norm(component);
    });
  return sum;
}

Spinor gaussian_smear(const Spinor& psi, const Links& links, double width, int steps, const Coordinates& extents) {
  const double factor = width * width / (4.0 * steps);
  Spinor chi = psi;
  for (int step = 0; step < steps; ++step) {
    Spinor hopped(chi.size());
    for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 3; ++mu) {
        const Coordinates ahead = neighbor(x, mu, 1, extents);
        const Coordinates behind = neighbor(x, mu, -1, extents);
        add_at(hopped, x, extents, multiply(link(links, x, mu, extents), at(chi, ahead, extents)));
        add_at(hopped, x, extents, multiply(dagger(link(links, behind, mu, extents)), at(chi, behind, extents)));
      }
    });
    for (std::size_t k = 0; k < chi.size(); ++k) chi[k] += factor * (hopped[k] - 6.0 * chi[k]);
  }
  return chi;
}

Spinor two_link_smear(const Spinor& psi, const Links& links, double width, int steps, int dimensions,
                      const Coordinates& extents) {
  const double factor = width * width / (16.0 * steps);
  Spinor chi = psi;
  for (int step = 0; step < steps; ++step) {
    Spinor hopped(chi.size());
    for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < dimensions; ++mu) {
        const Coordinates ahead = neighbor(x, mu, 1, extents), behind = neighbor(x, mu, -1, extents);
        const Coordinates far_ahead = neighbor(ahead, mu, 1, extents), far_behind = neighbor(behind, mu, -1, extents);
        const ColorMatrix forward = link(links, x, mu, extents) * link(links, ahead, mu, extents);
        const ColorMatrix backward = dagger(link(links, far_behind, mu, extents) * link(links, behind, mu, extents));
        add_at(hopped, x, extents, multiply(forward, at(chi, far_ahead, extents)));
        add_at(hopped, x, extents, multiply(backward, at(chi, far_behind, extents)));
      }
    });
    for (std::size_t k = 0; k < chi.size(); ++k) chi[k] += factor * (hopped[k] - 2.0 * dimensions * chi[k]);
  }
  return chi;
}

namespace {

/// The sign that is for a product of gamma matrices on a site: -1 to the sum of some coordinates, a bit for each.
double spin_taste_sign(int gamma, const Coordinates& x) {
  constexpr unsigned coordinates[16] = {0b0000, 0b1110, 0b1101, 0b0011, 0b1011, 0b0101, 0b0110, 0b1000,
                                        0b0111, 0b1001, 0b1010, 0b0100, 0b1100, 0b0010, 0b0001, 0b1111};
  int sum = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) sum += (coordinates[gamma] >> mu & 1U) != 0 ? x[mu] : 0;
  return sum % 2 == 0 ? 1.0 : -1.0;
}

Spinor with_signs(Spinor psi, int gamma, const Coordinates& extents) {
  for_each_site(extents, [&](const Coordinates& x) {
    const auto first = static_cast<std::size_t>(12 * lexicographic_index(x, extents));
    for (std::size_t k = 0; k < 12; ++k) psi[first + k] *= spin_taste_sign(gamma, x);
  });
  return psi;
}

}  // namespace

Spinor spin_taste(const Spinor& psi, const Links& links, int spin, int taste, const Coordinates& extents) {
  const Spinor start = with_signs(psi, spin, extents);
  Spinor sum(psi.size());
  // The directions of spin ^ taste in an order that counts with +, and their number n: all orders count, with the sign
  // of their permutation and the weight 1/(2^n n!).
  const std::vector<int> positive[16] = {{},  {0},    {1},    {1, 0},    {2},    {0, 2},    {2, 1},    {0, 1, 2},
                                         {3}, {3, 0}, {3, 1}, {0, 1, 3}, {3, 2}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
  const std::vector<int>& directions = positive[spin ^ taste];
  std::vector<std::size_t> order(directions.size());
  std::iota(order.begin(), order.end(), 0);
  constexpr double weights[] = {1.0, 1.0 / 2.0, 1.0 / 8.0, 1.0 / 48.0, 1.0 / 384.0};
  do {
    int swaps = 0;
    for (std::size_t b = 0; b < order.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) swaps += order[a] > order[b] ? 1 : 0;
    }
    Spinor chi = start;
    for (const std::size_t k : order) {
      const int mu = directions[k];
      const Spinor both =
          add(covariant_shift(chi, links, mu, 1, extents), 1.0, covariant_shift(chi, links, mu, -1, extents));
      chi = with_signs(both, 1 << mu, extents);
    }
    sum = add(sum, (swaps % 2 == 0 ? 1.0 : -1.0) * weights[order.size()], chi);
  } while (std::next_permutation(order.begin(), order.end()));
  return with_signs(sum, 15, extents);
}

std::vector<Complex> momentum_products(const Spinor& psi, const Spinor& phi, const Coordinates& mode,
                                       const Coordinates& kind, const Coordinates& source, const Coordinates& extents) {
  std::vector<Complex> sums(static_cast<std::size_t>(extents[3]));
  const std::size_t components = psi.size() / static_cast<std::size_t>(volume_of(extents));
  for_each_site(extents, [&](const Coordinates& x) {
    Complex phase = 1.0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double angle = 2.0 * std::numbers::pi * mode[mu] * (x[mu] - source[mu]) / extents[mu];
      if (kind[mu] == 0) phase *= std::exp(Complex(0.0, angle));
      if (kind[mu] == 1) phase *= std::cos(angle);
      if (kind[mu] == 2) phase *= Complex(0.0, std::sin(angle));
    }
    const std::size_t first = components * static_cast<std::size_t>(lexicographic_index(x, extents));
    for (std::size_t c = first; c < first + components; ++c) {
      sums[static_cast<std::size_t>(x[3])] += phase * std::conj(psi[c]) * phi[c];
    }
  });
  return sums;
}

}  // namespace kaon::reference
