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

/// `MesonRows` of devices. A team has the sites of one parity in some rows, which lie side by side in the fields, for
/// one colour of the source after the other: while it multiplies those of one colour, the next two are being copied to
/// its memory. Sites are in groups of one row. A group has four warps, each of which multiplies the 16 spin pairs of S
/// by 4 spin pairs of S'; when all colours are in the product W of a site, which is in registers like the sums, W is
/// added to the sums of each function. The sums of the groups of a row are added at its end.
///
/// The complex product S S'^dag is one of real matrices: row ac is (Re S, Im S) of each colour of the sink, column
/// (bd, re) is (Re S', Im S'), and column (bd, im) is (-Im S', Re S'). A thread has (re, im) of two numbers of W
/// (`multiply_tiles`).
///
/// 32^3 x 64 in double precision reads 4608 bytes of a site. Its shared memory is written once and read three times
/// (18 kB a site, 1.3 ms on a H200), and its products of tiles are 24.6 kflop a site (0.8 ms).
template <class T, int Functions>
struct MesonTiles {
  static constexpr int colors = 3, buffers = 3;
  static constexpr int sites_of_group = 8;
  static constexpr int warps_of_group = 4, columns = spin_pairs / warps_of_group;
  static constexpr int threads_of_group = 32 * warps_of_group;
  // Lengths in complex numbers. Neighbouring sites start in neighbouring banks of the memory.
  static constexpr int field_size = spin_pairs * colors, site_size = 2 * field_size + 1;
  static constexpr int bytes_of(int groups) {
    return buffers * groups * sites_of_group * site_size * static_cast<int>(sizeof(Complex<T>)) +
           (groups - 1) * threads_of_group * Functions * 4 * static_cast<int>(sizeof(double));
  }
  // With four groups a row of 32 sites fills 512 bytes of each number of the fields, and two such rows lie side by
  // side.
  static constexpr int groups = bytes_of(4) <= largest_team_bytes ? 4 : 1;
  static constexpr int sites = groups * sites_of_group, buffer_size = sites * site_size;
  static constexpr int max_team_size = groups * threads_of_group;
  static constexpr unsigned min_teams = groups == 1 ? 4 : 1;
  static constexpr int team_bytes = bytes_of(groups);
  static constexpr int sets_of_team = 4;

  MesonOperands<T> of;

  /// The number of teams that have all rows.
  int teams() const {
    const Shape shape(of);
    const int sets = (shape.rows + shape.rows_of_set - 1) / shape.rows_of_set;
    return (sets + sets_of_team - 1) / sets_of_team;
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const memory = static_cast<Complex<T>*>(team_memory(team, team_bytes));
    auto* const others = reinterpret_cast<double*>(memory + buffers * buffer_size);
    const Shape shape(of);
    const Place place(team.team_rank());
    const int first_set = team.league_rank() * sets_of_team;
    const int sets_left = (shape.rows - first_set * shape.rows_of_set + shape.rows_of_set - 1) / shape.rows_of_set;
    const int steps = (sets_left < sets_of_team ? sets_left : sets_of_team) * shape.steps_of_set();
    for (int step = 0; step < buffers - 1; ++step) {
      if (step < steps) copy(memory + step * buffer_size, shape, first_set, step, team.team_rank());
      end_group_of_copies();
    }
    double sums[Functions][4] = {}, w[sites_of_group][4];
    for (int step = 0; step < steps; ++step) {
      const Step now(step, shape);
      wait_for_copies<buffers - 2>();
      team.team_barrier();  // copies of all threads are here, and the step before has been read
      const int ahead = step + buffers - 1;
      if (ahead < steps) copy(memory + ahead % buffers * buffer_size, shape, first_set, ahead, team.team_rank());
      end_group_of_copies();
      if (now.color == 0) {
        KAON_UNROLL
        for (int n = 0; n < 4 * sites_of_group; ++n) w[n / 4][n % 4] = 0.0;
      }
      multiply(w, memory + (step % buffers * sites + place.group * sites_of_group) * site_size, place);
      if (now.color != colors - 1) continue;
      const Row row(of, shape, first_set + now.set, place.group);
      add(sums, w, row, now, shape);
      if (!now.ends_set(shape)) continue;
      add_groups(team, sums, others, shape, place);
      if (row.exists && row.group == 0) store(sums, row, place);
      KAON_UNROLL
      for (int n = 0; n < 4 * Functions; ++n) sums[n / 4][n % 4] = 0.0;
    }
  }

 private:
  /// How rows are divided among the groups of a team.
  struct Shape {
    int half;           // sites of a parity in a row
    int groups_of_row;  // 1 to `groups`
    int passes;         // of a row, if its sites are more than those of all groups
    int rows_of_set;    // rows that a team has at a time
    int rows;
    KOKKOS_FORCEINLINE_FUNCTION explicit Shape(const MesonOperands<T>& of)
        : half(of.inner.extent[0] / 2), rows(of.inner.extent[1] * of.inner.extent[2] * of.count) {
      const int wanted = (half + sites_of_group - 1) / sites_of_group;
      groups_of_row = wanted < groups ? wanted : groups;
      passes = (wanted + groups_of_row - 1) / groups_of_row;
      rows_of_set = groups / groups_of_row;
    }
    KOKKOS_FORCEINLINE_FUNCTION int steps_of_set() const { return passes * 2 * colors; }
  };

  /// A colour of the source on one parity, in one pass of a set of rows.
  struct Step {
    int set, pass, parity, color;
    KOKKOS_FORCEINLINE_FUNCTION Step(int number, const Shape& shape)
        : set(number / shape.steps_of_set()),
          pass(number / (2 * colors) % shape.passes),
          parity(number / colors % 2),
          color(number % colors) {}
    KOKKOS_FORCEINLINE_FUNCTION bool ends_set(const Shape& shape) const {
      return color == colors - 1 && parity == 1 && pass == shape.passes - 1;
    }
  };

  /// The row of a group.
  struct Row {
    int number, group;  // group: of those of the row
    bool exists;
    int odd;    // parity of the site x = 0
    int index;  // of the first site of each parity
    KOKKOS_FORCEINLINE_FUNCTION Row(const MesonOperands<T>& of, const Shape& shape, int set, int group_of_team)
        : number(set * shape.rows_of_set + group_of_team / shape.groups_of_row),
          group(group_of_team % shape.groups_of_row),
          exists(group_of_team < shape.rows_of_set * shape.groups_of_row && number < shape.rows) {
      const auto& extent = of.inner.extent;
      const int y = number % extent[1], z = number / extent[1] % extent[2];
      odd = (y + z + of.first + number / (extent[1] * extent[2])) & 1;
      index = shape.half * (of.first * extent[1] * extent[2] + number);
    }
    /// The first site of the group in a pass, of those of a parity.
    KOKKOS_FORCEINLINE_FUNCTION int begin(const Shape& shape, int pass) const {
      return (pass * shape.groups_of_row + group) * sites_of_group;
    }
  };

  /// The numbers of W of a thread: column `column` of rows `row` and `row` + 8.
  struct Place {
    int group, rank;  // rank: in the group
    int g, t;         // of the warp: `multiply_tiles`
    int row, column, column_of_b;
    KOKKOS_FORCEINLINE_FUNCTION explicit Place(int team_rank)
        : group(team_rank / threads_of_group), rank(team_rank % threads_of_group), g(rank % 32 / 4), t(rank % 4) {
      row = g % 4 * 2 + g / 4;  // the rows of half a warp are in different banks
      column = rank / 32 * columns + t;
      column_of_b = rank / 32 * columns + g / 2;
    }
  };

  /// Starts copies of the sites of a step. The threads of a warp have neighbouring sites.
  KOKKOS_FORCEINLINE_FUNCTION void copy(Complex<T>* memory, const Shape& shape, int first_set, int number,
                                        int rank) const {
    constexpr int threads_of_site = max_team_size / sites, numbers = field_size / threads_of_site;
    static_assert(threads_of_site * numbers == field_size);
    const Step step(number, shape);
    const int site = rank % sites;
    const Row row(of, shape, first_set + step.set, site / sites_of_group);
    const int position = row.begin(shape, step.pass) + site % sites_of_group;
    if (!row.exists || position >= shape.half) return;
    Complex<T>* const to = memory + site * site_size;
    KAON_UNROLL
    for (int n = 0; n < numbers; ++n) {
      const int m = rank / sites + n * threads_of_site, component = m % 12, source_spin = m / 12;
      const int target = (component / 3 * 4 + source_spin) * colors + component % 3;
      const int rhs = 3 * source_spin + step.color;
      start_copy(to + target, of.s.place(step.parity, row.index + position, component, rhs));
      start_copy(to + field_size + target, of.other.place(step.parity, row.index + position, component, rhs));
    }
  }

  /// w += S S'^dag of one colour of the source on the sites of a group
  KOKKOS_FORCEINLINE_FUNCTION static void multiply(double (&w)[sites_of_group][4], const Complex<T>* memory,
                                                   const Place& place) {
    if constexpr (has_tile_products) {
      const bool is_im = place.g % 2 == 1, has_third = place.t < 2;
      const T* a = reinterpret_cast<const T*>(memory + place.row * colors) + place.t;
      const T* b = reinterpret_cast<const T*>(memory + field_size + place.column_of_b * colors) +
                   (is_im ? place.t ^ 1 : place.t);
      const double sign = is_im && place.t % 2 == 0 ? -1.0 : 1.0;
      constexpr int of_site = 2 * site_size, of_rows = 8 * 2 * colors;
      KAON_UNROLL
      for (int site = 0; site < sites_of_group; ++site) {
        multiply_tiles(w[site], {double(a[site * of_site]), double(a[site * of_site + of_rows])},
                       sign * double(b[site * of_site]));
      }
      // The third colour fills half a tile.
      KAON_UNROLL
      for (int site = 0; site < sites_of_group; ++site) {
        double third[3] = {0.0, 0.0, 0.0};
        if (has_third) {
          third[0] = double(a[site * of_site + 4]);
          third[1] = double(a[site * of_site + of_rows + 4]);
          third[2] = sign * double(b[site * of_site + 4]);
        }
        multiply_tiles(w[site], {third[0], third[1]}, third[2]);
      }
    } else {
      for (int site = 0; site < sites_of_group; ++site) {
        const Complex<T>* a = memory + site * site_size + place.row * colors;
        const Complex<T>* b = memory + site * site_size + field_size + place.column * colors;
        for (int part = 0; part < 2; ++part) {
          Complex<double> sum = {w[site][2 * part], w[site][2 * part + 1]};
          for (int color = 0; color < colors; ++color) {
            const Complex<T>&left = a[8 * part * colors + color], right = b[color];
            conj_multiply_add(sum, Complex<double>{right.re, right.im}, Complex<double>{left.re, left.im});
          }
          w[site][2 * part] = sum.re;
          w[site][2 * part + 1] = sum.im;
        }
      }
    }
  }

  /// Adds W of the sites of a group to the sums of the functions.
  KOKKOS_FORCEINLINE_FUNCTION void add(double (&sums)[Functions][4], const double (&w)[sites_of_group][4],
                                       const Row& row, const Step& step, const Shape& shape) const {
    const int begin = row.begin(shape, step.pass), left = row.exists ? shape.half - begin : 0;
    const double* waves = of.waves + of.first_function * of.inner.extent[0] + 2 * begin + (step.parity ^ row.odd);
    KAON_UNROLL
    for (int site = 0; site < sites_of_group; ++site) {
      if (site >= left) continue;
      KAON_UNROLL
      for (int function = 0; function < Functions; ++function) {
        const double f = waves[(function < of.used ? function : 0) * of.inner.extent[0] + 2 * site];
        KAON_UNROLL
        for (int k = 0; k < 4; ++k) sums[function][k] += f * w[site][k];
      }
    }
  }

  /// Adds the sums of the other groups of a row to those of its first group.
  KOKKOS_FORCEINLINE_FUNCTION void add_groups(const Team& team, double (&sums)[Functions][4], double* others,
                                              const Shape& shape, const Place& place) const {
    if (shape.groups_of_row == 1) return;
    const int group = place.group % shape.groups_of_row, row = place.group / shape.groups_of_row;
    const int first = row * (shape.groups_of_row - 1);  // of the other groups of the row
    const auto of_thread = [&](int other, int n) {
      return (other * Functions * 4 + n) * threads_of_group + place.rank;
    };
    if (row < shape.rows_of_set && group > 0) {
      KAON_UNROLL
      for (int n = 0; n < Functions * 4; ++n) others[of_thread(first + group - 1, n)] = sums[n / 4][n % 4];
    }
    team.team_barrier();
    if (row >= shape.rows_of_set || group > 0) return;
    for (int other = first; other < first + shape.groups_of_row - 1; ++other) {
      KAON_UNROLL
      for (int n = 0; n < Functions * 4; ++n) sums[n / 4][n % 4] += others[of_thread(other, n)];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(const double (&sums)[Functions][4], const Row& row, const Place& place) const {
    Complex<double>* to = of.sums_of(row.number) + place.row * spin_pairs + place.column;
    KAON_UNROLL
    for (int function = 0; function < Functions; ++function) {
      if (function >= of.used) continue;
      to[function * spin_pairs * spin_pairs] = {sums[function][0], sums[function][1]};
      to[(function * spin_pairs + 8) * spin_pairs] = {sums[function][2], sums[function][3]};
    }
  }
};

}  // namespace kaon::detail
