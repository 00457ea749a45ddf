// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "operators/stencil/halo_access.hpp"
#include "operators/stencil/stencil.hpp"

namespace kaon::detail {

// Halos. A process sends messages that its neighbours add to their sums; the links of legs that lie behind a site are
// the sender's own, and messages are multiplied by them before they travel. So no links are exchanged. Through a face
// travel `reach` layers of messages:
//   to the process behind, layer j   the message of the sites x_mu = j, for legs that look ahead
//   to the process ahead, layer y    the sum of U^dag times message over the legs that look behind from x_mu = y of the
//                                    receiver and end at the sender's sites

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

/// Packs the faces that neighbours wait for, all in one kernel. Messages are stored as H.
template <class S, class H>
struct HaloPack {
  using V = typename S::V;
  using Message = typename S::Message;
  using Stencil = typename S::Stencil;

  SubLattice node;
  int parity;  // of in
  typename S::Arithmetic arithmetic;
  typename S::Links links;
  typename S::In in;
  FaceSites sites[4];
  HaloAccess<H, Message> send_buffer[faces];
  Complex<Scalar<V>> phase[faces];  // with the unit of links where these are multiplied by
  Scalar<V> link_weight[S::link_sets];
  int end[faces];  // sums of messages of a right-hand side

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    int face = 0;
    while (index >= end[face]) ++face;
    const int number = index - (face == 0 ? 0 : end[face - 1]);
    with_direction(face / 2, [&]<int mu>() {
      for (int rhs = first; rhs < last; ++rhs) {
        if (face % 2 == 0) {
          to_process_behind<mu>(number, rhs);
        } else {
          to_process_ahead<mu>(number, rhs);
        }
      }
    });
  }

 private:
  /// The layer of message `number`, which becomes a number within the layer.
  template <int mu>
  KOKKOS_FORCEINLINE_FUNCTION int layer_of(int& number) const {
    if constexpr (S::reach == 1) return 0;
    const int layer = number / sites[mu].sites;
    number -= layer * sites[mu].sites;
    return layer;
  }

  template <int mu>
  KAON_KERNEL_PART void to_process_behind(const int number, const int rhs) const {
    constexpr int face = 2 * mu;
    int in_layer = number;
    const int layer = layer_of<mu>(in_layer);
    const Site site = sites[mu].site(node, in_layer, layer, parity);
    constexpr int leg = static_cast<int>(first_leg(Stencil::legs, mu, true));
    Message message = arithmetic.template take<leg>(in.load(site.index, rhs), 0.0F);
    send<face>(message, number, rhs);
  }

  template <int mu>
  KAON_KERNEL_PART void to_process_ahead(const int number, const int rhs) const {
    constexpr int face = 2 * mu + 1;
    int in_layer = number;
    const int layer = layer_of<mu>(in_layer);
    Message total = zero_vector<Message>();
    for_each_leg<S>([&]<int leg>() {
      if constexpr (Stencil::legs[leg].mu == mu && Stencil::legs[leg].step < 0) {
        constexpr int set = Stencil::legs[leg].links;
        const int x_mu = node.extent[mu] + layer + Stencil::legs[leg].step;
        if (S::reach > 1 && x_mu >= node.extent[mu]) return;  // the leg ends at a site of the receiver
        const Site site = sites[mu].site(node, in_layer, x_mu, parity);
        Message message = arithmetic.template take<leg>(in.load(site.index, rhs), 0.0F);
        const auto& of_leg = S::template links_of<leg>(links);
        const ColorMatrix<V> u = S::template LinksOf<leg>::decode(of_leg.fetch(site.index, parity, mu));
        KAON_UNROLL
        for (int spin = 0; spin < color_vectors<Message>; ++spin) {
          ColorVector<V>& v = color_vector(message, spin);
          v = adjoint_multiply(u, v);
        }
        if constexpr (S::reach == 1) {
          total = message;
        } else {
          total = combine(V(1), total, V(link_weight[set]), message);
        }
      }
    });
    send<face>(total, number, rhs);
  }

  template <int face>
  KOKKOS_FORCEINLINE_FUNCTION void send(Message& message, int number, int rhs) const {
    const Complex<V> factor{V(phase[face].re), V(phase[face].im)};
    KAON_UNROLL
    for (int n = 0; n < components<Message>; ++n) elements(message)[n] = factor * elements(message)[n];
    send_buffer[face].store(message, number, rhs);
  }
};

/// Adds the terms of a stencil whose neighbours lie on other processes, made of the messages that came from there,
/// stored as H.
template <class S, class H>
struct HaloUnpack {
  using V = typename S::V;
  using Vector = typename S::Vector;
  using Message = typename S::Message;
  using Stencil = typename S::Stencil;

  bool partitioned[4];
  FaceSites sites[4];
  HaloAccess<H, Message> receive_buffer[faces];
  HaloFlags flags;
  typename S::Arithmetic arithmetic;
  // Factor of the terms of a direction: its weight, with the unit of links where the receiver multiplies by them.
  Scalar<V> ahead[4], behind[4];
  Scalar<V> link_weight[S::link_sets];

  /// Adds those of right-hand side `rhs`, which have come already unless it `must_wait`.
  KAON_KERNEL_PART void add(Vector& sum, const typename S::Links& links, const SubLattice& node, const Site& site,
                            int rhs, bool must_wait) const {
    add_direction<0>(sum, links, node, site, rhs, must_wait);
    add_direction<1>(sum, links, node, site, rhs, must_wait);
    add_direction<2>(sum, links, node, site, rhs, must_wait);
    add_direction<3>(sum, links, node, site, rhs, must_wait);
  }

 private:
  template <int mu>
  KOKKOS_FORCEINLINE_FUNCTION void add_direction(Vector& sum, const typename S::Links& links, const SubLattice& node,
                                                 const Site& site, int rhs, bool must_wait) const {
    if (!partitioned[mu]) return;
    const int number = sites[mu].number(site);
    if (site.x[mu] >= node.extent[mu] - S::reach) {
      if (must_wait) flags.wait(2 * mu);
      add_ahead<mu>(sum, links, node, site, number, rhs);
    }
    if (site.x[mu] < S::reach) {
      if (must_wait) flags.wait(2 * mu + 1);
      const int layer = S::reach == 1 ? 0 : site.x[mu];
      const Message message = receive_buffer[2 * mu + 1].load(layer * sites[mu].sites + number, rhs);
      constexpr int leg = static_cast<int>(first_leg(Stencil::legs, mu, false));
      give_message<leg, true>(arithmetic, sum, message, V(behind[mu]), arithmetic.at(site));
    }
  }

  template <int mu, int leg = 0>
  KOKKOS_FORCEINLINE_FUNCTION void add_ahead(Vector& sum, const typename S::Links& links, const SubLattice& node,
                                             const Site& site, int number, int rhs) const {
    if constexpr (leg < S::legs) {
      constexpr Leg along = Stencil::legs[leg];
      if constexpr (along.mu == mu && along.step > 0) {
        const int layer = S::reach == 1 ? 0 : site.x[mu] + along.step - node.extent[mu];
        if (layer >= 0) {
          Message message = receive_buffer[2 * mu].load(layer * sites[mu].sites + number, rhs);
          const auto& of_leg = S::template links_of<leg>(links);
          const ColorMatrix<V> u = S::template LinksOf<leg>::decode(of_leg.fetch(site.index, site.parity, mu));
          KAON_UNROLL
          for (int spin = 0; spin < color_vectors<Message>; ++spin) {
            ColorVector<V>& v = color_vector(message, spin);
            v = u * v;
          }
          const Scalar<V> weight = S::link_sets == 1 ? ahead[mu] : ahead[mu] * link_weight[along.links];
          give_message<leg, true>(arithmetic, sum, message, V(weight), arithmetic.at(site));
        }
      }
      add_ahead<mu, leg + 1>(sum, links, node, site, number, rhs);
    }
  }
};

}  // namespace kaon::detail
