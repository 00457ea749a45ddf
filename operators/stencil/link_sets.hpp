// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/fields/link_codes.hpp"

#include <kaon/core/gauge_field.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace kaon::detail {

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

}  // namespace kaon::detail
