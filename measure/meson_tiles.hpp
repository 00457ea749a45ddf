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

}  // namespace kaon::detail
