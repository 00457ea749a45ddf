// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/state.hpp"

#include <array>

namespace kaon::quda {
namespace {

/// sum |P_01|^2 + |P_02|^2 + |P_12|^2 + (sum_i P_ii^2)/2 - 4 of a momentum i P, MILC's 10 reals: P_01, P_02, P_12,
/// three diagonal elements, and one that is not used. MILC subtracts the 4, the mean for normal numbers.
template <class T>
double action(const T* p) {
  double sum = -4.0;
  for (int k = 0; k < 6; ++k) sum += static_cast<double>(p[k]) * static_cast<double>(p[k]);
  for (int k = 6; k < 9; ++k) sum += 0.5 * static_cast<double>(p[k]) * static_cast<double>(p[k]);
  return sum;
}

template <class T>
double local_action(const void* momentum, const QudaGaugeParam& given, std::ptrdiff_t sites) {
  const bool by_direction = given.gauge_order == QUDA_QDP_GAUGE_ORDER;
  const bool in_sites = given.gauge_order == QUDA_MILC_SITE_GAUGE_ORDER;
  double sum = 0.0;
  for (std::ptrdiff_t site = 0; site < sites; ++site) {
    for (std::ptrdiff_t mu = 0; mu < 4; ++mu) {
      if (by_direction) {
        sum += action(static_cast<const T* const*>(momentum)[mu] + 10 * site);
      } else {
        const auto bytes = in_sites ? static_cast<std::ptrdiff_t>(given.site_size) : 40 * sizeof(T);
        const char* const first = static_cast<const char*>(momentum) + (in_sites ? given.mom_offset : 0) + site * bytes;
        sum += action(reinterpret_cast<const T*>(first) + 10 * mu);
      }
    }
  }
  return sum;
}

}  // namespace
}  // namespace kaon::quda

extern "C" {

double momActionQuda(void* momentum, QudaGaugeParam* param) {
  return kaon::quda::call(__func__, param, [&](const QudaGaugeParam& given) {
    kaon::require(momentum != nullptr, "the momentum is NULL: resident momenta are not supported");
    kaon::Coordinates extents;
    for (std::size_t mu = 0; mu < 4; ++mu) extents[mu] = given.X[mu];
    const kaon::Lattice& lattice = kaon::quda::state().lattice(extents, 1);
    const bool is_double = kaon::quda::element_of(given.cpu_prec, "cpu_prec") == kaon::ArrayElement::complex128;
    std::array<double, 1> sum{is_double ? kaon::quda::local_action<double>(momentum, given, lattice.local_volume())
                                        : kaon::quda::local_action<float>(momentum, given, lattice.local_volume())};
    lattice.communicator().sum(sum);
    return sum[0];
  });
}
}
