// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/domain_wall/slice_kernel.hpp"
#include "operators/domain_wall/sliced_hop.hpp"
#include "operators/stencil/stencil_kernel.hpp"
#include "operators/stencil/stencil_launch.hpp"

#include <kaon/core/kept_fields.hpp>

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
      const typename Hop::SiteNeighborhood at(hop, index);
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

/// The kernel for one parity of fields on links that are stored as `Codes` say.
template <class T, class Codes>
class SlicedHopLaunch {
  using V = Arithmetic<T>;
  using S = StencilTypes<T, V, WilsonStencil, Codes>;
  using Hop = StencilKernel<S, NoSiteTerm, NoExtras>;
  using HopAtEdges = StencilKernel<S, NoSiteTerm, StencilExtras<S>>;

 public:
  SlicedHopLaunch(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
                  const SliceMatrix<T>& matrix)
      : hopping_(hopping), out_(out), in_(in), form_(form), matrix_(matrix) {}

  void run(const HopApart<T>& apart) const {
    const TunedLaunch tuned(
        tuning_key<T>(label(), lattice(), hopping_.link_reals(), matrix_.slices() * out_.right_hand_sides()), lattice(),
        [&] { return shapes().front(); },
        [&](int stage, const LaunchShape& best) {
          if (stage == 0) return shapes();
          return stage == 1 ? orders(best) : std::vector<LaunchShape>();
        });
    launch(tuned.shape(), out_, form_, apart);
  }

 private:
  const Lattice& lattice() const { return hopping_.lattice(); }
  std::string_view label() const {
    static const std::string label = "kaon::wilson_hop_slices";
    if (!lattice().is_partitioned()) return label;
    return halo_label(lattice(), halo().exchange().transport(), label);
  }
  StencilHalo& halo() const {
    return StencilHalo::of<T, WilsonStencil, T>(lattice(), matrix_.slices() * out_.right_hand_sides());
  }

  SubLattice node() const { return SubLattice(lattice().local_extents(), lattice().template lane_grid<T>()); }

  /// Teams with all slices of a few sites, and the matrix apart: a thread for each site.
  std::vector<LaunchShape> shapes() const {
    const int slices = matrix_.slices();
    std::vector<LaunchShape> shapes;
    for (const int sites : {8, 16, 32, 4}) {
      if (sites * slices > SlicedHopKernel<Hop>::max_team_size) continue;
      for (const bool box : {false, true}) {
        if (box && (sites < 16 || !SiteBox(node(), sites).usable)) continue;
        shapes.push_back({.sites = sites, .box = box, .threads_per_site = slices});
      }
    }
    shapes.push_back({.sites = 128, .threads_per_site = 1});
    return shapes;
  }
  std::vector<LaunchShape> orders(const LaunchShape& shape) const {
    return shape.threads_per_site == 1 ? std::vector{shape} : tile_orders(shape, node(), false);
  }

  void launch(const LaunchShape& shape, SpinorField<T>& out, const HopForm<T>& form, const HopApart<T>& apart) const {
    if (shape.threads_per_site == 1) return apart(out, form);
    apply_to_slices<T>(out, in_, form, [&](SpinorField<T>& to, const SpinorField<T>& from, HopForm<T> of_slices) {
      const bool on_x = of_slices.term == SiteTerm::diagonal;
      of_slices.term = SiteTerm::none;
      const NoSiteTerm none;
      const StencilLaunch<T, V, WilsonStencil, Codes, NoSiteTerm> stencil(hopping_, to, from, of_slices, none);
      HopAtEdges hop = stencil.make_kernel();
      const auto launch_tiles = [&](const auto& some_hop, const StencilHalo::Order& order, int first, int last) {
        this->launch_tiles(shape, some_hop, on_x, to.right_hand_sides() / matrix_.slices(), order, first, last);
      };
      const int tiles = tiles_of(hop.node.half_volume, shape);
      if (!lattice().is_partitioned()) return launch_tiles(Hop{hop, {}}, {}, 0, tiles);
      Exterior<T, WilsonStencil, Codes, NoSiteTerm> exterior(hopping_, to, from, of_slices, none);
      const StencilHalo::Order order = exterior.halo().order(lattice(), hop.node, shape);  // may throw: before a turn
      exterior.start();
      if (order.inside > 0) launch_tiles(Hop{hop, {}}, order, 0, order.inside);
      exterior.halo().exchange().finish();
      hop.unpack = exterior.template make_unpack<V, T>(link_weights<Codes>(hopping_).unit);
      launch_tiles(hop, order, order.inside, tiles);
    });
  }

  /// The tiles at the places [first, last) of an order.
  template <class SomeHop>
  void launch_tiles(const LaunchShape& shape, const SomeHop& hop, bool on_x, int right_hand_sides,
                    const StencilHalo::Order& order, int first, int last) const {
    SlicedHopKernel<SomeHop> kernel;
    kernel.hop = hop;
    kernel.recurrence = {matrix_.table(form_.dagger), matrix_.slices(), form_.dagger};
    kernel.on_x = on_x;
    kernel.by_sites = Divisor(shape.sites);
    kernel.by_right_hand_sides = Divisor(right_hand_sides);
    if (shape.box) kernel.box = SiteBox(hop.node, shape.sites);
    kernel.order = TileOrder(hop.node, kernel.box, shape, tiles_of(hop.node.half_volume, shape));
    kernel.tiles = order.tiles;
    kernel.first = first;
    kernel.count = last - first;
    kernel.reversed = alternate_direction();
    const int team_size = shape.sites * matrix_.slices();
    kernel.team_bytes = team_size * kernel.bytes_of_thread();
    launch_teams("kaon::wilson_hop_slices", lattice().execution(), kernel.count * right_hand_sides, team_size, kernel);
  }

  const WilsonHop<T>& hopping_;
  SpinorField<T>& out_;
  const SpinorField<T>& in_;
  const HopForm<T>& form_;
  const SliceMatrix<T>& matrix_;
};

template <class T>
void hop_through_slices(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form, const SliceMatrix<T>& matrix, const HopApart<T>& apart) {
  using Kernel = SlicedHopKernel<
      StencilKernel<StencilTypes<T, Arithmetic<T>, WilsonStencil, LinkCodes<FullLinks>>, NoSiteTerm, NoExtras>>;
  const bool same_halo = with_message_type<T>(hopping.halo(), []<class H>() { return std::is_same_v<H, T>; });
  if (form.term != SiteTerm::none && matrix.is_real() && matrix.slices() > 1 &&
      8 * matrix.slices() <= Kernel::max_team_size && (same_halo || !hopping.lattice().is_partitioned())) {
    require_hop_fields(hopping.lattice(), out, in, form, WilsonStencil::spins);
    return with_link_codes(WilsonStencil::Codes{}, hopping.storages(), [&]<class Codes>() {
      SlicedHopLaunch<T, Codes>(hopping, out, in, form, matrix).run(apart);
    });
  }
  apart(out, form);
}

}  // namespace kaon::detail

/// `hop_through_slices` for fields of T, in one translation unit.
#define KAON_INSTANTIATE_SLICED_HOP(T)                                                                             \
  template void hop_through_slices(const WilsonHop<T>&, SpinorField<T>&, const SpinorField<T>&, const HopForm<T>&, \
                                   const SliceMatrix<T>&, const HopApart<T>&);
