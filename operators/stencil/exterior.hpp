// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/launch.hpp"
#include "operators/stencil/crossing.hpp"
#include "operators/stencil/halo_unpack.hpp"
#include "operators/stencil/hopping.hpp"
#include "operators/stencil/stencil_halo.hpp"

#include <complex>
#include <type_traits>

namespace kaon::detail {

/// out += c B D_exterior, D's terms whose neighbours lie on other processes; B the site matrix of `Term` where that is
/// applied to the hop, else 1.
template <class S, class H, class Term>
struct ExteriorKernel {
  using V = typename S::V;
  using Vector = typename S::Vector;

  SubLattice node;
  int parity;  // of out
  const int* boundary;
  typename S::Links links;
  typename S::Out out;
  typename Term::template OnSites<V> term;
  Scalar<V> scale;
  HaloUnpack<S, H> unpack;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = node.site(boundary[index], parity);
    for (int rhs = first; rhs < last; ++rhs) {
      Vector sum = zero_vector<Vector>();
      unpack.add(sum, links, node, site, rhs, rhs == first);
      if constexpr (!Term::on_x) sum = term(sum, site.index);
      Vector result = out.load(site.index, rhs);
      KAON_UNROLL
      for (int n = 0; n < components<Vector>; ++n) elements(result)[n] += V(scale) * elements(sum)[n];
      out.store(result, site.index, rhs);
    }
  }
};

/// `LinkWeights::relative` for kernels.
template <class V, int sets>
void copy_weights(Scalar<V> (&to)[sets], const LinkWeights<sets>& weights) {
  for (int set = 0; set < sets; ++set)
    to[set] = static_cast<Scalar<V>>(weights.relative[static_cast<std::size_t>(set)]);
}

/// The part of a stencil in which other processes take part, around the part of local sites:
///   Exterior exterior(...);  exterior.start();  [interior: the stencil over local sites]  exterior.finish();
template <class T, class Stencil, class Codes, class Term>
class Exterior {
 public:
  /// The operands of `apply_stencil`.
  Exterior(const Hopping<T, Stencil>& hopping, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
           const Term& term);

  /// Sends what the neighbours need of `in`.
  void start();
  /// Adds what has come from them to `out`.
  void finish();

  /// The other way, where halos travel in the field's precision: `exchange`, then one kernel over all sites that adds
  /// what has come itself.
  bool can_come_first() const {
    return with_halo(hopping_.halo(), []<class H>() { return std::is_same_v<H, T>; });
  }
  void exchange() {
    start();
    halo_.exchange().finish();
  }
  StencilHalo& halo() { return halo_; }

  /// What packs `in` for the exchange that comes next.
  template <class V, class H>
  HaloPack<StencilTypes<T, V, Stencil, Codes>, H> make_pack() const;
  /// What adds the terms of the exchange that came last, in units of `unit`.
  template <class V, class H>
  HaloUnpack<StencilTypes<T, V, Stencil, Codes>, H> make_unpack(double unit) const;

 private:
  /// Calls `body.template operator()<H>()` with the type in which messages are stored.
  template <class Body>
  static decltype(auto) with_halo(HaloPrecision precision, const Body& body) {
    if constexpr (std::is_same_v<T, double>) {
      if (precision == HaloPrecision::single) return body.template operator()<float>();
    }
    if constexpr (!std::is_same_v<T, half>) {
      if (precision == HaloPrecision::half) return body.template operator()<half>();
    }
    return body.template operator()<T>();
  }
  /// What `send_buffer(face)` is multiplied by: the boundary condition, where the face is the lattice's edge, and the
  /// unit of the links where messages are multiplied by them.
  std::complex<double> send_factor(int face) const;

  Parity parity() const { return out_.subset() == Subset::even ? Parity::even : Parity::odd; }
  const Lattice& lattice() const { return hopping_.lattice(); }

  const Hopping<T, Stencil>& hopping_;
  SpinorField<T>& out_;
  const SpinorField<T>& in_;
  const HopForm<T>& form_;
  const Term& term_;
  StencilHalo& halo_;
};

template <class T, class Stencil, class Codes, class Term>
Exterior<T, Stencil, Codes, Term>::Exterior(const Hopping<T, Stencil>& hopping, SpinorField<T>& out,
                                            const SpinorField<T>& in, const HopForm<T>& form, const Term& term)
    : hopping_(hopping),
      out_(out),
      in_(in),
      form_(form),
      term_(term),
      halo_(with_halo(hopping.halo(), [&]<class H>() -> StencilHalo& {
        return StencilHalo::of<T, Stencil, H>(hopping.lattice(), in.right_hand_sides());
      })) {}

template <class T, class Stencil, class Codes, class Term>
std::complex<double> Exterior<T, Stencil, Codes, Term>::send_factor(int face) const {
  const auto mu = static_cast<std::size_t>(face / 2);
  const int place = lattice().process_coordinates()[mu];
  const double theta = hopping_.boundary()[mu];
  if (face % 2 == 0) return place == 0 ? boundary_phase(theta) : 1.0;
  const bool at_end = place == lattice().process_grid()[mu] - 1;
  return link_weights<Codes>(hopping_).unit * (at_end ? boundary_phase(-theta) : 1.0);
}

template <class T, class Stencil, class Codes, class Term>
template <class V, class H>
HaloPack<StencilTypes<T, V, Stencil, Codes>, H> Exterior<T, Stencil, Codes, Term>::make_pack() const {
  using S = StencilTypes<T, V, Stencil, Codes>;
  const Coordinates& lane_grid = lattice().template lane_grid<T>();
  HaloPack<S, H> pack;
  pack.node = SubLattice(lattice().local_extents(), lane_grid);
  pack.parity = static_cast<int>(opposite(parity()));
  pack.arithmetic = hopping_.stencil().template arithmetic<V>(form_.dagger);
  pack.links = S::Links::of(hopping_.link_fields());
  pack.in = access<typename S::Vector>(in_, opposite(parity()));
  copy_weights<V>(pack.link_weight, link_weights<Codes>(hopping_));
  int count = 0;
  for (int face = 0; face < faces; ++face) {
    const auto mu = static_cast<std::size_t>(face / 2);
    pack.sites[mu] = FaceSites(pack.node, face / 2);
    if (lattice().is_partitioned(mu)) count += S::reach * pack.sites[mu].sites;
    pack.end[face] = count;
    pack.send_buffer[face] = {static_cast<H*>(halo_.exchange().outgoing(face)), halo_.stride(mu),
                              EdgeLanes<V>(lane_grid, mu, face % 2 == 1)};
    const std::complex<double> phase = send_factor(face);
    pack.phase[face] = {static_cast<Scalar<V>>(phase.real()), static_cast<Scalar<V>>(phase.imag())};
  }
  return pack;
}

template <class T, class Stencil, class Codes, class Term>
template <class V, class H>
HaloUnpack<StencilTypes<T, V, Stencil, Codes>, H> Exterior<T, Stencil, Codes, Term>::make_unpack(double unit) const {
  using S = StencilTypes<T, V, Stencil, Codes>;
  const Coordinates& lane_grid = lattice().template lane_grid<T>();
  const SubLattice node(lattice().local_extents(), lane_grid);
  HaloUnpack<S, H> unpack;
  unpack.flags = halo_.exchange().flags();
  unpack.arithmetic = hopping_.stencil().template arithmetic<V>(form_.dagger);
  const auto weights = link_weights<Codes>(hopping_);
  copy_weights<V>(unpack.link_weight, weights);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const double weight = hopping_.stencil().weight(static_cast<int>(mu)) / unit;
    unpack.ahead[mu] = static_cast<Scalar<V>>(weights.unit * weight);
    unpack.behind[mu] = static_cast<Scalar<V>>(weight);
    unpack.partitioned[mu] = lattice().is_partitioned(mu);
    unpack.sites[mu] = FaceSites(node, static_cast<int>(mu));
    for (const std::size_t face : {2 * mu, 2 * mu + 1}) {
      const auto* data = static_cast<const H*>(halo_.exchange().incoming(static_cast<int>(face)));
      unpack.receive_buffer[face] = {const_cast<H*>(data), halo_.stride(mu),
                                     EdgeLanes<V>(lane_grid, mu, face % 2 == 0)};
    }
  }
  return unpack;
}

template <class T, class Stencil, class Codes, class Term>
void Exterior<T, Stencil, Codes, Term>::start() {
  with_lanes<T>(lattice().template lane_count<T>(), [&]<class V>() {
    with_halo(hopping_.halo(), [&]<class H>() {
      const Execution& packing = halo_.exchange().packing();
      const auto pack = make_pack<V, H>();
      for_each_site("kaon::halo_pack", packing, pack.end[faces - 1], in_.right_hand_sides(), pack);
    });
  });
  halo_.exchange().start();
}

template <class T, class Stencil, class Codes, class Term>
void Exterior<T, Stencil, Codes, Term>::finish() {
  halo_.exchange().finish();
  with_lanes<T>(lattice().template lane_count<T>(), [&]<class V>() {
    with_halo(hopping_.halo(), [&]<class H>() {
      using S = StencilTypes<T, V, Stencil, Codes>;
      const auto& boundary = halo_.boundary(parity());
      ExteriorKernel<S, H, Term> kernel;
      kernel.node = SubLattice(lattice().local_extents(), lattice().template lane_grid<T>());
      kernel.parity = static_cast<int>(parity());
      kernel.boundary = boundary.data();
      kernel.links = S::Links::of(hopping_.link_fields());
      kernel.out = access<typename S::Vector>(out_, parity());
      kernel.term = term_.template on_sites<V>(parity());
      kernel.scale = static_cast<Scalar<V>>(hopping_.stencil().factor(form_.dagger) * form_.scale);
      kernel.unpack = make_unpack<V, H>(1.0);
      for_each_site("kaon::exterior", lattice().execution(), static_cast<int>(boundary.extent(0)),
                    out_.right_hand_sides(), kernel);
    });
  });
}

}  // namespace kaon::detail
