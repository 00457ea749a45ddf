// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/launch.hpp"
#include "operators/stencil/halo_send.hpp"

namespace kaon::detail {

template <class Codes, class T, class Stencil>
void send_halo(const Hopping<T, Stencil>& hopping, const SpinorField<T>& in, bool dagger, StencilHalo& halo) {
  with_stencil_lanes<T, Codes>(hopping.lattice().template lane_count<T>(), [&]<class V>() {
    with_message_type<T>(hopping.halo(), [&]<class H>() {
      const auto pack = make_halo_pack<Codes, V, H>(hopping, in, dagger, halo);
      for_each_site("kaon::halo_pack", halo.exchange().packing(), pack.end[faces - 1], in.right_hand_sides(), pack);
    });
  });
  halo.exchange().start();
}

}  // namespace kaon::detail
