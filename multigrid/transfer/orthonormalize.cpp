// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/orthonormalize.hpp"

#include "core/fields/recycled_memory.hpp"
#include "core/lattice/workspace.hpp"
#include "multigrid/dense/gram_kernel.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <vector>

namespace kaon::detail {
namespace {

/// Squares of pivots below this part of |b_j|^2 are not known well enough from G, whose rounding is some 1e-15.
constexpr double smallest_known = 1e-8;
constexpr int most_passes = 4;

/// Adds the sums of all teams in a fixed order.
struct AddTeams {
  const double* sums;  ///< [team][number]
  double* total;
  int teams, numbers;

  KOKKOS_FUNCTION void operator()(const int number) const {
    double sum = 0.0;
    for (int team = 0; team < teams; ++team) sum += sums[team * numbers + number];
    total[number] = sum;
  }
};

/// A row of B <- B times an upper triangular matrix.
struct MultiplyRow {
  RowsOfFields b;
  const double* matrix;  ///< [pair k <= j][re, im]

  KOKKOS_FUNCTION void operator()(const int row) const {
    for (int j = b.vectors - 1; j >= 0; --j) {
      Complex<double> sum = {0.0, 0.0};
      for (int k = 0; k <= j; ++k) {
        multiply_add(sum, load_number(matrix + 2 * number_of_pair(k, j)), b.load(b.number(row, k)));
      }
      float* const to = b.number(row, j);
      to[0] = static_cast<float>(sum.re);
      to[b.fields.re_to_im] = static_cast<float>(sum.im);
    }
  }
};

/// Upper triangular: numbers of pairs i <= j.
using Triangle = std::vector<std::complex<double>>;

std::complex<double>& at(Triangle& triangle, int i, int j) {
  return triangle[static_cast<std::size_t>(number_of_pair(i, j))];
}

/// G becomes R. Returns the smallest square of a pivot, as part of |b_j|^2; 0 if a vector is only projected.
double factorise(Triangle& gram, int n) {
  double smallest = 1.0;
  for (int k = 0; k < n; ++k) {
    const double square = at(gram, k, k).real();
    double left = square;
    for (int i = 0; i < k; ++i) left -= std::norm(at(gram, i, k));
    const bool is_zero = square == 0.0;
    const bool known = left > smallest_known * square;
    if (!is_zero) smallest = known ? std::min(smallest, left / square) : 0.0;
    const double diagonal = known ? std::sqrt(left) : 1.0;
    at(gram, k, k) = diagonal;
    for (int j = k + 1; j < n; ++j) {
      std::complex<double> sum = at(gram, k, j);
      for (int i = 0; i < k; ++i) sum -= std::conj(at(gram, i, k)) * at(gram, i, j);
      // Others are not projected on a vector without a known direction.
      at(gram, k, j) = known ? sum / diagonal : 0.0;
    }
  }
  return smallest;
}

Triangle inverse(Triangle& r, int n) {
  Triangle result(r.size());
  for (int j = 0; j < n; ++j) {
    at(result, j, j) = 1.0 / at(r, j, j);
    for (int i = j - 1; i >= 0; --i) {
      std::complex<double> sum = 0.0;
      for (int k = i + 1; k <= j; ++k) sum += at(r, i, k) * at(result, k, j);
      at(result, i, j) = -sum / at(r, i, i);
    }
  }
  return result;
}

using Numbers = Kokkos::View<double*, Memory>;
using HostNumbers = Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// The numbers of a triangle as a view.
HostNumbers numbers_of(Triangle& triangle) {
  return HostNumbers(reinterpret_cast<double*>(triangle.data()), 2 * triangle.size());
}

/// G on all processes. Sums in `memory`. Waits.
Triangle gram_of(const RowsOfFields& b, const Lattice& lattice, const Numbers& memory) {
  const int pairs = number_of_pair(0, b.vectors);
  const int chunk = GramOfRows::rows_of_chunk(b.vectors);
  const int chunks = (b.rows + chunk - 1) / chunk;
  const int rows_of_team = (chunks + GramOfRows::most_teams - 1) / GramOfRows::most_teams * chunk;
  const int teams = (b.rows + rows_of_team - 1) / rows_of_team;
  double* const sums =
      lattice.workspace().partial_sums(static_cast<std::size_t>(teams) * static_cast<std::size_t>(2 * pairs));
  launch_teams("kaon::gram_of_fields", lattice.execution(), teams, GramOfRows::max_team_size,
               GramOfRows{b, sums, pairs, rows_of_team, chunk, GramOfRows::bytes(b.vectors)});
  Kokkos::parallel_for("kaon::gram_of_fields_sum", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, 2 * pairs),
                       AddTeams{sums, memory.data(), teams, 2 * pairs});
  Triangle gram(static_cast<std::size_t>(pairs));
  Kokkos::deep_copy(lattice.execution(), numbers_of(gram), memory);
  lattice.execution().fence("kaon::orthonormalize");
  lattice.communicator().sum(std::span(numbers_of(gram).data(), 2 * gram.size()));
  return gram;
}

}  // namespace

void orthonormalize(SpinorField<float>& b) {
  const Lattice& lattice = b.lattice();
  require(lattice.is_coarse() && (b.subset() == Subset::full || lattice.parities() == 1),
          "orthonormalize takes fields on all sites of a coarse lattice");
  const RowsOfFields rows = RowsOfFields::of(b);
  const Numbers memory = allocate_on<double>(lattice, "kaon::orthonormalize",
                                             2 * static_cast<std::size_t>(number_of_pair(0, rows.vectors)));
  for (int pass = 0; pass < most_passes; ++pass) {
    Triangle triangle = gram_of(rows, lattice, memory);
    const double smallest = factorise(triangle, rows.vectors);
    Triangle inverted = inverse(triangle, rows.vectors);
    Kokkos::deep_copy(lattice.execution(), memory, numbers_of(inverted));
    lattice.execution().fence("kaon::orthonormalize");  // before `inverted` is freed
    Kokkos::parallel_for("kaon::orthonormalize", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, rows.rows),
                         MultiplyRow{rows, memory.data()});
    if (smallest > smallest_known) return;  // B is orthonormal to the rounding of floats
  }
}

}  // namespace kaon::detail
