// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/double_tiles.hpp"
#include "core/device/team.hpp"
#include "core/fields/right_hand_sides.hpp"
#include "core/lattice/geometry.hpp"

namespace kaon::detail {

inline constexpr int spin_pairs = 16, color_pairs = 9;  // of sink and source
inline constexpr int numbers_of_w = spin_pairs * spin_pairs;

/// The sums of W over rows in x with some functions of x, for slices of the virtual nodes.
template <class T>
struct MesonOperands {
  RightHandSides<T> s, other;  // S, S'
  SubLattice inner;            // a virtual node
  int grid[4];                 // virtual nodes
  int lanes;                   // their number
  int first, count;            // slices of a virtual node
  const double* waves;         // [function][x of a virtual node][lane]
  int functions, first_function, used;
  Complex<double>* rows;  // [slice][z][y][part][function][ac][bd]

  /// The sums of a row with the used functions.
  KOKKOS_FORCEINLINE_FUNCTION Complex<double>* sums_of(int row) const {
    return rows + (static_cast<std::size_t>(row) * static_cast<std::size_t>(functions) +
                   static_cast<std::size_t>(first_function)) *
                      numbers_of_w;
  }
};

/// `MesonRows` of devices. A team of four warps has some rows. It copies their sites to its memory, some at a time and
/// a step ahead of the products. A warp multiplies the matrices of 16 spin pairs x 9 colour pairs of every other site
/// for 8 columns of W, and adds the products to the sums of each function, which are in registers.
///
/// Copies of neighbouring sites lie side by side: a device reads 32 bytes from its cache for each copy that does not.
///
/// Re W = (Re S, Im S) (Re S', Im S')^T and Im W = (Re S, Im S) (-Im S', Re S')^T are products of real matrices. A
/// thread has rows g, g + 8 and columns 2 t, 2 t + 1 of both (`multiply_tiles`).
template <class T, int Functions>
struct MesonTiles {
  static constexpr int column_parts = 2, site_parts = 2, columns = spin_pairs / column_parts;
  static constexpr int max_team_size = 32 * column_parts * site_parts;
  static constexpr unsigned min_teams = 2;
  static constexpr int rows_of_team = 4, sites_at_once = 8, stages = has_tile_products ? 2 : 1;
  // Places of a number are [field][spin pair][colour pair][site], with distances that spread the banks of the memory.
  static constexpr int color_size = sites_at_once + 1, pair_size = color_pairs * color_size + 3;
  static constexpr int field_size = spin_pairs * pair_size, stage_size = 2 * field_size;
  static constexpr int team_bytes = stages * stage_size * static_cast<int>(sizeof(Complex<T>));
  static constexpr int numbers_of_thread = 8 * Functions;
  static_assert(max_team_size == sites_at_once * spin_pairs);
  static_assert(numbers_of_thread * max_team_size / site_parts * sizeof(double) <= stage_size * sizeof(Complex<T>));

  MesonOperands<T> of;
  int rows;

  int teams() const { return (rows + rows_of_team - 1) / rows_of_team; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const memory = static_cast<Complex<T>*>(team_memory(team, team_bytes));
    const Place place(team.team_rank());
    const int first_row = team.league_rank() * rows_of_team, left = rows - first_row;
    const int steps = steps_of_row() * (left < rows_of_team ? left : rows_of_team);
    if constexpr (stages > 1) start(memory, step_of(first_row, 0), team.team_rank());
    double sums[Functions][2][4] = {};
    for (int n = 0; n < steps; ++n) {
      const Step step = step_of(first_row, n);
      if constexpr (stages == 1) start(memory, step, team.team_rank());
      wait_for_copies<0>();
      team.team_barrier();  // all have copied this step, and read the one whose memory is written next
      if (stages > 1 && n + 1 < steps) start(memory, step_of(first_row, n + 1), team.team_rank());
      Complex<T>* const stage = memory + step.stage * stage_size;
      const double* const waves = of.waves + of.first_function * of.inner.extent[0] + 2 * step.begin + step.x_odd;
      for (int site = place.site_part; site < step.sites; site += site_parts) {
        double w[2][4] = {};
        multiply(w, stage + site, place);
        KAON_UNROLL
        for (int function = 0; function < Functions; ++function) {
          const double f = waves[(function < of.used ? function : 0) * of.inner.extent[0] + 2 * site];
          KAON_UNROLL
          for (int k = 0; k < 8; ++k) sums[function][k / 4][k % 4] += f * w[k / 4][k % 4];
        }
      }
      if (step.is_last) {
        join(team, sums, reinterpret_cast<double*>(stage), place);
        if (place.site_part == 0) store(sums, step.row, place);
        KAON_UNROLL
        for (int k = 0; k < numbers_of_thread; ++k) sums[k / 8][k / 4 % 2][k % 4] = 0.0;
      }
      if (stages == 1 || step.is_last) team.team_barrier();
    }
  }

 private:
  /// The numbers of W that a thread has, and its sites.
  struct Place {
    int g, t, column, site_part, number;
    KOKKOS_FORCEINLINE_FUNCTION explicit Place(int rank)
        : g(rank % 32 / 4),
          t(rank % 4),
          column(rank / 32 % column_parts * columns),
          site_part(rank / (32 * column_parts)),
          number(rank % (32 * column_parts)) {}
  };

  /// Neighbouring sites of one parity in a row.
  struct Step {
    int row, stage;
    int parity, index;  ///< of the first
    int x_odd, begin, sites;
    bool is_last;  ///< of the row
  };

  KOKKOS_FORCEINLINE_FUNCTION int steps_of_parity() const {
    return (of.inner.extent[0] / 2 + sites_at_once - 1) / sites_at_once;
  }
  KOKKOS_FORCEINLINE_FUNCTION int steps_of_row() const { return 2 * steps_of_parity(); }

  KOKKOS_FORCEINLINE_FUNCTION Step step_of(int first_row, int number) const {
    const auto& extent = of.inner.extent;
    const int half = extent[0] / 2, in_row = number % steps_of_row(), x_odd = in_row / steps_of_parity();
    const int begin = in_row % steps_of_parity() * sites_at_once, left = half - begin;
    const int row = first_row + number / steps_of_row();
    const int y = row % extent[1], z = row / extent[1] % extent[2], t = of.first + row / (extent[1] * extent[2]);
    return {.row = row,
            .stage = number % stages,
            .parity = (x_odd + y + z + t) & 1,
            .index = half * (y + extent[1] * (z + extent[2] * t)) + begin,
            .x_odd = x_odd,
            .begin = begin,
            .sites = left < sites_at_once ? left : sites_at_once,
            .is_last = in_row == steps_of_row() - 1};
  }

  /// Starts the copies of a step. A thread has one site and one spin pair.
  KOKKOS_FORCEINLINE_FUNCTION void start(Complex<T>* memory, const Step& step, int rank) const {
    const int site = rank % sites_at_once, spin_pair = rank / sites_at_once;
    if (site < step.sites) {
      Complex<T>* const to = memory + step.stage * stage_size + spin_pair * pair_size + site;
      KAON_UNROLL
      for (int field = 0; field < 2; ++field) {
        const RightHandSides<T>& from = field == 0 ? of.s : of.other;
        KAON_UNROLL
        for (int color_pair = 0; color_pair < color_pairs; ++color_pair) {
          const int component = spin_pair / 4 * 3 + color_pair / 3, rhs = spin_pair % 4 * 3 + color_pair % 3;
          start_copy(to + field * field_size + color_pair * color_size,
                     from.place(step.parity, step.index + site, component, rhs));
        }
      }
    }
    end_group_of_copies();
  }

  /// (Re w, Im w) += S S'^dag of a site
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(double (&w)[2][4], const Complex<T>* site, const Place& place) {
    const Complex<T>* const s = site + place.g * pair_size;
    const Complex<T>* const other =
        site + field_size + (place.column + (has_tile_products ? place.g : 2 * place.t)) * pair_size;
    if constexpr (has_tile_products) {
      KAON_UNROLL
      for (int color = 0; color < color_pairs - 1; color += 4) {
        const int of_color = (color + place.t) * color_size;
        const Complex<double> a = number(s[of_color]), b = number(s[of_color + 8 * pair_size]),
                              c = number(other[of_color]);
        multiply_tiles(w[0], {a.re, b.re}, c.re);
        multiply_tiles(w[1], {a.re, b.re}, -c.im);
        multiply_tiles(w[0], {a.im, b.im}, c.im);
        multiply_tiles(w[1], {a.im, b.im}, c.re);
      }
      // Re and Im of the last colour pair are the first two columns of one tile.
      constexpr int last = (color_pairs - 1) * color_size;
      const Complex<double> a = number(s[last]), b = number(s[last + 8 * pair_size]), c = number(other[last]);
      const auto of_tile = [&](double re, double im) { return place.t == 0 ? re : place.t == 1 ? im : 0.0; };
      const double rows[2] = {of_tile(a.re, a.im), of_tile(b.re, b.im)};
      multiply_tiles(w[0], rows, of_tile(c.re, c.im));
      multiply_tiles(w[1], rows, of_tile(-c.im, c.re));
    } else {
      for (int k = 0; k < 4; ++k) {
        Complex<double> sum = {0.0, 0.0};
        for (int color = 0; color < color_pairs; ++color) {
          conj_multiply_add(sum, number(other[k % 2 * pair_size + color * color_size]),
                            number(s[k / 2 * 8 * pair_size + color * color_size]));
        }
        w[0][k] += sum.re;
        w[1][k] += sum.im;
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Complex<double> number(const Complex<T>& stored) {
    return {static_cast<double>(stored.re), static_cast<double>(stored.im)};
  }

  /// Adds the sums of the other sites to those of the first site part, by memory that no thread reads any more.
  KOKKOS_FORCEINLINE_FUNCTION void join(const Team& team, double (&sums)[Functions][2][4], double* memory,
                                        const Place& place) const {
    constexpr int threads = max_team_size / site_parts;
    team.team_barrier();
    if (place.site_part == 1) {
      KAON_UNROLL
      for (int k = 0; k < numbers_of_thread; ++k) memory[k * threads + place.number] = sums[k / 8][k / 4 % 2][k % 4];
    }
    team.team_barrier();
    if (place.site_part == 0) {
      KAON_UNROLL
      for (int k = 0; k < numbers_of_thread; ++k) sums[k / 8][k / 4 % 2][k % 4] += memory[k * threads + place.number];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const double (&sums)[Functions][2][4], int row, const Place& place) const {
    Complex<double>* const to = of.sums_of(row) + place.g * spin_pairs + place.column + 2 * place.t;
    KAON_UNROLL
    for (int function = 0; function < Functions; ++function) {
      if (function >= of.used) continue;
      KAON_UNROLL
      for (int k = 0; k < 4; ++k) {
        to[(function * spin_pairs + k / 2 * 8) * spin_pairs + k % 2] = {sums[function][0][k], sums[function][1][k]};
      }
    }
  }
};

}  // namespace kaon::detail
