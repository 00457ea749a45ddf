// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge_quality.hpp"

#include "gauge.hpp"

namespace kaon::reference {
namespace {

/// A of a link
ColorMatrix potential(const ColorMatrix& u) {
  ColorMatrix a = Complex(0.0, -0.5) * (u + Complex(-1.0) * dagger(u));
  const Complex third = trace(a) / 3.0;
  for (const std::size_t c : {0, 4, 8}) a[c] -= third;
  return a;
}

}  // namespace

GaugeQuality gauge_quality(const Links& links, int dimensions, const Coordinates& extents) {
  GaugeQuality sums{};
  for_each_site(extents, [&](const Coordinates& x) {
    ColorMatrix delta{};
    for (int mu = 0; mu < dimensions; ++mu) {
      const ColorMatrix here = path_product(links, x, {mu + 1}, extents);
      const ColorMatrix behind = dagger(path_product(links, x, {-(mu + 1)}, extents));
      sums.functional += trace(here).real();
      delta = delta + potential(here) + Complex(-1.0) * potential(behind);
    }
    sums.theta += trace(delta * delta).real();
  });
  const auto sites = static_cast<double>(volume_of(extents));
  return {sums.functional / (3.0 * dimensions * sites), sums.theta / (3.0 * sites)};
}

}  // namespace kaon::reference
