// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/fields/link_codes.hpp"

#include <kaon/core/gauge_field.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <tuple>

namespace kaon::detail {

// A stencil adds up what a site takes from its neighbours: along each leg a neighbour's vector becomes a message, the
// message is multiplied by the link between the two sites, and the product is added to the sum.

/// One neighbour of a stencil: x + step mu, with step odd, so that it has the opposite parity.
struct Leg {
  int mu;
  int step;   ///< > 0: U_mu(x) psi(x + step mu); < 0: U_mu(x + step mu)^dag psi(x + step mu)
  int links;  ///< the set of links, of those that an operator has
};

/// The eight nearest neighbours: 2 mu is the one ahead in direction mu, 2 mu + 1 the one behind.
inline constexpr std::array<Leg, 8> nearest_neighbors{
    {{0, +1, 0}, {0, -1, 0}, {1, +1, 0}, {1, -1, 0}, {2, +1, 0}, {2, -1, 0}, {3, +1, 0}, {3, -1, 0}}};

/// The longest step of some legs.
template <std::size_t N>
constexpr int reach_of(const std::array<Leg, N>& legs) {
  int reach = 0;
  for (const Leg& leg : legs) {
    const int length = leg.step < 0 ? -leg.step : leg.step;
    if (length > reach) reach = length;
  }
  return reach;
}

/// How many sets of links some legs have.
template <std::size_t N>
constexpr int link_sets_of(const std::array<Leg, N>& legs) {
  int sets = 0;
  for (const Leg& leg : legs) {
    if (leg.links >= sets) sets = leg.links + 1;
  }
  return sets;
}

/// The number of the first leg in direction mu, ahead or behind.
template <std::size_t N>
constexpr std::size_t first_leg(const std::array<Leg, N>& legs, int mu, bool ahead) {
  std::size_t number = 0;
  while (legs[number].mu != mu || (legs[number].step > 0) != ahead) ++number;
  return number;
}

// An operator may have several sets of links, such as fat and third links, each stored in its own way.

/// How the links of each set are stored.
template <class... Codes>
struct LinkCodes {
  static constexpr int sets = sizeof...(Codes);
  static constexpr std::array<LinkStorage, sizeof...(Codes)> storages{Codes::storage...};
  template <int set>
  using Of = std::tuple_element_t<set, std::tuple<Codes...>>;
  /// Code of the last set. Instances of a stencil differ in this one.
  using Last = Of<sets - 1>;
};

/// Calls `body.template operator()<V>()` as `with_lanes` does, for a stencil on such links.
///
/// On hosts, compressed links are in native lanes only (`Hopping` restores all reals of others): kernels on single
/// sites wait for arithmetic and not for memory, so that compression, half of the kernels to compile, would not pay.
template <class T, class Codes, class Body>
decltype(auto) with_stencil_lanes(int lanes, Body&& body) {
  constexpr bool all_full = std::ranges::all_of(Codes::storages, [](LinkStorage s) { return s == LinkStorage::full; });
  if constexpr (all_full || !is_pack<Pack<T>>) {
    return with_lanes<T>(lanes, body);
  } else {
    return body.template operator()<Pack<T>>();
  }
}
/// Whether the links of a lattice must have all their reals for that.
template <class T>
bool needs_full_links(const Lattice& lattice) {
  return is_pack<Pack<T>> && lattice.template lane_count<T>() == 1;
}

/// All `LinkCodes` that a stencil is compiled for: those of its `kaon_add_stencil` in operators/CMakeLists.txt.
template <class... Choices>
struct LinkCodeChoices {};

/// Throws `Error`: an operator is not made for links stored so.
[[noreturn]] void refuse_link_storages(std::span<const LinkStorage> storages);

template <class Body>
void with_link_codes(LinkCodeChoices<>, std::span<const LinkStorage> storages, const Body&) {
  refuse_link_storages(storages);
}
/// Calls `body.template operator()<Codes>()` with the choice that has these storages. Throws `Error` if none has.
template <class First, class... Others, class Body>
void with_link_codes(LinkCodeChoices<First, Others...>, std::span<const LinkStorage> storages, const Body& body) {
  if (std::ranges::equal(First::storages, storages)) return body.template operator()<First>();
  with_link_codes(LinkCodeChoices<Others...>{}, storages, body);
}

/// The links of all sets, for kernels.
template <class T, class V, class Codes>
struct LinkSets;
template <class T, class V, class Code>
struct LinkSets<T, V, LinkCodes<Code>> {
  GaugeAccess<T, V, Code> links;

  static LinkSets of(const GaugeField<T>* fields) { return {access<V, Code>(*fields)}; }
  template <int set>
  KOKKOS_FORCEINLINE_FUNCTION const auto& get() const {
    static_assert(set == 0);
    return links;
  }
};
template <class T, class V, class Code, class... Codes>
struct LinkSets<T, V, LinkCodes<Code, Codes...>> {
  using Others = LinkSets<T, V, LinkCodes<Codes...>>;
  GaugeAccess<T, V, Code> links;
  Others others;

  static LinkSets of(const GaugeField<T>* fields) { return {access<V, Code>(*fields), Others::of(fields + 1)}; }
  template <int set>
  KOKKOS_FORCEINLINE_FUNCTION const auto& get() const {
    if constexpr (set == 0) {
      return links;
    } else {
      return others.template get<set - 1>();
    }
  }
};

/// Factors of the links of each set as kernels decode them (`link_unit`).
template <class T, class... Codes>
std::array<double, sizeof...(Codes)> link_units(LinkCodes<Codes...>, const GaugeField<T>* fields) {
  return {link_unit<Codes>(*fields++)...};
}

// An operator describes its arithmetic as a *stencil*, a class with
//   name                      of the operator: kernels are called "kaon::<name>_hop..."
//   legs                      an array of `Leg`
//   spins                     of a site, with 3 colours each
//   Codes                     `LinkCodeChoices`: how its links may be stored
//   teams_per_multiprocessor<T, Code, N>, legs_ahead<T, Code, N>, together<T>   how a GPU is used, see StencilKernel
//   sums_in_registers<T, decodes>   hosts: kernels add up row by row of the products with links, see HostSum.
//                             `decodes`: they would decode links first
//   antisymmetric             the legs are in pairs, ahead and behind, whose terms differ in sign alone
//   factor(dagger)            K = factor D, or K^dag = factor D^dag
//   weight(mu)                of what comes from other processes, of all legs of a direction
//   link_weight(set)          of the legs of a set, if there are several sets; 1 for the first one
//   arithmetic<V>(dagger)     for kernels, an `Arithmetic<V>`:
//     Vector, Message         what a site holds, and what travels along a leg: colour vectors
//     at(site)                what of the arithmetic depends on the site
//     take<leg>(psi, bias)    the message of a neighbour's psi, which has `bias` too much in each number
//     give<leg, scaled>(sum, message, spin, color, scale, at)   adds the terms of one number of a message, times
//     `scale`
//                             if it is `scaled`; this colour of the message has all its spins
//     after<leg>(sum)         comes after a leg
//     sign, with_sign<s>()    only if there is a sign of D and D^dag: `Arithmetic` with a sign that the compiler knows
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

  /// Returns whether the links of a leg are compressed or in 16 bits. Kernels by rows decode such links first.
  static constexpr bool is_decoded(int leg) {
    return std::is_same_v<T, half> ||
           Codes::storages[static_cast<std::size_t>(Stencil::legs[leg].links)] != LinkStorage::full;
  }
  /// How many of the legs [0, end) have such links.
  static constexpr int decoded_legs(int end = legs) {
    int count = 0;
    for (int leg = 0; leg < end; ++leg) count += is_decoded(leg) ? 1 : 0;
    return count;
  }

  /// Whether kernels use `HostSum`, which adds up row by row of the products with links.
  static constexpr bool sums_in_registers =
      !on_device && Stencil::template sums_in_registers<T, (decoded_legs(legs) > 0)>;

  /// The set of links of a leg.
  template <int leg>
  using LinksOf = GaugeAccess<T, V, typename Codes::template Of<Stencil::legs[leg].links>>;
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION static const LinksOf<leg>& links_of(const Links& links) {
    return links.template get<Stencil::legs[leg].links>();
  }
};

/// Adds a message that has come along a leg to the sum, times `scale` if it is `scaled`.
template <int leg, bool scaled, class Arithmetic, class Vector, class Message, class V, class AtSite>
KOKKOS_FORCEINLINE_FUNCTION void give_message(const Arithmetic& arithmetic, Vector& sum, const Message& message,
                                              const V& scale, const AtSite& at) {
  KAON_UNROLL
  for (int spin = 0; spin < color_vectors<Message>; ++spin) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      arithmetic.template give<leg, scaled>(sum, message, spin, color, scale, at);
    }
  }
}

/// Calls `body.template operator()<leg>()` for the legs in their order.
template <class S, int leg = 0, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_leg(const Body& body) {
  if constexpr (leg < S::legs) {
    body.template operator()<leg>();
    for_each_leg<S, leg + 1>(body);
  }
}

}  // namespace kaon::detail
