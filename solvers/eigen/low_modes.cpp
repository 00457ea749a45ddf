// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/eigen/low_modes.hpp"

#include "core/blas/solver_blas.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

/// Rounded vectors that are used at once.
constexpr std::size_t block_size = 8;
constexpr double largest_residual = 0.1;  // in units of lambda

/// The residual that rounding to 16 bits may leave: of their spacing by the size of A on noise.
template <class T>
double rounding_of(const LinearOperator<T>& matrix) {
  SpinorField<T> noise = matrix.make_field(1), image = matrix.make_field(1);
  set_gaussian(noise, {.seed = 1});
  matrix.apply(image, noise);
  return 4.0 / 32768.0 * std::sqrt(blas::norm2(image)[0] / blas::norm2(noise)[0]);
}

/// <v, A v> of vector number i. Throws `Error` for a vector that is no eigenvector of A.
template <class T>
double eigenvalue_of(const LinearOperator<T>& matrix, const SpinorField<T>& v, std::size_t i, double rounding) {
  SpinorField<T> image = matrix.make_field(1);
  require(v.parameters() == image.parameters() && v.lattice() == image.lattice(), [&] {
    return fmt::format("eigenvector {} is a field of another lattice, other sites or other spins than the operator's",
                       i);
  });
  const double norm2 = blas::norm2(v)[0];
  const auto [value, residual] = ritz_pair(matrix, v, image);
  require(value > 0.0 && std::abs(norm2 - 1.0) < 1e-3 && residual <= largest_residual * value + rounding, [&] {
    return fmt::format(
        "vector {} does not suit the deflation of this operator A: |v| = {:.6g}, lambda = <v, A v> = {:.6g}, |A v - "
        "lambda v| = {:.3g}, which must be at most {} lambda. Find the eigenvectors of this operator, to a smaller "
        "tolerance",
        i, std::sqrt(norm2), value, residual, largest_residual);
  });
  return value;
}

}  // namespace

template <class T>
LowModes<T>::LowModes(const LinearOperator<T>& matrix, std::shared_ptr<const Eigenvectors<T>> eigenvectors)
    : eigenvectors_(std::move(eigenvectors)) {
  require(eigenvectors_ != nullptr && !(eigenvectors_->vectors.empty() && eigenvectors_->rounded.empty()),
          "a deflation needs eigenvectors");
  const double rounding = rounded() ? rounding_of(matrix) : 0.0;
  if (rounded()) {
    const SpinorField<half>& first = eigenvectors_->rounded.front();
    for (std::size_t j = 0; j < std::min(block_size, eigenvectors_->rounded.size()); ++j)
      block_.emplace_back(first.lattice(), first.parameters());
  }
  for_each_block([&](std::span<const SpinorField<T>> block, std::size_t first) {
    for (std::size_t j = 0; j < block.size(); ++j)
      values_.push_back(eigenvalue_of(matrix, block[j], first + j, rounding));
  });
}

template <class T>
template <class Body>
void LowModes<T>::for_each_block(const Body& body) const {
  if (!rounded()) return body(std::span<const SpinorField<T>>(eigenvectors_->vectors), std::size_t{0});
  const std::vector<SpinorField<half>>& stored = eigenvectors_->rounded;
  for (std::size_t first = 0; first < stored.size(); first += block_size) {
    const std::size_t size = std::min(block_size, stored.size() - first);
    for (std::size_t j = 0; j < size; ++j) blas::copy(block_[j], stored[first + j]);
    body(std::span<const SpinorField<T>>(block_).first(size), first);
  }
}

template <class T>
double LowModes<T>::smallest() const {
  return *std::ranges::min_element(values_);
}

template <class T>
std::vector<blas::Complexes> LowModes<T>::parts(const SpinorField<T>& r) const {
  std::vector<blas::Complexes> all(count());
  for_each_block([&](std::span<const SpinorField<T>> block, std::size_t first) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(r.right_hand_sides()); ++k) {
      const auto of_k = blas::block_inner_product<T>(block, r.right_hand_side(k)).products;
      for (std::size_t j = 0; j < block.size(); ++j) all[first + j].push_back(of_k[j][0]);
    }
  });
  return all;
}

template <class T>
void LowModes<T>::add_solution(SpinorField<T>& x, const std::vector<blas::Complexes>& parts, double shift) const {
  std::vector<blas::Complexes> coefficients = parts;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    for (auto& c : coefficients[i]) c /= values_[i] + shift;
  }
  add(x, coefficients);
}

template <class T>
void LowModes<T>::take_away(SpinorField<T>& r, const std::vector<blas::Complexes>& parts) const {
  std::vector<blas::Complexes> coefficients = parts;
  for (blas::Complexes& of_vector : coefficients) {
    for (auto& c : of_vector) c = -c;
  }
  add(r, coefficients);
}

template <class T>
void LowModes<T>::add(SpinorField<T>& x, const std::vector<blas::Complexes>& coefficients) const {
  for_each_block([&](std::span<const SpinorField<T>> block, std::size_t first) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(x.right_hand_sides()); ++k) {
      std::vector<blas::Complexes> of_k;
      for (std::size_t j = 0; j < block.size(); ++j) of_k.push_back({coefficients[first + j][k]});
      SpinorField<T> x_k = x.right_hand_side(k);
      blas::block_caxpy<T>(x_k, block, of_k);
    }
  });
}

template class LowModes<double>;
template class LowModes<float>;

}  // namespace kaon::detail
