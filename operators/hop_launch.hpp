// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch.hpp"
#include "core/workspace.hpp"
#include "operators/hop.hpp"
#include "operators/hop_boundary.hpp"
#include "operators/hop_kernels.hpp"

#include <complex>
#include <optional>
#include <type_traits>
#include <vector>

namespace kaon::detail {

template <class T, class V, class Code, SiteTerm term>
using FullHopKernel = HopKernel<T, V, Code, term, HopExtras<T, V, Code>>;

/// `kernel` with all neighbours: after an exchange of halos, or with that in it.
template <class T, class V, class Code, SiteTerm term>
FullHopKernel<T, V, Code, term> with_all_neighbors(FullHopKernel<T, V, Code, term> kernel,
                                                   HopBoundary<T, Code>& boundary, const LaunchShape& shape) {
  HopHalo& halo = boundary.halo();
  const bool dagger = kernel.sign < 0;
  const HopHalo::Order order = halo.order(boundary.hop().lattice(), kernel.node, shape);  // may throw: before a turn
  kernel.order = order.tiles;
  kernel.tiles_inside = order.inside;
  if (halo.exchange().works_within_kernels()) {
    kernel.packer = make_packer<T, V, Code>(boundary.hop(), boundary.in(), dagger, halo);
    kernel.first_work = kernel.packer.end[faces - 1] * boundary.in().right_hand_sides();
    kernel.signals = halo.exchange().take_turn();
  } else {
    boundary.exchange();
  }
  kernel.edges = make_edge_terms<T, V, Code>(boundary.hop(), dagger, halo, GaugeAccess<T, V, Code>::unit);
  kernel.with_edges = true;
  return kernel;
}

/// What the way of halos is tuned for: `term`, the transport and the directions that are cut. Lives as long as the
/// program.
const char* halo_label(const Lattice& lattice, Transport transport, SiteTerm term);

/// How a hop gets its halos: it waits for them, and then is one kernel, which takes sites at the edges last or among
/// the others, or it has one kernel beside the exchange and one after it.
struct HaloWay {
  bool first = false;
  bool edges_last = false;
};

/// What is fastest, which is found on first use. `rehearse(time, shape)` calls `time(launch)` with a `ShapedLaunch` of
/// all ways, of kernels in the shape that `best_shape()` returns.
template <class T, class Code, class BestShape, class Rehearse>
HaloWay halo_way(HopBoundary<T, Code>& boundary, const TuningKey& key, const BestShape& best_shape,
                 const Rehearse& rehearse) {
  Tuner& tuner = Tuner::instance();
  const bool standard = boundary.halo().exchange().works_within_kernels();
  if (forced_halo_first()) return {.first = *forced_halo_first()};
  if (!tuner.is_on()) return {.first = standard};
  LaunchShape chosen;
  if (const auto found = tuner.find(key)) {
    chosen = *found;
  } else {
    const LaunchShape shape = best_shape();
    std::vector<LaunchShape> ways(on_device ? 3 : 2, shape);
    ways[0].halo_first = standard;
    ways[1].halo_first = !standard;
    if (on_device) ways[2].halo_first = ways[2].edges_last = true;
    const Lattice& lattice = boundary.hop().lattice();
    chosen = tuner.choose(key, ways, lattice.communicator(), lattice.execution(),
                          [&](const auto& time) { rehearse(time, shape); });
  }
  return {.first = chosen.halo_first, .edges_last = chosen.edges_last};
}

/// The reductions of which a kernel that makes `out` makes the partial sums. Those whose squares may have left the range
/// of `float`, in which the kernel makes them, are taken from memory.
template <class T>
blas::PendingReductions collect_reductions(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out,
                                           const SiteSums& sums);

template <class T, class V, class Code, SiteTerm term>
void launch_hop(const HopTerm<T>& hop, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
                const CloverField<T>* site_term) {
  const Lattice& lattice = hop.lattice();
  const Parity parity = out.subset() == Subset::even ? Parity::even : Parity::odd;
  FullHopKernel<T, V, Code, term> kernel;
  kernel.node = SubLattice(lattice.local_extents(), lattice.lane_grid<T>());
  kernel.parity = static_cast<int>(parity);
  kernel.links = access<V, Code>(hop.links());
  kernel.out = access<V>(out, parity);
  kernel.in = access<V>(in, opposite(parity));
  if (form.x != nullptr) kernel.x = access<V>(*form.x, parity);
  if constexpr (term != SiteTerm::none) kernel.site_term = access<V>(*site_term, parity);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    kernel.leave_forward[mu] =
        make_crossing<V>(lattice.lane_grid<T>(), mu, +1, hop.boundary()[mu], lattice.is_partitioned(mu));
    kernel.leave_backward[mu] =
        make_crossing<V>(lattice.lane_grid<T>(), mu, -1, hop.boundary()[mu], lattice.is_partitioned(mu));
  }
  using S = Scalar<V>;
  kernel.sign = form.dagger ? S(-1) : S(1);
  kernel.spatial_weight = static_cast<S>(hop.spatial_weight());
  kernel.scale = static_cast<S>(0.5 * form.scale * decltype(kernel)::Links::unit);  // K = D/2
  kernel.x_scale = static_cast<S>(form.x_scale);
  const auto key = [&](const char* label) {
    return tuning_key<T>(label, lattice, reals(hop.links().storage()), in.right_hand_sides());
  };
  const int sites = kernel.node.half_volume;
  // Calls `run(kernel)`: on GPUs without extras where they are not wanted.
  const auto as_light_as_can_be = [&](const FullHopKernel<T, V, Code, term>& full, const auto& run) {
    if constexpr (on_device) {
      if (!full.with_edges && !full.sums.wanted()) return run(HopKernel<T, V, Code, term, NoExtras>{full, {}});
      if (!full.with_edges) return run(HopKernel<T, V, Code, term, HopSums<T, V, Code>>{full, full});
    }
    return run(full);
  };
  const auto shape_of = [&](const char* label) {
    return as_light_as_can_be(kernel, [&](const auto& light) {
      return best_shape(key(label), lattice, sites, light, [&](const auto& time) {
        SpinorField<T> scratch(lattice, out.parameters());  // `out` may be x
        auto rehearsal = light;
        rehearsal.out = access<V>(scratch, parity);
        time(rehearsal);
      });
    });
  };
  const auto launch = [&](const LaunchShape& shape, const FullHopKernel<T, V, Code, term>& which) {
    as_light_as_can_be(which, [&](const auto& light) {
      launch_sites<true>("kaon::hop", lattice.execution(), shape, sites, in.right_hand_sides(), light);
    });
  };
  constexpr const char* labels[] = {term == SiteTerm::none       ? "kaon::hop"
                                    : term == SiteTerm::diagonal ? "kaon::hop_diagonal"
                                                                 : "kaon::hop_inverse",
                                    term == SiteTerm::none       ? "kaon::hop_products"
                                    : term == SiteTerm::diagonal ? "kaon::hop_diagonal_products"
                                                                 : "kaon::hop_inverse_products"};

  std::optional<HopBoundary<T, Code>> boundary;
  HaloWay halo;
  if (lattice.is_partitioned()) {
    boundary.emplace(hop, out, in, form, site_term);
    const auto shape_inside = [&] { return shape_of(labels[0]); };
    const auto try_all = [&](const auto& time, const LaunchShape& shape) {
      SpinorField<T> scratch(lattice, out.parameters());
      HopBoundary<T, Code> trial_boundary(hop, scratch, in, form, site_term);
      auto trial = kernel;
      trial.out = access<V>(scratch, parity);
      time([&](const LaunchShape& way) {
        if (way.halo_first) {
          launch(way, with_all_neighbors(trial, trial_boundary, shape));
        } else {
          trial_boundary.start();
          launch(shape, trial);
          trial_boundary.finish();
        }
      });
    };
    if (boundary->can_come_first()) {
      halo = halo_way(*boundary, key(halo_label(lattice, boundary->halo().exchange().transport(), term)), shape_inside,
                      try_all);
    }
  }
  // Not where sites at the edges are completed by another kernel.
  const bool with_products = form.reduced != nullptr && (!boundary || halo.first);
  if (with_products) {
    kernel.sums.parts = SiteSums::parts_of(kernel.node.half_volume);
    kernel.sums.partial = lattice.workspace().partial_sums(
        static_cast<std::size_t>(kernel.sums.parts) * static_cast<std::size_t>(out.right_hand_sides()) * site_sums);
    kernel.products_with_x = form.reductions.x;
    if (form.reductions.w != nullptr) kernel.w = access<V>(*form.reductions.w, parity);
  }
  LaunchShape shape = shape_of(labels[with_products ? 1 : 0]);
  shape.edges_last = halo.edges_last;
  if (halo.first) {
    launch(shape, with_all_neighbors(kernel, *boundary, shape));
  } else {
    if (boundary) boundary->start();
    launch(shape, kernel);
    if (boundary) boundary->finish();
  }
  if (with_products) {
    *form.reduced = collect_reductions(lattice, form, out, kernel.sums);
  } else if (form.reduced != nullptr) {
    *form.reduced = blas::reduce(out, form.x, form.reductions);
  }
}

template <class T, class Code>
void apply_hop(const HopTerm<T>& hop, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
               const CloverField<T>* site_term) {
  with_lanes<T>(hop.lattice().template lane_count<T>(), [&]<class V>() {
    switch (form.term) {
      case SiteTerm::none:
        return launch_hop<T, V, Code, SiteTerm::none>(hop, out, in, form, nullptr);
      case SiteTerm::diagonal:
        return launch_hop<T, V, Code, SiteTerm::diagonal>(hop, out, in, form, site_term);
      case SiteTerm::inverse:
        return launch_hop<T, V, Code, SiteTerm::inverse>(hop, out, in, form, site_term);
    }
  });
}

}  // namespace kaon::detail
