// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/block_matrix.hpp"
#include "gauge/site_clover.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>

#include <cmath>

namespace kaon {
namespace {

using detail::BlockMatrix;
using detail::EntryValues;

/// ln |det A| by elimination with partial pivots; -infinity where A is singular.
KOKKOS_INLINE_FUNCTION double log_determinant(BlockMatrix a) {
  double sum = 0.0;
  for (int step = 0; step < 6; ++step) {
    int pivot = step;
    for (int row = step + 1; row < 6; ++row) {
      if (Kokkos::abs(a.e[row][step]) > Kokkos::abs(a.e[pivot][step])) pivot = row;
    }
    for (int column = step; column < 6; ++column) {
      const BlockMatrix::Number number = a.e[step][column];
      a.e[step][column] = a.e[pivot][column];
      a.e[pivot][column] = number;
    }
    sum += Kokkos::log(Kokkos::abs(a.e[step][step]));
    for (int row = step + 1; row < 6; ++row) {
      const BlockMatrix::Number factor = a.e[row][step] / a.e[step][step];
      for (int column = step + 1; column < 6; ++column) a.e[row][column] -= factor * a.e[step][column];
    }
  }
  return sum;
}

/// values(parity of x, x) = ln |det C(x)|, the other one 0.
template <class T>
struct LogDeterminantKernel {
  detail::SiteClover<T> clover;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double sum = 0.0;
    for (int chirality = 0; chirality < 2; ++chirality) {
      sum += log_determinant(detail::unpack(clover.load(x, chirality)));
    }
    const int number = detail::local_number(clover.map, x), parity = clover.map.parity({x[0], x[1], x[2], x[3]});
    values(parity, number) = sum;
    values(1 - parity, number) = 0.0;
  }
};

}  // namespace

template <class T>
LogDeterminants log_determinants(const CloverField<T>& clover) {
  const Lattice& lattice = clover.lattice();
  require(clover.subset() == Subset::full, "log_determinants needs a clover field on both parities");
  const std::vector<double> sums =
      detail::ordered_site_sums<T>("kaon::log_determinants", lattice, 2, [&](const EntryValues& values) {
        return LogDeterminantKernel<T>{detail::site_access(clover), values};
      });
  require(std::isfinite(sums[0]) && std::isfinite(sums[1]),
          "the determinant of a clover block is zero or not finite: the links are rough there for this mass and csw");
  return {sums[0], sums[1]};
}

template LogDeterminants log_determinants(const CloverField<double>&);
template LogDeterminants log_determinants(const CloverField<float>&);

}  // namespace kaon
