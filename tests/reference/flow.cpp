// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "flow.hpp"

#include "vectors.hpp"

#include <algorithm>
#include <numbers>

namespace kaon::reference {
namespace {

ColorMatrix antihermitian_field_strength(const Links& links, const Coordinates& x, int mu, int nu,
                                         const Coordinates& extents) {
  return Complex(0.0, 1.0) * field_strength(links, x, mu, nu, extents);
}

/// Z(V) of every link.
std::vector<ColorMatrix> velocities(const Links& links, const LoopWeights& weights, const Coordinates& extents) {
  std::vector<ColorMatrix> z;
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu)
      z.push_back(traceless_antihermitian(staples(links, x, mu, weights, none_omitted, extents) *
                                          dagger(link(links, x, mu, extents))));
  });
  return z;
}

int sign_of(std::array<int, 4> p) {
  int sign = 1;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = i + 1; j < 4; ++j)
      if (p[i] > p[j]) sign = -sign;
  return sign;
}

}  // namespace

Energy clover_energy(const Links& links, const Coordinates& extents) {
  Energy energy{0.0, 0.0};
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu)
      for (int nu = mu + 1; nu < directions; ++nu) {
        const ColorMatrix g = traceless_antihermitian(antihermitian_field_strength(links, x, mu, nu, extents));
        (nu == 3 ? energy.temporal : energy.spatial) -= trace(g * g).real();
      }
  });
  energy.spatial /= static_cast<double>(volume_of(extents));
  energy.temporal /= static_cast<double>(volume_of(extents));
  return energy;
}

std::vector<double> charge_density(const Links& links, const Coordinates& extents) {
  std::vector<double> density;
  for_each_site(extents, [&](const Coordinates& x) {
    double sum = 0.0;
    std::array<int, 4> p{0, 1, 2, 3};
    do {
      sum += sign_of(p) * trace(antihermitian_field_strength(links, x, p[0], p[1], extents) *
                                antihermitian_field_strength(links, x, p[2], p[3], extents))
                              .real();
    } while (std::next_permutation(p.begin(), p.end()));
    density.push_back(-sum / (32.0 * std::numbers::pi * std::numbers::pi));
  });
  return density;
}

double loop_action(const Links& links, const LoopWeights& weights, const Coordinates& extents) {
  double sum = 0.0;
  for_each_site(extents, [&](const Coordinates& x) {
    for (int m = 1; m <= directions; ++m)
      for (int n = 1; n <= directions; ++n) {
        if (n == m) continue;
        const auto loop = [&](const std::vector<int>& steps) {
          return 3.0 - trace(path_product(links, x, steps, extents)).real();
        };
        const double in_plane = weights.of_plane(m - 1, n - 1);
        if (n > m) sum += in_plane * weights.plaquette * loop({m, n, -m, -n});
        sum += in_plane * weights.rectangle * loop({m, m, n, -m, -m, -n});
      }
  });
  return sum;
}

namespace {

/// W_0 = V, W_1 and W_2 of a step, and its result.
std::vector<Links> flow_stages(const Links& links, double epsilon, const LoopWeights& weights,
                               const Coordinates& extents) {
  Links w = links;
  std::vector<Links> stages{w};
  std::vector<std::vector<ColorMatrix>> z;
  const auto advance = [&](const std::vector<double>& factors) {
    for (std::size_t k = 0; 9 * k < w.size(); ++k) {
      ColorMatrix sum{}, u;
      for (std::size_t i = 0; i < factors.size(); ++i) sum = sum + Complex(epsilon * factors[i]) * z[i][k];
      std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(9 * k), 9, u.begin());
      u = exponential(sum) * u;
      std::copy(u.begin(), u.end(), w.begin() + static_cast<std::ptrdiff_t>(9 * k));
    }
    stages.push_back(w);
  };
  z.push_back(velocities(w, weights, extents));
  advance({1.0 / 4.0});
  z.push_back(velocities(w, weights, extents));
  advance({-17.0 / 36.0, 8.0 / 9.0});
  z.push_back(velocities(w, weights, extents));
  advance({17.0 / 36.0, -8.0 / 9.0, 3.0 / 4.0});
  return stages;
}

}  // namespace

Links flow_step(const Links& links, double epsilon, const LoopWeights& weights, const Coordinates& extents) {
  return flow_stages(links, epsilon, weights, extents).back();
}

Spinor laplace(const Spinor& psi, const Links& links, const Coordinates& extents) {
  Spinor sum(psi.size());
  for (int mu = 0; mu < directions; ++mu) {
    for (const int step : {1, -1}) {
      sum = add(sum, 1.0, covariant_shift(psi, links, mu, step, extents));
      sum = add(sum, -1.0, psi);
    }
  }
  return sum;
}

Spinor fermion_flow_step(const Spinor& chi, const Links& links, double epsilon, const LoopWeights& weights,
                         const Coordinates& extents) {
  const std::vector<Links> w = flow_stages(links, epsilon, weights, extents);
  const Spinor of_0 = laplace(chi, w[0], extents);
  const Spinor phi_1 = add(chi, epsilon / 4.0, of_0);
  Spinor phi_2 = add(chi, 8.0 / 9.0 * epsilon, laplace(phi_1, w[1], extents));
  phi_2 = add(phi_2, -2.0 / 9.0 * epsilon, of_0);
  return add(phi_1, 3.0 / 4.0 * epsilon, laplace(phi_2, w[2], extents));
}

}  // namespace kaon::reference
