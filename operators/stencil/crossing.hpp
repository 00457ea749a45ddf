// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/operators/dirichlet.hpp>

#include <cmath>
#include <complex>
#include <cstddef>

namespace kaon::detail {

/// exp(i theta), exact where theta is a multiple of pi/2; 0 for `dirichlet` of either sign.
inline std::complex<double> boundary_phase(double theta) {
  if (std::abs(theta) == dirichlet) return 0.0;
  const auto snap = [](double value) { return std::abs(value) < 1e-15 ? 0.0 : value; };
  return {snap(std::cos(theta)), snap(std::sin(theta))};
}

/// Element n of `elements(vector)`. It does not take the address of the vector, which may then be in registers.
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION Complex<typename Vector::Value>& component(Vector& vector, int n) {
  return color_vector(vector, n / 3).c[n % 3];
}
template <class Vector>
KOKKOS_FORCEINLINE_FUNCTION const Complex<typename Vector::Value>& component(const Vector& vector, int n) {
  return component(const_cast<Vector&>(vector), n);
}

/// Changes of a message that leaves a virtual node: it changes lanes, and on the edge of the lattice it
/// takes the fermion boundary phase.
template <class V>
struct LaneCrossing {
  LanePermutation<V> lanes;
  Complex<V> phase;
  bool is_identity;  ///< one lane, and no phase
  bool has_phase;    ///< of one lane at least
  bool is_real;      ///< phases are real numbers

  /// `message`, still to be multiplied by `scale` if it is `scaled`.
  template <bool scaled, class Message>
  KOKKOS_FORCEINLINE_FUNCTION void apply(Message& message, [[maybe_unused]] V& scale) const {
    if (is_identity) return;
    if constexpr (scaled) scale = permute(scale, lanes);
    KAON_UNROLL
    for (int n = 0; n < components<Message>; ++n) {
      Complex<V>& z = elements(message)[n];
      z = phase * Complex<V>{permute(z.re, lanes), permute(z.im, lanes)};
    }
  }
  /// Applies this to one number, on a host.
  KOKKOS_FORCEINLINE_FUNCTION void cross(Complex<V>& z) const {
    z = {permute(z.re, lanes), permute(z.im, lanes)};
    if (has_phase) z = is_real ? phase.re * z : phase * z;
  }
};

/// The way out of each virtual node in direction mu, ahead or behind. Nothing comes back from where it leads to another
/// process (`partitioned`): the exterior of the stencil adds that.
template <class V>
LaneCrossing<V> make_crossing(const Coordinates& lane_grid, std::size_t mu, bool ahead, double theta,
                              bool partitioned = false) {
  const int step = ahead ? 1 : -1;
  const std::complex<double> edge = partitioned ? 0.0 : boundary_phase(step * theta);
  LaneCrossing<V> crossing;
  alignas(64) Scalar<V> re[lane_count<V>];
  alignas(64) Scalar<V> im[lane_count<V>];
  for (int lane = 0; lane < lane_count<V>; ++lane) {
    Coordinates node = lexicographic_site(lane, lane_grid);
    const bool on_edge = ahead ? node[mu] == lane_grid[mu] - 1 : node[mu] == 0;
    node[mu] = (node[mu] + step + lane_grid[mu]) % lane_grid[mu];
    crossing.lanes.source[lane] = static_cast<typename LanePermutation<V>::Index>(lexicographic_index(node, lane_grid));
    re[lane] = static_cast<Scalar<V>>(on_edge ? edge.real() : 1.0);
    im[lane] = static_cast<Scalar<V>>(on_edge ? edge.imag() : 0.0);
  }
  crossing.phase = {load_lanes<V>(re), load_lanes<V>(im)};
  crossing.has_phase = edge != 1.0;
  crossing.is_identity = lane_grid[mu] == 1 && !crossing.has_phase;
  crossing.is_real = edge.imag() == 0.0;
  return crossing;
}

}  // namespace kaon::detail
