// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/fields/site_components.hpp"
#include "multigrid/dense/column_packs.hpp"
#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/basis_matrices.hpp"

namespace kaon::detail {

// Restrictor and prolongator of hosts where each virtual node holds whole aggregates. W aggregates then lie side by
// side in the lanes of all registers: those of V, of the fine field, and of the sums. Neither has loads of single
// numbers or sums over lanes, and registers are as wide as the fields'.
//
// A tile is J columns of V, or J rows, times K right-hand sides, whose sums are in registers; flops and bytes are
// those of transfer_kernels.hpp. V comes from memory once for `lane_right_hand_sides`.

/// V of groups of W aggregates: [group][chirality][row][j][re, im][W], rows as in `BasisMatrices`.
template <class L>
struct LaneMatrices {
  L* data;
  int vectors;    ///< N
  int site_rows;  ///< components of a chirality at a site
  int sites;      ///< of an aggregate
  int lanes;      ///< W
  float* units;   ///< [group][chirality][row][W], of 16-bit numbers; else null

  KOKKOS_FORCEINLINE_FUNCTION std::size_t row(int group, int chirality, int site) const {
    return static_cast<std::size_t>((2 * group + chirality) * sites + site) * static_cast<std::size_t>(site_rows);
  }
  KOKKOS_FORCEINLINE_FUNCTION L* numbers(std::size_t row) const {
    return data + row * static_cast<std::size_t>(2 * vectors * lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION float* units_of(std::size_t row) const {
    return units + row * static_cast<std::size_t>(lanes);
  }
};

/// Right-hand sides that a team takes at once.
inline constexpr int lane_right_hand_sides = 12;
/// Bytes of its sums, or of its numbers of the coarse field, at most: on the stack.
inline constexpr int lane_bytes = 48 << 10;
/// Right-hand sides of a tile at most, and columns or rows with K of them. Sums take 2 J K registers.
inline constexpr bool many_registers = native_lanes<float> == 16;  // AVX-512 has 32, others 16
inline constexpr int most_of_tile = many_registers ? 6 : 2;
template <int K>
inline constexpr int tile_columns = many_registers ? (K == 1   ? 6
                                                      : K == 2 ? 5
                                                      : K <= 4 ? 3
                                                               : 2)
                                                   : (K == 1 ? 4 : 2);

/// Splits a number of things into parts of at most `most`, as equal as possible.
struct EqualParts {
  int parts, all;

  KOKKOS_FORCEINLINE_FUNCTION EqualParts(int things, int most) : parts((things + most - 1) / most), all(things) {}
  KOKKOS_FORCEINLINE_FUNCTION int first(int part) const { return all / parts * part + Kokkos::min(part, all % parts); }
  KOKKOS_FORCEINLINE_FUNCTION int count(int part) const { return first(part + 1) - first(part); }
};

/// Members of both kernels.
template <class L>
struct LaneTransferKernel {
  using V = Pack<float>;
  static constexpr int lanes = lane_count<V>;
  static constexpr int max_team_size = 1;
  static constexpr unsigned min_teams = 1;

  AggregateSites sites;
  LaneMatrices<L> basis;
  SiteComponents<float> fine;
  int right_hand_sides;

  /// Address of a site's first component of a chirality, for right-hand side 0 and lane 0.
  KOKKOS_FORCEINLINE_FUNCTION float* fine_site(int aggregate, int chirality, int site) const {
    return fine.site(sites.parity(sites.kinds[aggregate], site), sites.places[aggregate * sites.sites + site], 0) +
           fine.of_component(chirality * basis.site_rows);
  }
  KOKKOS_FORCEINLINE_FUNCTION float* fine_number(float* site, int component, int k) const {
    return site + fine.of_component(component) + static_cast<std::size_t>(k) * fine.stride;
  }
  /// V_j of a row, without its unit.
  KOKKOS_FORCEINLINE_FUNCTION static Complex<V> load_basis(const L* row, int j) {
    const L* const number = row + 2 * j * lanes;
    return {load_widened<V>(number), load_widened<V>(number + lanes)};
  }
  KOKKOS_FORCEINLINE_FUNCTION V unit(std::size_t row) const {
    if constexpr (std::is_same_v<L, half>) {
      return load_lanes<V>(basis.units_of(row));
    } else {
      return V(1.0F);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Complex<V> load_complex(const float* from) {
    return {load_lanes<V>(from), load_lanes<V>(from + lanes)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store_complex(float* to, const Complex<V>& value) {
    store_lanes<V>(to, value.re);
    store_lanes<V>(to + lanes, value.im);
  }
};

/// out(a, N s + j) = sum over the rows of a range of sites of conj(V_j) in. In two ranges at once with two outputs.
/// A team takes some of the columns of a group, chirality and range.
template <class L>
struct LaneRestrictKernel : LaneTransferKernel<L> {
  using Base = LaneTransferKernel<L>;
  using Base::basis;
  using Base::lanes;
  using Base::sites;
  using typename Base::V;

  /// Sites whose numbers are in the caches for all columns and right-hand sides.
  static constexpr int chunk = sizeof(L) == 2 ? 8 : 4;

  int ranges;
  SiteRange range[2];
  SiteComponents<float> coarse[2];
  int part_columns;  ///< of a team, at most

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const EqualParts parts(basis.vectors, part_columns);
    int rank = team.league_rank();
    const int part = rank % parts.parts;
    rank /= parts.parts;
    const int of_range = rank % ranges;
    rank /= ranges;
    const int chirality = rank % 2, group = rank / 2;
    alignas(64) float sums[lane_bytes / sizeof(float)];  // [k][column][re, im][W]
    const EqualParts passes(this->right_hand_sides, lane_right_hand_sides);
    for (int pass = 0; pass < passes.parts; ++pass) {
      const Task task{group,
                      chirality,
                      of_range,
                      parts.first(part),
                      parts.count(part),
                      passes.first(pass),
                      passes.count(pass),
                      sites.groups[group * lanes],
                      sums};
      sum_rows(task);
      store_sums(task);
    }
  }

 private:
  struct Task {
    int group, chirality, range, first_column, columns, first, count, aggregate;
    float* sums;
    KOKKOS_FORCEINLINE_FUNCTION float* sum(int column, int k) const {
      return sums + (k * columns + column) * 2 * lanes;
    }
  };
  /// Rows of some sites.
  struct Rows {
    float* site[chunk];
    std::size_t row[chunk];
    int sites;
  };

  KOKKOS_FUNCTION void sum_rows(const Task& t) const {
    const int numbers = t.columns * t.count * 2 * lanes;
    for (int n = 0; n < numbers; n += lanes) store_lanes<V>(t.sums + n, V(0.0F));
    const int kind = sites.kinds[t.aggregate];
    const int* const list = sites.list(range[t.range], kind);
    const EqualParts tiles(t.count, most_of_tile);
    for (int first = 0; first < range[t.range].count[kind]; first += chunk) {
      Rows rows;
      rows.sites = Kokkos::min(chunk, range[t.range].count[kind] - first);
      for (int i = 0; i < rows.sites; ++i) {
        rows.site[i] = this->fine_site(t.aggregate, t.chirality, list[first + i]);
        rows.row[i] = basis.row(t.group, t.chirality, list[first + i]);
      }
      for (int tile = 0; tile < tiles.parts; ++tile) {
        with_count<most_of_tile>(tiles.count(tile), [&]<int K>() { columns<K>(t, rows, tiles.first(tile)); });
      }
    }
  }
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void columns(const Task& t, const Rows& rows, int k) const {
    const EqualParts tiles(t.columns, tile_columns<K>);
    for (int tile = 0; tile < tiles.parts; ++tile) {
      with_count<tile_columns<K>>(tiles.count(tile), [&]<int J>() { add<J, K>(t, rows, tiles.first(tile), k); });
    }
  }
  /// Adds the rows to the sums of J columns and K right-hand sides, from numbers `column` and `first` of the team on.
  template <int J, int K>
  KAON_KERNEL_PART void add(const Task& t, const Rows& rows, int column, int first) const {
    Complex<V> sum[J][K];
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sum[j][k] = this->load_complex(t.sum(column + j, first + k));
    }
    for (int i = 0; i < rows.sites; ++i) {
      const float* from = this->fine_number(rows.site[i], 0, t.first + first);
      const L* v = basis.numbers(rows.row[i]) + 2 * (t.first_column + column) * lanes;
      for (int c = 0; c < basis.site_rows; ++c, from += 2 * lanes, v += 2 * basis.vectors * lanes) {
        const V unit = this->unit(rows.row[i] + static_cast<std::size_t>(c));
        Complex<V> w[J];
        KAON_UNROLL
        for (int j = 0; j < J; ++j) {
          w[j] = this->load_basis(v, j);
          if constexpr (std::is_same_v<L, half>) w[j] = unit * w[j];
        }
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          const Complex<V> x = this->load_complex(from + static_cast<std::size_t>(k) * this->fine.stride);
          KAON_UNROLL
          for (int j = 0; j < J; ++j) conj_multiply_add(sum[j][k], w[j], x);
        }
      }
    }
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) this->store_complex(t.sum(column + j, first + k), sum[j][k]);
    }
  }
  KOKKOS_FUNCTION void store_sums(const Task& t) const {
    const SiteComponents<float>& out = coarse[t.range];
    for (int k = 0; k < t.count; ++k) {
      for (int lane = 0; lane < lanes; ++lane) {
        float* const site = out.site(0, sites.groups[t.group * lanes + lane], t.first + k);
        for (int column = 0; column < t.columns; ++column) {
          float* const to = site + out.of_component(basis.vectors * t.chirality + t.first_column + column);
          to[0] = t.sum(column, k)[lane];
          to[out.re_to_im] = t.sum(column, k)[lanes + lane];
        }
      }
    }
  }
};

/// out(x) = sum_j V_j(x) in(a, N s + j) on a range of sites, or out(x) += that. A team takes some of the sites of a
/// group and chirality.
template <class L>
struct LaneProlongKernel : LaneTransferKernel<L> {
  using Base = LaneTransferKernel<L>;
  using Base::basis;
  using Base::lanes;
  using Base::sites;
  using typename Base::V;

  SiteRange range;
  SiteComponents<float> coarse;
  bool add;
  int parts;       ///< of the sites
  int part_sites;  ///< of a team, at most
  int at_once;     ///< right-hand sides

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    int rank = team.league_rank();
    const int part = rank % parts;
    rank /= parts;
    const int chirality = rank % 2, group = rank / 2;
    const int aggregate = sites.groups[group * lanes], kind = sites.kinds[aggregate];
    const int* const list = sites.list(range, kind);
    const int first_site = part * part_sites, last_site = Kokkos::min(first_site + part_sites, range.count[kind]);
    alignas(64) float numbers[lane_bytes / sizeof(float)];  // [k][j][re, im][W]
    const EqualParts passes(this->right_hand_sides, at_once);
    for (int pass = 0; pass < passes.parts; ++pass) {
      const int first = passes.first(pass), count = passes.count(pass);
      gather(numbers, group, chirality, first, count);
      const EqualParts tiles(count, most_of_tile);
      for (int n = first_site; n < last_site; ++n) {
        float* const site = this->fine_site(aggregate, chirality, list[n]);
        const std::size_t row = basis.row(group, chirality, list[n]);
        for (int tile = 0; tile < tiles.parts; ++tile) {
          with_count<most_of_tile>(tiles.count(tile), [&]<int K>() {
            const int k = tiles.first(tile);
            rows<K>(numbers + k * 2 * basis.vectors * lanes, this->fine_number(site, 0, first + k), row);
          });
        }
      }
    }
  }

 private:
  KOKKOS_FUNCTION void gather(float* numbers, int group, int chirality, int first, int count) const {
    for (int k = 0; k < count; ++k) {
      for (int lane = 0; lane < lanes; ++lane) {
        const float* const site = coarse.site(0, sites.groups[group * lanes + lane], first + k);
        float* const to = numbers + k * 2 * basis.vectors * lanes + lane;
        for (int j = 0; j < basis.vectors; ++j) {
          const float* const number = site + coarse.of_component(basis.vectors * chirality + j);
          to[2 * j * lanes] = number[0];
          to[(2 * j + 1) * lanes] = number[coarse.re_to_im];
        }
      }
    }
  }
  template <int K>
  KOKKOS_FORCEINLINE_FUNCTION void rows(const float* numbers, float* site, std::size_t first_row) const {
    const EqualParts tiles(basis.site_rows, tile_columns<K>);
    for (int tile = 0; tile < tiles.parts; ++tile) {
      with_count<tile_columns<K>>(tiles.count(tile), [&]<int J>() {
        const int c = tiles.first(tile);
        multiply<J, K>(numbers, this->fine_number(site, c, 0), first_row + static_cast<std::size_t>(c));
      });
    }
  }
  /// J rows of V times the `numbers` of K right-hand sides.
  template <int J, int K>
  KAON_KERNEL_PART void multiply(const float* numbers, float* out, std::size_t row) const {
    const int row_size = 2 * basis.vectors * lanes;
    const L* v = basis.numbers(row);
    Complex<V> sum[J][K];
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      KAON_UNROLL
      for (int k = 0; k < K; ++k) sum[j][k] = {V(0.0F), V(0.0F)};
    }
    for (int n = 0; n < row_size; n += 2 * lanes) {
      Complex<V> w[J];
      KAON_UNROLL
      for (int j = 0; j < J; ++j) w[j] = this->load_basis(v + n + j * row_size, 0);
      KAON_UNROLL
      for (int k = 0; k < K; ++k) {
        const Complex<V> c = this->load_complex(numbers + n + k * row_size);
        KAON_UNROLL
        for (int j = 0; j < J; ++j) multiply_add(sum[j][k], w[j], c);
      }
    }
    KAON_UNROLL
    for (int j = 0; j < J; ++j) {
      const V unit = this->unit(row + static_cast<std::size_t>(j));
      KAON_UNROLL
      for (int k = 0; k < K; ++k) {
        float* const to = out + 2 * j * lanes + static_cast<std::size_t>(k) * this->fine.stride;
        Complex<V> value = unit * sum[j][k];
        if (add) value += this->load_complex(to);
        this->store_complex(to, value);
      }
    }
  }
};

/// V in lanes, of V by aggregates in the precision of the fields; rounded where L is `half`. Item: a row of a group and
/// chirality.
template <class L>
struct StoreInLanes {
  LaneMatrices<L> to;
  BasisMatrices<float> from;
  const int* groups;
  int lanes_of_columns;  ///< of `from`

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int rows = from.rows(), row = item % rows, chirality = item / rows % 2, group = item / (2 * rows);
    const auto number = static_cast<std::size_t>(item);
    for (int lane = 0; lane < to.lanes; ++lane) {
      const float* const of_row = from.matrix(groups[group * to.lanes + lane], chirality) +
                                  static_cast<std::size_t>(row) * static_cast<std::size_t>(2 * from.vectors);
      L* const out = to.numbers(number) + lane;
      float to_raw = 1.0F;
      if constexpr (std::is_same_v<L, half>) {
        float largest = 0.0F;
        for (int n = 0; n < 2 * from.vectors; ++n) largest = maximum(largest, absolute(of_row[n]));
        to.units_of(number)[lane] = largest / half_one;
        to_raw = largest > 0.0F ? half_one / largest : 0.0F;
      }
      for (int j = 0; j < from.vectors; ++j) {
        const float* const value = of_row + j / lanes_of_columns * 2 * lanes_of_columns + j % lanes_of_columns;
        store_numbers<float, false>(out + 2 * j * to.lanes, value[0], to_raw);
        store_numbers<float, false>(out + (2 * j + 1) * to.lanes, value[lanes_of_columns], to_raw);
      }
    }
  }
};

}  // namespace kaon::detail
