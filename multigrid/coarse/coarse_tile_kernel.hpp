// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "multigrid/coarse/coarse_team_sum.hpp"
#include "multigrid/dense/column_packs.hpp"

namespace kaon::detail {

/// `CoarseSum` of 16-bit matrices, n a multiple of 16, in products of 16 x 8 and 8 x 8 real numbers (`multiply_tiles`).
/// `taken` right-hand sides share each load of the matrices.
///
/// A team computes one site. Warp (part, strip) sums a part of the columns in 16 rows; then the partial sums are added
/// in a fixed order. The inputs' real and imaginary parts are 2 `taken` columns B, and (i B) the same of i times
/// the inputs: Re L B + Im L (i B). Products use 11 bits of each factor. A number of a matrix is high + low with 11
/// and 5 bits, an input likewise up to 2^-22 of it, and three of the four products are added: results are those of
/// floats up to rounding.
template <class Inputs, int tiles>
struct CoarseTileKernel : CoarseTeamSum<CoarseSum<half, Inputs>> {
  using Base = CoarseTeamSum<CoarseSum<half, Inputs>>;
  using Base::sum, Base::by_components, Base::by_terms;
  using typename Base::Number;

  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 4;
  static constexpr int strip_rows = 16, tile_columns = 8;
  static constexpr int taken = tiles * tile_columns / 2;

  int parts;
  int team_bytes;
  Divisor by_groups;  // of right-hand sides

  static int threads(int components, int parts) { return 32 * (components / strip_rows) * parts; }
  static int bytes(int components, int terms, int parts) {
    return (terms > parts ? terms : parts) * components * taken * static_cast<int>(sizeof(Number));
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    sum.halo.pack(team);
    int group;
    const int site = by_groups.divide(team.league_rank(), group), first_rhs = group * taken;
    auto* const memory = static_cast<Number*>(team_memory(team, team_bytes));
    const Place place(team.team_rank(), sum.components / strip_rows);
    const int terms = by_terms.divisor();
    float total[tiles][4] = {};
    for (int term = 0; term < sum.terms; term += terms) {
      if (term > 0) team.team_barrier();
      this->template bring_inputs<taken, 4>(team, memory, site, 1, first_rhs, term);
      team.team_barrier();
      add_columns(total, reinterpret_cast<const float*>(memory), site, term, place);
    }
    team.team_barrier();
    add_parts(team, memory, total, place, site, first_rhs);
  }

 private:
  /// Position of a thread: its part of the columns, its rows `row` and `row` + 1, and (g, t) of `multiply_tiles`.
  struct Place {
    int part, row, g, t;
    KOKKOS_FORCEINLINE_FUNCTION Place(int rank, int strips) {
      const int warp = rank / 32, lane = rank % 32;
      part = warp / strips;
      g = lane / 4;
      t = lane % 4;
      row = warp % strips * strip_rows + 2 * g;
    }
  };
  /// The high and low parts of factors.
  template <int count>
  struct Factors {
    float high[count], low[count];
    KOKKOS_FORCEINLINE_FUNCTION void set(int k, float number) {
      high[k] = first_bits(number);
      low[k] = number - high[k];
    }
  };
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(float (&c)[4], const Factors<4>& a, const Factors<2>& b) {
    multiply_tiles(c, a.high, b.high);
    multiply_tiles(c, a.low, b.high);
    multiply_tiles(c, a.high, b.low);
  }

  /// Columns of the terms from `term` on. inputs: [column][right-hand side][re, im]
  KOKKOS_FORCEINLINE_FUNCTION void add_columns(float (&total)[tiles][4], const float* inputs, int site, int term,
                                               const Place& place) const {
    const int n = sum.components, columns = by_terms.divisor() * n / parts, first = place.part * columns + place.t;
    const std::size_t column = 2 * static_cast<std::size_t>(n);
    const half* link = sum.matrix(site) + static_cast<std::size_t>(term * n + first) * column + 2 * place.row;
    const float* input = inputs + static_cast<std::size_t>(first) * (tiles * tile_columns);
    Complex<float> next[2][2];  // columns t and t + 4, two rows
    const auto load = [&] {
      load_word_of_numbers<Reuse::none>(next[0], link);
      load_word_of_numbers<Reuse::none>(next[1], link + 4 * column);
      link += tile_columns * column;
    };
    load();
    for (int done = 0; done < columns; done += tile_columns) {
      Factors<4> re, im;
      KAON_UNROLL
      for (int k = 0; k < 4; ++k) {
        re.set(k, next[k / 2][k % 2].re);
        im.set(k, next[k / 2][k % 2].im);
      }
      if (done + tile_columns < columns) load();
      KAON_UNROLL
      for (int tile = 0; tile < tiles; ++tile) {
        Factors<2> b, turned;
        KAON_UNROLL
        for (int k = 0; k < 2; ++k) {
          const float* row = input + (4 * k * tiles + tile) * tile_columns;
          b.set(k, row[place.g]);
          turned.set(k, place.g % 2 == 0 ? -row[place.g + 1] : row[place.g - 1]);
        }
        multiply(total[tile], re, b);
        multiply(total[tile], im, turned);
      }
      input += tile_columns * tiles * tile_columns;
    }
  }

  /// sums: [part][row][right-hand side]
  KOKKOS_FORCEINLINE_FUNCTION void add_parts(const Team& team, Number* sums, const float (&total)[tiles][4],
                                             const Place& place, int site, int first_rhs) const {
    const int n = sum.components;
    KAON_UNROLL
    for (int tile = 0; tile < tiles; ++tile) {
      Number* const to = sums + (place.part * n + place.row) * taken + 4 * tile + place.t;
      to[0] = {total[tile][0], total[tile][1]};
      to[taken] = {total[tile][2], total[tile][3]};
    }
    team.team_barrier();
    for (int item = team.team_rank(); item < n * taken; item += team.team_size()) {
      int row;
      const int k = by_components.divide(item, row);
      if (first_rhs + k >= sum.right_hand_sides) continue;
      Number of_row{0.0F, 0.0F};
      for (int part = 0; part < parts; ++part) of_row += sums[(part * n + row) * taken + k];
      this->store(of_row, site, row, first_rhs + k);
    }
  }
};

}  // namespace kaon::detail
