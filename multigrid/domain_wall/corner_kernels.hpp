// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/domain_wall/aggregate_columns.hpp"

namespace kaon::detail {

/// The matrices A_d(a) as [site a][row / W][d][column][re, im][W]. Rows are followed by zeros up to whole packs of W.
struct CornerMatrices {
  static constexpr int pack = on_device ? 16 : native_lanes<float>;
  using V = Pack<float>;

  float* data;
  int displacements, size;  ///< matrices of a site; n

  KOKKOS_FORCEINLINE_FUNCTION int packs() const { return (size + pack - 1) / pack; }
  /// Numbers of a pack of rows: all matrices of a site.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t numbers() const {
    return static_cast<std::size_t>(2 * pack) * static_cast<std::size_t>(displacements * size);
  }
  KOKKOS_FORCEINLINE_FUNCTION float* rows(int site, int number_of_pack) const {
    return data + static_cast<std::size_t>(site * packs() + number_of_pack) * numbers();
  }
  /// The real part of an element; its imaginary part lies `pack` further.
  KOKKOS_FORCEINLINE_FUNCTION float* element(int site, int d, int row, int column) const {
    const int number = row / pack;
    return rows(site, number) + 2 * pack * (d * size + column) + (row - number * pack);
  }
};

/// The coarse sites of all processes, one after another.
struct SitesOfAll {
  const float* data;
  std::size_t stride;  ///< of right-hand sides
  int reals, lanes;    ///< of a site; component lanes

  KOKKOS_FORCEINLINE_FUNCTION const float* site(int number, int column) const {
    return data + static_cast<std::size_t>(column) * stride +
           static_cast<std::size_t>(number) * static_cast<std::size_t>(reals);
  }
};

/// out_k(a) = sum_d A_d(a) in_k(a + d) for R packs of rows of a site and K right-hand sides, by a team. On devices a
/// thread has a row of each pack, and the threads of a row share the columns, two at a time: each number of the input
/// that it loads multiplies R elements, and each element K numbers.
template <int K, int R>
struct CornerSum {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;
  static constexpr int pack = CornerMatrices::pack;
  using V = CornerMatrices::V;

  CornerMatrices matrices;
  const int* neighbors;
  SitesOfAll in;
  CoarseNumbers out;
  int groups, columns;
  int team_bytes;

  static int bytes() { return 2 * max_team_size * K * R * static_cast<int>(sizeof(float)); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int league = team.league_rank(), group = league % groups, packs = matrices.packs() / R;
    const int first = league / groups % packs * R, site = league / groups / packs;
    Complex<V> sum[R][K];
    KAON_UNROLL
    for (int r = 0; r < R; ++r) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sum[r][k] = {V(0), V(0)};
    }
    if constexpr (on_device) {
      add_pairs(team, sum, site, first, group);
      add_parts(team, sum, site, first, group);
    } else {
      static_assert(R == 1);
      add_columns(sum[0], site, first, group);
      KAON_UNROLL
      for (int k = 0; k < K; ++k) store(sum[0][k], site, first, group * K + k);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add_columns(Complex<V> (&sum)[K], int site, int number, int group) const {
    const int n = matrices.size;
    const float* const of_pack = matrices.rows(site, number);
    const int* const to = neighbors + site * matrices.displacements;
    for (int d = 0; d < matrices.displacements; ++d) {
      const float* x[K];
      KAON_UNROLL
      for (int k = 0; k < K; ++k) x[k] = in.site(to[d], Kokkos::min(group * K + k, columns - 1));
      for (int j = 0; j < n; ++j) {
        const float* const numbers = of_pack + static_cast<std::size_t>(2 * pack) * static_cast<std::size_t>(d * n + j);
        const Complex<V> element = {load_lanes<V>(numbers), load_lanes<V>(numbers + pack)};
        const int position = component_position(j, in.lanes);
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          const float* const value = x[k] + position;
          multiply_add(sum[k], element, Complex<V>{V(value[0]), V(value[in.lanes])});
        }
      }
    }
  }
  /// Adds as `add_columns` does, for the columns 2 j and 2 j + 1 of a part of all displacements and j. n is even.
  KOKKOS_FORCEINLINE_FUNCTION void add_pairs(const Team& team, Complex<V> (&sum)[R][K], int site, int first,
                                             int group) const {
    if constexpr (!is_pack<V>) {
      using Pair = Word<float, 2>;
      const int pairs = matrices.size / 2, parts = team.team_size() / pack;
      const float* const of_row = matrices.rows(site, first) + team.team_rank() % pack;
      const int* const to = neighbors + site * matrices.displacements;
      for (int item = team.team_rank() / pack; item < matrices.displacements * pairs; item += parts) {
        const int d = item / pairs, j = 2 * (item - d * pairs);
        const float* const numbers = of_row + static_cast<std::size_t>(2 * pack) * static_cast<std::size_t>(2 * item);
        Complex<float> left[R], right[R];
        KAON_UNROLL
        for (int r = 0; r < R; ++r) {
          const float* const of_pack = numbers + static_cast<std::size_t>(r) * matrices.numbers();
          left[r] = {of_pack[0], of_pack[pack]};
          right[r] = {of_pack[2 * pack], of_pack[3 * pack]};
        }
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          const Pair x =
              *reinterpret_cast<const Pair*>(in.site(to[d], Kokkos::min(group * K + k, columns - 1)) + 2 * j);
          KAON_UNROLL
          for (int r = 0; r < R; ++r) {
            multiply_add(sum[r][k], left[r], Complex<float>{x.number[0], x.number[1]});
            multiply_add(sum[r][k], right[r], Complex<float>{x.number[2], x.number[3]});
          }
        }
      }
    }
  }
  /// Each thread stores its sums in the team's memory, [part][row][r][k][re, im], which the team adds up.
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(const Team& team, const Complex<V> (&sum)[R][K], int site, int first,
                                             int group) const {
    auto* const sums = static_cast<float*>(team_memory(team, team_bytes));
    if constexpr (!is_pack<V>) {
      float* const mine = sums + 2 * R * K * team.team_rank();
      KAON_UNROLL
      for (int r = 0; r < R; ++r) {
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          mine[2 * (r * K + k)] = sum[r][k].re;
          mine[2 * (r * K + k) + 1] = sum[r][k].im;
        }
      }
    }
    team.team_barrier();
    for (int item = team.team_rank(); item < pack * R * K * 2; item += team.team_size()) {
      const int of_thread = item / pack, row = item % pack, r = of_thread / (2 * K), k = of_thread / 2 % K;
      const int component = (first + r) * pack + row, to = group * K + k;
      if (component >= matrices.size || to >= columns) continue;
      float total = 0.0F;
      for (int thread = row; thread < team.team_size(); thread += pack) total += sums[2 * R * K * thread + of_thread];
      out.put(site, component, to, of_thread % 2, static_cast<double>(total));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void store([[maybe_unused]] const Complex<V>& sum, [[maybe_unused]] int site,
                                         [[maybe_unused]] int number, [[maybe_unused]] int column) const {
    if constexpr (!on_device) {
      if (column >= columns) return;
      alignas(64) float values[2][pack];
      store_lanes<V>(values[0], sum.re);
      store_lanes<V>(values[1], sum.im);
      for (int row = 0; row < pack && number * pack + row < matrices.size; ++row) {
        float* const to = out.number(site, number * pack + row, column);
        to[0] = values[0][row];
        to[out.field.re_to_im] = values[1][row];
      }
    }
  }
};

/// y_k(a) = e^{ip a} e_(first + k): a column of P with a plane wave.
struct PlaneWaves {
  CoarseNumbers y;
  const float* phases;  ///< [site][re, im]
  int size, first, columns;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int component = item % size, column = item / size % columns, site = item / size / columns;
    const bool here = component == first + column;
    y.put(site, component, column, 0, here ? static_cast<double>(phases[2 * site]) : 0.0);
    y.put(site, component, column, 1, here ? static_cast<double>(phases[2 * site + 1]) : 0.0);
  }
};

/// Element (i, first + k) of matrix number d of site a becomes e^{-ip a} y_k(a)_i.
struct TakeWaves {
  CornerMatrices matrices;
  CoarseNumbers y;
  const float* phases;
  int d, first, columns;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int component = item % matrices.size, column = item / matrices.size % columns;
    const int site = item / matrices.size / columns;
    const float* const number = y.number(site, component, column);
    const Complex<float> phase = {phases[2 * site], -phases[2 * site + 1]};
    const Complex<float> value = phase * Complex<float>{number[0], number[y.field.re_to_im]};
    float* const element = matrices.element(site, d, component, first + column);
    element[0] = value.re;
    element[CornerMatrices::pack] = value.im;
  }
};

/// A_d = sum_p w_dp M_p for the displacements and momenta of one direction, in place; `stride` displacements lie
/// between those of the direction.
struct TransformCorners {
  CornerMatrices matrices;
  Complex<double> weights[3][3];
  int count, stride;

  KOKKOS_FUNCTION void operator()(const std::size_t item) const {
    const int n = matrices.size, others = matrices.displacements / count;
    const int row = static_cast<int>(item % static_cast<std::size_t>(n));
    std::size_t rest = item / static_cast<std::size_t>(n);
    const int column = static_cast<int>(rest % static_cast<std::size_t>(n));
    rest /= static_cast<std::size_t>(n);
    const int other = static_cast<int>(rest % static_cast<std::size_t>(others));
    const int site = static_cast<int>(rest / static_cast<std::size_t>(others));
    const int first = other / stride * stride * count + other % stride;
    Complex<double> values[3];
    for (int p = 0; p < count; ++p) {
      const float* const element = matrices.element(site, first + p * stride, row, column);
      values[p] = {static_cast<double>(element[0]), static_cast<double>(element[CornerMatrices::pack])};
    }
    for (int d = 0; d < count; ++d) {
      Complex<double> sum = {0.0, 0.0};
      for (int p = 0; p < count; ++p) sum += weights[d][p] * values[p];
      float* const element = matrices.element(site, first + d * stride, row, column);
      element[0] = static_cast<float>(sum.re);
      element[CornerMatrices::pack] = static_cast<float>(sum.im);
    }
  }
};

}  // namespace kaon::detail
