// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "propagator.hpp"

#include <numbers>
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

/// The sign that is for a product of gamma matrices on a site.
double spin_taste_sign(int gamma, const Coordinates& x) {
  int sum = 0;
  switch (gamma) {
    case 1:
      sum = x[1] + x[2] + x[3];
      break;
    case 2:
      sum = x[0] + x[2] + x[3];
      break;
    case 4:
      sum = x[0] + x[1] + x[3];
      break;
    case 8:
      sum = x[0] + x[1] + x[2];
      break;
    case 15:
      sum = x[0] + x[1] + x[2] + x[3];
      break;
    case 6:
      sum = x[1] + x[2];
      break;
    case 5:
      sum = x[2] + x[0];
      break;
    case 3:
      sum = x[0] + x[1];
      break;
    case 9:
      sum = x[0] + x[3];
      break;
    case 10:
      sum = x[1] + x[3];
      break;
    case 12:
      sum = x[2] + x[3];
      break;
    case 14:
      sum = x[0];
      break;
    case 13:
      sum = x[1];
      break;
    case 11:
      sum = x[2];
      break;
    case 7:
      sum = x[3];
      break;
    default:
      break;
  }
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
  // One term: the directions in the order in which they act.
  const auto add_term = [&](double weight, const std::vector<int>& order) {
    Spinor chi = start;
    for (const int mu : order) {
      const Spinor both =
          add(covariant_shift(chi, links, mu, 1, extents), 1.0, covariant_shift(chi, links, mu, -1, extents));
      chi = with_signs(both, 1 << mu, extents);
    }
    sum = add(sum, weight, chi);
  };
  const auto add_pair = [&](int a, int b) {
    add_term(1.0 / 8.0, {b, a});
    add_term(-1.0 / 8.0, {a, b});
  };
  const auto add_triple = [&](int a, int b, int c) {
    for (const std::vector<int>& order : {std::vector{a, b, c}, {b, c, a}, {c, a, b}}) {
      add_term(1.0 / 48.0, order);
      add_term(-1.0 / 48.0, {order[2], order[1], order[0]});
    }
  };
  switch (spin ^ taste) {
    case 0:
      add_term(1.0, {});
      break;
    case 1:
      add_term(0.5, {0});
      break;
    case 2:
      add_term(0.5, {1});
      break;
    case 4:
      add_term(0.5, {2});
      break;
    case 8:
      add_term(0.5, {3});
      break;
    case 3:
      add_pair(0, 1);
      break;
    case 6:
      add_pair(1, 2);
      break;
    case 5:
      add_pair(2, 0);
      break;
    case 9:
      add_pair(0, 3);
      break;
    case 10:
      add_pair(1, 3);
      break;
    case 12:
      add_pair(2, 3);
      break;
    case 14:
      add_triple(1, 2, 3);
      break;
    case 13:
      add_triple(0, 2, 3);
      break;
    case 11:
      add_triple(0, 1, 3);
      break;
    case 7:
      add_triple(0, 1, 2);
      break;
    default:
      for (const std::vector<int>& even : {std::vector{0, 1, 2, 3},
                                           {1, 2, 0, 3},
                                           {2, 0, 1, 3},
                                           {0, 3, 1, 2},
                                           {1, 3, 2, 0},
                                           {2, 3, 0, 1},
                                           {3, 2, 1, 0},
                                           {3, 0, 2, 1},
                                           {3, 1, 0, 2},
                                           {2, 1, 3, 0},
                                           {0, 2, 3, 1},
                                           {1, 0, 3, 2}}) {
        add_term(1.0 / 384.0, even);
        add_term(-1.0 / 384.0, {even[1], even[0], even[2], even[3]});
      }
  }
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
