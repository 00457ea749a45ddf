// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/parts.hpp"
#include "operators/stencil/crossing.hpp"
#include "operators/stencil/halo_kernels.hpp"
#include "operators/stencil/hopping.hpp"
#include "operators/stencil/stencil_halo.hpp"

#include <complex>
#include <type_traits>

namespace kaon::detail {

/// Calls `body.template operator()<H>()` with the type in which messages of fields of T are stored.
template <class T, class Body>
decltype(auto) with_message_type(HaloPrecision precision, const Body& body) {
  if constexpr (std::is_same_v<T, double> && has_precision<float>) {
    if (precision == HaloPrecision::single) return body.template operator()<float>();
  }
  if constexpr (!std::is_same_v<T, half> && has_precision<half>) {
    if (precision == HaloPrecision::half) return body.template operator()<half>();
  }
  return body.template operator()<T>();
}

/// `LinkWeights::relative` for kernels.
template <class V, int sets>
void copy_weights(Scalar<V> (&to)[sets], const LinkWeights<sets>& weights) {
  for (int set = 0; set < sets; ++set)
    to[set] = static_cast<Scalar<V>>(weights.relative[static_cast<std::size_t>(set)]);
}

/// Factor of `HaloPack::send_buffer[face]`: the boundary condition, where the face is the lattice's edge,
/// and the unit of the links where messages are multiplied by them.
template <class Codes, class T, class Stencil>
std::complex<double> send_factor(const Hopping<T, Stencil>& hopping, int face) {
  const Lattice& lattice = hopping.lattice();
  const auto mu = static_cast<std::size_t>(face / 2);
  const int process = lattice.process_coordinates()[mu];
  const double theta = hopping.boundary()[mu];
  if (face % 2 == 0) return process == 0 ? boundary_phase(theta) : 1.0;
  const bool at_end = process == lattice.process_grid()[mu] - 1;
  return link_weights<Codes>(hopping).unit * (at_end ? boundary_phase(-theta) : 1.0);
}

/// Packs `in`, which is on one parity, for the next exchange of `halo`.
template <class Codes, class V, class H, class T, class Stencil>
HaloPack<StencilTypes<T, V, Stencil, Codes>, H> make_halo_pack(const Hopping<T, Stencil>& hopping,
                                                               const SpinorField<T>& in, bool dagger,
                                                               StencilHalo& halo) {
  using S = StencilTypes<T, V, Stencil, Codes>;
  const Lattice& lattice = hopping.lattice();
  const Coordinates& lane_grid = lattice.template lane_grid<T>();
  const Parity parity = parity_of(in.subset());
  HaloPack<S, H> pack;
  pack.node = SubLattice(lattice.local_extents(), lane_grid);
  pack.parity = static_cast<int>(parity);
  pack.arithmetic = hopping.stencil().template arithmetic<V>(dagger);
  pack.links = S::Links::of(hopping.link_fields());
  pack.in = access<typename S::Vector>(in, parity);
  copy_weights<V>(pack.link_weight, link_weights<Codes>(hopping));
  int count = 0;
  for (int face = 0; face < faces; ++face) {
    const auto mu = static_cast<std::size_t>(face / 2);
    pack.sites[mu] = FaceSites(pack.node, face / 2);
    if (lattice.is_partitioned(mu)) count += S::reach * pack.sites[mu].sites;
    pack.end[face] = count;
    pack.send_buffer[face] = {static_cast<H*>(halo.exchange().outgoing(face)), halo.stride(mu),
                              EdgeLanes<V>(lane_grid, mu, face % 2 == 1)};
    const std::complex<double> phase = send_factor<Codes>(hopping, face);
    pack.phase[face] = {static_cast<Scalar<V>>(phase.real()), static_cast<Scalar<V>>(phase.imag())};
  }
  return pack;
}

/// Sends what the neighbours need of `in`. Defined in halo_send_launch.hpp: its kernels are the same for all site
/// terms.
template <class Codes, class T, class Stencil>
void send_halo(const Hopping<T, Stencil>& hopping, const SpinorField<T>& in, bool dagger, StencilHalo& halo);

}  // namespace kaon::detail
