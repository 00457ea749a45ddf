// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "free_field.hpp"

#include <numbers>

namespace kaon::reference {
namespace {

// d + sum_mu w_mu (1 - cos p_mu).
double wilson_mass(const std::array<double, directions>& p, const WilsonParameters& parameters) {
  double sum = parameters.diagonal();
  for (int mu = 0; mu < directions; ++mu) sum -= parameters.hop_weight(mu) * std::cos(p[mu]);
  return sum;
}

// i sum_mu w_mu g_mu sin p_mu + i mu g_5.
SpinMatrix antihermitian_part(const std::array<double, directions>& p, const WilsonParameters& parameters) {
  SpinMatrix sum = i * parameters.twisted_mass * gamma5();
  for (int mu = 0; mu < directions; ++mu) sum = sum + i * parameters.hop_weight(mu) * std::sin(p[mu]) * gamma(mu);
  return sum;
}

}  // namespace

std::array<double, directions> momentum(const Coordinates& mode, const Coordinates& extents,
                                        const WilsonParameters& parameters) {
  std::array<double, directions> p;
  for (int mu = 0; mu < directions; ++mu)
    p[mu] = (2.0 * std::numbers::pi * mode[mu] + std::arg(parameters.boundary_phases[mu])) / extents[mu];
  return p;
}

SpinMatrix free_operator(const std::array<double, directions>& p, const WilsonParameters& parameters) {
  return wilson_mass(p, parameters) * identity_spin_matrix() + antihermitian_part(p, parameters);
}

SpinMatrix free_propagator(const std::array<double, directions>& p, const WilsonParameters& parameters) {
  const double mass = wilson_mass(p, parameters);
  double denominator = mass * mass + parameters.twisted_mass * parameters.twisted_mass;
  for (int mu = 0; mu < directions; ++mu) denominator += std::pow(parameters.hop_weight(mu) * std::sin(p[mu]), 2);
  return (1.0 / denominator) * (mass * identity_spin_matrix() + Complex(-1.0) * antihermitian_part(p, parameters));
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

Spinor free_point_propagator(const Coordinates& source, int spin, int color, const Coordinates& extents,
                             const WilsonParameters& parameters) {
  const double volume = static_cast<double>(volume_of(extents));
  Spinor result = zero_spinor(extents);
  for_each_site(extents, [&](const Coordinates& mode) {
    const std::array<double, directions> p = momentum(mode, extents, parameters);
    const SpinMatrix inverse = free_propagator(p, parameters);
    const Complex wave = std::exp(-i * (p[0] * source[0] + p[1] * source[1] + p[2] * source[2] + p[3] * source[3]));
    SiteVector column{};
    for (int sink = 0; sink < spins; ++sink) column[colors * sink + color] = wave * inverse[sink][spin] / volume;
    result = add(result, 1.0, plane_wave(p, column, extents));
  });
  return result;
}

}  // namespace kaon::reference
