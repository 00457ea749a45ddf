// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/single_sites.hpp"
#include "gauge/field_strength_kernels.hpp"

#include <kaon/gauge/field_strength.hpp>

namespace kaon {
namespace {

using detail::ColorMatrix;

/// F of all planes (mu < nu): xy, xz, yz, xt, yt, zt.
template <class Links>
struct FieldStrengthKernel {
  Links links;
  ColorMatrix<double>* f;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    int entry = FieldStrength::planes * detail::local_number(links.map, x);
    for (int nu = 1; nu < 4; ++nu) {
      for (int mu = 0; mu < nu; ++mu) f[entry++] = detail::field_strength(links, x, mu, nu);
    }
  }
};

}  // namespace

template <class T>
FieldStrength::FieldStrength(const GaugeField<T>& links)
    : lattice_(links.lattice()),
      matrices_(detail::allocate_field<double>(lattice_, "kaon::field_strength",
                                               static_cast<std::size_t>(lattice_.local_volume()) * planes * 18)) {
  auto* const f = reinterpret_cast<ColorMatrix<double>*>(matrices_.data());
  const Lattice& lattice = lattice_;
  detail::with_near_links(links, [&]<class Links>(const Links& access) {
    detail::for_each_single_site<T>("kaon::field_strength", lattice, FieldStrengthKernel<Links>{access, f});
  });
}

std::vector<std::complex<double>> FieldStrength::to_host() const {
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), matrices_);
  Kokkos::deep_copy(lattice_.execution(), host, matrices_);
  lattice_.execution().fence("kaon::FieldStrength::to_host");
  std::vector<std::complex<double>> values(host.extent(0) / 2);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = {host(2 * k), host(2 * k + 1)};
  return values;
}

template FieldStrength::FieldStrength(const GaugeField<double>&);
template FieldStrength::FieldStrength(const GaugeField<float>&);

}  // namespace kaon
