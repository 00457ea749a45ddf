// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/coarse_sum.hpp"
#include "multigrid/staggered/hypercube.hpp"

#include <cstddef>
#include <type_traits>

namespace kaon::detail {

/// For each column of E and each row: the face towards the neighbour, and the position of the neighbour's component in
/// packs of W.
template <int W>
struct OuterPlaces {
  int face[outer_columns][hypercube_components]{};
  int number[outer_columns][hypercube_components]{};

  constexpr OuterPlaces() {
    for (int column = 0; column < outer_columns; ++column) {
      const int mu = column / colors;
      for (int row = 0; row < hypercube_components; ++row) {
        const int y = site_of_component(row);
        face[column][row] = 2 * mu + 1 - (y >> mu & 1);
        number[column][row] = component_position(first_component(y ^ 1 << mu) + column % colors, W);
      }
    }
  }
};

/// Inputs of a `CoarseSum` on hypercubes: (E in)(h), E the hops between hypercubes (`hypercube_factors`).
template <class L>
struct HypercubeInputs {
  static constexpr bool computed = true;
  static constexpr int divisor = hypercube_components;

  const L* links;       ///< E, [site][12 columns][numbers of a site]
  const float* scales;  ///< [site]; null unless L is `half`
  unsigned open_faces;  ///< bit d: E in includes the neighbours behind face d

  /// total_k = (E in)(h) in a row, for `count` right-hand sides from `first` on, zero for others.
  template <int taken, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void compute(Complex<float> (&total)[taken], const Sum& sum, int site, int row, int first,
                                           int count) const {
    constexpr std::size_t numbers = 2 * hypercube_components;
    const int y = site_of_component(row);
    KAON_UNROLL
    for (int k = 0; k < taken; ++k) total[k] = {0.0F, 0.0F};
    KAON_UNROLL
    for (int mu = 0; mu < directions; ++mu) {
      const int face = 2 * mu + 1 - (y >> mu & 1);
      if ((open_faces >> face & 1) == 0) continue;
      const typename Sum::Numbers from = sum.neighbor(site, face);
      const L* link = columns(site) + static_cast<std::size_t>(colors * mu) * numbers + sum.position(row);
      const int partner = first_component(y ^ 1 << mu);
      KAON_UNROLL
      for (int b = 0; b < colors; ++b) {
        const Complex<float> factor = sum.load_link(link + static_cast<std::size_t>(b) * numbers);
        const float* number = from.data + static_cast<std::size_t>(first) * from.stride + sum.position(partner + b);
        KAON_UNROLL
        for (int k = 0; k < taken; ++k) {
          if (k < count) {
            multiply_add(total[k], factor, sum.load_pair(number + static_cast<std::size_t>(k) * from.stride));
          }
        }
      }
    }
    if constexpr (std::is_same_v<L, half>) {
      KAON_UNROLL
      for (int k = 0; k < taken; ++k) total[k] = static_cast<float>(scales[site]) * total[k];
    }
  }

  /// (E in)(h) times the scale of the sum's matrix, in packs of V: [right-hand side][numbers of a site].
  template <class V, int taken, class Sum>
  KAON_KERNEL_PART void compute_packs(float* inputs, const Sum& sum, int site, int rhs) const {
    using Numbers = typename Sum::Numbers;
    constexpr int lanes = lane_count<V>, numbers = 2 * hypercube_components;
    static constexpr OuterPlaces<lanes> places;
    const float zeros[numbers] = {};
    Numbers from[faces];
    for (int face = 0; face < faces; ++face) {
      from[face] = (open_faces >> face & 1) != 0 ? sum.neighbor(site, face) : Numbers{zeros, 0};
    }
    V unit(sum.unit(site, 0));
    if constexpr (std::is_same_v<L, half>) unit = unit * V(static_cast<float>(scales[site]));
    for (int first = 0; first < hypercube_components; first += lanes) {
      Complex<V> total[taken];
      for (int k = 0; k < taken; ++k) total[k] = {V(0), V(0)};
      for (int column = 0; column < outer_columns; ++column) {
        Complex<V> link[1];
        load_packs(link, columns(site) + column * numbers + 2 * first);
        for (int k = 0; k < taken; ++k) {
          const auto gathered = [&](int part) {
            return in_lanes<V>([&](int lane) {
              const Numbers& neighbor = from[places.face[column][first + lane]];
              return neighbor.data[static_cast<std::size_t>(rhs + k) * neighbor.stride +
                                   static_cast<std::size_t>(places.number[column][first + lane] + part * lanes)];
            });
          };
          multiply_add(total[k], link[0], Complex<V>{gathered(0), gathered(1)});
        }
      }
      for (int k = 0; k < taken; ++k) {
        float* const to = inputs + k * numbers + 2 * first;
        store_lanes<V>(to, unit * total[k].re);
        store_lanes<V>(to + lanes, unit * total[k].im);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION const L* columns(int site) const {
    return links + static_cast<std::size_t>(site) * outer_columns * 2 * hypercube_components;
  }
  template <class V, class F>
  KOKKOS_FORCEINLINE_FUNCTION static V in_lanes(const F& f) {
    if constexpr (is_pack<V>) {
      return V([&f](auto lane) { return f(static_cast<int>(lane)); });
    } else {
      return f(0);
    }
  }
};

}  // namespace kaon::detail
