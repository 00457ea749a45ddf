// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/team.hpp"
#include "core/fields/field_access.hpp"
#include "gauge/jacobi_svd.hpp"
#include "multigrid/staggered/hypercube.hpp"

#include <cmath>
#include <limits>

namespace kaon::detail {
namespace {

/// Rows and columns of B.
constexpr int n = hypercube_components / 2;
/// Sweeps after which the columns are orthogonal to rounding; convergence is quadratic.
constexpr int sweeps = 10;
/// s / largest s up to which B counts as singular.
constexpr double least_part = 1e-14;

/// A matrix of n rows and columns in the memory of a team, column by column: n real and n imaginary parts, and one
/// number of padding, so that threads with neighbouring columns use different banks.
struct Columns {
  static constexpr int stride = 2 * n + 1, numbers = stride * n;
  double* data;

  KOKKOS_FORCEINLINE_FUNCTION double* re(int column) const { return data + column * stride; }
  KOKKOS_FORCEINLINE_FUNCTION double* im(int column) const { return data + column * stride + n; }
  KOKKOS_FORCEINLINE_FUNCTION void rotate(int p, int q, const JacobiRotation<double>& r) const {
    double *const p_re = re(p), *const p_im = im(p), *const q_re = re(q), *const q_im = im(q);
    for (int row = 0; row < n; ++row) {
      Complex<double> v_p{p_re[row], p_im[row]}, v_q{q_re[row], q_im[row]};
      r.rotate(v_p, v_q);
      p_re[row] = v_p.re;
      p_im[row] = v_p.im;
      q_re[row] = v_q.re;
      q_im[row] = v_q.im;
    }
  }
};

/// The matrices of one hypercube by one team, whose threads share the pairs of columns.
struct RootsOfHypercube {
  static constexpr int max_team_size = 64;
  static constexpr unsigned min_teams = 4;

  SiteMap map;
  SiteSpinor<float> x, root, inverse_root;
  double* extremes;  // [site][smallest, largest s]
  int team_bytes = (2 * Columns::numbers + n) * static_cast<int>(sizeof(double));

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    auto* const memory = static_cast<double*>(team_memory(team, team_bytes));
    const Columns w{memory}, z{memory + Columns::numbers};
    double* const s = memory + 2 * Columns::numbers;
    int h[4];
    const int number = team.league_rank();
    map.coordinates({number / map.sites, number % map.sites, 0}, h);
    for_each_of_team(team, n, [&](int column) {
      for (int row = 0; row < n; ++row) {
        const Complex<double> b = x.load(h, row, n + column);
        w.re(column)[row] = b.re;
        w.im(column)[row] = b.im;
        z.re(column)[row] = row == column ? 1.0 : 0.0;
        z.im(column)[row] = 0.0;
      }
    });
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int round = 0; round < n - 1; ++round) {
        for_each_of_team(team, n / 2, [&](int pair) { make_orthogonal(w, z, round, pair); });
      }
    }
    for_each_of_team(team, n, [&](int column) {
      double norm2 = 0.0;
      for (int row = 0; row < 2 * n; ++row) norm2 += w.re(column)[row] * w.re(column)[row];
      s[column] = Kokkos::sqrt(norm2);
      for (int row = 0; row < 2 * n; ++row) w.re(column)[row] /= s[column];
    });
    const double diagonal = x.load(h, 0, 0).re;
    for_each_of_team(team, hypercube_components, [&](int column) { store_columns(w, z, s, diagonal, h, column); });
    if (team.team_rank() == 0) {
      double smallest = s[0], largest = s[0];
      for (int k = 1; k < n; ++k) {
        smallest = Kokkos::fmin(smallest, s[k]);
        largest = Kokkos::fmax(largest, s[k]);
      }
      extremes[2 * number] = smallest;
      extremes[2 * number + 1] = largest;
    }
  }

 private:
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each_of_team(const Team& team, int items, const Body& body) {
    for (int item = team.team_rank(); item < items; item += team.team_size()) body(item);
    team.team_barrier();
  }

  /// One of the n/2 pairs of a round; in n - 1 rounds each column meets each other one.
  KOKKOS_FORCEINLINE_FUNCTION static void make_orthogonal(const Columns& w, const Columns& z, int round, int pair) {
    constexpr int turning = n - 1;  // columns that change places, around the last one
    const int p = (round + pair) % turning, q = pair == 0 ? turning : (round - pair + turning) % turning;
    double d = 0.0;
    Complex<double> g{0.0, 0.0};
    const double *const p_re = w.re(p), *const p_im = w.im(p), *const q_re = w.re(q), *const q_im = w.im(q);
    for (int row = 0; row < n; ++row) {
      d += q_re[row] * q_re[row] + q_im[row] * q_im[row] - p_re[row] * p_re[row] - p_im[row] * p_im[row];
      g.re += p_re[row] * q_re[row] + p_im[row] * q_im[row];
      g.im += p_re[row] * q_im[row] - p_im[row] * q_re[row];
    }
    const JacobiRotation<double> rotation = jacobi_rotation(d, g);
    w.rotate(p, q, rotation);
    z.rotate(p, q, rotation);
  }

  /// Column `column` of X^(1/2) and of X^(-1/2).
  KOKKOS_FORCEINLINE_FUNCTION void store_columns(const Columns& w, const Columns& z, const double* s, double diagonal,
                                                 const int (&h)[4], int column) const {
    const bool upper = column < n;
    const Columns& vectors = upper ? w : z;
    for (const bool inverse : {false, true}) {
      double re[hypercube_components] = {}, im[hypercube_components] = {};
      for (int k = 0; k < n; ++k) {
        const double r = Kokkos::sqrt(diagonal * diagonal + s[k] * s[k]);
        const double p = Kokkos::sqrt(0.5 * (r + diagonal)), q = s[k] / (2.0 * p);
        const double same = inverse ? p / r : p, other = inverse ? -q / r : q;
        const double a_re = vectors.re(k)[upper ? column : column - n],
                     a_im = -vectors.im(k)[upper ? column : column - n];
        add(re, im, upper ? same : other, a_re, a_im, w.re(k), w.im(k));
        add(re + n, im + n, upper ? -other : same, a_re, a_im, z.re(k), z.im(k));
      }
      const SiteSpinor<float>& out = inverse ? inverse_root : root;
      for (int row = 0; row < hypercube_components; ++row) out.store({re[row], im[row]}, h, row, column);
    }
  }
  /// sum += f a v for n rows.
  KOKKOS_FORCEINLINE_FUNCTION static void add(double* re, double* im, double f, double a_re, double a_im,
                                              const double* v_re, const double* v_im) {
    for (int row = 0; row < n; ++row) {
      re[row] += f * (a_re * v_re[row] - a_im * v_im[row]);
      im[row] += f * (a_re * v_im[row] + a_im * v_re[row]);
    }
  }
};

}  // namespace

HypercubeSpectrum hypercube_roots(SpinorField<float>& root, SpinorField<float>& inverse_root,
                                  const SpinorField<float>& x) {
  const Lattice& lattice = x.lattice();
  const int hypercubes = static_cast<int>(lattice.local_volume());
  const Kokkos::View<double*, Memory> extremes("kaon::hypercube_roots", 2 * static_cast<std::size_t>(hypercubes));
  launch_teams("kaon::hypercube_roots", lattice.execution(), hypercubes, RootsOfHypercube::max_team_size,
               RootsOfHypercube{SiteMap::of<float>(lattice), site_access(x), site_access(root),
                                site_access(inverse_root), extremes.data()});
  lattice.execution().fence("kaon::hypercube_roots");
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), extremes);
  double most[2] = {-std::numeric_limits<double>::infinity(), 0.0}, singular = 0.0;  // -smallest, largest
  for (int h = 0; h < hypercubes; ++h) {
    const double smallest = values(2 * static_cast<std::size_t>(h)),
                 largest = values(2 * static_cast<std::size_t>(h) + 1);
    if (!(smallest > least_part * largest)) singular += 1.0;
    most[0] = std::fmax(most[0], -smallest);
    most[1] = std::fmax(most[1], largest);
  }
  lattice.communicator().maximum(most);
  return {-most[0], most[1], static_cast<int>(lattice.communicator().sum(singular))};
}

}  // namespace kaon::detail
