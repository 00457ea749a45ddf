// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

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

}  // namespace kaon::detail
