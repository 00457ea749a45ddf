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

/// `MesonRows` of devices. A team has one row. It copies a few sites of one parity to its memory, which lie side by
/// side in both fields, multiplies their matrices of 16 spin pairs x 9 colour pairs, and adds the products to the sums
/// of each function, which are in registers. Each warp has 4 columns of W.
///
/// The complex product S S'^dag is one of real matrices: row ac is (Re S, Im S) of each colour pair, column (bd, re) is
/// (Re S', Im S'), and column (bd, im) is (-Im S', Re S'). A thread has (re, im) of two numbers of W, in rows g, g + 8
/// and column t of its warp (`multiply_tiles`).
template <class T, int Functions>
struct MesonTiles {
  static constexpr int warps = 4, columns = spin_pairs / warps;
  static constexpr int max_team_size = 32 * warps;
  static constexpr unsigned min_teams = 5;
  static constexpr int sites_at_once = 8;
  // The numbers of a spin pair are 10 complex ones, the last of which is zero: 5 tiles of 4 real ones. The lengths of
  // spin pairs and sites spread the memory's banks.
  static constexpr int stride = color_pairs + 1, field_size = spin_pairs * stride, site_size = 2 * field_size + 1;
  static constexpr int steps = 2 * stride / 4;
  static constexpr int team_bytes = sites_at_once * site_size * static_cast<int>(sizeof(Complex<double>));
  static_assert(max_team_size == sites_at_once * spin_pairs);

  MesonOperands<T> of;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const memory = static_cast<Complex<double>*>(team_memory(team, team_bytes));
    const int row = team.league_rank(), rank = team.team_rank();
    const auto& extent = of.inner.extent;
    const int y = row % extent[1], z = row / extent[1] % extent[2], t = of.first + row / (extent[1] * extent[2]);
    const int first_index = extent[0] / 2 * (y + extent[1] * (z + extent[2] * t)), odd = (y + z + t) & 1;
    const Place place(rank);
    for (int n = rank; n < sites_at_once * 2 * spin_pairs; n += max_team_size) {
      memory[n / (2 * spin_pairs) * site_size + n % (2 * spin_pairs) * stride + color_pairs] = {0.0, 0.0};
    }
    double sums[Functions][4] = {};
    for (int x_odd = 0; x_odd < 2; ++x_odd) {
      for (int begin = 0; begin < extent[0] / 2; begin += sites_at_once) {
        const int left = extent[0] / 2 - begin, sites = left < sites_at_once ? left : sites_at_once;
        copy(memory, odd ^ x_odd, first_index + begin, sites, rank);
        team.team_barrier();
        for (int site = 0; site < sites; ++site) {
          double w[4] = {};
          multiply(w, memory + site * site_size, place);
          const double* wave = of.waves + of.first_function * extent[0] + 2 * (begin + site) + x_odd;
          KAON_UNROLL
          for (int function = 0; function < Functions; ++function) {
            const double f = wave[(function < of.used ? function : 0) * extent[0]];
            KAON_UNROLL
            for (int k = 0; k < 4; ++k) sums[function][k] += f * w[k];
          }
        }
        team.team_barrier();
      }
    }
    Complex<double>* to = of.sums_of(row) + place.g * spin_pairs + place.column;
    KAON_UNROLL
    for (int function = 0; function < Functions; ++function) {
      if (function >= of.used) continue;
      to[function * spin_pairs * spin_pairs] = {sums[function][0], sums[function][1]};
      to[(function * spin_pairs + 8) * spin_pairs] = {sums[function][2], sums[function][3]};
    }
  }

 private:
  /// Rows g, g + 8 and the column of W that a thread has.
  struct Place {
    int g, t, column;
    KOKKOS_FORCEINLINE_FUNCTION explicit Place(int rank)
        : g(rank % 32 / 4), t(rank % 4), column(rank / 32 * columns + t) {}
  };

  /// Copies `sites` sites from `index` on. A thread has one site and one spin pair.
  KOKKOS_FORCEINLINE_FUNCTION void copy(Complex<double>* memory, int parity, int index, int sites, int rank) const {
    const int site = rank % sites_at_once, spin_pair = rank / sites_at_once;
    if (site < sites) {
      Complex<double>* const to = memory + site * site_size + spin_pair * stride;
      KAON_UNROLL
      for (int field = 0; field < 2; ++field) {
        KAON_UNROLL
        for (int color_pair = 0; color_pair < color_pairs; ++color_pair) {
          const int component = spin_pair / 4 * 3 + color_pair / 3, rhs = spin_pair % 4 * 3 + color_pair % 3;
          Complex<double>* const number = to + field * field_size + color_pair;
          const RightHandSides<T>& from = field == 0 ? of.s : of.other;
          if constexpr (std::is_same_v<T, double>) {
            start_copy(number, from.place(parity, index + site, component, rhs));
          } else {
            *number = from.template load<double>(parity, index + site, 0, component, rhs);
          }
        }
      }
    }
    end_group_of_copies();
    wait_for_copies<0>();
  }

  /// w += S S'^dag of a site
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(double (&w)[4], const Complex<double>* site, const Place& place) {
    if constexpr (has_tile_products) {
      const bool is_im = place.g % 2 == 1;
      const double* a = reinterpret_cast<const double*>(site + place.g * stride) + place.t;
      const double* b =
          reinterpret_cast<const double*>(site + field_size + (place.column - place.t + place.g / 2) * stride) +
          (is_im ? place.t ^ 1 : place.t);
      const double sign = is_im && place.t % 2 == 0 ? -1.0 : 1.0;
      KAON_UNROLL
      for (int step = 0; step < steps; ++step) {
        multiply_tiles(w, {a[4 * step], a[16 * stride + 4 * step]}, sign * b[4 * step]);
      }
    } else {
      const Complex<double>* a = site + place.g * stride;
      const Complex<double>* b = site + field_size + place.column * stride;
      for (int part = 0; part < 2; ++part) {
        Complex<double> sum = {0.0, 0.0};
        for (int color = 0; color < color_pairs; ++color) {
          conj_multiply_add(sum, b[color], a[8 * part * stride + color]);
        }
        w[2 * part] = sum.re;
        w[2 * part + 1] = sum.im;
      }
    }
  }
};

/// `MesonTiles` of few functions, without memory of the team: sites are in the inner dimension of the products, so that
/// a warp reads all numbers once, in lines of 128 bytes, into the places where `multiply_tiles` expects them. S is
/// multiplied by each function before the products, which are then as many as the functions.
///
/// Sites t, t + 4 of 8 neighbours and the pair of sink spins and the source spin of g = 4 pair + source are those of
/// thread 4 g + t: rows and columns g and g + 8 of W are the two spins of the pair. A thread loads the numbers of a
/// colour of the source while it multiplies those of the one before.
template <class T, int Functions>
struct MesonLines {
  static constexpr int max_team_size = 128, warps = max_team_size / 32;
  static constexpr unsigned min_teams = 2;
  static constexpr int rows_of_warp = 4, sites_at_once = 8, groups = sites_at_once / 4;

  MesonOperands<T> of;
  int rows;

  int teams() const { return (rows + warps * rows_of_warp - 1) / (warps * rows_of_warp); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int first_row = (team.league_rank() * warps + team.team_rank() / 32) * rows_of_warp, left = rows - first_row;
    if (left <= 0) return;
    const Place place(team.team_rank());
    const int steps = steps_of_row() * (left < rows_of_warp ? left : rows_of_warp);
    Numbers numbers[2][groups];
    load(numbers, step_of(first_row, 0), 0, place);
    double sums[Functions][2][2][4] = {};
    for (int n = 0; n < steps; ++n) {
      const Step step = step_of(first_row, n), next = step_of(first_row, n + 1 < steps ? n + 1 : n);
      double f[Functions][groups];
      KAON_UNROLL
      for (int k = 0; k < Functions * groups; ++k) {
        const int function = k / groups, site = step.begin + 4 * (k % groups) + place.t;
        f[function][k % groups] =
            site < step.sites && function < of.used
                ? of.waves[(of.first_function + function) * of.inner.extent[0] + 2 * site + step.x_odd]
                : 0.0;
      }
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        Numbers used[2][groups];
        KAON_UNROLL
        for (int k = 0; k < 2 * groups; ++k) used[k / groups][k % groups] = numbers[k / groups][k % groups];
        load(numbers, color < 2 ? step : next, (color + 1) % 3, place);
        KAON_UNROLL
        for (int k = 0; k < Functions * groups; ++k) {
          multiply(sums[k / groups], used[0][k % groups], used[1][k % groups], f[k / groups][k % groups]);
        }
      }
      if (step.is_last) store(sums, step.row, place);
    }
  }

 private:
  struct Place {
    int g, t, pair, source;
    KOKKOS_FORCEINLINE_FUNCTION explicit Place(int rank) : g(rank % 32 / 4), t(rank % 4), pair(g / 4), source(g % 4) {}
  };

  /// Neighbouring sites of one parity in a row.
  struct Step {
    int row, parity, x_odd;
    int begin, sites;  ///< the first, and those of the row
    int index;         ///< of the row
    bool is_last;      ///< of the row
  };

  KOKKOS_FORCEINLINE_FUNCTION int steps_of_parity() const {
    return (of.inner.extent[0] / 2 + sites_at_once - 1) / sites_at_once;
  }
  KOKKOS_FORCEINLINE_FUNCTION int steps_of_row() const { return 2 * steps_of_parity(); }

  KOKKOS_FORCEINLINE_FUNCTION Step step_of(int first_row, int number) const {
    const auto& extent = of.inner.extent;
    const int half = extent[0] / 2, in_row = number % steps_of_row(), x_odd = in_row / steps_of_parity();
    const int row = first_row + number / steps_of_row();
    const int y = row % extent[1], z = row / extent[1] % extent[2], t = of.first + row / (extent[1] * extent[2]);
    return {.row = row,
            .parity = (x_odd + y + z + t) & 1,
            .x_odd = x_odd,
            .begin = in_row % steps_of_parity() * sites_at_once,
            .sites = half,
            .index = half * (y + extent[1] * (z + extent[2] * t)),
            .is_last = in_row == steps_of_row() - 1};
  }

  using Numbers = typename RightHandSides<T>::template Sequence<6>;  // three colours of the two spins of a pair

  KOKKOS_FORCEINLINE_FUNCTION void load(Numbers (&numbers)[2][groups], const Step& step, int color,
                                        const Place& place) const {
    KAON_UNROLL
    for (int field = 0; field < 2; ++field) {
      const RightHandSides<T>& from = field == 0 ? of.s : of.other;
      KAON_UNROLL
      for (int group = 0; group < groups; ++group) {
        const int site = step.begin + 4 * group + place.t, last = step.sites - 1;
        numbers[field][group] = from.template load_sequence<6>(step.parity, step.index + (site < last ? site : last),
                                                               6 * place.pair, 3 * place.source + color);
      }
    }
  }

  /// sums[spin of b][Re, Im][..] += f S S'^dag of four sites: Re W = (f Re S, f Im S) (Re S', Im S')^T and Im W = (f Re
  /// S, f Im S) (-Im S', Re S')^T.
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(double (&sums)[2][2][4], const Numbers& s, const Numbers& other,
                                                   double f) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      const Complex<double> a = f * s.at(color), b = f * s.at(3 + color);
      KAON_UNROLL
      for (int spin = 0; spin < 2; ++spin) {
        const Complex<double> c = other.at(3 * spin + color);
        multiply_tiles(sums[spin][0], {a.re, b.re}, c.re);
        multiply_tiles(sums[spin][0], {a.im, b.im}, c.im);
        multiply_tiles(sums[spin][1], {a.re, b.re}, -c.im);
        multiply_tiles(sums[spin][1], {a.im, b.im}, c.re);
      }
    }
  }

  /// Stores the sums of a row and clears them. A thread has rows g, g + 8 and columns 2 t, 2 t + 1, + 8 of W.
  KOKKOS_FORCEINLINE_FUNCTION void store(double (&sums)[Functions][2][2][4], int row, const Place& place) const {
    Complex<double>* const to = of.sums_of(row);
    KAON_UNROLL
    for (int k = 0; k < 8 * Functions; ++k) {
      const int function = k / 8, spin = k / 4 % 2, n = k % 4, column = 2 * place.t + n % 2;
      const int ac = (2 * place.pair + n / 2) * 4 + place.source, bd = (2 * (column / 4) + spin) * 4 + column % 4;
      double(&sum)[2][4] = sums[function][spin];
      if (function < of.used) to[(function * spin_pairs + ac) * spin_pairs + bd] = {sum[0][n], sum[1][n]};
      sum[0][n] = sum[1][n] = 0.0;
    }
  }
};

}  // namespace kaon::detail
