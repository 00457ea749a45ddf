// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/lattice/geometry.hpp"

#include <kaon/core/lattice.hpp>

namespace kaon::detail {

/// The sites of one parity in a layer of a sub-lattice with constant x_mu, numbered from 0. Sites that differ in x_mu
/// and parity alone have the same number.
struct FaceSites {
  int sites = 0;
  int mu = 0;
  int first, second, third;  ///< the other directions; the numbers of `first` count pairs of sites
  Divisor by_first, by_second;
  int half_first, extent_second;

  FaceSites() = default;
  FaceSites(const SubLattice& node, int direction) : mu(direction) {
    first = mu == 0 ? 1 : 0;
    second = mu <= 1 ? 2 : 1;
    third = mu == 3 ? 2 : 3;
    half_first = node.extent[first] / 2;
    extent_second = node.extent[second];
    by_first = Divisor(half_first);
    by_second = Divisor(extent_second);
    sites = half_first * extent_second * node.extent[third];
  }

  /// The site of `parity` with this number and x_mu.
  KOKKOS_FORCEINLINE_FUNCTION Site site(const SubLattice& node, int number, int x_mu, int parity) const {
    int pair, b;
    int rest = by_first.divide(number, pair);
    const int c = by_second.divide(rest, b);
    const int a = 2 * pair + ((b + c + x_mu + parity) & 1);
    // Constant indices, so that coordinates remain in registers.
    Site s;
    s.x[0] = mu == 0 ? x_mu : a;
    s.x[1] = mu == 0 ? a : mu == 1 ? x_mu : b;
    s.x[2] = mu <= 1 ? b : mu == 2 ? x_mu : c;
    s.x[3] = mu == 3 ? x_mu : c;
    s.parity = parity;
    s.index = s.x[0] / 2 + s.x[1] * node.stride[1] + s.x[2] * node.stride[2] + s.x[3] * node.stride[3];
    return s;
  }
  KOKKOS_FORCEINLINE_FUNCTION int number(const Site& s) const {
    const int a = mu == 0 ? s.x[1] : s.x[0];
    const int b = mu <= 1 ? s.x[2] : s.x[1];
    const int c = mu == 3 ? s.x[2] : s.x[3];
    return (c * extent_second + b) * half_first + a / 2;
  }
};

/// The lanes whose virtual nodes lie at one end of the local lattice, in an order that depends on their other
/// coordinates alone: what one process sends from the lanes of its end fits the lanes of its neighbour's.
template <class V>
struct EdgeLanes {
  int count = 0;
  int lane[lane_count<V>];

  EdgeLanes() = default;
  /// At the start (`at_end` false) or the end of direction mu.
  EdgeLanes(const Coordinates& lane_grid, std::size_t mu, bool at_end) {
    for (int k = 0; k < lane_count<V>; ++k) {
      if (lexicographic_site(k, lane_grid)[mu] == (at_end ? lane_grid[mu] - 1 : 0)) lane[count++] = k;
    }
  }
};

/// The numbers of `from` as To's.
template <class To, template <class> class Message, class V>
KOKKOS_FORCEINLINE_FUNCTION Message<To> convert(const Message<V>& from) {
  Message<To> to;
  KAON_UNROLL
  for (int n = 0; n < components<Message<V>>; ++n) {
    const Complex<V>& z = elements(from)[n];
    elements(to)[n] = {convert_lanes<To>(z.re), convert_lanes<To>(z.im)};
  }
  return to;
}

/// The messages of the sites of a face, of all right-hand sides, as they travel: stored like fields of the precision H,
/// with the edge's lanes only. The message's V may have more bits than H.
template <class H, class Message>
struct HaloAccess;
template <class H, template <class> class MessageOf, class V>
struct HaloAccess<H, MessageOf<V>> {
  using Message = MessageOf<V>;
  static constexpr bool scaled = std::is_same_v<H, half>;
  static constexpr int numbers_per_message = components<Message>;
  using Rounded = LanesIn<Arithmetic<H>, V>;
  using Object = ObjectAccess<H, Rounded, numbers_per_message, scaled>;
  static constexpr int size = Object::size;

  H* data = nullptr;
  std::size_t stride = 0;  ///< numbers between right-hand sides
  EdgeLanes<V> lanes;

  /// Numbers of H that a right-hand side takes on a face of `sites` with `lanes` lanes.
  static std::size_t numbers(int sites, int lanes) {
    return parity_size<H>(sites, lanes, 1, numbers_per_message, scaled);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Message& message, int number, int right_hand_side) const {
    H* const to = data + static_cast<std::size_t>(right_hand_side) * stride;
    const MessageOf<Rounded> rounded = convert<Rounded>(message);
    if constexpr (lane_count<V> != 1) {
      if (lanes.count < lane_count<V>) {
        alignas(64) H whole[size * lane_count<V>];
        Object::store(whole, elements(rounded), 0);
        return move_lanes<true>(whole,
                                to + static_cast<std::size_t>(number) * static_cast<std::size_t>(size * lanes.count));
      }
    }
    Object::store(to, elements(rounded), number);
  }
  /// Zero in other lanes.
  KOKKOS_FORCEINLINE_FUNCTION Message load(int number, int right_hand_side) const {
    H* const from = data + static_cast<std::size_t>(right_hand_side) * stride;
    MessageOf<Rounded> rounded;
    if constexpr (lane_count<V> != 1) {
      if (lanes.count < lane_count<V>) {
        alignas(64) H whole[size * lane_count<V>] = {};
        move_lanes<false>(whole,
                          from + static_cast<std::size_t>(number) * static_cast<std::size_t>(size * lanes.count));
        Object::load(elements(rounded), whole, 0);
        return convert<V>(rounded);
      }
    }
    Object::load(elements(rounded), from, number);
    return convert<V>(rounded);
  }

 private:
  /// Between an object of all lanes and one of the edge's. Scales are floats, in the room of two numbers.
  template <bool out>
  KOKKOS_FORCEINLINE_FUNCTION void move_lanes(H* whole, H* some) const {
    const auto copy = [&]<class N>(N* all, N* edge, int objects) {
      for (int k = 0; k < objects; ++k) {
        for (int n = 0; n < lanes.count; ++n) {
          N& a = all[k * lane_count<V> + lanes.lane[n]];
          N& b = edge[k * lanes.count + n];
          if constexpr (out) {
            b = a;
          } else {
            a = b;
          }
        }
      }
    };
    constexpr int reals = 2 * numbers_per_message;
    copy(whole, some, reals);
    if constexpr (scaled) {
      copy(reinterpret_cast<float*>(whole + reals * lane_count<V>),
           reinterpret_cast<float*>(some + reals * lanes.count), 1);
    }
  }
};

}  // namespace kaon::detail
