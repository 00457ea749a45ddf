// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gamma_matrices.hpp"

#include <kaon/core/error.hpp>
#include <kaon/measure/contractions.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kaon {
namespace detail {

SpinMatrix spin_product(const SpinMatrix& a, const SpinMatrix& b) {
  SpinMatrix product{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k) product[i][k] += a[i][j] * b[j][k];
    }
  }
  return product;
}

SpinMatrix adjoint(const SpinMatrix& a) {
  SpinMatrix result;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) result[i][j] = std::conj(a[j][i]);
  }
  return result;
}

SpinMatrix add_scaled(std::complex<double> factor, const SpinMatrix& a, const SpinMatrix& b) {
  SpinMatrix sum = b;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) sum[i][j] += factor * a[i][j];
  }
  return sum;
}

}  // namespace detail

SpinMatrix gamma_product(int number) {
  require(number >= 0 && number < 16,
          [&] { return fmt::format("number of a product of gamma matrices is {}, not 0 to 15", number); });
  constexpr std::complex<double> i{0.0, 1.0};
  // gamma_mu of `SpinBasis::degrand_rossi`: the entry of each row, and its column.
  constexpr std::complex<double> entries[4][4] = {{i, i, -i, -i}, {-1.0, 1.0, 1.0, -1.0}, {i, -i, -i, i}, {1, 1, 1, 1}};
  constexpr std::size_t columns[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 0}, {2, 3, 0, 1}, {2, 3, 0, 1}};
  SpinMatrix product{};
  for (std::size_t row = 0; row < 4; ++row) product[row][row] = 1.0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if ((number >> mu & 1) == 0) continue;
    SpinMatrix gamma{};
    for (std::size_t row = 0; row < 4; ++row) gamma[row][columns[mu][row]] = entries[mu][row];
    product = detail::spin_product(product, gamma);
  }
  return product;
}

SpinMatrix gamma_matrix(std::string_view word) {
  constexpr int numbers[16][2] = {{0, 0},  {15, 0}, {1, 0}, {2, 0}, {4, 0}, {8, 0}, {1, 15}, {2, 15},
                                  {4, 15}, {8, 15}, {3, 0}, {5, 0}, {9, 0}, {6, 0}, {10, 0}, {12, 0}};
  for (std::size_t n = 0; n < gamma_words.size(); ++n) {
    if (gamma_words[n] == word) {
      return detail::spin_product(gamma_product(numbers[n][0]), gamma_product(numbers[n][1]));
    }
  }
  throw Error(fmt::format("\"{}\" is no product of gamma matrices; there are {}", word, fmt::join(gamma_words, ", ")));
}

SpinMatrix parity_projector(int parity) {
  require(parity == 1 || parity == -1, [&] { return fmt::format("parity is {}, neither 1 nor -1", parity); });
  SpinMatrix projector = gamma_product(0);
  for (auto& row : projector) {
    for (auto& entry : row) entry *= 0.5;
  }
  return detail::add_scaled(0.5 * parity, gamma_product(8), projector);
}

SpinMatrix polarization_projector(int parity, int direction) {
  require(direction >= 0 && direction < 3,
          [&] { return fmt::format("direction of a polarisation is {}, none of 0, 1, 2 (x, y, z)", direction); });
  const SpinMatrix spin = detail::spin_product(gamma_product(15), gamma_product(1 << direction));
  return detail::add_scaled({0.0, 1.0}, detail::spin_product(parity_projector(parity), spin), {});
}

}  // namespace kaon
