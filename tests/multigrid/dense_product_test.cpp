// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Both forms of the dense product on raw numbers: hosts run that of GPUs too.
#include "multigrid/dense/dense_product.hpp"

#include <kaon/core/execution.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::ProductOperands;

Kokkos::View<float*, Memory> in_kernel_memory(const std::vector<float>& values) {
  const Kokkos::View<float*, Memory> memory("kaon::test", values.size());
  const Kokkos::View<const float*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(values.data(),
                                                                                                    values.size());
  Kokkos::deep_copy(memory, host);
  return memory;
}

/// Numbers of right-hand sides [number / lanes][re, im][lanes], and what lies between them.
struct Vectors {
  int lanes;
  std::size_t stride;

  std::size_t position(int number, int right_hand_side) const {
    return static_cast<std::size_t>(right_hand_side) * stride +
           static_cast<std::size_t>(number / lanes * 2 * lanes + number % lanes);
  }
  std::complex<float> at(const std::vector<float>& numbers, int number, int right_hand_side) const {
    const std::size_t re = position(number, right_hand_side);
    return {numbers[re], numbers[re + static_cast<std::size_t>(lanes)]};
  }
};

/// The product of Kernel, whose right-hand sides are K or fewer, with a random matrix; the rest of `out` remains.
template <class Kernel>
void expect_product(int rows, int columns, int lanes, int right_hand_sides) {
  SCOPED_TRACE(::testing::Message() << rows << " rows, " << columns << " columns, " << lanes << " lanes, "
                                    << right_hand_sides << " right-hand sides");
  constexpr int most = 8;
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> uniform(-1, 1);
  const Vectors vectors{lanes, static_cast<std::size_t>(2 * std::max(rows, columns) + 32)};
  std::vector<float> matrix(Kernel::matrix_size(rows, columns), 0.0F), in(most * vectors.stride),
      out(most * vectors.stride, -9.0F);
  std::vector<std::complex<float>> plain;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const std::complex<float> element(uniform(generator), uniform(generator));
      matrix[Kernel::offset(columns, row, column, 0)] = element.real();
      matrix[Kernel::offset(columns, row, column, 1)] = element.imag();
      plain.push_back(element);
    }
  }
  for (float& number : in) number = uniform(generator);

  const auto a = in_kernel_memory(matrix), x = in_kernel_memory(in), y = in_kernel_memory(out);
  const Kernel kernel{
      {a.data(), y.data(), x.data(), vectors.stride, vectors.stride, rows, columns, right_hand_sides, lanes}};
  detail::launch_teams("kaon::test", Execution(), kernel.teams(rows), kernel.team_size, kernel);
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  out.assign(result.data(), result.data() + result.size());

  for (int r = 0; r < most; ++r) {
    for (int row = 0; row < rows; ++row) {
      std::complex<double> expected = 0.0;
      for (int column = 0; column < columns; ++column) {
        expected += std::complex<double>(plain[static_cast<std::size_t>(row * columns + column)]) *
                    std::complex<double>(vectors.at(in, column, r));
      }
      if (r >= right_hand_sides) expected = {-9.0, -9.0};
      const double rounding = 4.0 * std::numeric_limits<float>::epsilon() * columns;
      ASSERT_LE(std::abs(std::complex<double>(vectors.at(out, row, r)) - expected), rounding)
          << "row " << row << ", right-hand side " << r;
    }
  }
}

template <template <int> class Kernel>
void expect_products(int rows, int columns, int lanes) {
  expect_product<Kernel<1>>(rows, columns, lanes, 1);
  expect_product<Kernel<2>>(rows, columns, lanes, 2);
  expect_product<Kernel<4>>(rows, columns, lanes, 3);
  expect_product<Kernel<4>>(rows, columns, lanes, 4);
  expect_product<Kernel<8>>(rows, columns, lanes, 5);
  expect_product<Kernel<8>>(rows, columns, lanes, 8);
}

TEST(DenseProduct, OfWordsIsThatOfTheMatrix) {
  for (const int d : {2, 6, 64, 90, 1030}) {
    expect_products<detail::WordProduct>(d, d, 1);
    expect_products<detail::WordProduct>(d, 3 * d, 1);
  }
}

TEST(DenseProduct, OfPacksIsThatOfTheMatrix) {
  if constexpr (on_device) {
    GTEST_SKIP() << "packs are for hosts";
  } else {
    for (const int d : {1, 6, 64, 90}) {
      expect_products<detail::RowPackProduct>(d, d, 1);
      expect_products<detail::RowPackProduct>(d, 3 * d, 1);
    }
    for (const int d : {16, 48, 112}) {
      expect_products<detail::RowPackProduct>(d, d, detail::native_lanes<float>);
      expect_products<detail::RowPackProduct>(d, 3 * d, detail::native_lanes<float>);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
