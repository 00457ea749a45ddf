// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/field_access.hpp"
#include "operators/halo_faces.hpp"
#include "operators/hop.hpp"
#include "operators/hop_halo.hpp"
#include "operators/projections.hpp"

namespace kaon::detail {

// A hop across the edges of processes. What a process contributes to its neighbours' sites is projected, and for those
// ahead multiplied by the link, which is its own; so no links are exchanged. `PackKernel` writes these half spinors,
// `EdgeTerms` adds those that have come to a hop.

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

/// D's terms whose neighbours lie on other processes, made of the half spinors that came from there, stored as H.
template <class T, class H, class V, class Code>
struct EdgeTerms {
  using Links = GaugeAccess<T, V, Code>;

  bool partitioned[4];
  FaceSites sites[4];
  HaloAccess<H, V> incoming[faces];
  HaloFlags flags;
  Scalar<V> sign;
  Scalar<V> ahead[4], behind[4];  ///< what terms are to be multiplied by: weights of directions and units of links

  /// Adds those of right-hand side `rhs`, which have come already unless it `must_wait`.
  KOKKOS_FORCEINLINE_FUNCTION void add(Spinor<V>& sum, const Links& links, const SubLattice& node, const Site& site,
                                       int rhs, bool must_wait) const {
    add_direction<0>(sum, links, node, site, rhs, must_wait);
    add_direction<1>(sum, links, node, site, rhs, must_wait);
    add_direction<2>(sum, links, node, site, rhs, must_wait);
    add_direction<3>(sum, links, node, site, rhs, must_wait);
  }

 private:
  template <int mu>
  KOKKOS_FORCEINLINE_FUNCTION void add_direction(Spinor<V>& sum, const Links& links, const SubLattice& node,
                                                 const Site& site, int rhs, bool must_wait) const {
    if (!partitioned[mu]) return;
    const int number = sites[mu].number(site);
    if (site.x[mu] == node.extent[mu] - 1) {
      if (must_wait) flags.wait(2 * mu);
      HalfSpinor<V> h = incoming[2 * mu].load(number, rhs);
      const ColorMatrix<V> u = Links::decode(links.fetch(site.index, site.parity, mu));
      h.s[0] = u * h.s[0];
      h.s[1] = u * h.s[1];
      reconstruct<mu, true>(sum, h, V(-sign), V(ahead[mu]));
    }
    if (site.x[mu] == 0) {
      if (must_wait) flags.wait(2 * mu + 1);
      const HalfSpinor<V> h = incoming[2 * mu + 1].load(number, rhs);
      reconstruct<mu, true>(sum, h, V(sign), V(behind[mu]));
    }
  }
};

/// What `outgoing(face)` is multiplied by: the boundary condition, where the face is the lattice's edge, and the unit
/// of the link where there is one.
template <class T, class Code>
std::complex<double> halo_factor(const HopTerm<T>& hop, int face) {
  const Lattice& lattice = hop.lattice();
  const auto mu = static_cast<std::size_t>(face / 2);
  const int place = lattice.process_coordinates()[mu];
  const double theta = hop.boundary()[mu];
  if (face % 2 == 0) return place == 0 ? boundary_phase(theta) : 1.0;
  const bool at_end = place == lattice.process_grid()[mu] - 1;
  return GaugeAccess<T, Arithmetic<T>, Code>::unit * (at_end ? boundary_phase(-theta) : 1.0);
}

/// What packs `in` for the exchange that comes next.
template <class H, class V, class Code, class T>
PackKernel<T, H, V, Code> make_packer(const HopTerm<T>& hop, const SpinorField<T>& in, bool dagger, HopHalo& halo) {
  const Lattice& lattice = hop.lattice();
  const Coordinates& lane_grid = lattice.template lane_grid<T>();
  const Parity parity = in.subset() == Subset::even ? Parity::even : Parity::odd;
  PackKernel<T, H, V, Code> kernel;
  kernel.geometry = SubLattice(lattice.local_extents(), lane_grid);
  kernel.parity = static_cast<int>(parity);
  kernel.links = access<V, Code>(hop.links());
  kernel.in = access<V>(in, parity);
  kernel.sign = dagger ? Scalar<V>(-1) : Scalar<V>(1);
  int count = 0;
  for (int face = 0; face < faces; ++face) {
    const auto mu = static_cast<std::size_t>(face / 2);
    kernel.sites[mu] = FaceSites(kernel.geometry, face / 2);
    if (lattice.is_partitioned(mu)) count += kernel.sites[mu].sites;
    kernel.end[face] = count;
    kernel.outgoing[face] = {static_cast<H*>(halo.exchange().outgoing(face)), halo.stride(mu),
                             EdgeLanes<V>(lane_grid, mu, face % 2 == 1)};
    const std::complex<double> phase = halo_factor<T, Code>(hop, face);
    kernel.phase[face] = {static_cast<Scalar<V>>(phase.real()), static_cast<Scalar<V>>(phase.imag())};
  }
  return kernel;
}

/// What adds the terms of the exchange that came last, in units of `unit`.
template <class H, class V, class Code, class T>
EdgeTerms<T, H, V, Code> make_edge_terms(const HopTerm<T>& hop, bool dagger, HopHalo& halo, double unit) {
  const Lattice& lattice = hop.lattice();
  const Coordinates& lane_grid = lattice.template lane_grid<T>();
  const SubLattice node(lattice.local_extents(), lane_grid);
  EdgeTerms<T, H, V, Code> terms;
  terms.flags = halo.exchange().flags();
  terms.sign = dagger ? Scalar<V>(-1) : Scalar<V>(1);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const double weight = (mu < 3 ? hop.spatial_weight() : 1.0) / unit;
    terms.ahead[mu] = static_cast<Scalar<V>>(GaugeAccess<T, V, Code>::unit * weight);
    terms.behind[mu] = static_cast<Scalar<V>>(weight);
    terms.partitioned[mu] = lattice.is_partitioned(mu);
    terms.sites[mu] = FaceSites(node, static_cast<int>(mu));
    for (const std::size_t face : {2 * mu, 2 * mu + 1}) {
      const auto* data = static_cast<const H*>(halo.exchange().incoming(static_cast<int>(face)));
      terms.incoming[face] = {const_cast<H*>(data), halo.stride(mu), EdgeLanes<V>(lane_grid, mu, face % 2 == 0)};
    }
  }
  return terms;
}

}  // namespace kaon::detail
