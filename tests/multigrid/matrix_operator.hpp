// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <complex>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace kaon::test {

/// An operator on fields of a shape, for tests that need no matrix: it is never applied.
class Nothing : public LinearOperator<float> {
 public:
  Nothing(const Lattice& lattice, const SpinorParameters& domain) : lattice_(lattice), domain_(domain) {}
  void apply(SpinorField<float>&, const SpinorField<float>&) const override { throw Error("applied"); }
  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return domain_; }

 protected:
  Lattice lattice_;
  SpinorParameters domain_;
};

/// A dense matrix as an operator: its rows and columns are the numbers of a field in the order of `to_host`, without
/// those on sites that the field does not hold. Slow.
class MatrixOperator final : public Nothing {
  using Nothing::domain_;
  using Nothing::lattice_;

 public:
  /// The matrix of zeros.
  MatrixOperator(const Lattice& lattice, const SpinorParameters& domain) : Nothing(lattice, domain) {
    const SpinorParameters shape = domain_.with_right_hand_sides(1);
    SpinorField<double> ones(lattice_, shape);
    ones.from_host(std::vector<std::complex<double>>(
        static_cast<std::size_t>(lattice_.local_volume()) * static_cast<std::size_t>(shape.components()), 1.0));
    const std::vector<std::complex<double>> held = ones.to_host();
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (held[k] != 0.0) held_.push_back(k);
    }
    matrix_.assign(held_.size() * held_.size(), 0.0);
  }

  std::size_t dimension() const { return held_.size(); }
  std::complex<double>& operator()(std::size_t row, std::size_t column) {
    return matrix_[column * dimension() + row];  // an apply skips zeros of the input
  }

  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override {
    this->require_domain(out, in);
    for (int r = 0; r < in.right_hand_sides(); ++r) {
      std::vector<std::complex<double>> x = in.to_host(r), y(x.size(), 0.0);
      for (std::size_t column = 0; column < dimension(); ++column) {
        const std::complex<double> factor = x[held_[column]];
        if (factor == 0.0) continue;
        const std::complex<double>* elements = matrix_.data() + column * dimension();
        for (std::size_t row = 0; row < dimension(); ++row) y[held_[row]] += elements[row] * factor;
      }
      out.from_host(y, r);
    }
  }

 private:
  std::vector<std::size_t> held_;
  std::vector<std::complex<double>> matrix_;  // column by column
};

/// 3 times a permutation, plus noise of norm 2: singular values are between 1 and 5, and the diagonal is zero.
inline MatrixOperator permuted_noise(const Lattice& lattice, const SpinorParameters& domain) {
  MatrixOperator matrix(lattice, domain);
  const std::size_t d = matrix.dimension();
  std::mt19937 generator(7);
  std::normal_distribution<double> normal(0.0, std::sqrt(0.5 / static_cast<double>(d)));
  for (std::size_t column = 0; column < d; ++column) {
    for (std::size_t row = 0; row < d; ++row) {
      if (row != column) matrix(row, column) = {normal(generator), normal(generator)};
    }
    matrix((column + d / 2 + 1) % d, column) += 3.0;
  }
  return matrix;
}

}  // namespace kaon::test
