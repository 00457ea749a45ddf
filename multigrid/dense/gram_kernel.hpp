// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/fields/site_components.hpp"
#include "multigrid/dense/column_packs.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/spinor_field.hpp>

#include <algorithm>

namespace kaon::detail {

/// Rows of B: the components of the sites of all parities.
struct RowsOfFields {
  SiteComponents<float> fields;
  int vectors, components, sites;  ///< sites of one parity
  int rows;

  static RowsOfFields of(SpinorField<float>& b) {
    const Lattice& lattice = b.lattice();
    const int sites = static_cast<int>(lattice.local_volume() / lattice.parities());
    return {site_components(b), b.right_hand_sides(), b.components(), sites,
            sites * lattice.parities(b.subset()) * b.components()};
  }
  KOKKOS_FORCEINLINE_FUNCTION float* number(int row, int vector) const {
    const int site = row / components, parity = site / sites;
    return fields.site(parity, site - parity * sites, vector) + fields.of_component(row - site * components);
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<double> load(const float* from) const {
    return {static_cast<double>(from[0]), static_cast<double>(from[fields.re_to_im])};
  }
};

/// Number of the pair i <= j.
KOKKOS_FORCEINLINE_FUNCTION int number_of_pair(int i, int j) { return j * (j + 1) / 2 + i; }

/// <b_i, b_j> of some of the rows, i <= j, by a team.
struct GramOfRows {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;
  /// Teams whose sums are added up afterwards: their number is that of the order of the sums.
  static constexpr int most_teams = 256;

  RowsOfFields b;
  double* sums;  ///< [team][pair][re, im]
  int pairs, rows_of_team;
  int chunk;  ///< rows that lie in the team's memory at a time
  int team_bytes;

  static int rows_of_chunk(int vectors) { return std::clamp(1024 / vectors, 1, 64); }
  static int bytes(int vectors) { return rows_of_chunk(vectors) * vectors * 16; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const numbers = static_cast<double*>(team_memory(team, team_bytes));  // [row][vector][re, im]
    double* const mine = sums + static_cast<std::size_t>(team.league_rank()) * static_cast<std::size_t>(2 * pairs);
    const int begin = team.league_rank() * rows_of_team;
    const int end = begin + rows_of_team < b.rows ? begin + rows_of_team : b.rows;
    for (int first = begin; first < end; first += chunk) {
      const int count = end - first < chunk ? end - first : chunk;
      team.team_barrier();
      for (int item = team.team_rank(); item < count * b.vectors; item += team.team_size()) {
        const int j = item / count, row = item - j * count;
        put(numbers + 2 * (row * b.vectors + j), b.load(b.number(first + row, j)));
      }
      team.team_barrier();
      for (int pair = team.team_rank(); pair < pairs; pair += team.team_size()) {
        add_pair(numbers, count, pair, mine, first > begin);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void put(double* to, const Complex<double>& value) {
    *reinterpret_cast<Word<double, 1>*>(to) = {{value.re, value.im}};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(const double* numbers, int count, int pair, double* to, bool add) const {
    int j = 0;
    while (number_of_pair(0, j + 1) <= pair) ++j;
    const int i = pair - number_of_pair(0, j);
    Complex<double> sum = {0.0, 0.0};
    if (add) sum = load_number(to + 2 * pair);
    for (int row = 0; row < count; ++row) {
      const double* const of_row = numbers + 2 * row * b.vectors;
      conj_multiply_add(sum, load_number(of_row + 2 * i), load_number(of_row + 2 * j));
    }
    put(to + 2 * pair, sum);
  }
};

}  // namespace kaon::detail
