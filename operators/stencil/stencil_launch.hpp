// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/workspace.hpp"
#include "core/launch/launch.hpp"
#include "operators/stencil/exterior.hpp"
#include "operators/stencil/halo_way.hpp"
#include "operators/stencil/hopping.hpp"
#include "operators/stencil/stencil_kernel.hpp"

#include <optional>
#include <string>

namespace kaon::detail {

/// "kaon::wilson_hop_inverse_clover" and the like: what kernels of a stencil and a site term are called and tuned for.
template <class Stencil, class Term>
const std::string& stencil_label() {
  static const std::string label = std::string("kaon::") + Stencil::name + "_hop" + Term::prefix + Term::name;
  return label;
}
template <class Stencil, class Term>
const std::string& stencil_products_label() {
  static const std::string label = stencil_label<Stencil, Term>() + "_products";
  return label;
}

/// One application of a stencil to fields of T with W lanes, on links that are stored as `LinkCodes` say.
template <class T, class V, class Stencil, class Codes, class Term>
class StencilLaunch {
  using S = StencilTypes<T, V, Stencil, Codes>;
  using FullKernel = StencilKernel<S, Term, StencilExtras<S>>;
  using TheExterior = Exterior<T, Stencil, Codes, Term>;

 public:
  StencilLaunch(const Hopping<T, Stencil>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                const HopForm<T>& form, const Term& term)
      : hopping_(hopping), out_(out), in_(in), form_(form), term_(term) {}

  void run() {
    const FullKernel kernel = make_kernel();
    std::optional<TheExterior> exterior;
    if (lattice().is_partitioned()) exterior.emplace(hopping_, out_, in_, form_, term_);
    const bool may_wait = exterior && exterior->can_come_first();
    // There are no products if another kernel completes sites at the edges.
    const bool with_products = form_.reduced != nullptr && (!exterior || may_wait);
    FullKernel summing = kernel;
    if (with_products) add_products(summing);
    const std::string& label = with_products ? stencil_products_label<Stencil, Term>() : stencil_label<Stencil, Term>();
    const HaloWays ways(may_wait ? &exterior->halo() : nullptr);
    const TunedLaunch tuned(
        key(may_wait ? halo_label(lattice(), exterior->halo().exchange().transport(), label) : label), lattice(),
        [&] { return ways.in_standard(standard_shape_of(key(label), lattice(), kernel.node.half_volume, summing)); },
        [&](int stage, const LaunchShape& best) {
          return ways.shapes(stage, best, [&](int of_kernel) {
            return as_light_as_can_be(summing, [&](const auto& light) {
              return shapes_of(of_kernel, best, key(label), lattice(), kernel.node.half_volume, light);
            });
          });
        });
    const LaunchShape shape = ways.as_forced(tuned.shape());
    if (!exterior || shape.halo_first) {
      launch(shape, exterior ? with_all_neighbors(summing, *exterior, shape) : summing);
      collect_reductions(lattice(), form_, out_, summing.sums);
    } else {
      exterior->start();
      launch(shape, kernel);
      exterior->finish();
      collect_reductions(lattice(), form_, out_, kernel.sums);
    }
  }

  /// The kernel on the sites of this process.
  FullKernel make_kernel() const {
    using Vector = typename S::Vector;
    const Stencil& stencil = hopping_.stencil();
    const Coordinates& lane_grid = lattice().template lane_grid<T>();
    FullKernel kernel;
    kernel.node = SubLattice(lattice().local_extents(), lane_grid);
    kernel.parity = static_cast<int>(parity());
    kernel.arithmetic = stencil.template arithmetic<V>(form_.dagger);
    kernel.links = S::Links::of(hopping_.link_fields());
    const auto weights = link_weights<Codes>(hopping_);
    copy_weights<V>(kernel.link_weight, weights);
    kernel.in = access<Vector>(in_, opposite(parity()));
    kernel.out = access<Vector>(out_, parity());
    if (form_.x != nullptr) kernel.x = access<Vector>(*form_.x, parity());
    kernel.term = term_.template on_sites<V>(parity());
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const double theta = hopping_.boundary()[mu];
      const bool partitioned = lattice().is_partitioned(mu);
      kernel.leave_ahead[mu] = make_crossing<V>(lane_grid, mu, true, theta, partitioned);
      kernel.leave_behind[mu] = make_crossing<V>(lane_grid, mu, false, theta, partitioned);
    }
    kernel.scale = static_cast<Scalar<V>>(stencil.factor(form_.dagger) * form_.scale * weights.unit);
    kernel.x_scale = static_cast<Scalar<V>>(form_.x_scale);
    return kernel;
  }

 private:
  const Lattice& lattice() const { return hopping_.lattice(); }
  Parity parity() const { return parity_of(out_.subset()); }
  TuningKey key(std::string_view label) const {
    return tuning_key<T>(label, lattice(), hopping_.link_reals(), in_.right_hand_sides());
  }

  void add_products(FullKernel& kernel) const {
    kernel.sums.parts = SiteSums::parts_of(kernel.node.half_volume);
    kernel.sums.partial = lattice().workspace().partial_sums(
        static_cast<std::size_t>(kernel.sums.parts) * static_cast<std::size_t>(out_.right_hand_sides()) * site_sums);
    kernel.products_with_x = form_.reductions.x;
    if (form_.reductions.w != nullptr) kernel.w = access<typename S::Vector>(*form_.reductions.w, parity());
  }

  /// `kernel` with all neighbours: after an exchange of halos, or with that in it.
  FullKernel with_all_neighbors(FullKernel kernel, TheExterior& exterior, const LaunchShape& shape) const {
    StencilHalo& halo = exterior.halo();
    const StencilHalo::Order order = halo.order(lattice(), kernel.node, shape);  // may throw: before a turn
    kernel.order = order.tiles;
    kernel.tiles_inside = order.inside;
    if (halo.exchange().works_within_kernels()) {
      kernel.pack = exterior.template make_pack<V>();
      kernel.prologue_items = kernel.pack.end[faces - 1] * in_.right_hand_sides();
      kernel.signals = halo.exchange().next_generation();
    } else {
      exterior.exchange();
    }
    kernel.unpack = exterior.template make_unpack<V, T>(link_weights<Codes>(hopping_).unit);
    kernel.with_halo = true;
    return kernel;
  }

  /// Calls `run(kernel)`: on GPUs without extras if they are not wanted.
  template <class Run>
  static decltype(auto) as_light_as_can_be(const FullKernel& full, const Run& run) {
    if constexpr (on_device) {
      if (!full.with_halo && !full.sums.wanted()) return run(StencilKernel<S, Term, NoExtras>{full, {}});
      if (!full.with_halo) return run(StencilKernel<S, Term, StencilProducts<S>>{full, full});
    }
    return run(full);
  }

  void launch(const LaunchShape& shape, const FullKernel& kernel) const {
    as_light_as_can_be(kernel, [&](const auto& light) {
      launch_sites<true>(stencil_label<Stencil, Term>(), lattice().execution(), shape, light.node.half_volume,
                         in_.right_hand_sides(), light);
    });
  }

  const Hopping<T, Stencil>& hopping_;
  SpinorField<T>& out_;
  const SpinorField<T>& in_;
  const HopForm<T>& form_;
  const Term& term_;
};

template <class Codes, class T, class Stencil, class Term>
void apply_stencil(const Hopping<T, Stencil>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                   const HopForm<T>& form, const Term& term) {
  with_stencil_lanes<T, Codes>(hopping.lattice().template lane_count<T>(), [&]<class V>() {
    StencilLaunch<T, V, Stencil, Codes, Term>(hopping, out, in, form, term).run();
  });
}

}  // namespace kaon::detail
