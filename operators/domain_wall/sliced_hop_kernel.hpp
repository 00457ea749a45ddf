// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/domain_wall/slice_kernel.hpp"
#include "operators/stencil/stencil_kernel.hpp"

#include <type_traits>

namespace kaon::detail {

/// A hop and a matrix on slices, for GPUs:
///   out = c B D in + a x, or B x + c D in
/// A thread has a slice of a site and adds the stencil's legs, a team has all slices of its sites. B acts in the team's
/// memory, where a thread takes a few numbers of a chirality through the recurrence. `Hop` is a `StencilKernel` without
/// site term on fields whose slices are right-hand sides: without extras, or with the neighbours on other processes,
/// whose messages have come.
template <class Hop>
struct SlicedHopKernel {
  using V = typename Hop::V;
  using Vector = typename Hop::Vector;
  // A thread has as many registers as in the hop alone.
  static constexpr int max_team_size = std::is_same_v<typename Hop::T, double>  ? 128
                                       : std::is_same_v<typename Hop::T, float> ? 192
                                                                                : 256;
  static constexpr unsigned min_teams = 2;

  /// Numbers that go through the recurrence together: a word of the team's memory.
  struct alignas(16) Piece {
    static constexpr int count = static_cast<int>(16 / sizeof(Complex<V>));
    Complex<V> number[count];
  };
  static constexpr int pieces = components<Vector> / Piece::count;

  Hop hop;
  SliceRecurrence<V, false> recurrence;
  bool on_x;  ///< B x + c D in
  Divisor by_sites, by_right_hand_sides;
  SiteBox box;
  TileOrder order;
  const int* tiles;  ///< null, or those in the place of `order`
  int first, count;  ///< places of tiles
  bool reversed;
  int team_bytes;

  static int bytes_of_thread() { return pieces * static_cast<int>(sizeof(Piece)); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    int rhs, rank;
    int place = by_right_hand_sides.divide(team.league_rank(), rhs);
    place = first + (reversed ? count - 1 - place : place);
    const int tile = tiles != nullptr ? tiles[place] : order.tile(place);
    const int s = by_sites.divide(team.team_rank(), rank);
    const int index = box.usable ? box.index(hop.node, tile, rank) : tile * by_sites.divisor() + rank;
    const int slice = rhs * recurrence.slices + s;
    auto* const memory = static_cast<Piece*>(team_memory(team, team_bytes));
    Vector sum[1];
    if (index < hop.node.half_volume) {
      const typename Hop::Neighborhood at(hop, index);
      hop.template gather<false>(sum, at, slice);
      if constexpr (Hop::with_neighbors) {
        const Site site = hop.node.site(forget_origin(index), hop.parity);
        hop.unpack.add(sum[0], hop.links, hop.node, site, slice, true);
      }
      put(memory, s, rank, on_x ? hop.x.load(index, slice) : sum[0]);
    }
    team.team_barrier();
    for (int task = team.team_rank(); task < pieces * by_sites.divisor(); task += team.team_size()) recur(memory, task);
    team.team_barrier();
    if (index < hop.node.half_volume) {
      const Vector matrix_on = take(memory, s, rank);
      if (on_x) {
        hop.out.store(combine(V(1), matrix_on, V(hop.scale), sum[0]), index, slice, Scalar<V>(1));
      } else if (hop.x.data != nullptr) {
        hop.out.store(combine(V(hop.x_scale), hop.x.load(index, slice), V(hop.scale), matrix_on), index, slice,
                      Scalar<V>(1));
      } else {
        hop.out.store(matrix_on, index, slice, hop.scale);
      }
    }
  }

 private:
  /// A piece of the numbers of a slice and site: those of the upper chirality come first.
  KOKKOS_FORCEINLINE_FUNCTION Piece& at(Piece* memory, int s, int piece, int rank) const {
    return memory[(s * pieces + piece) * by_sites.divisor() + rank];
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(Piece* memory, int s, int rank, const Vector& psi) const {
    KAON_UNROLL
    for (int piece = 0; piece < pieces; ++piece) {
      Piece numbers;
      KAON_UNROLL
      for (int n = 0; n < Piece::count; ++n) numbers.number[n] = elements(psi)[piece * Piece::count + n];
      at(memory, s, piece, rank) = numbers;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Vector take(Piece* memory, int s, int rank) const {
    Vector psi;
    KAON_UNROLL
    for (int piece = 0; piece < pieces; ++piece) {
      const Piece numbers = at(memory, s, piece, rank);
      KAON_UNROLL
      for (int n = 0; n < Piece::count; ++n) elements(psi)[piece * Piece::count + n] = numbers.number[n];
    }
    return psi;
  }
  /// B on a piece of a site in all slices.
  KOKKOS_FORCEINLINE_FUNCTION void recur(Piece* memory, int task) const {
    int rank;
    const int piece = by_sites.divide(task, rank);
    recurrence.template apply_in_place<4>(
        piece < pieces / 2, V(1), [&](int s) { return at(memory, s, piece, rank); },
        [&](int s, const Piece& numbers) { at(memory, s, piece, rank) = numbers; });
  }
};

}  // namespace kaon::detail
