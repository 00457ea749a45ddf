// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/team.hpp"
#include "core/fields/element_order.hpp"
#include "core/fields/recycled_memory.hpp"
#include "multigrid/coarse/site_matrices.hpp"
#include "multigrid/dense/pivot_search.hpp"

#include <algorithm>
#include <limits>

namespace kaon::detail {
namespace {

/// The rows of a site's matrix in double, each as n real and n imaginary parts.
struct WorkMatrix {
  double* data;
  int n;
  KOKKOS_FORCEINLINE_FUNCTION double* row(int i) const {
    return data + static_cast<std::size_t>(i) * static_cast<std::size_t>(2 * n);
  }
};

/// X^-1 of one site by one team, whose threads share the search for pivots. Flops a site: 8 n^3. Each of n steps reads
/// the matrix, which is in the memory of the team on GPUs if it fits: on an H100, 4096 matrices of n = 64 took 15 ms in
/// the device's memory.
struct SiteInverse {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 1;

  const float* x;  // [site][column][row]
  float* inverse;
  int* singular;
  double* work;  // [site][row][re, im][column]; null: the team's memory
  int* swaps;    // [site][step]
  ElementOrder<float> order;
  int n;
  int team_bytes;

  struct Shared {
    double *row, *column;  // of the pivot: 2 n numbers each
    PivotSearch search;
  };
  static int bytes(int n) { return 4 * n * static_cast<int>(sizeof(double)) + PivotSearch::bytes(max_team_size); }
  static int bytes_of_matrix(int n) { return 2 * n * n * static_cast<int>(sizeof(double)); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto site = static_cast<std::size_t>(team.league_rank());
    const std::size_t numbers = 2 * static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto* memory = static_cast<double*>(team_memory(team, team_bytes));
    const WorkMatrix a{work != nullptr ? work + site * numbers : memory, n};
    if (work == nullptr) memory += numbers;
    double* const sizes = memory + 4 * n;
    const Shared shared{memory, memory + 2 * n, {sizes, reinterpret_cast<int*>(sizes + team.team_size())}};
    int* const swapped = swaps + site * static_cast<std::size_t>(n);
    const float* const from = x + site * numbers;
    double most = 0.0;
    for (int k = team.team_rank(); k < static_cast<int>(numbers); k += team.team_size()) {
      most = Kokkos::fmax(most, Kokkos::abs(static_cast<double>(from[k])));
    }
    const double largest = shared.search.largest(team, {most, 0}).size;
    const double least = largest * static_cast<double>(std::numeric_limits<float>::epsilon());
    for_each_element(team, [&](int i, int j) {
      a.row(i)[j] = from[offset(i, j, 0)];
      a.row(i)[n + j] = from[offset(i, j, 1)];
    });
    bool invertible = true;
    for (int k = 0; k < n && invertible; ++k) invertible = eliminate(team, a, shared, swapped, k, least);
    team.team_barrier();
    if (invertible) {
      for (int k = n - 1; k >= 0; --k) swap_columns(team, a, k, swapped[k]);
    }
    float* const to = inverse + site * numbers;
    for_each_element(team, [&](int i, int j) {
      to[offset(i, j, 0)] = invertible ? static_cast<float>(a.row(i)[j]) : (i == j ? 1.0F : 0.0F);
      to[offset(i, j, 1)] = invertible ? static_cast<float>(a.row(i)[n + j]) : 0.0F;
    });
    if (team.team_rank() == 0) singular[site] = invertible ? 0 : 1;
  }

 private:
  /// Position of row i of column j among the numbers of a matrix.
  KOKKOS_FORCEINLINE_FUNCTION std::size_t offset(int i, int j, int re_im) const {
    return order.offset({0, j, 0}, n, i, re_im);
  }
  /// body(row, column), columns by consecutive threads.
  template <class Body>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_element(const Team& team, const Body& body) const {
    if constexpr (on_device) {
      const int rows = team.team_size() / n, columns = team.team_size() % n;  // to the next element of a thread
      for (int i = team.team_rank() / n, j = team.team_rank() % n; i < n;) {
        body(i, j);
        i += rows;
        j += columns;
        if (j >= n) {
          j -= n;
          ++i;
        }
      }
    } else {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) body(i, j);
      }
    }
    team.team_barrier();
  }

  /// Step k of Gauss-Jordan elimination; false where no pivot is larger than `least`.
  KOKKOS_FORCEINLINE_FUNCTION bool eliminate(const Team& team, const WorkMatrix& a, const Shared& shared, int* swapped,
                                             int k, double least) const {
    PivotCandidate best{least * least, -1};
    for (int i = k + team.team_rank(); i < n; i += team.team_size()) {
      const double size = a.row(i)[k] * a.row(i)[k] + a.row(i)[n + k] * a.row(i)[n + k];
      if (size > best.size) best = {size, i};
    }
    const int pivot = shared.search.largest(team, best).row;
    if (pivot < 0) return false;
    if (team.team_rank() == 0) swapped[k] = pivot;
    const double re = a.row(pivot)[k], im = a.row(pivot)[n + k];
    const double size = re * re + im * im;
    const Complex<double> scale{re / size, -im / size};
    // Row `pivot` of the matrix becomes row k; row k moves there.
    for (int j = team.team_rank(); j < n; j += team.team_size()) {
      const Complex<double> old{a.row(pivot)[j], a.row(pivot)[n + j]};
      const Complex<double> scaled = j == k ? scale : scale * old;
      shared.row[j] = scaled.re;
      shared.row[n + j] = scaled.im;
    }
    for (int i = team.team_rank(); i < n; i += team.team_size()) {
      const int taken = i == pivot ? k : i;
      shared.column[i] = i == k ? 0.0 : a.row(taken)[k];
      shared.column[n + i] = i == k ? 0.0 : a.row(taken)[n + k];
    }
    team.team_barrier();
    if (pivot != k) {
      for (int j = team.team_rank(); j < n; j += team.team_size()) {
        a.row(pivot)[j] = a.row(k)[j];
        a.row(pivot)[n + j] = a.row(k)[n + j];
      }
      team.team_barrier();
    }
    update(team, a, shared, k);
    return true;
  }

  /// a_ij -= column_i row_j for i != k, a_kj = row_j; column k of a counts as 0 except for the pivot's row.
  KOKKOS_FORCEINLINE_FUNCTION void update(const Team& team, const WorkMatrix& a, const Shared& shared, int k) const {
    if constexpr (on_device) {
      for_each_element(team, [&](int i, int j) {
        const Complex<double> row{shared.row[j], shared.row[n + j]};
        const Complex<double> factor{shared.column[i], shared.column[n + i]};
        const bool keeps = i != k && j != k;
        Complex<double> value{keeps ? a.row(i)[j] : 0.0, keeps ? a.row(i)[n + j] : 0.0};
        value = i == k ? row : value - factor * row;
        a.row(i)[j] = value.re;
        a.row(i)[n + j] = value.im;
      });
    } else {
      const double* __restrict row_re = shared.row;
      const double* __restrict row_im = shared.row + n;
      for (int i = 0; i < n; ++i) {
        double* __restrict re = a.row(i);
        double* __restrict im = a.row(i) + n;
        re[k] = im[k] = 0.0;
        if (i == k) std::fill(re, re + 2 * n, 0.0);
        const double factor_re = i == k ? -1.0 : shared.column[i], factor_im = shared.column[n + i];
        for (int j = 0; j < n; ++j) {
          re[j] -= factor_re * row_re[j] - factor_im * row_im[j];
          im[j] -= factor_re * row_im[j] + factor_im * row_re[j];
        }
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void swap_columns(const Team& team, const WorkMatrix& a, int j, int other) const {
    if (j == other) return;
    for (int i = team.team_rank(); i < n; i += team.team_size()) {
      double* row = a.row(i);
      for (const int part : {0, n}) {
        const double kept = row[part + j];
        row[part + j] = row[part + other];
        row[part + other] = kept;
      }
    }
    team.team_barrier();
  }
};

struct CountOnes {
  const int* of_site;
  KOKKOS_FUNCTION void operator()(const int site, int& sum) const { sum += of_site[site]; }
};

}  // namespace

int invert_site_matrices(CoarseMatrices<float>& inverse, const CoarseMatrices<float>& x, const Lattice& lattice,
                         int components) {
  const auto sites = static_cast<int>(lattice.local_volume());
  const auto n = static_cast<std::size_t>(components);
  const int of_team = SiteInverse::bytes(components), of_matrix = SiteInverse::bytes_of_matrix(components);
  const bool in_team = on_device && of_matrix <= most_team_bytes - of_team;
  constexpr std::size_t most_numbers = std::size_t{1} << 25;  // 256 MiB
  const int batch =
      static_cast<int>(std::clamp<std::size_t>(most_numbers / (2 * n * n), 1, static_cast<std::size_t>(sites)));
  const auto work =
      allocate_on<double>(lattice, "kaon::SiteInverse", in_team ? 0 : static_cast<std::size_t>(batch) * 2 * n * n);
  const auto swaps = allocate_on<int>(lattice, "kaon::SiteInverse swaps", static_cast<std::size_t>(batch) * n);
  const auto singular = allocate_on<int>(lattice, "kaon::SiteInverse singular", static_cast<std::size_t>(sites));
  for (int first = 0; first < sites;
       first += batch) {  // one matrix a site: those of the odd sites follow the even ones'
    const std::size_t skipped = static_cast<std::size_t>(first) * 2 * n * n;
    SiteInverse kernel;
    kernel.x = x.data(Parity::even) + skipped;
    kernel.inverse = inverse.data(Parity::even) + skipped;
    kernel.singular = singular.data() + first;
    kernel.work = in_team ? nullptr : work.data();
    kernel.swaps = swaps.data();
    kernel.order = ElementOrder<float>::of(lattice, components);
    kernel.n = components;
    kernel.team_bytes = of_team + (in_team ? of_matrix : 0);
    launch_teams("kaon::site_inverse", lattice.execution(), std::min(batch, sites - first), SiteInverse::max_team_size,
                 kernel);
  }
  int count = 0;
  Kokkos::parallel_reduce("kaon::singular_sites", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, sites),
                          CountOnes{singular.data()}, count);
  lattice.execution().fence("kaon::invert_site_matrices");
  return count;
}

}  // namespace kaon::detail
