// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil/halo_pack.hpp"

namespace kaon::detail {

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
      arithmetic.template give<leg, true>(sum, message, V(behind[mu]), arithmetic.at(site));
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
          arithmetic.template give<leg, true>(sum, message, V(weight), arithmetic.at(site));
        }
      }
      add_ahead<mu, leg + 1>(sum, links, node, site, number, rhs);
    }
  }
};

}  // namespace kaon::detail
