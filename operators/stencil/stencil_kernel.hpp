// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lanes/algebra.hpp"
#include "core/launch/launch.hpp"
#include "core/reductions/site_sums.hpp"
#include "operators/stencil/halo_kernels.hpp"
#include "operators/stencil/site_term.hpp"
#include "operators/stencil/stencil_sum.hpp"

#include <type_traits>

namespace kaon::detail {

/// s += |y|^2, <y, x>, |x|^2, <w, y>, <w, x> on one site, real numbers and real and imaginary parts; those with x only
/// `with_x`, those with w only where w has data.
template <class Vector, class V, class W>
KOKKOS_FORCEINLINE_FUNCTION void add_site_products(V (&s)[site_sums], const Vector& y, const Vector& x, bool with_x,
                                                   const W& w, int index, int right_hand_side) {
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n) add_norm2(s[0], elements(y)[n]);
  if (with_x) {
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) {
      add_product(s[1], s[2], elements(y)[n], elements(x)[n]);
      add_norm2(s[3], elements(x)[n]);
    }
  }
  if (w.data == nullptr) return;
  const Vector at_w = w.load(index, right_hand_side);
  KAON_UNROLL
  for (int n = 0; n < components<Vector>; ++n) {
    add_product(s[4], s[5], elements(at_w)[n], elements(y)[n]);
    if (with_x) add_product(s[6], s[7], elements(at_w)[n], elements(x)[n]);
  }
}

/// Use of the sum in a stencil's kernel. These operands come first: they share lines of a GPU's constant cache
/// with the operands that are wanted early, not with the crossings, which most lattices never read.
template <class S, class Term>
struct StencilOutput {
  typename S::Out out;
  typename S::In x;
  typename Term::template OnSites<typename S::V> term;
  Scalar<typename S::V> scale, x_scale;
};
/// Operands of a stencil's kernel.
template <class S, class Term>
struct StencilOperands : StencilOutput<S, Term>, StencilSum<S> {};

/// Further work of a stencil's kernel: inner products of its output.
template <class S>
struct StencilProducts {
  SiteSums sums = {};  // of `add_site_products`
  typename S::In w = {};
  bool products_with_x = false;
};
/// Adds neighbours on other processes, unless a kernel of its own does, and first packs halos on GPUs that write into
/// each other's memory.
template <class S>
struct StencilExtras : StencilProducts<S> {
  bool with_halo = false;
  HaloUnpack<S, typename S::T> unpack;
  int prologue_items = 0;  // messages to send
  HaloPack<S, typename S::T> pack;
  HaloSignals signals;
  const int* order = nullptr;  // of tiles: those that wait for neighbours come last
  int tiles_inside = 0;        // that do not wait
};
struct NoExtras {};

/// out(x) = a x(x) + c D in, B x + c D in, or a x + c B D in on one parity, B the matrix of `Term` and D the stencil.
///
/// `Extras` is `StencilExtras`, or on GPUs `StencilProducts` or `NoExtras` where no more is wanted: there what a kernel
/// might do costs registers. `keeps`: see `with_cached_links`.
template <class S, class Term, class Extras, bool keeps = false>
struct StencilKernel : StencilOperands<S, Term>, Extras {
  static constexpr bool with_neighbors = std::is_same_v<Extras, StencilExtras<S>>;
  using T = typename S::T;
  using V = typename S::V;
  using Value = V;
  using Vector = typename S::Vector;
  using SiteNeighborhood = typename StencilSum<S>::SiteNeighborhood;
  using RowNeighborhood = typename StencilSum<S>::RowNeighborhood;

  /// Right-hand sides that a thread takes at once: their links are loaded and restored once.
  static constexpr int together = S::Stencil::template together<V>;
  template <bool several>
  static constexpr unsigned min_teams =
      S::Stencil::template teams_per_multiprocessor<T, typename S::Code, several ? together : 1>;

  /// Packs halos. Teams start in the order of their numbers, so that this comes first on all GPUs, and those that wait
  /// for halos do not prevent it from running.
  KOKKOS_FUNCTION void prologue(const Team& team, int teams) const requires with_neighbors {
    const int item = team.league_rank() * team.team_size() + team.team_rank();
    if (item < this->prologue_items) {
      const int messages = this->pack.end[faces - 1];
      const int rhs = item / messages;
      this->pack(item - rhs * messages, rhs, rhs + 1);
    }
    this->signals.raise_last(team, teams);
  }

  /// On hosts, and where nothing is known about neighbours.
  template <class... Sums>
  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last, Sums&... collector) const {
    run<1>(index, first, last, with_neighbors, collector...);
  }
  /// Runs `together` right-hand sides at once.
  template <class... Sums>
  KOKKOS_FUNCTION void in_groups(const int index, const int first, const int last, Sums&... collector) const
      requires(together > 1) {
    run<together>(index, first, last, with_neighbors, collector...);
  }

  /// The kernel on sites that may have neighbours on other processes, or have none: `at_edges` is a bool, or a type
  /// that says which at compile time.
  template <class AtEdges>
  struct OnTile {
    const StencilKernel& kernel;
    AtEdges at_edges;

    template <class... Sums>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int index, int first, int last, Sums&... collector) const {
      kernel.template run<1>(index, first, last, at_edges, collector...);
    }
    template <class... Sums>
    KOKKOS_FORCEINLINE_FUNCTION void in_groups(int index, int first, int last, Sums&... collector) const
        requires(together > 1) {
      kernel.template run<together>(index, first, last, at_edges, collector...);
    }
  };
  template <class AtEdges>
  KOKKOS_FORCEINLINE_FUNCTION OnTile<AtEdges> for_tile(AtEdges at_edges) const requires with_neighbors {
    return {*this, at_edges};
  }
  /// Whether sites with neighbours on other processes have code of their own, so that the others have the registers.
  static constexpr bool edges_apart = std::is_same_v<T, half>;

  /// A kernel that leaves links in a GPU's second cache for the next one.
  static constexpr bool can_keep = on_device && link_reuse<T> == Reuse::none && !keeps && !with_neighbors;
  StencilKernel<S, Term, Extras, true> with_cached_links() const requires can_keep { return {*this, *this}; }

 private:
  template <int N, class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void run(int index, int first, int last, AtEdges at_edges, Sums&... collector) const {
    if constexpr (S::sums_in_registers) {
      run_by_rows(index, first, last, at_edges, collector...);
    } else {
      run_by_legs<N>(index, first, last, at_edges, collector...);
    }
  }

  template <class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void run_by_rows(int index, int first, int last, AtEdges at_edges,
                                               Sums&... collector) const {
    // Complete sums go from registers to the output.
    constexpr bool may_store = std::is_same_v<Term, NoSiteTerm> && !std::is_same_v<T, half>;
    const bool stores = may_store && !(with_neighbors && this->with_halo);
    const RowNeighborhood at(*this, index);
    const int distance = this->links_ahead();
    if (distance != 0) this->term.prefetch(index + distance);
    for (int rhs = first; rhs < last; ++rhs) {
      // Each right-hand side prefetches its part of the links: a processor cannot wait for all of them at once.
      if (distance != 0) {
        const int done = (rhs - first) * S::legs / (last - first), next = (rhs + 1 - first) * S::legs / (last - first);
        at.prefetch_links(*this, distance, done, next);
      }
      typename RowNeighborhood::Sum::Ahead ahead;
      if (this->prefetch > 0) {
        ahead = {numbers_at(this->in, this->prefetch, rhs), false};
      } else if (this->prefetch < 0) {
        ahead = {rhs + 1 < last ? numbers_at(this->in, 0, rhs + 1) : numbers_at(this->in, 1, first), true};
      }
      if constexpr (may_store) {
        if (stores) {
          const T* const x = this->x.data == nullptr ? nullptr : numbers_at(this->x, index, rhs);
          store_sum(at, {numbers_at(this->out, index, rhs), this->scale, x, this->x_scale, this->stream}, ahead, rhs,
                    collector...);
          continue;
        }
      }
      Vector sum[1];
      at.sum.add_up(rhs, {reinterpret_cast<Scalar<V>*>(sum)}, ahead);
      complete(sum, at.site.index, rhs, at_edges, rhs == first, collector...);
    }
  }

  /// Stores a sum, and makes inner products of what it stores where `collector` wants them.
  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void store_sum(const RowNeighborhood& at, typename RowNeighborhood::Sum::Output output,
                                             const typename RowNeighborhood::Sum::Ahead& ahead, int rhs,
                                             Sums& collector) const {
    if constexpr (!std::is_same_v<std::remove_const_t<Sums>, NoSums>) {
      if (collector.wanted() && output.x != nullptr) {
        V products[site_sums];
        output.products = products;
        output.products_with_x = this->products_with_x;
        if (this->w.data != nullptr) output.w = numbers_at(this->w, at.site.index, rhs);
        at.sum.add_up(rhs, output, ahead);
        return collector.add(rhs, products);
      }
    }
    at.sum.add_up(rhs, output, ahead);
  }

  template <int N, class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void run_by_legs(int index, int first, int last, AtEdges at_edges,
                                               Sums&... collector) const {
    const SiteNeighborhood at(*this, index);
    int rhs = first;
    for (; rhs + N <= last; rhs += N) apply<N>(at, rhs, at_edges, rhs == first, collector...);
    run_rest<N / 2>(at, rhs, first, last, at_edges, collector...);
  }
  /// The right-hand sides from `rhs` on: fewer than 2 N.
  template <int N, class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void run_rest(const SiteNeighborhood& at, int rhs, int first, int last, AtEdges at_edges,
                                            Sums&... collector) const {
    if constexpr (N > 0) {
      if (rhs + N <= last) {
        apply<N>(at, rhs, at_edges, rhs == first, collector...);
        rhs += N;
      }
      run_rest<N / 2>(at, rhs, first, last, at_edges, collector...);
    }
  }

  /// Right-hand sides [rhs, rhs + N), the first ones of this thread or not.
  template <int N, class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void apply(const SiteNeighborhood& at, int rhs, AtEdges at_edges, bool are_first,
                                         Sums&... collector) const {
    Vector sum[N];
    this->template gather<keeps>(sum, at, rhs);
    if (this->prefetch != 0) this->term.prefetch(at.site.index + this->prefetch);
    complete(sum, at.site.index, rhs, at_edges, are_first, collector...);
  }

  /// Adds the neighbours on other processes to the sums of right-hand sides [rhs, rhs + N), and completes these.
  template <int N, class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void complete(Vector (&sum)[N], int index, int rhs, [[maybe_unused]] AtEdges at_edges,
                                            [[maybe_unused]] bool are_first, Sums&... collector) const {
    if constexpr (with_neighbors) {
      if (at_edges && this->with_halo) {
        // Coordinates that are wanted here alone need not remain in registers all the time.
        const Site site = this->node.site(forget_origin(index), this->parity);
        for (int n = 0; n < N; ++n) {
          this->unpack.add(sum[n], this->links, this->node, site, rhs + n, are_first && n == 0);
        }
      }
    }
    KAON_UNROLL
    for (int n = 0; n < N; ++n) finish(sum[n], index, rhs + n, collector...);
  }

  template <class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Vector& sum, int index, int rhs, Sums&... collector) const {
    const bool present = (collector.present && ...);
    Vector at_x;
    if constexpr (Term::on_x) {
      at_x = this->x.load(index, rhs);
      sum = combine(V(1), this->term(at_x, index), V(this->scale), sum);
    } else {
      sum = this->term(sum, index);
      if (this->x.data == nullptr) {
        if (present) store(sum, index, rhs, this->scale);
        return;
      }
      at_x = this->x.load(index, rhs);
      sum = combine(V(this->x_scale), at_x, V(this->scale), sum);
    }
    if (present) store(sum, index, rhs, Scalar<V>(1));
    (make_products(sum, at_x, index, rhs, collector), ...);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const Vector& y, int index, int rhs, const Scalar<V>& factor) const {
    if (this->stream) {
      this->out.store(y, index, rhs, factor);
    } else {
      this->out.template store<Reuse::soon>(y, index, rhs, factor);
    }
  }

  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void make_products(const Vector& y, const Vector& at_x, int index, int rhs,
                                                 Sums& collector) const {
    if constexpr (!std::is_same_v<std::remove_const_t<Sums>, NoSums>) {
      if (!collector.wanted()) return;
      V s[site_sums];
      KAON_UNROLL
      for (int k = 0; k < site_sums; ++k) s[k] = V(0);
      if (collector.present) add_site_products(s, y, at_x, this->products_with_x, this->w, index, rhs);
      collector.add(rhs, s);
    }
  }
};

}  // namespace kaon::detail
