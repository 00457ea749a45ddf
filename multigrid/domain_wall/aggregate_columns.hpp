// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/fields/site_components.hpp"
#include "core/lanes/algebra.hpp"
#include "multigrid/dense/column_packs.hpp"
#include "multigrid/transfer/aggregation.hpp"

#include <cstddef>

namespace kaon::detail {

/// Threads of a team that multiplies columns of an aggregate, and columns of the right factor that it has in registers:
/// of products of columns, and of sums of columns.
inline constexpr int aggregate_team_size = 256, most_columns_of_team = 4, most_columns_of_sums = on_device ? 6 : 4;
inline int column_groups(int columns, int most = most_columns_of_team) { return (columns + most - 1) / most; }

/// Columns of numbers for each aggregate, as [aggregate][column][re, im][row]: the matrices of P, and fields in the
/// order of their rows. Row number (s * components + c) * sites + x has component c of site x of the aggregate on slice
/// s. Rows are followed by zeros up to whole packs.
struct AggregateColumns {
  /// Rows are a multiple of it.
  static constexpr int pack = on_device ? 32 : native_lanes<float>;
  using V = Pack<float>;

  float* data;
  int columns, rows;

  KOKKOS_FORCEINLINE_FUNCTION float* column(int aggregate, int j) const {
    const auto number = static_cast<std::size_t>(aggregate) * static_cast<std::size_t>(columns);
    return data + 2 * (number + static_cast<std::size_t>(j)) * static_cast<std::size_t>(rows);
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<V> load(const float* column, int row) const {
    return {load_lanes<V>(column + row), load_lanes<V>(column + rows + row)};
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(float* column, int row, const Complex<V>& value) const {
    store_lanes<V>(column + row, value.re);
    store_lanes<V>(column + rows + row, value.im);
  }
};

/// The numbers of a field of slices on one parity, or of one slice on all sites, by aggregates.
struct FieldOfAggregates {
  SiteComponents<float> field;  ///< its slices are right-hand sides
  AggregateSites sites;
  SiteRange range;
  int slices, components;

  static FieldOfAggregates of(const Aggregation& aggregation, const SpinorField<float>& x) {
    const auto numbers = x.slices() == 1 ? site_components(x) : site_components(x.slices_as_right_hand_sides());
    return {numbers, aggregation.sites(), aggregation.sites_of(x.subset()), x.slices(), x.components()};
  }
  KOKKOS_FORCEINLINE_FUNCTION int count() const { return range.count[0]; }
  /// The number of a column in a row of an aggregate; site x of the aggregate.
  KOKKOS_FORCEINLINE_FUNCTION float* number(int aggregate, int column, int slice, int component, int x) const {
    const int kind = sites.kinds[aggregate], site = range.first[kind] + x;
    const int place = sites.places[aggregate * sites.sites + site], parity = sites.parity(kind, site);
    return field.site(parity, place, column * slices + slice) + field.of_component(component);
  }
};

/// Copies a column of a field to rows of aggregates, or rows to the field: those of the aggregates with a colour, and
/// zeros for the others, if there are colours. An item is a slice, component and aggregate, and on devices a site: its
/// number has 32 bits, in which devices divide.
template <bool to_rows>
struct CopyAggregates {
  FieldOfAggregates field;
  AggregateColumns rows;
  int column, to_column;  ///< of the field and of `rows`
  int aggregates;
  const int* colors;  ///< [aggregate] or null
  int color;

  int items() const { return field.slices * field.components * aggregates * (on_device ? field.count() : 1); }
  KOKKOS_FUNCTION void operator()(int item) const {
    int x = 0;
    if constexpr (on_device) {
      x = item % field.count();
      item /= field.count();
    }
    const int line = field.slices * field.components, of_line = item % line, aggregate = item / line;
    const int slice = of_line / field.components, component = of_line - slice * field.components;
    float* const row = rows.column(aggregate, to_column) + of_line * field.count();
    if constexpr (on_device) {
      copy(aggregate, slice, component, x, row);
    } else {
      for (; x < field.count(); ++x) copy(aggregate, slice, component, x, row);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void copy(int aggregate, int slice, int component, int x, float* row) const {
    float* const number = field.number(aggregate, column, slice, component, x);
    if constexpr (to_rows) {
      row[x] = number[0];
      row[rows.rows + x] = number[field.field.re_to_im];
    } else {
      const bool here = colors == nullptr || colors[aggregate] == color;
      number[0] = here ? row[x] : 0.0F;
      number[field.field.re_to_im] = here ? row[rows.rows + x] : 0.0F;
    }
  }
};

/// Numbers of a field on all sites of the coarse lattice.
struct CoarseNumbers {
  SiteComponents<float> field;
  int sites;  ///< of a parity

  static CoarseNumbers of(const SpinorField<float>& coarse) {
    return {site_components(coarse), static_cast<int>(coarse.lattice().local_volume() / coarse.lattice().parities())};
  }
  KOKKOS_FORCEINLINE_FUNCTION float* number(int aggregate, int component, int column) const {
    const int parity = aggregate < sites ? 0 : 1;
    return field.site(parity, aggregate - parity * sites, column) + field.of_component(component);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int aggregate, int component, int column, int part, double value) const {
    number(aggregate, component, column)[part * field.re_to_im] = static_cast<float>(value);
  }
};

/// Matrices of doubles, [aggregate][column][row][re, im].
struct GramNumbers {
  double* data;
  int size;

  KOKKOS_FORCEINLINE_FUNCTION double* matrix(int aggregate) const {
    return data + 2 * static_cast<std::size_t>(aggregate) * static_cast<std::size_t>(size * size);
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(int aggregate, int row, int column, int part, double value) const {
    matrix(aggregate)[2 * (column * size + row) + part] = value;
  }
};

/// Sums of J x K products that a thread has: of some packs in single precision, of all before them in double.
template <class V, int J, int K>
struct WidenedSums {
  ProductSums<V, J, K> part;
  double total[2 * J * K] = {};
  int steps = 0;

  KOKKOS_FORCEINLINE_FUNCTION WidenedSums() { part.clear(); }
  KOKKOS_FORCEINLINE_FUNCTION void add(const Complex<V> (&left)[J], const Complex<V> (&right)[K]) {
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) conj_multiply_add(part.sum[j][k], left[j], right[k]);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void widen_parts() {
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) {
        total[2 * (j * K + k)] += sum_lanes(widen(part.sum[j][k].re));
        total[2 * (j * K + k) + 1] += sum_lanes(widen(part.sum[j][k].im));
      }
    }
    part.clear();
    steps = 0;
  }
};

/// out_jk = sum_rows conj(p_j) x_k in each aggregate. A team has 4 columns p_j and K columns x_k. Sums over
/// `steps_of_sum` packs of a thread are in single precision, the others in double. 8 flops and 8 (1/K + 1/4) bytes a
/// row, j and k.
template <int K, class Out>
struct AggregateProducts {
  static constexpr int max_team_size = aggregate_team_size;
  static constexpr unsigned min_teams = 2;
  static constexpr int J = 4, sums = 2 * J * K;
  using V = AggregateColumns::V;

  AggregateColumns p, x;
  Out out;
  int tiles, groups;  ///< of columns of p and of x
  int columns;        ///< of x
  int steps_of_sum;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank = team.league_rank(), group = rank % groups, tile = rank / groups % tiles;
    const int aggregate = rank / groups / tiles;
    const float *of_p[J], *of_x[K];
    KAON_UNROLL
    for (int j = 0; j < J; ++j) of_p[j] = p.column(aggregate, Kokkos::min(tile * J + j, p.columns - 1));
    KAON_UNROLL
    for (int k = 0; k < K; ++k) of_x[k] = x.column(aggregate, Kokkos::min(group * K + k, columns - 1));
    WidenedSums<V, J, K> of_thread;
    constexpr int lanes = lane_count<V>;
    for (int row = team.team_rank() * lanes; row < p.rows; row += team.team_size() * lanes) {
      Complex<V> p_j[J], x_k[K];
      KAON_UNROLL
      for (int k = 0; k < K; ++k) x_k[k] = x.load(of_x[k], row);
      KAON_UNROLL
      for (int j = 0; j < J; ++j) p_j[j] = p.load(of_p[j], row);
      of_thread.add(p_j, x_k);
      if (++of_thread.steps == steps_of_sum) of_thread.widen_parts();
    }
    of_thread.widen_parts();
    auto of_team = sum_over_team(team, of_thread.total);
    for (int number = team.team_rank(); number < sums; number += team.team_size()) {
      const int j = tile * J + number / 2 / K, k = group * K + number / 2 % K;
      if (j < p.columns && k < columns) out.put(aggregate, j, k, number % 2, of_team[number]);
    }
  }
};

/// y_k = sum_j p_j c_jk in each aggregate. A team has some rows and K columns. 8 flops and 8 / K bytes a row, j and k.
template <int K>
struct AggregateSums {
  static constexpr int max_team_size = aggregate_team_size;
  static constexpr unsigned min_teams = 1;
  using V = AggregateColumns::V;

  AggregateColumns p, y;
  CoarseNumbers coarse;
  int parts, rows_of_part, groups, columns;
  int team_bytes;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rank = team.league_rank(), group = rank % groups, part = rank / groups % parts;
    const int aggregate = rank / groups / parts, n = p.columns;
    auto* const factors = static_cast<float*>(team_memory(team, team_bytes));  // [j][k][re, im]
    for (int item = team.team_rank(); item < n * K; item += team.team_size()) {
      const int j = item / K, k = group * K + item % K;
      const float* const number = k < columns ? coarse.number(aggregate, j, k) : nullptr;
      factors[2 * item] = number != nullptr ? number[0] : 0.0F;
      factors[2 * item + 1] = number != nullptr ? number[coarse.field.re_to_im] : 0.0F;
    }
    team.team_barrier();
    constexpr int lanes = lane_count<V>;
    const int begin = part * rows_of_part, end = Kokkos::min(begin + rows_of_part, p.rows);
    for (int row = begin + team.team_rank() * lanes; row < end; row += team.team_size() * lanes) {
      Complex<V> sum[K];
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sum[k] = {V(0), V(0)};
      for (int j = 0; j < n; ++j) {
        const Complex<V> p_j = p.load(p.column(aggregate, j), row);
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          const float* const factor = factors + 2 * (j * K + k);
          multiply_add(sum[k], p_j, Complex<V>{V(factor[0]), V(factor[1])});
        }
      }
      KAON_UNROLL
      for (int k = 0; k < K; ++k) {
        if (group * K + k < columns) y.store(y.column(aggregate, group * K + k), row, sum[k]);
      }
    }
  }
};

/// p = p u in place, u upper triangular in each aggregate: from the last columns on. 4 n flops a number of p.
struct TriangularSums {
  static constexpr int max_team_size = aggregate_team_size;
  static constexpr unsigned min_teams = 1;
  static constexpr int J = 4;
  using V = AggregateColumns::V;

  AggregateColumns p;
  GramNumbers u;
  int parts, rows_of_part;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int part = team.league_rank() % parts, aggregate = team.league_rank() / parts, n = p.columns;
    constexpr int lanes = lane_count<V>;
    const int begin = part * rows_of_part, end = Kokkos::min(begin + rows_of_part, p.rows);
    for (int row = begin + team.team_rank() * lanes; row < end; row += team.team_size() * lanes) {
      for (int last = n - 1; last >= 0; last -= J) columns_up_to(aggregate, last, row);
    }
  }

 private:
  /// Columns last - J + 1 to last.
  KOKKOS_FORCEINLINE_FUNCTION void columns_up_to(int aggregate, int last, int row) const {
    const double* const matrix = u.matrix(aggregate);
    Complex<V> sum[J];
    KAON_UNROLL
    for (int k = 0; k < J; ++k) sum[k] = {V(0), V(0)};
    for (int j = 0; j <= last; ++j) {
      const Complex<V> p_j = p.load(p.column(aggregate, j), row);
      KAON_UNROLL
      for (int k = 0; k < J; ++k) {
        const int column = last - k;
        if (column < j) continue;
        const double* const factor = matrix + 2 * (column * u.size + j);
        multiply_add(sum[k], p_j, Complex<V>{V(static_cast<float>(factor[0])), V(static_cast<float>(factor[1]))});
      }
    }
    KAON_UNROLL
    for (int k = 0; k < J; ++k) {
      if (last >= k) p.store(p.column(aggregate, last - k), row, sum[k]);
    }
  }
};

/// R^-1 in place of G = R^dag R, R upper triangular with a positive diagonal, and the smallest R_jj / sqrt(G_jj): one
/// thread for each aggregate. A G that has no such R leaves a pivot of 0.
struct InverseFactors {
  GramNumbers gram;
  double* pivots;

  KOKKOS_FUNCTION void operator()(const int aggregate) const {
    double* const g = gram.matrix(aggregate);
    const int n = gram.size;
    const auto at = [&](int i, int j) { return g + 2 * (j * n + i); };
    double smallest = 1.0;
    for (int j = 0; j < n && smallest > 0.0; ++j) {
      const double before = at(j, j)[0];
      for (int i = 0; i < j; ++i) {
        Complex<double> sum = load_number(at(i, j));
        for (int k = 0; k < i; ++k) sum = sum - conj(load_number(at(k, i))) * load_number(at(k, j));
        put(at(i, j), sum, 1.0 / at(i, i)[0]);
      }
      double square = before;
      for (int k = 0; k < j; ++k) square -= at(k, j)[0] * at(k, j)[0] + at(k, j)[1] * at(k, j)[1];
      const double part = square / before;
      if (!(part > 0.0) || !Kokkos::isfinite(part)) {
        smallest = 0.0;
        break;
      }
      smallest = Kokkos::fmin(smallest, Kokkos::sqrt(part));
      put(at(j, j), {Kokkos::sqrt(square), 0.0}, 1.0);
    }
    pivots[aggregate] = smallest;
    for (int j = 0; j < n && smallest > 0.0; ++j) {
      const double inverse = 1.0 / at(j, j)[0];
      for (int i = 0; i < j; ++i) {
        Complex<double> sum = {0.0, 0.0};
        for (int k = i; k < j; ++k) sum = sum + load_number(at(i, k)) * load_number(at(k, j));
        put(at(i, j), sum, -inverse);
      }
      put(at(j, j), {inverse, 0.0}, 1.0);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void put(double* to, const Complex<double>& value, double factor) {
    to[0] = factor * value.re;
    to[1] = factor * value.im;
  }
};

}  // namespace kaon::detail
