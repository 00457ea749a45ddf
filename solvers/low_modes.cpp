// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/low_modes.hpp"

#include "core/blas/solver_blas.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

/// <v, A v> of each vector. Throws `Error` for vectors that are no eigenvectors of A.
template <class T>
std::vector<double> eigenvalues_of(const LinearOperator<T>& matrix, const std::vector<SpinorField<T>>& vectors) {
  constexpr double largest_residual = 0.1;
  std::vector<double> values;
  SpinorField<T> image = matrix.make_field(1);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    require(vectors[i].parameters() == image.parameters() && vectors[i].lattice() == image.lattice(), [&] {
      return fmt::format("eigenvector {} is a field of another lattice, other sites or other spins than the operator's",
                         i);
    });
    matrix.apply(image, vectors[i]);
    const double norm2 = blas::norm2(vectors[i])[0];
    const double value = blas::inner_product(vectors[i], image)[0].real();
    blas::axpy(image, vectors[i], blas::Reals{-value});
    const double residual = std::sqrt(blas::norm2(image)[0]);
    require(value > 0.0 && std::abs(norm2 - 1.0) < 1e-3 && residual <= largest_residual * value, [&] {
      return fmt::format(
          "vector {} does not suit the deflation of this operator A: |v| = {:.6g}, lambda = <v, A v> = {:.6g}, |A v - "
          "lambda v| = {:.3g}, which must be at most {} lambda. Find the eigenvectors of this operator, to a smaller "
          "tolerance",
          i, std::sqrt(norm2), value, residual, largest_residual);
    });
    values.push_back(value);
  }
  return values;
}

}  // namespace

template <class T>
LowModes<T>::LowModes(const LinearOperator<T>& matrix, std::shared_ptr<const Eigenvectors<T>> eigenvectors)
    : eigenvectors_(std::move(eigenvectors)) {
  require(eigenvectors_ != nullptr && !eigenvectors_->vectors.empty(), "a deflation needs eigenvectors");
  values_ = eigenvalues_of(matrix, eigenvectors_->vectors);
}

template <class T>
double LowModes<T>::smallest() const {
  return *std::ranges::min_element(values_);
}

template <class T>
std::vector<blas::Complexes> LowModes<T>::parts(const SpinorField<T>& r) const {
  std::vector<blas::Complexes> all(count());
  for (std::size_t k = 0; k < static_cast<std::size_t>(r.right_hand_sides()); ++k) {
    const auto of_k = blas::block_inner_product<T>(eigenvectors_->vectors, r.right_hand_side(k)).products;
    for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(of_k[i][0]);
  }
  return all;
}

template <class T>
void LowModes<T>::add_solution(SpinorField<T>& x, const std::vector<blas::Complexes>& parts, double shift) const {
  std::vector<blas::Complexes> coefficients = parts;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    for (auto& c : coefficients[i]) c /= values_[i] + shift;
  }
  add(x, std::move(coefficients));
}

template <class T>
void LowModes<T>::take_away(SpinorField<T>& r, const std::vector<blas::Complexes>& parts) const {
  std::vector<blas::Complexes> coefficients = parts;
  for (blas::Complexes& of_vector : coefficients) {
    for (auto& c : of_vector) c = -c;
  }
  add(r, std::move(coefficients));
}

template <class T>
void LowModes<T>::add(SpinorField<T>& x, std::vector<blas::Complexes> coefficients) const {
  for (std::size_t k = 0; k < static_cast<std::size_t>(x.right_hand_sides()); ++k) {
    std::vector<blas::Complexes> of_k;
    for (const blas::Complexes& of_vector : coefficients) of_k.push_back({of_vector[k]});
    SpinorField<T> x_k = x.right_hand_side(k);
    blas::block_caxpy<T>(x_k, eigenvectors_->vectors, of_k);
  }
}

template class LowModes<double>;
template class LowModes<float>;

}  // namespace kaon::detail
