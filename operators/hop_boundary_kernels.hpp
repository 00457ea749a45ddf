// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/halo_faces.hpp"
#include "operators/hop_boundary.hpp"
#include "operators/hop_kernels.hpp"

namespace kaon::detail {

// A hop across the edges of processes. What a process contributes to its neighbours' sites is projected, and for those
// ahead multiplied by the link, which is its own; so no links are exchanged. `PackKernel` writes these half spinors,
// `BoundaryKernel` adds those that have come to the hop over local sites.

/// Calls `body.template operator()<mu>()`.
template <class Body>
KOKKOS_FORCEINLINE_FUNCTION void with_direction(int mu, const Body& body) {
  switch (mu) {
    case 0:
      return body.template operator()<0>();
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    default:
      return body.template operator()<3>();
  }
}

/// Half spinors for the neighbours, from the sites of `in` at the edges: all faces in one kernel. They are stored as H.
template <class T, class H, class V, class Code>
struct PackKernel {
  using Links = GaugeAccess<T, V, Code>;

  SubLattice geometry;
  int parity;  // of in
  Links links;
  SpinorAccess<const T, V> in;
  Scalar<V> sign;
  FaceSites sites[4];
  HaloAccess<H, V> outgoing[faces];
  Complex<Scalar<V>> phase[faces];
  int end[faces];  // sums of sites

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    int face = 0;
    while (index >= end[face]) ++face;
    const int number = index - (face == 0 ? 0 : end[face - 1]);
    with_direction(face / 2, [&]<int mu>() {
      for (int rhs = first; rhs < last; ++rhs) {
        if (face % 2 == 0) {
          pack<mu, false>(number, rhs);
        } else {
          pack<mu, true>(number, rhs);
        }
      }
    });
  }

 private:
  template <int mu, bool for_ahead>
  KOKKOS_FORCEINLINE_FUNCTION void pack(int number, int rhs) const {
    constexpr int face = 2 * mu + (for_ahead ? 1 : 0);
    const Site site = sites[mu].site(geometry, number, for_ahead ? geometry.extent[mu] - 1 : 0, parity);
    HalfSpinor<V> h = project<mu>(in.load(site.index, rhs), V(for_ahead ? sign : -sign), 0.0F);
    const Complex<V> factor{V(phase[face].re), V(phase[face].im)};
    if constexpr (for_ahead) {
      const ColorMatrix<V> u = Links::decode(links.fetch(site.index, parity, mu));
      h.s[0] = adjoint_multiply(u, h.s[0]);
      h.s[1] = adjoint_multiply(u, h.s[1]);
    }
    KAON_UNROLL
    for (int spin = 0; spin < 2; ++spin) {
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) h.s[spin].c[color] = factor * h.s[spin].c[color];
    }
    outgoing[face].store(h, number, rhs);
  }
};

/// out += c D_halo, or c A^-1 D_halo (`inverse`): D's terms whose neighbours lie on other processes.
template <class T, class H, class V, class Code, bool inverse>
struct BoundaryKernel {
  using Links = GaugeAccess<T, V, Code>;

  SubLattice geometry;
  int parity;  // of out
  const int* boundary;
  Links links;
  SpinorAccess<T, V> out;
  CloverAccess<const T, V> site_term;
  Scalar<V> sign, spatial_weight, scale;
  FaceSites sites[4];
  HaloAccess<H, V> incoming[faces];
  HaloFlags flags;
  bool partitioned[4];

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = geometry.site(boundary[index], parity);
    for (int rhs = first; rhs < last; ++rhs) {
      Spinor<V> sum = {};
      add<0>(sum, site, rhs);
      add<1>(sum, site, rhs);
      add<2>(sum, site, rhs);
      for (ColorVector<V>& s : sum.s) multiply(s, V(spatial_weight));
      add<3>(sum, site, rhs);
      if constexpr (inverse) sum = multiply_clover(site_term, sum, site.index);
      Spinor<V> result = out.load(site.index, rhs);
      for (int spin = 0; spin < 4; ++spin) {
        for (int color = 0; color < 3; ++color) result.s[spin].c[color] += V(scale) * sum.s[spin].c[color];
      }
      out.store(result, site.index, rhs);
    }
  }

 private:
  template <int mu>
  KOKKOS_FORCEINLINE_FUNCTION void add(Spinor<V>& sum, const Site& site, int rhs) const {
    if (!partitioned[mu]) return;
    const int number = sites[mu].number(site);
    if (site.x[mu] == geometry.extent[mu] - 1) {
      flags.wait(2 * mu);
      HalfSpinor<V> h = incoming[2 * mu].load(number, rhs);
      const ColorMatrix<V> u = Links::decode(links.fetch(site.index, parity, mu));
      h.s[0] = u * h.s[0];
      h.s[1] = u * h.s[1];
      reconstruct<mu, true>(sum, h, V(-sign), V(static_cast<Scalar<V>>(Links::unit)));
    }
    if (site.x[mu] == 0) {
      flags.wait(2 * mu + 1);
      const HalfSpinor<V> h = incoming[2 * mu + 1].load(number, rhs);
      reconstruct<mu, false>(sum, h, V(sign), V(1));
    }
  }
};

template <class T, class Code>
HopBoundary<T, Code>::HopBoundary(const HopTerm<T>& hop, SpinorField<T>& out, const SpinorField<T>& in,
                                  const HopForm<T>& form, const CloverField<T>* site_term)
    : hop_(hop),
      out_(out),
      in_(in),
      form_(form),
      site_term_(site_term),
      halo_(with_halo(hop.halo(),
                      [&]<class H>() -> HopHalo& { return HopHalo::of<T, H>(hop.lattice(), in.right_hand_sides()); })) {
}

template <class T, class Code>
template <class Body>
decltype(auto) HopBoundary<T, Code>::with_halo(HaloPrecision precision, const Body& body) {
  if constexpr (std::is_same_v<T, double>) {
    if (precision == HaloPrecision::single) return body.template operator()<float>();
  }
  if constexpr (!std::is_same_v<T, half>) {
    if (precision == HaloPrecision::half) return body.template operator()<half>();
  }
  return body.template operator()<T>();
}

template <class T, class Code>
std::complex<double> HopBoundary<T, Code>::factor(int face) const {
  const auto mu = static_cast<std::size_t>(face / 2);
  const int place = lattice().process_coordinates()[mu];
  const double theta = hop_.boundary()[mu];
  if (face % 2 == 0) return place == 0 ? boundary_phase(theta) : 1.0;
  const bool at_end = place == lattice().process_grid()[mu] - 1;
  return GaugeAccess<T, Arithmetic<T>, Code>::unit * (at_end ? boundary_phase(-theta) : 1.0);
}

template <class T, class Code>
void HopBoundary<T, Code>::start() {
  with_lanes<T>(lattice().template lane_count<T>(),
                [&]<class V>() { with_halo(hop_.halo(), [&]<class H>() { pack<V, H>(); }); });
  halo_.exchange().start();
}

template <class T, class Code>
void HopBoundary<T, Code>::finish() {
  halo_.exchange().finish();
  with_lanes<T>(lattice().template lane_count<T>(), [&]<class V>() {
    with_halo(hop_.halo(), [&]<class H>() {
      if (form_.term == SiteTerm::inverse) {
        add<V, H, true>();
      } else {
        add<V, H, false>();
      }
    });
  });
}

template <class T, class Code>
template <class V, class H>
void HopBoundary<T, Code>::pack() {
  const Coordinates& lane_grid = lattice().template lane_grid<T>();
  const Execution& packing = halo_.exchange().packing();
  PackKernel<T, H, V, Code> kernel;
  kernel.geometry = SubLattice(lattice().local_extents(), lane_grid);
  kernel.parity = static_cast<int>(opposite(parity()));
  kernel.links = access<V, Code>(hop_.links());
  kernel.in = access<V>(in_, opposite(parity()));
  kernel.sign = form_.dagger ? Scalar<V>(-1) : Scalar<V>(1);
  int count = 0;
  for (int face = 0; face < faces; ++face) {
    const auto mu = static_cast<std::size_t>(face / 2);
    kernel.sites[mu] = FaceSites(kernel.geometry, face / 2);
    if (lattice().is_partitioned(mu)) count += kernel.sites[mu].sites;
    kernel.end[face] = count;
    kernel.outgoing[face] = {static_cast<H*>(halo_.exchange().outgoing(face)), halo_.stride(mu),
                             EdgeLanes<V>(lane_grid, mu, face % 2 == 1)};
    const std::complex<double> phase = factor(face);
    kernel.phase[face] = {static_cast<Scalar<V>>(phase.real()), static_cast<Scalar<V>>(phase.imag())};
  }
  for_each_site("kaon::hop_pack", packing, count, in_.right_hand_sides(), kernel);
}

template <class T, class Code>
template <class V, class H, bool inverse>
void HopBoundary<T, Code>::add() {
  const Coordinates& lane_grid = lattice().template lane_grid<T>();
  BoundaryKernel<T, H, V, Code, inverse> kernel;
  kernel.geometry = SubLattice(lattice().local_extents(), lane_grid);
  kernel.parity = static_cast<int>(parity());
  const auto& boundary = halo_.boundary(parity());
  kernel.boundary = boundary.data();
  kernel.links = access<V, Code>(hop_.links());
  kernel.out = access<V>(out_, parity());
  if constexpr (inverse) kernel.site_term = access<V>(*site_term_, parity());
  kernel.sign = form_.dagger ? Scalar<V>(-1) : Scalar<V>(1);
  kernel.spatial_weight = static_cast<Scalar<V>>(hop_.spatial_weight());
  kernel.scale = static_cast<Scalar<V>>(0.5 * form_.scale);  // K = D/2
  kernel.flags = halo_.exchange().flags();
  for (int face = 0; face < faces; ++face) {
    const auto mu = static_cast<std::size_t>(face / 2);
    kernel.partitioned[mu] = lattice().is_partitioned(mu);
    kernel.sites[mu] = FaceSites(kernel.geometry, face / 2);
    const auto* data = static_cast<const H*>(halo_.exchange().incoming(face));
    kernel.incoming[face] = {const_cast<H*>(data), halo_.stride(mu), EdgeLanes<V>(lane_grid, mu, face % 2 == 0)};
  }
  for_each_site("kaon::hop_boundary", lattice().execution(), static_cast<int>(boundary.extent(0)),
                out_.right_hand_sides(), kernel);
}

}  // namespace kaon::detail
