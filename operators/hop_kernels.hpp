// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/field_access.hpp"
#include "core/launch.hpp"
#include "operators/clover_kernels.hpp"
#include "operators/hop_edges.hpp"
#include "operators/projections.hpp"

#include <type_traits>

namespace kaon::detail {

/// What happens to a half spinor on its way out of a virtual node: it changes lanes, and on the edge of the lattice it
/// takes the fermion boundary phase.
template <class V>
struct Crossing {
  LanePermutation<V> lanes;
  Complex<V> phase;
  bool nothing;  ///< happens: one lane, and no phase

  /// `h`, still to be multiplied by `scale` if it is `scaled`.
  template <bool scaled>
  KOKKOS_FORCEINLINE_FUNCTION void apply(HalfSpinor<V>& h, [[maybe_unused]] V& scale) const {
    if (nothing) return;
    if constexpr (scaled) scale = permute(scale, lanes);
    KAON_UNROLL
    for (int spin = 0; spin < 2; ++spin) {
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        Complex<V>& z = h.s[spin].c[color];
        z = phase * Complex<V>{permute(z.re, lanes), permute(z.im, lanes)};
      }
    }
  }
};

/// What a hop is made of.
template <class T, class V, class Code>
struct HopOperands {
  SubLattice node;
  int parity;  // of out
  GaugeAccess<T, V, Code> links;
  SpinorAccess<T, V> out;
  SpinorAccess<const T, V> in, x;
  CloverAccess<const T, V> site_term;
  Crossing<V> leave_forward[4];
  Crossing<V> leave_backward[4];
  Scalar<V> sign, spatial_weight, scale, x_scale;
};

/// What a hop may do beside: make inner products.
template <class T, class V, class Code>
struct HopSums {
  SiteSums sums = {};  // of `products_at`
  SpinorAccess<const T, V> w = {};
  bool products_with_x = false;
};
/// Or that, and what neighbours on other processes ask for, unless a kernel of its own sees to it: their terms, and on
/// GPUs that write into each other's memory, what sends them halos, before all else.
template <class T, class V, class Code>
struct HopExtras : HopSums<T, V, Code> {
  bool with_edges = false;
  EdgeTerms<T, T, V, Code> edges;
  int first_work = 0;  // half spinors to send
  PackKernel<T, T, V, Code> packer;
  HaloSignals signals;
  const int* order = nullptr;  // of tiles: those that wait for neighbours come last
  int tiles_inside = 0;        // that do not wait
};
struct NoExtras {};

/// out(x) = a x(x) + c D in, A x + c D in, or a x + c A^-1 D in, on one parity, with
///   D in(x) = sum_mu w_mu [ (1 - s g_mu) U_mu(x) in(x+mu) + (1 + s g_mu) U_mu(x-mu)^dag in(x-mu) ],
/// s = 1 for D and -1 for D^dag. 1320 flops a site, 552 more for A, 48 more for a x + ...
/// (8 links x 18, 12 or 8 + 24 in + 24 out) reals, 72 more for A, 24 more for x. Wilson 1974, see docs/conventions.md.
///
/// `Extras` is `HopExtras`, or on GPUs `HopSums` or `NoExtras` where no more is wanted: there what a kernel might do
/// costs registers. `keeps`: see `keeping`.
template <class T, class V, class Code, SiteTerm term, class Extras, bool keeps = false>
struct HopKernel : HopOperands<T, V, Code>, Extras {
  static constexpr bool with_neighbors = std::is_same_v<Extras, HopExtras<T, V, Code>>;
  using Value = V;
  using Links = GaugeAccess<T, V, Code>;
  using In = SpinorAccess<const T, V>;
  using Operands = HopOperands<T, V, Code>;
  using Operands::in, Operands::leave_backward, Operands::leave_forward, Operands::links, Operands::node, Operands::out,
      Operands::parity, Operands::scale, Operands::sign, Operands::site_term, Operands::spatial_weight, Operands::x,
      Operands::x_scale;

  /// Teams on a multiprocessor, and neighbours that a thread asks for ahead of the one it works on. Doubles take twice
  /// the registers, so that two teams of 255 registers a thread are best for them; 16-bit numbers take half of them on
  /// their way, and four teams of 128 do. On an H200, 32^4, Gflop/s with 0 and 1 ahead:
  ///   double, 2 teams, 18 / 12 / 8 reals: 3549 / 4330 / 3695 and 3547 / 4505 / 4120
  ///   single, 3 teams (8 reals 4):        6909 / 8497 / 9801 and 6962 / 8634 / 9366 (3 teams)
  ///   half,   4 teams (0 ahead 3, 3, 4):  9823 / 11161 / 9792 and 10858 / 11727 / 10176
  /// Two right-hand sides at once have loads enough under way, and no registers to spare.
  template <bool several>
  static constexpr unsigned teams_together =
      std::is_same_v<T, double>             ? 2
      : !several && std::is_same_v<T, half> ? 4
                                            : (Code::storage == LinkStorage::minimal ? 4 : 3);
  template <int right_hand_sides>
  static constexpr int ahead =
      right_hand_sides == 1 && !(std::is_same_v<T, float> && Code::storage == LinkStorage::minimal) ? 1 : 0;

  /// Packs halos. Teams start in the order of their numbers, so that this comes first on all GPUs, and those that wait
  /// for halos do not keep it from running.
  KOKKOS_FUNCTION void begin([[maybe_unused]] int team, [[maybe_unused]] int thread,
                             [[maybe_unused]] int teams) const requires with_neighbors {
#if defined(__CUDA_ARCH__)
    const int item = team * static_cast<int>(blockDim.x) + thread;
    if (item < this->first_work) {
      const int sites = this->packer.end[faces - 1];
      const int rhs = item / sites;
      this->packer(item - rhs * sites, rhs, rhs + 1);
    }
    this->signals.raise(teams);
#endif
  }

  /// On hosts, and where nothing is known about neighbours.
  template <class... Sums>
  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last, Sums&... collector) const {
    run(index, first, last, with_neighbors, collector...);
  }
  /// The same, two right-hand sides at once: their link is loaded and restored once.
  template <class... Sums>
  KOKKOS_FUNCTION void in_pairs(const int index, const int first, const int last, Sums&... collector) const
      requires(sizeof(Scalar<V>) == 4) {
    run_in_pairs(index, first, last, with_neighbors, collector...);
  }

  /// The kernel on sites that may have neighbours on other processes, or have none: `at_edges` is a bool, or a type
  /// that says which at compile time.
  template <class AtEdges>
  struct OnTile {
    const HopKernel& kernel;
    AtEdges at_edges;

    template <class... Sums>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(int index, int first, int last, Sums&... collector) const {
      kernel.run(index, first, last, at_edges, collector...);
    }
    template <class... Sums>
    KOKKOS_FORCEINLINE_FUNCTION void in_pairs(int index, int first, int last, Sums&... collector) const
        requires(sizeof(Scalar<V>) == 4) {
      kernel.run_in_pairs(index, first, last, at_edges, collector...);
    }
  };
  template <class AtEdges>
  KOKKOS_FORCEINLINE_FUNCTION OnTile<AtEdges> on_tile(AtEdges at_edges) const requires with_neighbors {
    return {*this, at_edges};
  }
  /// Whether sites with neighbours on other processes have code of their own, so that the others have the registers.
  static constexpr bool edges_apart = std::is_same_v<T, half>;

  /// The same kernel, which leaves links in a GPU's second cache for the next one.
  static constexpr bool can_keep = on_device && link_reuse<T> == Reuse::none && !keeps && !with_neighbors;
  HopKernel<T, V, Code, term, Extras, true> keeping() const requires can_keep { return {*this, *this}; }

 private:
  struct Neighborhood {
    Site site;
    Neighbor forward[4], backward[4];

    KOKKOS_FORCEINLINE_FUNCTION Neighborhood(const HopKernel& kernel, int index)
        : site(kernel.node.site(index, kernel.parity)) {
      KAON_UNROLL
      for (int mu = 0; mu < 4; ++mu) {
        forward[mu] = kernel.node.forward(site, mu);
        backward[mu] = kernel.node.backward(site, mu);
      }
    }
  };

  template <class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void run(int index, int first, int last, AtEdges at_edges, Sums&... collector) const {
    const Neighborhood at(*this, index);
    for (int rhs = first; rhs < last; ++rhs) apply<1>(at, rhs, at_edges, rhs == first, collector...);
  }
  template <class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void run_in_pairs(int index, int first, int last, AtEdges at_edges,
                                                Sums&... collector) const {
    const Neighborhood at(*this, index);
    int rhs = first;
    for (; rhs + 1 < last; rhs += 2) apply<2>(at, rhs, at_edges, rhs == first, collector...);
    if (rhs < last) apply<1>(at, rhs, at_edges, rhs == first, collector...);
  }

  /// Right-hand sides [rhs, rhs + N), the first ones of this thread or not.
  template <int N, class AtEdges, class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void apply(const Neighborhood& at, int rhs, [[maybe_unused]] AtEdges at_edges,
                                         [[maybe_unused]] bool are_first, Sums&... collector) const {
    Spinor<V> sum[N];
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      KAON_UNROLL
      for (int spin = 0; spin < 4; ++spin) {
        KAON_UNROLL
        for (int color = 0; color < 3; ++color) sum[n].s[spin].c[color] = {V(0), V(0)};
      }
    }
    Incoming<N> incoming[8];
    start<0>(incoming, at, rhs);
    hop<0>(sum, incoming, at, rhs);
    hop<1>(sum, incoming, at, rhs);
    hop<2>(sum, incoming, at, rhs);
    hop<3>(sum, incoming, at, rhs);
    hop<4>(sum, incoming, at, rhs);
    hop<5>(sum, incoming, at, rhs);
    if (spatial_weight != Scalar<V>(1)) {
      KAON_UNROLL
      for (int n = 0; n < N; ++n) multiply(sum[n], V(spatial_weight));
    }
    hop<6>(sum, incoming, at, rhs);
    hop<7>(sum, incoming, at, rhs);
    if constexpr (with_neighbors) {
      if (at_edges && this->with_edges) {
        // Coordinates that are wanted here alone need not stay in registers all the time.
        int index = at.site.index;
#if defined(__CUDA_ARCH__)
        asm volatile("" : "+r"(index));
#endif
        const Site site = node.site(index, parity);
        for (int n = 0; n < N; ++n) this->edges.add(sum[n], links, node, site, rhs + n, are_first && n == 0);
      }
    }
    KAON_UNROLL
    for (int n = 0; n < N; ++n) finish(sum[n], at.site.index, rhs + n, collector...);
  }

  // The eight neighbours come one after the other: step = 2 mu is the one ahead in direction mu, 2 mu + 1 the one
  // behind.

  /// What a neighbour contributes, on its way from memory.
  template <int N>
  struct Incoming {
    typename In::Packed psi[N];
    typename Links::Packed link;
  };

  template <int step, int N>
  KOKKOS_FORCEINLINE_FUNCTION void fetch(Incoming<N> (&incoming)[8], const Neighborhood& at, int rhs) const {
    if constexpr (step < 8) {
      constexpr int mu = step / 2;
      const bool is_ahead = step % 2 == 0;
      const int index = is_ahead ? at.forward[mu].index : at.backward[mu].index;
      const int link_index = is_ahead ? at.site.index : index;
      const int link_parity = is_ahead ? parity : 1 - parity;
      // Links come from memory once and spinors from a far cache, in pieces too short for the hardware to foresee: ask
      // for those of the next site. (Its neighbours in x are at hand.)
      links.prefetch(link_index + 1, link_parity, mu);
      if (mu > 0) in.prefetch(index + 1, rhs);
      KAON_UNROLL
      for (int n = 0; n < N; ++n) incoming[step].psi[n] = in.fetch(index, rhs + n);
      incoming[step].link =
          links.template fetch < keeps ? Reuse::soon : link_reuse < T >> (link_index, link_parity, mu);
    }
  }
  template <int step, int N>
  KOKKOS_FORCEINLINE_FUNCTION void start(Incoming<N> (&incoming)[8], const Neighborhood& at, int rhs) const {
    if constexpr (step < ahead<N>) {
      fetch<step>(incoming, at, rhs);
      start<step + 1>(incoming, at, rhs);
    }
  }

  /// Adds the contribution of a neighbour to the sums, and asks for the one that comes `ahead` steps later.
  template <int step, int N>
  KOKKOS_FORCEINLINE_FUNCTION void hop(Spinor<V> (&sum)[N], Incoming<N> (&incoming)[8], const Neighborhood& at,
                                       int rhs) const {
    fetch<step + ahead<N>>(incoming, at, rhs);
    constexpr int mu = step / 2;
    constexpr bool is_ahead = step % 2 == 0;
    const V s(is_ahead ? -sign : sign);
    const Incoming<N>& arrived = incoming[step];
    HalfSpinor<V> h[N];
    V psi_scale[N];
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      h[n] = project<mu>(In::unpack_biased(arrived.psi[n]), s, In::Object::bias);
      psi_scale[n] = arrived.psi[n].scale;
      if (is_ahead && at.forward[mu].crossed) leave_forward[mu].template apply<In::scaled>(h[n], psi_scale[n]);
    }
    const ColorMatrix<V> u = Links::decode(arrived.link);
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      KAON_UNROLL
      for (int spin = 0; spin < 2; ++spin) {
        h[n].s[spin] = is_ahead ? u * h[n].s[spin] : adjoint_multiply(u, h[n].s[spin]);
      }
      // The product is made in the neighbour's lanes: 12 permutations instead of 42.
      if (!is_ahead && at.backward[mu].crossed) leave_backward[mu].template apply<In::scaled>(h[n], psi_scale[n]);
      reconstruct<mu, In::scaled>(sum[n], h[n], s, psi_scale[n]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void multiply(Spinor<V>& psi, const V& factor) {
    KAON_UNROLL
    for (int spin = 0; spin < 4; ++spin) detail::multiply(psi.s[spin], factor);
  }
  KOKKOS_FORCEINLINE_FUNCTION static Spinor<V> combine(const V& a, const Spinor<V>& x, const V& c, const Spinor<V>& y) {
    Spinor<V> result;
    KAON_UNROLL
    for (int spin = 0; spin < 4; ++spin) {
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        result.s[spin].c[color] = a * x.s[spin].c[color] + c * y.s[spin].c[color];
      }
    }
    return result;
  }

  template <class... Sums>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Spinor<V>& sum, int index, int rhs, Sums&... collector) const {
    if constexpr (term != SiteTerm::none) {
      site_term.prefetch(index + 1, 0);
      site_term.prefetch(index + 1, 1);
    }
    const bool present = (collector.present && ...);
    Spinor<V> at_x;
    if constexpr (term == SiteTerm::diagonal) {
      at_x = x.load(index, rhs);
      sum = combine(V(1), multiply_clover(site_term, at_x, index), V(scale), sum);
    } else {
      if constexpr (term == SiteTerm::inverse) sum = multiply_clover(site_term, sum, index);
      if (x.data == nullptr) {
        if (present) out.store(sum, index, rhs, scale);
        return;
      }
      at_x = x.load(index, rhs);
      sum = combine(V(x_scale), at_x, V(scale), sum);
    }
    if (present) out.store(sum, index, rhs);
    (make_products(sum, at_x, index, rhs, collector), ...);
  }

  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void make_products(const Spinor<V>& y, const Spinor<V>& at_x, int index, int rhs,
                                                 Sums& collector) const {
    if constexpr (!std::is_same_v<std::remove_const_t<Sums>, NoSums>) {
      if (!collector.wanted()) return;
      V s[site_sums];
      KAON_UNROLL
      for (int k = 0; k < site_sums; ++k) s[k] = V(0);
      if (collector.present) products_at(s, y, at_x, index, rhs);
      collector.add(rhs, s);
    }
  }

  /// s = |y|^2, <y, x>, |x|^2, <w, y>, <w, x> on one site in the precision of the arithmetic (see `are_in_range`):
  /// real, and real and imaginary parts; those with x and w only if they are wanted.
  KOKKOS_FORCEINLINE_FUNCTION void products_at(V (&s)[site_sums], const Spinor<V>& y, const Spinor<V>& at_x, int index,
                                               int rhs) const {
    KAON_UNROLL
    for (int spin = 0; spin < 4; ++spin) {
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) add_norm2(s[0], y.s[spin].c[color]);
    }
    if (this->products_with_x) {
      KAON_UNROLL
      for (int spin = 0; spin < 4; ++spin) {
        KAON_UNROLL
        for (int color = 0; color < 3; ++color) {
          add_product(s[1], s[2], y.s[spin].c[color], at_x.s[spin].c[color]);
          add_norm2(s[3], at_x.s[spin].c[color]);
        }
      }
    }
    if (this->w.data == nullptr) return;
    const Spinor<V> at_w = this->w.load(index, rhs);
    KAON_UNROLL
    for (int spin = 0; spin < 4; ++spin) {
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        add_product(s[4], s[5], at_w.s[spin].c[color], y.s[spin].c[color]);
        if (this->products_with_x) add_product(s[6], s[7], at_w.s[spin].c[color], at_x.s[spin].c[color]);
      }
    }
  }
  /// sum += |z|^2; (re, im) += conj(a) b
  KOKKOS_FORCEINLINE_FUNCTION static void add_norm2(V& sum, const Complex<V>& z) {
    sum = sum + z.re * z.re;
    sum = sum + z.im * z.im;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_product(V& re, V& im, const Complex<V>& a, const Complex<V>& b) {
    re = re + a.re * b.re;
    re = re + a.im * b.im;
    im = im + a.re * b.im;
    im = im - a.im * b.re;
  }
};

/// The way out of each virtual node in direction mu, `step` = +1 or -1. Nothing comes back from where it leads to
/// another process (`partitioned`): `HopBoundary` adds that.
template <class V>
Crossing<V> make_crossing(const Coordinates& lane_grid, std::size_t mu, int step, double theta,
                          bool partitioned = false) {
  const std::complex<double> edge = partitioned ? 0.0 : boundary_phase(step * theta);
  Crossing<V> crossing;
  alignas(64) Scalar<V> re[lane_count<V>];
  alignas(64) Scalar<V> im[lane_count<V>];
  for (int lane = 0; lane < lane_count<V>; ++lane) {
    Coordinates node = lexicographic_site(lane, lane_grid);
    const bool on_edge = step > 0 ? node[mu] == lane_grid[mu] - 1 : node[mu] == 0;
    node[mu] = (node[mu] + step + lane_grid[mu]) % lane_grid[mu];
    crossing.lanes.source[lane] = static_cast<typename LanePermutation<V>::Index>(lexicographic_index(node, lane_grid));
    re[lane] = static_cast<Scalar<V>>(on_edge ? edge.real() : 1.0);
    im[lane] = static_cast<Scalar<V>>(on_edge ? edge.imag() : 0.0);
  }
  crossing.phase = {load_lanes<V>(re), load_lanes<V>(im)};
  crossing.nothing = lane_grid[mu] == 1;
  for (int lane = 0; lane < lane_count<V>; ++lane) {
    if (re[lane] != Scalar<V>(1) || im[lane] != Scalar<V>(0)) crossing.nothing = false;
  }
  return crossing;
}

}  // namespace kaon::detail
