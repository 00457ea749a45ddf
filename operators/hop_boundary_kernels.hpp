// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch.hpp"
#include "operators/clover_kernels.hpp"
#include "operators/hop_boundary.hpp"
#include "operators/hop_edges.hpp"

namespace kaon::detail {

/// out += c D_halo, or c A^-1 D_halo (`inverse`): D's terms whose neighbours lie on other processes.
template <class T, class H, class V, class Code, bool inverse>
struct BoundaryKernel {
  SubLattice geometry;
  int parity;  // of out
  const int* boundary;
  GaugeAccess<T, V, Code> links;
  SpinorAccess<T, V> out;
  CloverAccess<const T, V> site_term;
  Scalar<V> scale;
  EdgeTerms<T, H, V, Code> edges;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = geometry.site(boundary[index], parity);
    for (int rhs = first; rhs < last; ++rhs) {
      Spinor<V> sum = {};
      edges.add(sum, links, geometry, site, rhs, rhs == first);
      if constexpr (inverse) sum = multiply_clover(site_term, sum, site.index);
      Spinor<V> result = out.load(site.index, rhs);
      for (int spin = 0; spin < 4; ++spin) {
        for (int color = 0; color < 3; ++color) result.s[spin].c[color] += V(scale) * sum.s[spin].c[color];
      }
      out.store(result, site.index, rhs);
    }
  }
};

template <class T, class Code>
HopBoundary<T, Code>::HopBoundary(const HopTerm<T>& hop, SpinorField<T>& out, const SpinorField<T>& in,
                                  const HopForm<T>& form, const CloverField<T>* site_term)
    : hop_(hop),
      out_(out),
      in_(in),
      form_(form),
      site_term_(site_term),
      halo_(with_halo(hop.halo(),
                      [&]<class H>() -> HopHalo& { return HopHalo::of<T, H>(hop.lattice(), in.right_hand_sides()); })) {
}

template <class T, class Code>
void HopBoundary<T, Code>::start() {
  with_lanes<T>(lattice().template lane_count<T>(),
                [&]<class V>() { with_halo(hop_.halo(), [&]<class H>() { pack<V, H>(); }); });
  halo_.exchange().start();
}

template <class T, class Code>
void HopBoundary<T, Code>::finish() {
  halo_.exchange().finish();
  with_lanes<T>(lattice().template lane_count<T>(), [&]<class V>() {
    with_halo(hop_.halo(), [&]<class H>() {
      if (form_.term == SiteTerm::inverse) {
        add<V, H, true>();
      } else {
        add<V, H, false>();
      }
    });
  });
}

template <class T, class Code>
template <class V, class H>
void HopBoundary<T, Code>::pack() {
  const Execution& packing = halo_.exchange().packing();
  const auto kernel = make_packer<H, V, Code>(hop_, in_, form_.dagger, halo_);
  for_each_site("kaon::hop_pack", packing, kernel.end[faces - 1], in_.right_hand_sides(), kernel);
}

template <class T, class Code>
template <class V, class H, bool inverse>
void HopBoundary<T, Code>::add() {
  const auto& boundary = halo_.boundary(parity());
  BoundaryKernel<T, H, V, Code, inverse> kernel;
  kernel.geometry = SubLattice(lattice().local_extents(), lattice().template lane_grid<T>());
  kernel.parity = static_cast<int>(parity());
  kernel.boundary = boundary.data();
  kernel.links = access<V, Code>(hop_.links());
  kernel.out = access<V>(out_, parity());
  if constexpr (inverse) kernel.site_term = access<V>(*site_term_, parity());
  kernel.scale = static_cast<Scalar<V>>(0.5 * form_.scale);  // K = D/2
  kernel.edges = make_edge_terms<H, V, Code>(hop_, form_.dagger, halo_, 1.0);
  for_each_site("kaon::hop_boundary", lattice().execution(), static_cast<int>(boundary.extent(0)),
                out_.right_hand_sides(), kernel);
}

}  // namespace kaon::detail
