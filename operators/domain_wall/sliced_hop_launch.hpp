// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/temporaries.hpp"
#include "operators/domain_wall/sliced_hop.hpp"
#include "operators/domain_wall/sliced_hop_kernel.hpp"
#include "operators/stencil/stencil_launch.hpp"

namespace kaon::detail {

/// The kernel for one parity of fields whose slices are evenly spaced, on links that are stored as `Codes` say.
template <class T, class Codes>
class SlicedHopLaunch {
  using V = Arithmetic<T>;
  using Hop = StencilKernel<StencilTypes<T, V, WilsonStencil, Codes>, NoSiteTerm, NoExtras>;
  using Kernel = SlicedHopKernel<Hop>;

 public:
  SlicedHopLaunch(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
                  const SliceMatrix<T>& matrix)
      : hopping_(hopping), out_(out), in_(in), form_(form), matrix_(matrix) {}

  void run(const HopApart<T>& apart) const {
    Tuner& tuner = Tuner::instance();
    const std::vector<LaunchShape> shapes = this->shapes();
    const TuningKey key =
        tuning_key<T>(label, out_.lattice(), hopping_.link_reals(), matrix_.slices() * out_.right_hand_sides());
    LaunchShape shape = shapes.front();
    if (const auto found = tuner.find(key)) {
      shape = *found;
    } else if (tuner.is_on()) {
      Temporaries<T> scratch(out_.lattice(), out_.parameters(), 1);  // `out` may be x
      apart(scratch[0], unreduced());                                // is tuned before
      shape = tuner.choose(key, shapes, out_.lattice().communicator(), out_.lattice().execution(),
                           [&](const std::function<void(const ShapedLaunch&)>& time) {
                             time([&](const LaunchShape& trial) { launch(trial, scratch[0], apart); });
                           });
    }
    launch(shape, out_, apart);
    if (form_.reduced != nullptr) *form_.reduced = blas::reduce(out_, form_.x, form_.reductions);
  }

 private:
  static constexpr const char* label = "kaon::wilson_hop_slices";

  HopForm<T> unreduced() const {
    HopForm<T> form = form_;
    form.reduced = nullptr;
    form.reductions = {};
    return form;
  }

  /// Teams with all slices of a few sites, in some orders, and the matrix apart: a thread for each site.
  std::vector<LaunchShape> shapes() const {
    const SubLattice node(out_.lattice().local_extents(), out_.lattice().template lane_grid<T>());
    const int slices = matrix_.slices();
    std::vector<LaunchShape> shapes;
    for (const int sites : {8, 16, 32, 4}) {
      if (sites * slices > Kernel::max_team_size) continue;
      for (const bool box : {false, true}) {
        const LaunchShape shape{.sites = sites, .box = box, .threads_per_site = slices};
        if (box && (sites < 16 || !SiteBox(node, sites).usable)) continue;
        for (const LaunchShape& order : tile_orders(shape, node, false)) shapes.push_back(order);
      }
    }
    shapes.push_back({.sites = 128, .threads_per_site = 1});
    return shapes;
  }

  void launch(const LaunchShape& shape, SpinorField<T>& out, const HopApart<T>& apart) const {
    const HopForm<T> form = unreduced();
    if (shape.threads_per_site == 1) return apart(out, form);
    const SpinorField<T> of_in = in_.slices_as_right_hand_sides();
    SpinorField<T> of_out = out.slices_as_right_hand_sides();
    const SpinorField<T> of_x = (form_.x != nullptr ? *form_.x : in_).slices_as_right_hand_sides();
    HopForm<T> of_slices = form;
    of_slices.term = SiteTerm::none;
    if (form.x != nullptr) of_slices.x = &of_x;
    const NoSiteTerm none;
    const StencilLaunch<T, V, WilsonStencil, Codes, NoSiteTerm> stencil(hopping_, of_out, of_in, of_slices, none);
    Kernel kernel;
    kernel.hop = Hop{stencil.make_kernel(), {}};
    kernel.recurrence = {matrix_.table(form_.dagger), matrix_.slices(), form_.dagger};
    kernel.on_x = form.term == SiteTerm::diagonal;
    kernel.by_sites = Divisor(shape.sites);
    kernel.by_right_hand_sides = Divisor(out.right_hand_sides());
    if (shape.box) kernel.box = SiteBox(kernel.hop.node, shape.sites);
    const int tiles = tiles_of(kernel.hop.node.half_volume, shape);
    kernel.order = TileOrder(kernel.hop.node, kernel.box, shape, tiles);
    kernel.reversed = alternate_direction();
    const int team_size = shape.sites * matrix_.slices();
    kernel.team_bytes = team_size * Kernel::bytes_of_thread();
    launch_teams(label, out.lattice().execution(), tiles * out.right_hand_sides(), team_size, kernel);
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
  const bool evenly_spaced = out.slices_are_evenly_spaced() && in.slices_are_evenly_spaced() &&
                             (form.x == nullptr || form.x->slices_are_evenly_spaced());
  if (form.term != SiteTerm::none && matrix.is_real() && matrix.slices() > 1 && evenly_spaced &&
      8 * matrix.slices() <= Kernel::max_team_size && !hopping.lattice().is_partitioned()) {
    require_hop_fields(hopping.lattice(), out, in, form, WilsonStencil::spins);
    return with_link_codes(WilsonStencil::Codes{}, hopping.storages(), [&]<class Codes>() {
      SlicedHopLaunch<T, Codes>(hopping, out, in, form, matrix).run(apart);
    });
  }
  apart(out, form);
}

}  // namespace kaon::detail
