// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/fields/site_components.hpp"
#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/basis_matrices.hpp"

#include <type_traits>

namespace kaon::detail {

// Restrictor and prolongator. A team takes up to K right-hand sides of one aggregate and chirality.
//
// Flops a fine site and right-hand side: 8 N each component, 96 N of a spinor. Bytes a fine site: V once, 8 N a
// component in single precision and 4 N + 4 in half, and the fields. L is the type of the numbers of V.
//
// Hosts: lanes are columns of V, or aggregates where virtual nodes hold whole ones (lane_transfer_kernels.hpp). V is
// read once for K right-hand sides, from memory for the first K and from the L2 cache for others: an aggregate of 128
// spinors with N = 24 has 295 kB in single precision. GPUs: neighbouring threads of the restrictor have neighbouring
// pairs of columns, and groups of threads some of the rows each; threads of the prolongator have a row each.

/// Right-hand sides of a team at most. With four, the cache lines that aggregates share fall out of a host's L2 cache
/// on lattices of some size: 12 right-hand sides on 16^3x32 are restricted at 21 Gflop/s instead of 44 (two cores, N =
/// 24).
inline constexpr int transfer_right_hand_sides = on_device ? 4 : 3;
/// Threads of a team.
inline constexpr int transfer_team = 256;

/// Columns that lie in a word of 16 bytes, and those of a thread of the restrictor: with two columns it reads half as
/// much of the inputs from the team's memory as with one.
template <class L>
inline constexpr int word_columns = 8 / static_cast<int>(sizeof(L));
template <class L>
inline constexpr int thread_columns = word_columns<L> < 2 ? 1 : 2;
/// Pending loads of a GPU thread.
inline constexpr int loads_ahead = 4;

/// Members of both kernels.
template <class L, class V, int K>
struct TransferKernel {
  static constexpr int max_team_size = transfer_team;
  static constexpr unsigned min_teams = K <= 2 ? 4 : 2;

  AggregateSites sites;
  BasisMatrices<L> basis;
  SiteComponents<float> fine;
  int right_hand_sides;
  int passes;      ///< over right-hand sides
  int group;       ///< aggregates whose teams follow one another
  int team_bytes;  ///< of memory that a team shares

  /// The work of a team.
  struct Task {
    int aggregate, kind, chirality, range, first;  ///< `first` of K right-hand sides
  };
  /// Aggregates of a group, then passes, then chiralities: V of a group is in a host's cache for all passes, and so are
  /// the cache lines that its aggregates share.
  KOKKOS_FORCEINLINE_FUNCTION Task task(int rank, int ranges) const {
    Task t;
    const int of_group = rank % group;
    rank /= group;
    t.first = rank % passes * K;
    rank /= passes;
    t.range = rank % ranges;
    rank /= ranges;
    t.chirality = rank % 2;
    t.aggregate = sites.order[rank / 2 * group + of_group];
    t.kind = sites.kinds[t.aggregate];
    return t;
  }
  /// The last pass computes its last right-hand side several times where fewer than K are left.
  KOKKOS_FORCEINLINE_FUNCTION int right_hand_side(const Task& t, int k) const {
    return t.first + k < right_hand_sides ? t.first + k : right_hand_sides - 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION float* fine_site(const Task& t, int site, int k) const {
    return fine.site(sites.parity(t.kind, site), sites.places[t.aggregate * sites.sites + site], right_hand_side(t, k));
  }
  KOKKOS_FORCEINLINE_FUNCTION const L* row(const Task& t, int site) const {
    return basis.matrix(t.aggregate, t.chirality) +
           static_cast<std::size_t>(site * basis.site_rows) * static_cast<std::size_t>(2 * basis.vectors);
  }
  /// Factor of the numbers of row c of a site.
  KOKKOS_FORCEINLINE_FUNCTION float unit(const Task& t, int site, int c) const {
    if constexpr (std::is_same_v<L, half>) {
      return basis
          .units[basis.first_row(t.aggregate, t.chirality) + static_cast<std::size_t>(site * basis.site_rows + c)];
    } else {
      return 1.0F;
    }
  }
};

/// out(a, N s + j) = sum over the rows of a range of sites of conj(V_j) in. In two ranges at once with two outputs.
/// `by_threads`: the algorithm of GPUs, for teams of any number of threads, in any memory.
template <class L, class V, int K, bool by_threads = on_device>
struct RestrictKernel : TransferKernel<L, V, K> {
  using Base = TransferKernel<L, V, K>;
  using typename Base::Task;

  int ranges;
  SiteRange range[2];
  SiteComponents<float> coarse[2];
  int chunk;  ///< sites whose numbers lie in team memory at a time

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Task t = this->task(team.league_rank(), ranges);
    if constexpr (by_threads) {
      constexpr int C = thread_columns<L>;
      if (this->basis.vectors % C == 0) {
        restrict_by_threads<C>(team, t);
      } else {
        restrict_by_threads<1>(team, t);
      }
    } else {
      float* const x = static_cast<float*>(team_memory(team, this->team_bytes));
      const int packs = this->basis.vectors / lane_count<V>;
      const int tiles = (packs + 2) / 3, most = (packs + tiles - 1) / tiles;
      for (int pack = 0; pack < packs; pack += most) {
        const int columns = packs - pack < most ? packs - pack : most;
        if (columns == 3) restrict_columns<3>(t, x, pack);
        if (columns == 2) restrict_columns<2>(t, x, pack);
        if (columns == 1) restrict_columns<1>(t, x, pack);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION float* target(const Task& t, int column, int k) const {
    const SiteComponents<float>& out = coarse[t.range];
    return out.site(0, t.aggregate, t.first + k) + out.of_component(this->basis.vectors * t.chirality + column);
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const Task& t, int column, int k, const Complex<float>& sum) const {
    if (t.first + k >= this->right_hand_sides) return;
    float* const to = target(t, column, k);
    to[0] = sum.re;
    to[coarse[t.range].re_to_im] = sum.im;
  }

  /// x: [row][k][re, im] of `count` sites of the list from `first` on.
  void gather(const Task& t, float* x, const int* list, int first, int count) const {
    const int rows = this->basis.site_rows, component = t.chirality * rows;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < K; ++k) {
        const float* const from = this->fine_site(t, list[first + i], k);
        float* const to = x + (i * rows * K + k) * 2;
        for (int c = 0; c < rows; ++c) {
          const float* const number = from + this->fine.of_component(component + c);
          const float unit = this->unit(t, list[first + i], c);
          to[2 * K * c] = unit * number[0];
          to[2 * K * c + 1] = unit * number[this->fine.re_to_im];
        }
      }
    }
  }

  /// J packs of columns from number `pack` on, on a host.
  template <int J>
  [[gnu::noinline]] void restrict_columns(const Task& t, float* x, int pack) const {
    constexpr int lanes = lane_count<V>;
    const int* const list = this->sites.list(range[t.range], t.kind);
    const int count = range[t.range].count[t.kind], rows = this->basis.site_rows;
    const int row_size = 2 * this->basis.vectors;
    ProductSums<V, J, K> sums;
    sums.clear();
    for (int first = 0; first < count; first += chunk) {
      const int some = count - first < chunk ? count - first : chunk;
      if (pack == 0 || count > chunk) gather(t, x, list, first, some);
      const float* number = x;
      for (int i = 0; i < some; ++i) {
        const L* v = this->row(t, list[first + i]) + 2 * pack * lanes;
        for (int c = 0; c < rows; ++c, v += row_size, number += 2 * K) {
          Complex<V> packs[J];
          load_packs(packs, v);
          KAON_UNROLL
          for (int k = 0; k < K; ++k) sums.template add<true>(packs, k, number[2 * k], number[2 * k + 1]);
        }
      }
    }
    for (int j = 0; j < J; ++j) {
      for (int k = 0; k < K; ++k) {
        alignas(64) float re[lanes], im[lanes];
        store_lanes<V>(re, sums.sum[j][k].re);
        store_lanes<V>(im, sums.sum[j][k].im);
        for (int lane = 0; lane < lanes; ++lane) store(t, (pack + j) * lanes + lane, k, {re[lane], im[lane]});
      }
    }
  }

  /// Thread = (group of rows, C columns).
  template <int C>
  KOKKOS_FUNCTION void restrict_by_threads(const Team& team, const Task& t) const {
    const int n = this->basis.vectors, rows = this->basis.site_rows, component = t.chirality * rows;
    const int threads = team.team_size(), rank = team.team_rank();
    const int width = n / C < threads ? n / C : threads, groups = threads / width;
    const int group = rank / width, of_tile = rank - group * width;
    const int* const list = this->sites.list(range[t.range], t.kind);
    const int count = range[t.range].count[t.kind];
    using Number = Word<float, 1>;
    // [row of a chunk][k], and the positions of these rows in V; afterwards the sums of the groups
    auto* const x = static_cast<Number*>(team_memory(team, this->team_bytes));
    auto* const position = reinterpret_cast<int*>(x + chunk * rows * K);
    const L* const v = this->row(t, 0);
    for (int tile = 0; tile < n; tile += width * C) {
      const int column = tile + of_tile * C;
      const bool works = group < groups && column < n;
      Complex<float> sum[C][K];
      KAON_UNROLL
      for (int c = 0; c < C; ++c) {
        KAON_UNROLL
        for (int k = 0; k < K; ++k) sum[c][k] = {0.0F, 0.0F};
      }
      for (int first = 0; first < count; first += chunk) {
        const int some = count - first < chunk ? count - first : chunk;
        team.team_barrier();
        for (int item = rank; item < some * rows; item += threads) {
          const int i = item / rows, c = item - i * rows, site = list[first + i];
          const float unit = this->unit(t, site, c);
          position[item] = site * rows + c;
          for (int k = 0; k < K; ++k) {
            const float* const number = this->fine_site(t, site, k) + this->fine.of_component(component + c);
            x[item * K + k] = {{unit * number[0], unit * number[this->fine.re_to_im]}};
          }
        }
        team.team_barrier();
        if (!works) continue;
        const auto load = [&](Complex<float>(&w)[C], int item) {
          const auto number = static_cast<std::size_t>(position[item]) * static_cast<std::size_t>(n);
          load_word_of_numbers(w, v + 2 * (number + static_cast<std::size_t>(column)));
        };
        const auto add = [&](const Complex<float>(&w)[C], int item) {
          KAON_UNROLL
          for (int k = 0; k < K; ++k) {
            const Complex<float> value = load_number(x[item * K + k].number);
            KAON_UNROLL
            for (int c = 0; c < C; ++c) conj_multiply_add(sum[c][k], w[c], value);
          }
        };
        int item = group;
        for (; item + (loads_ahead - 1) * groups < some * rows; item += loads_ahead * groups) {
          Complex<float> w[loads_ahead][C];
          KAON_UNROLL
          for (int a = 0; a < loads_ahead; ++a) load(w[a], item + a * groups);
          KAON_UNROLL
          for (int a = 0; a < loads_ahead; ++a) add(w[a], item + a * groups);
        }
        for (; item < some * rows; item += groups) {
          Complex<float> w[C];
          load(w, item);
          add(w, item);
        }
      }
      team.team_barrier();
      if (works) {
        for (int k = 0; k < K; ++k) {
          for (int c = 0; c < C; ++c) {
            x[((group * K + k) * C + c) * width + of_tile] = {{sum[c][k].re, sum[c][k].im}};
          }
        }
      }
      team.team_barrier();
      for (int item = rank; item < K * C * width; item += threads) {
        const int of_item = item % width, c = item / width % C, k = item / (width * C);
        if (tile + of_item * C >= n) continue;
        Complex<float> total = load_number(x[item].number);
        for (int g = 1; g < groups; ++g) total += load_number(x[g * K * C * width + item].number);
        store(t, tile + of_item * C + c, k, total);
      }
    }
  }
};

/// out(x) = sum_j V_j(x) in(a, N s + j) on a range of sites, or out(x) += that.
template <class L, class V, int K>
struct ProlongKernel : TransferKernel<L, V, K> {
  using Base = TransferKernel<L, V, K>;
  using typename Base::Task;

  SiteRange range;
  SiteComponents<float> coarse;
  bool add;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Task t = this->task(team.league_rank(), 1);
    const int n = this->basis.vectors, rows = this->basis.site_rows, threads = team.team_size();
    float* const c = static_cast<float*>(team_memory(team, this->team_bytes));
    // [column / W][k][re, im][W]
    constexpr int lanes = lane_count<V>;
    for (int item = team.team_rank(); item < n * K; item += threads) {
      const int k = item / n, column = item - k * n;
      const float* const number =
          coarse.site(0, t.aggregate, this->right_hand_side(t, k)) + coarse.of_component(n * t.chirality + column);
      float* const to = c + (column / lanes * K + k) * 2 * lanes + column % lanes;
      to[0] = number[0];
      to[lanes] = number[coarse.re_to_im];
    }
    team.team_barrier();
    const int* const list = this->sites.list(range, t.kind);
    const int count = range.count[t.kind];
    for (int item = team.team_rank(); item < count * rows; item += threads) {
      const int i = item / rows, of_site = item - i * rows, site = list[i];
      const L* v = this->row(t, site) + of_site * 2 * n;
      Complex<V> sum[K];
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sum[k] = {V(0), V(0)};
      const float* number = c;
      int column = 0;
      if constexpr (on_device) {
        constexpr int C = word_columns<L>;
        constexpr int two_words = 2 * C;
        const auto add_word = [&](const Complex<float>(&w)[C]) {
          KAON_UNROLL
          for (int c = 0; c < C; ++c) {
            KAON_UNROLL
            for (int k = 0; k < K; ++k, number += 2) multiply_add(sum[k], w[c], load_number(number));
          }
        };
        for (; n % two_words == 0 && column < n; column += two_words, v += 2 * two_words) {
          Complex<float> first[C], second[C];
          load_word_of_numbers(first, v);
          load_word_of_numbers(second, v + 2 * C);
          add_word(first);
          add_word(second);
        }
        for (; n % C == 0 && column < n; column += C, v += 2 * C) {
          Complex<float> w[C];
          load_word_of_numbers(w, v);
          add_word(w);
        }
      }
      for (; column < n; column += lanes, v += 2 * lanes) {
        const Complex<V> w = {load_widened<V>(v), load_widened<V>(v + lanes)};
        KAON_UNROLL
        for (int k = 0; k < K; ++k, number += 2 * lanes) {
          multiply_add(sum[k], w, {load_lanes<V>(number), load_lanes<V>(number + lanes)});
        }
      }
      const float unit = this->unit(t, site, of_site);
      const std::size_t component = this->fine.of_component(t.chirality * rows + of_site);
      KAON_UNROLL
      for (int k = 0; k < K; ++k) {
        if (t.first + k >= this->right_hand_sides) continue;
        float* const to = this->fine_site(t, site, k) + component;
        store(to, sum[k], unit);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static float over_lanes(const V& value) {
    if constexpr (is_pack<V>) {
#if defined(KAON_HOST_PACKS)
      return stdx::reduce(value);
#endif
    } else {
      return value;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(float* to, const Complex<V>& sum, const float& unit) const {
    const float re = unit * over_lanes(sum.re), im = unit * over_lanes(sum.im);
    to[0] = add ? to[0] + re : re;
    to[this->fine.re_to_im] = add ? to[this->fine.re_to_im] + im : im;
  }
};

}  // namespace kaon::detail
