// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge.hpp"

namespace kaon::reference {

ColorMatrix path_product(const Links& links, Coordinates site, const std::vector<int>& steps,
                         const Coordinates& extents) {
  ColorMatrix product = identity_color_matrix();
  for (const int step : steps) {
    const int mu = std::abs(step) - 1;
    const Coordinates next = neighbor(site, mu, step > 0 ? 1 : -1, extents);
    product = product * (step > 0 ? link(links, site, mu, extents) : dagger(link(links, next, mu, extents)));
    site = next;
  }
  return product;
}

ColorMatrix plaquette_at(const Links& links, const Coordinates& site, int mu, int nu, const Coordinates& extents) {
  const int m = mu + 1;
  const int n = nu + 1;
  return path_product(links, site, {m, n, -m, -n}, extents);
}

double plaquette(const Links& links, const Coordinates& extents) {
  double sum = 0.0;
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu)
      for (int nu = mu + 1; nu < directions; ++nu) sum += trace(plaquette_at(links, x, mu, nu, extents)).real();
  });
  return sum / (3.0 * 6.0 * static_cast<double>(volume_of(extents)));
}

Complex polyakov_loop(const Links& links, int mu, const Coordinates& extents) {
  const int length = extents[static_cast<std::size_t>(mu)];
  const std::vector<int> steps(static_cast<std::size_t>(length), mu + 1);
  Complex sum = 0.0;
  // Each line once for each of its sites, at which it may start: the trace is the same.
  for_each_site(extents, [&](const Coordinates& x) { sum += trace(path_product(links, x, steps, extents)); });
  return sum / (3.0 * static_cast<double>(volume_of(extents)));
}

std::array<double, directions> link_trace_by_direction(const Links& links) {
  std::array<double, directions> sum{};
  const std::size_t number_of_links = links.size() / 9;
  for (std::size_t k = 0; k < number_of_links; ++k)
    sum[k % directions] += (links[9 * k] + links[9 * k + 4] + links[9 * k + 8]).real();
  for (double& s : sum) s /= 3.0 * static_cast<double>(number_of_links / directions);
  return sum;
}

double link_trace(const Links& links) {
  const std::array<double, directions> average = link_trace_by_direction(links);
  return (average[0] + average[1] + average[2] + average[3]) / 4.0;
}

GaugeTransformation random_gauge_transformation(const Coordinates& extents, std::mt19937_64& generator) {
  GaugeTransformation g(static_cast<std::size_t>(volume_of(extents)));
  for (ColorMatrix& matrix : g) matrix = random_su3(generator);
  return g;
}

Links transform_links(const Links& links, const GaugeTransformation& g, const Coordinates& extents, int step) {
  const auto g_at = [&](const Coordinates& x) { return g[static_cast<std::size_t>(lexicographic_index(x, extents))]; };
  Links result(links.size());
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const ColorMatrix u = g_at(x) * link(links, x, mu, extents) * dagger(g_at(neighbor(x, mu, step, extents)));
      std::copy(u.begin(), u.end(), result.begin() + static_cast<std::ptrdiff_t>(link_offset(x, mu, extents)));
    }
  });
  return result;
}

Spinor transform_spinor(const Spinor& psi, const GaugeTransformation& g, const Coordinates& extents) {
  Spinor result(psi.size());
  for_each_site(extents, [&](const Coordinates& x) {
    const ColorMatrix& matrix = g[static_cast<std::size_t>(lexicographic_index(x, extents))];
    add_at(result, x, extents, multiply(matrix, at(psi, x, extents)));
  });
  return result;
}

Spinor covariant_shift(const Spinor& psi, const Links& links, int mu, int step, const Coordinates& extents) {
  Spinor result(psi.size());
  for_each_site(extents, [&](const Coordinates& x) {
    const Coordinates from = neighbor(x, mu, step, extents);
    const ColorMatrix u = step == 1 ? link(links, x, mu, extents) : dagger(link(links, from, mu, extents));
    add_at(result, x, extents, multiply(u, at(psi, from, extents)));
  });
  return result;
}

ColorMatrix clover_leaves(const Links& links, const Coordinates& site, int mu, int nu, const Coordinates& extents) {
  const int m = mu + 1;
  const int n = nu + 1;
  return path_product(links, site, {m, n, -m, -n}, extents) + path_product(links, site, {n, -m, -n, m}, extents) +
         path_product(links, site, {-m, -n, m, n}, extents) + path_product(links, site, {-n, m, n, -m}, extents);
}

ColorMatrix field_strength(const Links& links, const Coordinates& site, int mu, int nu, const Coordinates& extents) {
  const ColorMatrix q = clover_leaves(links, site, mu, nu, extents);
  return Complex(0.0, -0.125) * (q + Complex(-1.0) * dagger(q));
}

}  // namespace kaon::reference
