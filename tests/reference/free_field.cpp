// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "free_field.hpp"

#include <numbers>

namespace kaon::reference {
std::array<double, directions> momentum(const Coordinates& mode, const Coordinates& extents,
                                        const WilsonParameters& parameters) {
  std::array<double, directions> p;
  for (int mu = 0; mu < directions; ++mu)
    p[mu] = (2.0 * std::numbers::pi * mode[mu] + std::arg(parameters.boundary_phases[mu])) / extents[mu];
  return p;
}

SpinMatrix free_operator(const std::array<double, directions>& p, const WilsonParameters& parameters) {
  SpinMatrix sum = parameters.diagonal() * identity_spin_matrix() + i * parameters.twisted_mass * gamma5();
  for (int mu = 0; mu < directions; ++mu) {
    const Complex hop = i * std::sin(p[mu]);
    sum = sum + parameters.hop_weight(mu) * (hop * gamma(mu) + Complex(-std::cos(p[mu])) * identity_spin_matrix());
  }
  return sum;
}

Spinor plane_wave(const std::array<double, directions>& p, const SiteVector& v, const Coordinates& extents) {
  Spinor psi = zero_spinor(extents);
  for_each_site(extents, [&](const Coordinates& x) {
    const Complex wave = std::exp(i * (p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3]));
    SiteVector value = v;
    for (Complex& component : value) component *= wave;
    add_at(psi, x, extents, value);
  });
  return psi;
}

}  // namespace kaon::reference
