// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "operators/stencil/leg.hpp"
#include "operators/stencil/link_sets.hpp"

#include <cstddef>

namespace kaon::detail {

// An operator describes its arithmetic as a *stencil*, a class with
//   name                      of the operator: kernels are called "kaon::<name>_hop..."
//   legs                      an array of `Leg`
//   spins                     of a site, with 3 colours each
//   Codes                     `LinkCodeChoices`: how its links may be stored
//   teams_per_multiprocessor<T, Code, N>, legs_ahead<T, Code, N>, together<T>   how a GPU is used, see StencilKernel
//   factor(dagger)            K = factor D, or K^dag = factor D^dag
//   weight(mu)                of what comes from other processes, of all legs of a direction
//   link_weight(set)          of the legs of a set, if there are several sets; 1 for the first one
//   arithmetic<V>(dagger)     for kernels, an `Arithmetic<V>`:
//     Vector, Message         what a site holds, and what travels along a leg: colour vectors
//     at(site)                what of the arithmetic depends on the site
//     take<leg>(psi, bias)    the message of a neighbour's psi, which has `bias` too much in each number
//     give<leg, scaled>(sum, message, scale, at)    adds a message, times `scale` if it is `scaled`
//     after<leg>(sum)         comes after a leg
// and the engine in this folder does the rest: memory, lanes, halos, sums, launch and tuning.

/// The types of a stencil's kernels: fields are stored as T and computed with as V, links are stored as `LinkCodes`
/// say.
template <class T_, class V_, class Stencil_, class Codes_>
struct StencilTypes {
  using T = T_;
  using V = V_;
  using Stencil = Stencil_;
  using Arithmetic = typename Stencil::template Arithmetic<V>;
  using Vector = typename Arithmetic::Vector;
  using Message = typename Arithmetic::Message;
  using AtSite = typename Arithmetic::AtSite;
  using Codes = Codes_;
  using Links = LinkSets<T, V, Codes>;
  using Code = typename Codes::Last;
  using In = SiteAccess<const T, Vector>;
  using Out = SiteAccess<T, Vector>;

  static constexpr int link_sets = Codes::sets;
  static constexpr int legs = static_cast<int>(Stencil::legs.size());
  static constexpr int reach = reach_of(Stencil::legs);
  static_assert(link_sets == link_sets_of(Stencil::legs));

  /// The set of links of a leg.
  template <int leg>
  using LinksOf = GaugeAccess<T, V, typename Codes::template Of<Stencil::legs[leg].links>>;
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION static const LinksOf<leg>& links_of(const Links& links) {
    return links.template get<Stencil::legs[leg].links>();
  }
};

/// Calls `body.template operator()<leg>()` for the legs in their order.
template <class S, int leg = 0, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_leg(const Body& body) {
  if constexpr (leg < S::legs) {
    body.template operator()<leg>();
    for_each_leg<S, leg + 1>(body);
  }
}

}  // namespace kaon::detail
