// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"

#include <kaon/core/lattice.hpp>

namespace kaon::detail {

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
