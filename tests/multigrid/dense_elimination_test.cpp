// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The inverse that GPUs make, also on hosts.
#include "multigrid/dense/dense_elimination.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::DenseElimination;
using Numbers = std::vector<std::complex<double>>;  // [row][column]

/// Noise of length `scale`, with zeros on the diagonal: rows have to be exchanged.
Numbers noise(int d, double scale = 1.0) {
  std::mt19937 generator(static_cast<unsigned>(d));
  std::normal_distribution<double> normal(0.0, scale);
  Numbers matrix;
  for (int row = 0; row < d; ++row) {
    for (int column = 0; column < d; ++column) {
      const std::complex<double> number(normal(generator), normal(generator));
      matrix.push_back(row == column && d > 1 ? 0.0 : number);
    }
  }
  return matrix;
}

DenseElimination elimination_of(const Numbers& matrix, int d) {
  DenseElimination result(Lattice({.extents = {2, 2, 2, 2}}), d);
  const Kokkos::View<double*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> numbers(
      result.columns().numbers, static_cast<std::size_t>(2 * d * d));
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), numbers);
  for (int column = 0; column < d; ++column) {
    for (int row = 0; row < d; ++row) {
      const auto place = static_cast<std::size_t>(2 * (column * d + row));
      const std::complex<double> number = matrix[static_cast<std::size_t>(row * d + column)];
      host(place) = number.real();
      host(place + 1) = number.imag();
    }
  }
  Kokkos::deep_copy(numbers, host);
  return result;
}

/// [row][column]
struct CopyInverse {
  DenseElimination::Inverse inverse;
  double* to;

  KOKKOS_FUNCTION void operator()(const int item) const {
    const int d = inverse.columns.dimension;
    const auto number = inverse.get(item / d, item % d);
    to[2 * item] = number.re;
    to[2 * item + 1] = number.im;
  }
};
Numbers inverse_of(const DenseElimination& elimination) {
  const int d = elimination.dimension();
  const Kokkos::View<double*, Memory> copy("kaon::test", static_cast<std::size_t>(2 * d * d));
  Kokkos::parallel_for("kaon::test", Kokkos::RangePolicy<Execution>(0, d * d),
                       CopyInverse{elimination.inverse(), copy.data()});
  Kokkos::fence("kaon::test");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copy);
  Numbers result;
  for (std::size_t k = 0; k < host.size(); k += 2) result.emplace_back(host(k), host(k + 1));
  return result;
}

/// The largest number of A B - 1.
double distance_from_one(const Numbers& a, const Numbers& b, int d) {
  double largest = 0.0;
  for (int row = 0; row < d; ++row) {
    for (int column = 0; column < d; ++column) {
      std::complex<double> sum = row == column ? -1.0 : 0.0;
      for (int k = 0; k < d; ++k) {
        sum += a[static_cast<std::size_t>(row * d + k)] * b[static_cast<std::size_t>(k * d + column)];
      }
      if (!(std::abs(sum) <= largest)) largest = std::abs(sum);  // NaN too
    }
  }
  return largest;
}

/// One panel, parts of one, several, and more rows and columns than a tile has.
TEST(DenseEliminations, InvertMatrices) {
  for (const int d : {1, 2, 15, 16, 17, 40, 64, 100, 150}) {
    for (const double scale : {1.0, 1e-100, 1e100}) {
      SCOPED_TRACE(::testing::Message() << "d = " << d << ", scale " << scale);
      const Numbers matrix = noise(d, scale);
      DenseElimination elimination = elimination_of(matrix, d);
      ASSERT_TRUE(elimination.invert());
      EXPECT_LE(distance_from_one(matrix, inverse_of(elimination), d), 1e-11);
      EXPECT_LE(distance_from_one(inverse_of(elimination), matrix, d), 1e-11);
    }
  }
}

TEST(DenseEliminations, SayThatAMatrixIsSingular) {
  constexpr int d = 40;
  Numbers zero_column = noise(d), equal_rows = noise(d);
  for (int k = 0; k < d; ++k) {
    zero_column[static_cast<std::size_t>(k * d + 23)] = 0.0;
    equal_rows[static_cast<std::size_t>(37 * d + k)] = 2.0 * equal_rows[static_cast<std::size_t>(4 * d + k)];
  }
  EXPECT_FALSE(elimination_of(zero_column, d).invert());
  EXPECT_FALSE(elimination_of(equal_rows, d).invert());
  EXPECT_FALSE(elimination_of(Numbers(d * d), d).invert());
}

TEST(DenseEliminations, SayThatAMatrixIsNotFinite) {
  constexpr int d = 20;
  for (const double number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Numbers matrix = noise(d);
    matrix[3 * d + 11] = {0.0, number};
    EXPECT_FALSE(elimination_of(matrix, d).invert());
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
