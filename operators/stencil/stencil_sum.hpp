// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/site_tile.hpp"
#include "operators/stencil/crossing.hpp"
#include "operators/stencil/host_sum.hpp"
#include "operators/stencil/stencil.hpp"

namespace kaon::detail {

/// The contribution of neighbours along legs [leg, ...) to N right-hand sides, being loaded from memory.
template <class S, int N, int leg = 0>
struct Incoming {
  typename S::In::Packed psi[N];
  typename S::template LinksOf<leg>::Packed link;
  Incoming<S, N, leg + 1> others;

  template <int k>
  KOKKOS_FORCEINLINE_FUNCTION auto& along() {
    if constexpr (k == leg) {
      return *this;
    } else {
      return others.template along<k>();
    }
  }
};
template <class S, int N, int leg>
requires(leg == S::legs) struct Incoming<S, N, leg> {
};

/// D in(x), the sum over the legs of a stencil, in units of the first set of links (`link_unit`).
template <class S>
struct StencilSum : MemoryWay {
  using V = typename S::V;
  using Vector = typename S::Vector;
  using Message = typename S::Message;
  using Stencil = typename S::Stencil;
  using In = typename S::In;

  SubLattice node;
  int parity;  // of out
  typename S::Arithmetic arithmetic;
  typename S::Links links;
  In in;
  Scalar<V> link_weight[S::link_sets];              // `LinkWeights::relative`
  LaneCrossing<V> leave_ahead[4], leave_behind[4];  // by direction

  /// A site and its neighbours. If these are many, GPUs find them leg by leg: their indices would cost registers.
  struct SiteNeighborhood {
    static constexpr bool stored = !on_device || S::legs <= 8;
    Site site;
    typename S::AtSite at_site;
    Neighbor neighbor[stored ? S::legs : 1];

    KOKKOS_FORCEINLINE_FUNCTION SiteNeighborhood(const StencilSum& sum, int index)
        : site(sum.node.site(index, sum.parity)), at_site(sum.arithmetic.at(site)) {
      if constexpr (stored) find<0>(sum);
    }

   private:
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION void find(const StencilSum& sum) {
      if constexpr (leg < S::legs) {
        neighbor[leg] = sum.template neighbor_along<leg>(site);
        find<leg + 1>(sum);
      }
    }
  };
  /// A site, its neighbours and its links, which are decoded once for all right-hand sides.
  struct RowNeighborhood {
    using Sum = HostSum<typename S::T, V, Stencil>;
    using Number = typename Sum::Number;
    static constexpr int link_numbers = 18 * lane_count<V>;
    Site site;
    Sum sum;
    alignas(V) Number decoded[S::decoded_legs() == 0 ? 1 : S::decoded_legs() * link_numbers];

    RowNeighborhood(const StencilSum& of, int index)
        : site(of.node.site(index, of.parity)),
          sum{of.arithmetic, of.in, of.link_weight, of.leave_ahead, of.leave_behind, of.arithmetic.at(site), {}, {}} {
      find<0>(of);
    }
    RowNeighborhood(const RowNeighborhood&) = delete;

    /// Prefetches the links of legs [first, last) of the site that is `distance` ahead.
    [[gnu::noinline]] void prefetch_links(const StencilSum& of, int distance, int first, int last) const {
      for_each_leg<S>([&]<int leg>() {
        if (leg < first || leg >= last) return;
        constexpr int mu = Stencil::legs[leg].mu;
        constexpr bool is_ahead = Stencil::legs[leg].step > 0;
        const int index = is_ahead ? site.index : sum.neighbor[leg].index;
        S::template links_of<leg>(of.links).prefetch(index + distance, is_ahead ? of.parity : 1 - of.parity, mu);
      });
    }

   private:
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION void find(const StencilSum& of) {
      if constexpr (leg < S::legs) {
        constexpr int mu = Stencil::legs[leg].mu;
        constexpr bool is_ahead = Stencil::legs[leg].step > 0;
        const Neighbor neighbor = of.template neighbor_along<leg>(site);
        sum.neighbor[leg] = neighbor;
        const auto& set = S::template links_of<leg>(of.links);
        const int index = is_ahead ? site.index : neighbor.index;
        const int parity = is_ahead ? of.parity : 1 - of.parity;
        const auto packed = set.fetch(index, parity, mu);
        if constexpr (S::is_decoded(leg)) {
          Number* const numbers = decoded + S::decoded_legs(leg) * link_numbers;
          const ColorMatrix<V> u = S::template LinksOf<leg>::decode(packed);
          KAON_UNROLL
          for (int n = 0; n < 9; ++n) {
            store_lanes<V>(numbers + 2 * n * lane_count<V>, u.e[n / 3][n % 3].re);
            store_lanes<V>(numbers + (2 * n + 1) * lane_count<V>, u.e[n / 3][n % 3].im);
          }
          sum.link[leg] = numbers;
        } else {
          sum.link[leg] = packed.address;
        }
        find<leg + 1>(of);
      }
    }
  };
  /// The distance of the site whose links `RowNeighborhood` prefetches; `prefetch` < 0 is about vectors alone.
  int links_ahead() const { return this->prefetch < 0 ? 1 : this->prefetch; }

  /// The sums of right-hand sides [rhs, rhs + N). `keeps`: links remain in a GPU's second cache.
  template <bool keeps, int N>
  KAON_KERNEL_PART void gather(Vector (&sum)[N], const SiteNeighborhood& at, int rhs) const {
    KAON_UNROLL
    for (int n = 0; n < N; ++n) sum[n] = zero_vector<Vector>();
    Incoming<S, N> incoming;
    start<keeps, 0>(incoming, at, rhs);
    add_from<keeps, 0>(sum, incoming, at, rhs);
  }

 private:
  /// Legs for which a thread asks before it works on one.
  template <int N>
  static constexpr int legs_ahead = Stencil::template legs_ahead<typename S::T, typename S::Code, N>;

  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION Neighbor neighbor_along(const Site& site) const {
    constexpr Leg along = Stencil::legs[leg];
    return along.step > 0 ? node.forward(site, along.mu, along.step) : node.backward(site, along.mu, -along.step);
  }
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION Neighbor neighbor(const SiteNeighborhood& at) const {
    if constexpr (SiteNeighborhood::stored) {
      return at.neighbor[leg];
    } else {
      return neighbor_along<leg>(at.site);
    }
  }

  template <bool keeps, int leg, int N>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(Incoming<S, N>& incoming, const SiteNeighborhood& at, int rhs) const {
    if constexpr (leg < S::legs) {
      constexpr int mu = Stencil::legs[leg].mu;
      constexpr bool is_ahead = Stencil::legs[leg].step > 0;
      constexpr Reuse reuse = keeps ? Reuse::soon : link_reuse<typename S::T>;
      const auto& set = S::template links_of<leg>(links);
      const int index = neighbor<leg>(at).index;
      const int link_index = is_ahead ? at.site.index : index;
      const int link_parity = is_ahead ? parity : 1 - parity;
      // Links come from memory once and vectors from a far cache, in pieces too short for the hardware to foresee: ask
      // for those of the next site. (Its neighbours in x are available.)
      if (prefetch != 0) {
        set.prefetch(link_index + prefetch, link_parity, mu);
        if (mu > 0) in.prefetch(index + prefetch, rhs);
      }
      auto& from = incoming.template along<leg>();
      KAON_UNROLL
      for (int n = 0; n < N; ++n) from.psi[n] = in.fetch(index, rhs + n);
      from.link = set.template fetch<reuse>(link_index, link_parity, mu);
    }
  }
  template <bool keeps, int leg, int N>
  KOKKOS_FORCEINLINE_FUNCTION void start(Incoming<S, N>& incoming, const SiteNeighborhood& at, int rhs) const {
    if constexpr (leg < legs_ahead<N>) {
      fetch<keeps, leg>(incoming, at, rhs);
      start<keeps, leg + 1>(incoming, at, rhs);
    }
  }
  template <bool keeps, int leg, int N>
  KOKKOS_FORCEINLINE_FUNCTION void add_from(Vector (&sum)[N], Incoming<S, N>& incoming, const SiteNeighborhood& at,
                                            int rhs) const {
    if constexpr (leg < S::legs) {
      fetch<keeps, leg + legs_ahead<N>>(incoming, at, rhs);
      add<leg>(sum, incoming.template along<leg>(), at);
      KAON_UNROLL
      for (int n = 0; n < N; ++n) arithmetic.template after<leg>(sum[n]);
      add_from<keeps, leg + 1>(sum, incoming, at, rhs);
    }
  }

  /// Adds what has come along a leg.
  template <int leg, int N, class Arrived>
  KOKKOS_FORCEINLINE_FUNCTION void add(Vector (&sum)[N], const Arrived& arrived, const SiteNeighborhood& at) const {
    constexpr int mu = Stencil::legs[leg].mu;
    constexpr bool is_ahead = Stencil::legs[leg].step > 0;
    constexpr bool weighted = Stencil::legs[leg].links > 0;
    constexpr bool scaled = In::scaled || weighted;
    const bool crossed = neighbor<leg>(at).crossed;
    Message message[N];
    V scale[N];
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      message[n] = arithmetic.template take<leg>(In::unpack_biased(arrived.psi[n]), In::Object::bias);
      scale[n] = arrived.psi[n].scale;
      if constexpr (weighted) scale[n] = V(link_weight[Stencil::legs[leg].links]) * scale[n];
      if (is_ahead && crossed) leave_ahead[mu].template apply<In::scaled>(message[n], scale[n]);
    }
    const ColorMatrix<V> u = S::template LinksOf<leg>::decode(arrived.link);
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      KAON_UNROLL
      for (int spin = 0; spin < color_vectors<Message>; ++spin) {
        ColorVector<V>& v = color_vector(message[n], spin);
        v = is_ahead ? u * v : adjoint_multiply(u, v);
      }
      // The product is made in the neighbour's lanes: fewer permutations than those of the link and the vector.
      if (!is_ahead && crossed) leave_behind[mu].template apply<In::scaled>(message[n], scale[n]);
      give_message<leg, scaled>(arithmetic, sum[n], message[n], scale[n], at.at_site);
    }
  }
};

}  // namespace kaon::detail
