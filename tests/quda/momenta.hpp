// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/client.hpp"

namespace kaon::test {

/// Momenta of a client in QDP's order: 10 reals a link.
struct QdpMomenta {
  explicit QdpMomenta(unsigned seed = 0) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    for (auto& part : parts) {
      part.resize(10 * static_cast<std::size_t>(volume_of(extents)));
      for (double& number : part) number = seed == 0 ? 0.0 : normal(generator);
    }
  }
  void** pointers() {
    for (std::size_t mu = 0; mu < 4; ++mu) addresses[mu] = parts[mu].data();
    return addresses.data();
  }
  /// P_mu(x), by the meaning of the numbers: P_01, P_02, P_12, Im P_00, Im P_11, Im P_22.
  reference::ColorMatrix at(const Coordinates& x, std::size_t mu) const {
    const double* const p = &parts[mu][10 * even_odd_place(x)];
    const Complex a(p[0], p[1]), b(p[2], p[3]), c(p[4], p[5]), i(0.0, 1.0);
    return {i * p[6], a, b, -std::conj(a), i * p[7], c, -std::conj(b), -std::conj(c), i * p[8]};
  }
  std::array<std::vector<double>, 4> parts;
  std::array<void*, 4> addresses{};
};

/// sum_{k = 0}^n (dt P)^k / k! with the traceless part of P, times U.
inline reference::Links advanced(const reference::Links& links, const QdpMomenta& momenta, double step, int order) {
  using reference::operator*;
  reference::Links result(links.size());
  reference::for_each_site(extents, [&](const Coordinates& x) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      reference::ColorMatrix p = momenta.at(x, mu);
      const Complex third = (p[0] + p[4] + p[8]) / 3.0;
      for (std::size_t k = 0; k < 9; k += 4) p[k] -= third;
      reference::ColorMatrix term = reference::link(links, x, static_cast<int>(mu), extents), sum = term;
      for (int k = 1; k <= order; ++k) {
        term = Complex(step / k) * (p * term);
        for (std::size_t e = 0; e < 9; ++e) sum[e] += term[e];
      }
      std::copy(sum.begin(), sum.end(),
                result.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, static_cast<int>(mu), extents)));
    }
  });
  return result;
}

/// All fields are the client's own.
inline QudaGaugeParam host_param() {
  QudaGaugeParam param = gauge_param();
  param.use_resident_gauge = param.make_resident_gauge = param.use_resident_mom = param.make_resident_mom = 0;
  param.return_result_gauge = param.return_result_mom = 1;
  return param;
}

/// All fields are resident.
inline QudaGaugeParam resident_param() {
  QudaGaugeParam param = gauge_param();
  param.use_resident_gauge = param.make_resident_gauge = param.use_resident_mom = param.make_resident_mom = 1;
  param.return_result_gauge = param.return_result_mom = 0;
  return param;
}

}  // namespace kaon::test
