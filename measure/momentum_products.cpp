// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"

#include <kaon/core/error.hpp>
#include <kaon/measure/correlator.hpp>

#include <fmt/format.h>

#include <numbers>

namespace kaon {
namespace {

using KokkosComplex = Kokkos::complex<double>;

/// values(2 t, place in the slice) and values(2 t + 1, ..) = real and imaginary part of a site's product. 8 flops a
/// component, 4 reals.
template <class T>
struct ProductKernel {
  detail::SiteSpinor<T> psi, phi;
  detail::EntryValues values;
  int right_hand_sides;
  int mode[4]{}, source[4]{};
  FourierFactor factor[4]{};

  KOKKOS_FUNCTION KokkosComplex phase(const int (&x)[4]) const {
    KokkosComplex product(1.0, 0.0);
    for (int mu = 0; mu < 4; ++mu) {
      const int length = psi.map.global[mu];
      const long turns = static_cast<long>(mode[mu]) * (x[mu] + psi.map.origin[mu] - source[mu]) % length;
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(turns) / length;
      const double cosine = factor[mu] == FourierFactor::sine ? 0.0 : Kokkos::cos(angle);
      const double sine = factor[mu] == FourierFactor::cosine ? 0.0 : Kokkos::sin(angle);
      product *= KokkosComplex(cosine, sine);
    }
    return product;
  }

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const detail::Place place = psi.map.place(x);
    KokkosComplex sum(0.0, 0.0);
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      const T* a = psi.data[place.parity] + static_cast<std::size_t>(rhs) * psi.stride;
      const T* b = phi.data[place.parity] + static_cast<std::size_t>(rhs) * phi.stride;
      for (int c = 0; c < psi.components; ++c) {
        const auto re = psi.order.offset(place, psi.components, c, 0),
                   im = psi.order.offset(place, psi.components, c, 1);
        sum += KokkosComplex(static_cast<double>(a[re]), -static_cast<double>(a[im])) *
               KokkosComplex(static_cast<double>(b[re]), static_cast<double>(b[im]));
      }
    }
    sum *= phase(x);
    const int entry = (x[2] * psi.map.extent[1] + x[1]) * psi.map.extent[0] + x[0];
    const int time = x[3] + psi.map.origin[3];
    values(2 * time, entry) = sum.real();
    values(2 * time + 1, entry) = sum.imag();
  }
};

}  // namespace

template <class T>
std::vector<std::complex<double>> momentum_products(const SpinorField<T>& psi, const SpinorField<T>& phi,
                                                    const MomentumParameters& parameters) {
  const Lattice& lattice = psi.lattice();
  require(lattice == phi.lattice() && psi.parameters() == phi.parameters(),
          "products of two fields need them on one lattice and of one shape");
  require(psi.subset() == Subset::full, "products with a momentum need fields on both parities");
  ProductKernel<T> kernel{.psi = detail::site_access(psi),
                          .phi = detail::site_access(phi),
                          .values = {},
                          .right_hand_sides = psi.right_hand_sides()};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int place = parameters.source_site[mu];
    require(place >= 0 && place < lattice.extents()[mu], [&] {
      return fmt::format("source {} = {}: the lattice has 0 to {}", "xyzt"[mu], place, lattice.extents()[mu] - 1);
    });
    kernel.mode[mu] = parameters.mode[mu];
    kernel.source[mu] = place;
    kernel.factor[mu] = parameters.factors[mu];
  }
  const std::ptrdiff_t slice_sites = lattice.local_volume() / lattice.local_extents()[3];
  kernel.values =
      detail::EntryValues(Kokkos::view_alloc(lattice.execution(), "kaon::momentum_products"),
                          static_cast<std::size_t>(2 * lattice.extents()[3]), static_cast<std::size_t>(slice_sites));
  detail::for_each_single_site<T>("kaon::momentum_products", lattice, kernel);
  const std::vector<double> sums = detail::ordered_sums(lattice, kernel.values);
  std::vector<std::complex<double>> result;
  for (std::size_t t = 0; 2 * t < sums.size(); ++t) result.emplace_back(sums[2 * t], sums[2 * t + 1]);
  return result;
}

template std::vector<std::complex<double>> momentum_products(const SpinorField<double>&, const SpinorField<double>&,
                                                             const MomentumParameters&);
template std::vector<std::complex<double>> momentum_products(const SpinorField<float>&, const SpinorField<float>&,
                                                             const MomentumParameters&);

}  // namespace kaon
