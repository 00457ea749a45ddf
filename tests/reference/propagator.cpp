// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "propagator.hpp"

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

}  // namespace kaon::reference
