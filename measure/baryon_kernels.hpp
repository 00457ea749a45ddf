// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "baryon_terms.hpp"
#include "core/device/double_tiles.hpp"
#include "core/device/team.hpp"
#include "core/fields/right_hand_sides.hpp"
#include "momentum_sums.hpp"

namespace kaon::detail {

inline constexpr int most_quarks = 3;

/// The colours of a pair of spins of a propagator.
template <class V, class T>
KOKKOS_FORCEINLINE_FUNCTION Colors<V> load_colors(const RightHandSides<T>& s, const LaneSite& x, int sink, int source) {
  Colors<V> colors;
  for (int c = 0; c < 9; ++c) {
    colors.e[c / 3][c % 3] = s.template load<V>(x.parity, x.index, x.lane, 3 * sink + c / 3, 3 * source + c % 3);
  }
  return colors;
}

/// An entry of a matrix of spins that is not zero.
struct Entry {
  int row, column;
  Complex<double> value;
};

/// A diquark: its matrix, and the entries that are not zero.
struct Diquark {
  int count = 0;
  Entry entries[16];
  Complex<double> matrix[4][4];

  static Diquark of(const SpinMatrix& given) {
    Diquark diquark;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        const Complex<double> value{given[i][j].real(), given[i][j].imag()};
        diquark.matrix[i][j] = value;
        if (given[i][j] == 0.0) continue;
        diquark.entries[diquark.count++] = {static_cast<int>(i), static_cast<int>(j), value};
      }
    }
    return diquark;
  }
};

/// B_{s r}(x) of the spins s of the sink and r of the source, summed over contractions. The signs of fermions and those
/// of the colours' permutation cancel, so that with `cross` every contraction counts positive. The quarks of the sink's
/// diquark have source spins a, b. All contractions of the same two quarks share the matrices of colours
///
///   D_ab = sum_ij G_ij cross(Q1_{i a}, Q2_{j b}),   64 products for the 16 pairs of spins.
///
/// `load(quark, sink, source)` returns the colours of a pair of spins. A nucleon takes 64 products of 342 flops and 80
/// products of a D with the third quark of 72 flops: 28 kflop a site, with the weights of G.
struct BaryonSum {
  Kokkos::View<Contraction*, Memory> contractions;
  Diquark sink, source;

  KOKKOS_FORCEINLINE_FUNCTION int count() const { return static_cast<int>(contractions.extent(0)); }
  KOKKOS_FORCEINLINE_FUNCTION const Contraction& at(int n) const { return contractions(static_cast<std::size_t>(n)); }
  /// Whether contraction n has the D of the one before.
  KOKKOS_FORCEINLINE_FUNCTION bool has_same_diquark(int n) const {
    return n > 0 && at(n - 1).quark[0] == at(n).quark[0] && at(n - 1).quark[1] == at(n).quark[1];
  }

  /// D_ab
  template <class V, class Load>
  KOKKOS_FORCEINLINE_FUNCTION Colors<V> diquark(const Contraction& c, int a, int b, const Load& load) const {
    Colors<V> sum;
    clear(sum);
    for (int n = 0; n < sink.count; ++n) {
      const Entry& entry = sink.entries[n];
      const Complex<V> weight{V(entry.value.re), V(entry.value.im)};
      Colors<V> first = load(c.quark[0], entry.row, a);
      KAON_UNROLL
      for (int k = 0; k < 9; ++k) first.e[k / 3][k % 3] = weight * first.e[k / 3][k % 3];
      add_cross(sum, first, load(c.quark[1], entry.column, b));
    }
    return sum;
  }

  /// The third quark of the sink is joined to that of the source: all else is the matrix of colours sum_ab G'_ab D_ab,
  /// of which this is one entry. `load(pair)` returns that entry of D of the pair 4 a + b.
  template <class V, class Load>
  KOKKOS_FORCEINLINE_FUNCTION Complex<V> joined(const Contraction& c, const Load& load) const {
    Complex<V> sum{V(0.0), V(0.0)};
    for (int n = 0; n < source.count; ++n) {
      const Entry& entry = source.entries[n];
      const Complex<V> weight{V(c.factor * entry.value.re), V(c.factor * entry.value.im)};
      multiply_add(sum, weight, load(c.place[0] == 0 ? 4 * entry.row + entry.column : 4 * entry.column + entry.row));
    }
    return sum;
  }

  /// A quark of the sink's diquark is joined to the third quark of the source, and its spin is the open one. This is
  /// the contribution of D_ab to the spins s of the sink.
  template <class V, class Load>
  KOKKOS_FORCEINLINE_FUNCTION void exchange(Complex<V> (&spins)[4], const Contraction& c, const Colors<V>& d, int a,
                                            int b, const Load& load) const {
    KAON_UNROLL
    for (int s = 0; s < 4; ++s) spins[s] = {V(0.0), V(0.0)};
    const bool first_is_open = c.place[0] == 2;
    const int known = first_is_open ? b : a, place = c.place[first_is_open ? 1 : 0];
    // Entries of gamma matrices have the same `distance` in all rows, so that the threads of a warp skip the same
    // zeros.
    for (int distance = 0; distance < 4; ++distance) {
      const int other = known ^ distance;
      const Complex<double> value = place == 0 ? source.matrix[known][other] : source.matrix[other][known];
      if (value.re == 0.0 && value.im == 0.0) continue;
      const Complex<V> weight{V(c.factor * value.re), V(c.factor * value.im)};
      KAON_UNROLL
      for (int s = 0; s < 4; ++s) multiply_add(spins[s], weight, dot(d, load(c.quark[2], s, other)));
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static bool is_exchange(const Contraction& c) { return c.place[2] != 2; }
  /// The open spin of an exchange.
  KOKKOS_FORCEINLINE_FUNCTION static int open_spin(const Contraction& c, int a, int b) {
    return c.place[0] == 2 ? a : b;
  }
};

/// `BaryonSum` of hosts: for `sum_sites`.
template <class T, class V>
struct BaryonKernel {
  RightHandSides<T> quarks[most_quarks];
  BaryonSum sum;

  KOKKOS_FUNCTION void operator()(const LaneSite& x, const SiteValues<V>& values) const {
    const auto load = [&](int quark, int sink, int source) { return load_colors<V>(quarks[quark], x, sink, source); };
    Complex<V> b[4][4];
    for (int n = 0; n < 16; ++n) b[n / 4][n % 4] = {V(0.0), V(0.0)};
    Colors<V> diquarks[16];
    for (int n = 0; n < sum.count(); ++n) {
      const Contraction& c = sum.at(n);
      if (!sum.has_same_diquark(n)) {
        for (int pair = 0; pair < 16; ++pair) diquarks[pair] = sum.template diquark<V>(c, pair / 4, pair % 4, load);
      }
      if (sum.is_exchange(c)) {
        for (int pair = 0; pair < 16; ++pair) {
          Complex<V> spins[4];
          sum.exchange(spins, c, diquarks[pair], pair / 4, pair % 4, load);
          for (int s = 0; s < 4; ++s) b[s][sum.open_spin(c, pair / 4, pair % 4)] += spins[s];
        }
      } else {
        Colors<V> joined;
        for (int m = 0; m < 9; ++m) {
          joined.e[m / 3][m % 3] = sum.template joined<V>(c, [&](int pair) { return diquarks[pair].e[m / 3][m % 3]; });
        }
        for (int k = 0; k < 16; ++k) b[k / 4][k % 4] += dot(joined, load(c.quark[2], k / 4, k % 4));
      }
    }
    for (int n = 0; n < 16; ++n) values.store(n, b[n / 4][n % 4]);
  }
};

/// `BaryonSum` of devices, on some time slices: values[slice][z][y][x][4 s + r]. A team copies the propagators of some
/// neighbouring sites of one parity to its memory. A thread has one site and one pair of source spins of the diquark,
/// later one pair of spins of the result; the threads of a site exchange D and the contributions to B.
///
/// A nucleon in double precision reads 4608 bytes of a site from memory, and 33 kB from the memory of the team.
template <class T>
struct BaryonTeams {
  static constexpr int pairs = 16, numbers = 144;    // of a propagator on a site
  static constexpr int exchanged = 9 * (pairs + 1);  // complex numbers of a site, D and its sum; odd, for the banks
  static constexpr int most_sites = 16, max_team_size = most_sites * pairs;
  static constexpr unsigned min_teams = 2;

  RightHandSides<T> quarks[most_quarks];
  int fields;  // propagators that differ
  BaryonSum sum;
  SubLattice inner;
  int first, count;  // slices
  Complex<double>* values;
  int sites;  // of a team
  int team_bytes;

  static int bytes(int fields, int sites) {
    return sites * (exchanged * static_cast<int>(sizeof(Complex<double>)) +
                    fields * numbers * static_cast<int>(sizeof(Complex<T>)));
  }
  /// The sites of a team: 16 where two such teams fit on a multiprocessor, otherwise 8 or as many as fit.
  static int sites_of(int fields) {
    int sites = most_sites;
    while (sites > 1 && (sites > 8 ? 2 * bytes(fields, sites) + 4096 : bytes(fields, sites)) > largest_team_bytes) {
      sites /= 2;
    }
    return sites;
  }
  int half_sites() const { return inner.extent[0] * inner.extent[1] * inner.extent[2] / 2 * count; }
  int teams() const { return 2 * ((half_sites() + sites - 1) / sites); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const others = static_cast<Complex<double>*>(team_memory(team, team_bytes));
    auto* const copies = reinterpret_cast<Complex<T>*>(others + sites * exchanged);
    const int rank = team.team_rank(), number = rank % sites, pair = rank / sites;
    const int half_slice = inner.extent[0] * inner.extent[1] * inner.extent[2] / 2;
    const int parity = team.league_rank() % 2, place = team.league_rank() / 2 * sites + number;
    const bool exists = place < half_slice * count;
    const int index = half_slice * first + place;
    Complex<T>* const of_site = copies + number;  // numbers of sites side by side, as copies find them
    Complex<double>* const exchange = others + number * exchanged;
    if (exists) {
      for (int quark = 0; quark < fields; ++quark) {
        KAON_UNROLL
        for (int n = 0; n < numbers / pairs; ++n) {
          const int m = pair + n * pairs;
          start_copy(of_site + (quark * numbers + m) * sites, quarks[quark].place(parity, index, m % 12, m / 12));
        }
      }
    }
    end_group_of_copies();
    wait_for_copies<0>();
    team.team_barrier();
    const auto load = [&](int quark, int sink, int source) {
      const Complex<T>* from =
          of_site + ((quark < fields ? quark : fields - 1) * numbers + 36 * source + 3 * sink) * sites;
      Colors<double> colors;
      KAON_UNROLL
      for (int c = 0; c < 9; ++c) {
        const Complex<T> value = from[(c % 3 * 12 + c / 3) * sites];
        colors.e[c / 3][c % 3] = {value.re, value.im};
      }
      return colors;
    };
    const int a = pair / 4, b = pair % 4;
    Complex<double> result{0.0, 0.0};
    Colors<double> diquark;
    for (int n = 0; n < sum.count(); ++n) {
      const Contraction& c = sum.at(n);
      if (!sum.has_same_diquark(n)) diquark = sum.template diquark<double>(c, a, b, load);
      if (sum.is_exchange(c)) {
        Complex<double> spins[4];
        sum.exchange(spins, c, diquark, a, b, load);
        KAON_UNROLL
        for (int s = 0; s < 4; ++s) exchange[4 * pair + s] = spins[s];
        team.team_barrier();
        KAON_UNROLL
        for (int other = 0; other < 4; ++other) {
          const int from = c.place[0] == 2 ? 4 * b + other : 4 * other + b;
          result += exchange[4 * from + a];
        }
      } else {
        KAON_UNROLL
        for (int k = 0; k < 9; ++k) exchange[9 * pair + k] = diquark.e[k / 3][k % 3];
        team.team_barrier();
        // A thread has one entry, for all pairs of spins.
        if (pair < 9) {
          exchange[9 * pairs + pair] =
              sum.template joined<double>(c, [&](int of_pair) { return exchange[9 * of_pair + pair]; });
        }
        team.team_barrier();
        Colors<double> joined;
        KAON_UNROLL
        for (int k = 0; k < 9; ++k) joined.e[k / 3][k % 3] = exchange[9 * pairs + k];
        result += dot(joined, load(c.quark[2], a, b));
      }
      team.team_barrier();
    }
    if (!exists) return;
    const Site site = inner.site(index, parity);
    const auto at = static_cast<std::size_t>(
        (((site.x[3] - first) * inner.extent[2] + site.x[2]) * inner.extent[1] + site.x[1]) * inner.extent[0] +
        site.x[0]);
    values[at * pairs + static_cast<std::size_t>(pair)] = result;
  }
};

}  // namespace kaon::detail
