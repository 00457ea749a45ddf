// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lattice/geometry.hpp"
#include "core/random/random_sequence.hpp"
#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/basis_matrices.hpp"

#include <algorithm>

namespace kaon::detail {

/// A square matrix of doubles with rows in packs of columns, in memory that a team shares.
template <class V>
struct TeamMatrix {
  static constexpr int lanes = lane_count<V>;
  double* data;
  int size;

  KOKKOS_FORCEINLINE_FUNCTION double* row(int i) const { return data + i * 2 * size; }
  KOKKOS_FORCEINLINE_FUNCTION Complex<double> get(int i, int j) const {
    const double* const number = row(i) + column_offset<V>(j);
    return {number[0], number[lanes]};
  }
  KOKKOS_FORCEINLINE_FUNCTION void set(int i, int j, const Complex<double>& value) const {
    double* const number = row(i) + column_offset<V>(j);
    number[0] = value.re;
    number[lanes] = value.im;
  }
};

/// QR of the matrix of an aggregate and chirality, by a team: Cholesky QR, repeated.
///
///   G = B^dag B,  G = R^dag R,  B <- B R^-1
///
/// in double, until G was nearly 1 before: twice in double, and once in single precision where pivots are large enough.
/// A vector whose pivot is small beside the rounding of G is only projected in a step, and the next step knows its
/// remaining length. Below `smallest_pivot` noise replaces it. Flops per row: 8 N^2 a step; half of them are for zeros
/// or known numbers. Source of Cholesky QR done twice: Yamamoto, Nakatsukasa, Yanagisawa and Fukaya, Electron. Trans.
/// Numer. Anal. 44 (2015) 306.
///
/// `by_threads`: the algorithm of GPUs, for teams of any number of threads.
template <class V, bool by_threads = on_device>
struct BlockQrKernel {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 1;
  static constexpr int most_steps = 10;
  static constexpr double failed = -1.0;
  /// Squares of pivots below this are not known well enough from G, whose rounding is some 1e-16.
  static constexpr double smallest_known = 1e-8;
  /// If all squares are above this, one step makes B orthonormal to the rounding of floats: the errors of G are about
  /// 1e-15.
  static constexpr double enough_for_one_step = 1e-6;

  /// Wide packs, as many columns as V has.
  using W = LanesIn<double, V>;
  static constexpr int lanes = lane_count<V>;

  /// Rows that share a load of R^-1.
  static constexpr int rows_of_thread = 4;

  /// Fate of a vector in a step, and before.
  enum Action { normalise, project, replace };
  enum State { open, known, replaced };

  AggregateSites sites;
  BasisMatrices<float> basis;
  SiteMap map;
  double* work;       ///< [team]: `work_size` numbers
  double* pivots;     ///< [aggregate][chirality]: the smallest one, or `failed`
  int* replacements;  ///< [aggregate][chirality]: vectors that noise has replaced
  double smallest_pivot;
  int first;  ///< aggregate and chirality of the first team
  int chunk;  ///< rows that a team has in double at a time
  int team_bytes;

  /// Rows that fill some 16 KiB, and on hosts whole tiles.
  static int rows_of_chunk(int vectors) {
    if (by_threads) return std::max(1, 1024 / even(vectors));
    return std::clamp(1024 / vectors / 4 * 4, 4, 64);
  }
  static int bytes(int vectors, int chunk) { return 64 + chunk * 2 * even(vectors) * static_cast<int>(sizeof(double)); }

  KOKKOS_FORCEINLINE_FUNCTION static std::size_t work_size(int n) {
    return static_cast<std::size_t>(4 * n * n + 4 * n);
  }

  /// The memory of a team.
  struct Workplace {
    float* v;
    int n, rows, aggregate, chirality;
    TeamMatrix<W> gram, inverse;
    double *length, *square;  ///< [column]: the length that v_j had, in units of this step; |v_j|^2
    Action* action;           ///< [column]
    State* state;             ///< [column]
    int* complete;            ///< whether all vectors are normalised in this step
    int* near_one;            ///< whether B was orthonormal before it, up to a few per cent
    int* well_known;          ///< whether all squares of pivots are `enough_for_one_step`
    double* rows_of_chunk;
  };

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Workplace w = workplace(team);
    for (int step = 0; step < most_steps; ++step) {
      if constexpr (by_threads) {
        gram_by_threads(team, w);
      } else {
        gram_by_packs(w);
      }
      team.team_barrier();
      look_at_gram(team, w);
      factorise(team, w, step);
      const bool last = *w.complete == 1 && (*w.near_one == 1 || *w.well_known == 1);
      invert(team, w);
      if constexpr (by_threads) {
        multiply_by_threads(team, w);
      } else {
        multiply_by_packs(w);
      }
      team.team_barrier();
      fill_noise(team, w, step);
      team.team_barrier();
      if (last) return;
    }
    if (team.team_rank() == 0) pivots[first + team.league_rank()] = failed;
  }

 private:
  KOKKOS_FUNCTION Workplace workplace(const Team& team) const {
    const int n = basis.vectors, number = first + team.league_rank(), aggregate = number / 2;
    double* const mine = work + static_cast<std::size_t>(team.league_rank()) * work_size(n);
    Workplace w{};
    w.n = n;
    w.rows = basis.rows();
    w.aggregate = aggregate;
    w.chirality = number % 2;
    w.v = basis.matrix(aggregate, w.chirality);
    w.gram = {mine, n};
    w.inverse = {mine + 2 * n * n, n};
    w.length = mine + 4 * n * n;
    w.square = w.length + n;
    w.action = reinterpret_cast<Action*>(w.square + n);
    w.state = reinterpret_cast<State*>(w.square + 2 * n);
    w.complete = static_cast<int*>(team_memory(team, team_bytes));
    w.near_one = w.complete + 1;
    w.well_known = w.complete + 2;
    w.rows_of_chunk = reinterpret_cast<double*>(w.complete) + 8;
    for (int j = team.team_rank(); j < n; j += team.team_size()) w.state[j] = open;
    return w;
  }

  /// Rows from number `begin` on in double for all threads, with zeros up to an even number of columns. Returns how
  /// many.
  KOKKOS_FUNCTION int stage_rows(const Team& team, const Workplace& w, int begin) const {
    const int count = w.rows - begin < chunk ? w.rows - begin : chunk, columns = even(w.n);
    team.team_barrier();
    for (int item = team.team_rank(); item < count * columns; item += team.team_size()) {
      const int r = item / columns, j = item - r * columns;
      Complex<float> number = {0.0F, 0.0F};
      if (j < w.n) {
        number = load_number(w.v + static_cast<std::size_t>(begin + r) * static_cast<std::size_t>(2 * w.n) + 2 * j);
      }
      *reinterpret_cast<Word<double, 1>*>(w.rows_of_chunk + 2 * item) = {
          {static_cast<double>(number.re), static_cast<double>(number.im)}};
    }
    team.team_barrier();
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION static int even(int n) { return (n + 1) / 2 * 2; }

  /// Element (i, j) of `gram`, needed for i <= j, is <v_j, v_i>: the complex conjugate of that of G. So it is with R.
  ///
  /// A thread sums 2 x 2 elements. If there are more threads, groups of them share the rows.
  KOKKOS_FUNCTION void gram_by_threads(const Team& team, const Workplace& w) const {
    const int threads = team.team_size(), pairs = even(w.n) / 2, tiles = pairs * (pairs + 1) / 2;
    const int groups = threads > tiles ? threads / tiles : 1, of_group = threads > tiles ? tiles : threads;
    const int group = team.team_rank() / of_group, first_tile = team.team_rank() - group * of_group;
    for (int begin_tile = 0; begin_tile < tiles; begin_tile += of_group) {
      int i = 0, left = begin_tile + first_tile;  // tiles from that of row i and column i on
      const bool works = group < groups && left < tiles;
      for (int in_row = pairs; left >= in_row && works; --in_row, i += 2) left -= in_row;
      const int j = i + 2 * left;
      Complex<double> sum[2][2] = {};
      for (int begin = 0; begin < w.rows; begin += chunk) {
        const int count = stage_rows(team, w, begin);
        for (int r = group; r < count && works; r += groups) add_gram_of_row(sum, w, r, i, j);
      }
      for (int next = 0; next < groups; ++next) {  // in this order, for the same digits always
        if (next == group && works) put_gram(sum, w, i, j, next > 0);
        team.team_barrier();
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void add_gram_of_row(Complex<double> (&sum)[2][2], const Workplace& w, int r,
                                                          int i, int j) {
    const double* const row = w.rows_of_chunk + 2 * r * even(w.n);
    KAON_UNROLL
    for (int b = 0; b < 2; ++b) {
      const Complex<double> v_j = load_number(row + 2 * (j + b));
      KAON_UNROLL
      for (int a = 0; a < 2; ++a) conj_multiply_add(sum[a][b], v_j, load_number(row + 2 * (i + a)));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void put_gram(const Complex<double> (&sum)[2][2], const Workplace& w, int i, int j,
                                                   bool add) {
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) {
        if (i + a >= w.n || j + b >= w.n) continue;
        w.gram.set(i + a, j + b, add ? w.gram.get(i + a, j + b) + sum[a][b] : sum[a][b]);
      }
    }
  }

  /// Rows from number `begin` on in double.
  void widen_rows(const Workplace& w, int begin, int count) const {
    const int packs = 2 * w.n / lanes;
    const float* from = w.v + static_cast<std::size_t>(begin) * static_cast<std::size_t>(2 * w.n);
    for (int pack = 0; pack < count * packs; ++pack) {
      store_lanes<W>(w.rows_of_chunk + pack * lanes, convert_lanes<W>(load_lanes<V>(from + pack * lanes)));
    }
  }

  void gram_by_packs(const Workplace& w) const {
    constexpr int tile = lanes == 1 ? 1 : 4;
    const int n = w.n, packs = n / lanes;
    for (int k = 0; k < 2 * n * n; ++k) w.gram.data[k] = 0.0;
    for (int begin = 0; begin < w.rows; begin += chunk) {
      const int count = w.rows - begin < chunk ? w.rows - begin : chunk;
      widen_rows(w, begin, count);
      for (int i = 0; i < n; i += tile) {
        int pack = i / lanes;
        for (; pack + 3 <= packs; pack += 3) add_gram<3, tile>(w, count, i, pack);
        if (packs - pack == 2) add_gram<2, tile>(w, count, i, pack);
        if (packs - pack == 1) add_gram<1, tile>(w, count, i, pack);
      }
    }
  }
  /// Adds the products of some rows: K rows of `gram` from number i on, J packs of columns.
  template <int J, int K>
  [[gnu::noinline]] void add_gram(const Workplace& w, int count, int i, int pack) const {
    ProductSums<W, J, K> sums;
    for (int k = 0; k < K; ++k) {
      Complex<W> row[J];
      load_packs(row, w.gram.row(i + k) + 2 * pack * lanes);
      for (int j = 0; j < J; ++j) sums.sum[j][k] = row[j];
    }
    const double *v = w.rows_of_chunk + 2 * pack * lanes, *x = w.rows_of_chunk + column_offset<W>(i);
    for (int r = 0; r < count; ++r, v += 2 * w.n, x += 2 * w.n) {
      Complex<W> packs[J];
      load_packs(packs, v);
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sums.template add<true>(packs, k, x[k], x[lanes + k]);
    }
    for (int k = 0; k < K; ++k) {
      double* const row = w.gram.row(i + k) + 2 * pack * lanes;
      for (int j = 0; j < J; ++j) {
        store_lanes<W>(row + 2 * j * lanes, sums.sum[j][k].re);
        store_lanes<W>(row + (2 * j + 1) * lanes, sums.sum[j][k].im);
      }
    }
  }

  /// Stores the diagonal of G, and determines whether G is nearly 1.
  KOKKOS_FUNCTION void look_at_gram(const Team& team, const Workplace& w) const {
    if (team.team_rank() == 0) *w.complete = *w.near_one = *w.well_known = 1;
    team.team_barrier();
    const double allowed = 0.1 / w.n;
    for (int item = team.team_rank(); item < w.n * w.n; item += team.team_size()) {
      const int i = item / w.n, j = item - i * w.n;
      if (j < i) continue;
      const Complex<double> g = w.gram.get(i, j);
      if (i == j) w.square[j] = g.re;
      const double difference = Kokkos::abs(g.re - (i == j ? 1.0 : 0.0)) + Kokkos::abs(g.im);
      if (!(difference < allowed)) *w.near_one = 0;
    }
    team.team_barrier();
  }

  /// Cholesky's decomposition, row after row: `gram` becomes R, as conjugate as it was.
  KOKKOS_FUNCTION void factorise(const Team& team, const Workplace& w, int step) const {
    const int n = w.n, rank = team.team_rank(), threads = team.team_size();
    bool all_before = true;  // are normalised
    for (int k = 0; k < n; ++k) {
      const double left = w.gram.get(k, k).re;
      const Action action = action_on(w, k, left, step);
      const double diagonal = action == normalise ? Kokkos::sqrt(left) : 1.0;
      team.team_barrier();
      if (rank == 0) {
        keep_books(team, w, k, left, step, action, all_before);
        w.gram.set(k, k, {diagonal, 0.0});
      }
      const double factor = action == normalise ? 1.0 / diagonal : 0.0;
      for (int j = k + 1 + rank; j < n; j += threads) w.gram.set(k, j, factor * w.gram.get(k, j));
      team.team_barrier();
      const int others = n - k - 1;
      for (int item = rank; item < others * others; item += threads) {
        const int i = k + 1 + item / others, j = k + 1 + item % others;
        if (j < i || action != normalise) continue;
        const Complex<double> product = conj(w.gram.get(k, i)) * w.gram.get(k, j);
        w.gram.set(i, j, w.gram.get(i, j) - product);
      }
      all_before = all_before && action == normalise;
      team.team_barrier();
    }
  }
  /// `left`: square of what the vectors before leave of vector k.
  KOKKOS_FUNCTION Action action_on(const Workplace& w, int k, double left, int step) const {
    const bool well_known = left > smallest_known * w.square[k];
    const double length = step == 0 ? Kokkos::sqrt(w.square[k]) : w.length[k];
    const bool measured = well_known || step > 0 || !(length > 0.0);
    const double remains = left > 0.0 ? Kokkos::sqrt(left) : 0.0;
    if (w.state[k] == open && measured && !(remains > smallest_pivot * length)) return replace;
    return well_known ? normalise : project;
  }
  KOKKOS_FUNCTION void keep_books(const Team& team, const Workplace& w, int k, double left, int step, Action action,
                                  bool all_before) const {
    if (step == 0) w.length[k] = Kokkos::sqrt(w.square[k]);
    w.action[k] = action;
    if (action != normalise) *w.complete = 0;
    if (!(left > enough_for_one_step * w.square[k])) *w.well_known = 0;
    if (w.state[k] != open || action == project) return;
    if (action == normalise && !all_before) {  // something else will be left once they are
      w.length[k] /= Kokkos::sqrt(left);
      return;
    }
    const int number = first + team.league_rank();
    const double pivot = left > 0.0 && w.length[k] > 0.0 ? Kokkos::sqrt(left) / w.length[k] : 0.0;
    if (pivot < pivots[number]) pivots[number] = pivot;
    if (action == replace) ++replacements[number];
    w.state[k] = action == replace ? replaced : known;
  }

  /// `inverse` becomes R^-1, column by column.
  KOKKOS_FUNCTION void invert(const Team& team, const Workplace& w) const {
    for (int j = team.team_rank(); j < w.n; j += team.team_size()) {
      for (int i = w.n - 1; i > j; --i) w.inverse.set(i, j, {0.0, 0.0});
      const double last = 1.0 / w.gram.get(j, j).re;
      w.inverse.set(j, j, {last, 0.0});
      for (int i = j - 1; i >= 0; --i) {
        Complex<double> sum = {0.0, 0.0};
        for (int k = i + 1; k <= j; ++k) conj_multiply_add(sum, w.gram.get(i, k), w.inverse.get(k, j));
        w.inverse.set(i, j, (-1.0 / w.gram.get(i, i).re) * sum);
      }
    }
    team.team_barrier();
  }

  /// B <- B R^-1: a thread makes one column of some rows.
  KOKKOS_FUNCTION void multiply_by_threads(const Team& team, const Workplace& w) const {
    const int n = w.n, threads = team.team_size(), width = n < threads ? n : threads, groups = threads / width;
    const int group = team.team_rank() / width, of_group = team.team_rank() - group * width;
    for (int begin = 0; begin < w.rows; begin += chunk) {
      const int count = stage_rows(team, w, begin);
      for (int r = group * rows_of_thread; r < count && group < groups; r += groups * rows_of_thread) {
        for (int j = of_group; j < n; j += width) multiply_column(w, begin, r, count, j);
      }
    }
    team.team_barrier();
  }
  KOKKOS_FORCEINLINE_FUNCTION static void multiply_column(const Workplace& w, int begin, int r, int count, int j) {
    const int row_size = 2 * even(w.n);
    Complex<double> sum[rows_of_thread] = {};
    for (int k = 0; k <= j; ++k) {
      const Complex<double> of_inverse = w.inverse.get(k, j);
      KAON_UNROLL
      for (int m = 0; m < rows_of_thread; ++m) {
        const int row = r + m < count ? r + m : r;
        multiply_add(sum[m], of_inverse, load_number(w.rows_of_chunk + row * row_size + 2 * k));
      }
    }
    float* to = w.v + static_cast<std::size_t>(begin + r) * static_cast<std::size_t>(2 * w.n) + 2 * j;
    KAON_UNROLL
    for (int m = 0; m < rows_of_thread; ++m, to += 2 * w.n) {
      if (r + m < count) {
        *reinterpret_cast<Word<float, 1>*>(to) = {{static_cast<float>(sum[m].re), static_cast<float>(sum[m].im)}};
      }
    }
  }
  void multiply_by_packs(const Workplace& w) const {
    constexpr int tile = 4;
    const int packs = w.n / lanes;
    for (int begin = 0; begin < w.rows; begin += chunk) {
      const int count = w.rows - begin < chunk ? w.rows - begin : chunk;
      widen_rows(w, begin, count);
      int row = 0;
      for (; row + tile <= count; row += tile) {
        for (int pack = 0; pack < packs; ++pack) multiply_rows<tile>(w, begin, row, pack);
      }
      for (; row < count; ++row) {
        for (int pack = 0; pack < packs; ++pack) multiply_rows<1>(w, begin, row, pack);
      }
    }
  }
  /// K rows from number `begin` + `row` on, one pack of columns.
  template <int K>
  [[gnu::noinline]] void multiply_rows(const Workplace& w, int begin, int row, int pack) const {
    const int row_size = 2 * w.n;
    ProductSums<W, 1, K> sums;
    sums.clear();
    const double* x = w.rows_of_chunk + row * row_size;
    const double* v = w.inverse.data + 2 * pack * lanes;
    for (int block = 0; block <= pack; ++block, x += 2 * lanes) {
      for (int of_block = 0; of_block < lanes; ++of_block, v += row_size) {
        Complex<W> packs[1];
        load_packs(packs, v);
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          const double* const number = x + k * row_size + of_block;
          sums.template add<false>(packs, k, number[0], number[lanes]);
        }
      }
    }
    for (int k = 0; k < K; ++k) {
      float* const to =
          w.v + static_cast<std::size_t>(begin + row + k) * static_cast<std::size_t>(row_size) + 2 * pack * lanes;
      store_lanes<V>(to, convert_lanes<V>(sums.sum[0][k].re));
      store_lanes<V>(to + lanes, convert_lanes<V>(sums.sum[0][k].im));
    }
  }

  /// Normal numbers in the columns that are to be replaced, by the seed of the column and the global site.
  KOKKOS_FUNCTION void fill_noise(const Team& team, const Workplace& w, int step) const {
    const int lanes_of_sites = 1 << sites.lane_shift, kind = sites.kinds[w.aggregate];
    for (int j = 0; j < w.n; ++j) {
      if (w.action[j] != replace) continue;
      for (int row = team.team_rank(); row < w.rows; row += team.team_size()) {
        const int site = row / basis.site_rows, component = row - site * basis.site_rows;
        const int place = sites.places[w.aggregate * sites.sites + site];
        int x[4];
        map.coordinates({sites.parity(kind, site), place >> sites.lane_shift, place & (lanes_of_sites - 1)}, x);
        const RandomSequence sequence({.seed = 1, .stream = static_cast<std::uint32_t>(step)}, Purpose::near_null,
                                      map.global_index(x), j);
        const Complex<double> noise =
            sequence.normal_pair(static_cast<std::uint32_t>(w.chirality * basis.site_rows + component));
        float* const number =
            w.v + static_cast<std::size_t>(row) * static_cast<std::size_t>(2 * w.n) + column_offset<V>(j);
        number[0] = static_cast<float>(noise.re);
        number[lanes] = static_cast<float>(noise.im);
      }
    }
  }
};

}  // namespace kaon::detail
