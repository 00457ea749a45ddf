// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/domain_wall/sliced_hop.hpp"
#include "operators/domain_wall/sliced_hop_kernel.hpp"
#include "operators/stencil/stencil_launch.hpp"

#include <kaon/core/kept_fields.hpp>

namespace kaon::detail {

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
    Tuner& tuner = Tuner::instance();
    const std::vector<LaunchShape> shapes = this->shapes();
    const TuningKey key =
        tuning_key<T>(label(), lattice(), hopping_.link_reals(), matrix_.slices() * out_.right_hand_sides());
    LaunchShape shape = shapes.front();
    if (const auto found = tuner.find(key)) {
      shape = *found;
    } else if (tuner.is_on()) {
      HopForm<T> trial_form = form_;
      trial_form.reduced = nullptr;
      trial_form.reductions = {};
      Temporaries<T> scratch(lattice(), out_.parameters(), 1);  // `out` may be x
      apart(scratch[0], trial_form);                            // is tuned before
      shape = tuner.choose(key, shapes, lattice().communicator(), lattice().execution(),
                           [&](const std::function<void(const ShapedLaunch&)>& time) {
                             time([&](const LaunchShape& trial) { launch(trial, scratch[0], trial_form, apart); });
                           });
    }
    launch(shape, out_, form_, apart);
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

  /// Teams with all slices of a few sites, in some orders, and the matrix apart: a thread for each site.
  std::vector<LaunchShape> shapes() const {
    const SubLattice node(lattice().local_extents(), lattice().template lane_grid<T>());
    const int slices = matrix_.slices();
    std::vector<LaunchShape> shapes;
    for (const int sites : {8, 16, 32, 4}) {
      if (sites * slices > SlicedHopKernel<Hop>::max_team_size) continue;
      for (const bool box : {false, true}) {
        const LaunchShape shape{.sites = sites, .box = box, .threads_per_site = slices};
        if (box && (sites < 16 || !SiteBox(node, sites).usable)) continue;
        for (const LaunchShape& order : tile_orders(shape, node, false)) shapes.push_back(order);
      }
    }
    shapes.push_back({.sites = 128, .threads_per_site = 1});
    return shapes;
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
