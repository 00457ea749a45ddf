// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/enlarged.hpp"
#include "solvers/symmetric_matrix.hpp"

#include <kaon/core/random.hpp>

#include <limits>
#include <span>

namespace kaon::detail {

template <class T>
double normalize(SpinorField<T>& v) {
  const double norm = std::sqrt(blas::norm2(v)[0]);
  blas::scale(v, blas::Reals{1.0 / norm});
  return norm;
}

/// w minus its parts along orthonormal vectors, twice, since the first time leaves rounding errors of its parts.
template <class T>
void orthogonalize(SpinorField<T>& w, std::span<const SpinorField<T>> vectors) {
  for (int time = 0; time < 2; ++time) {
    std::vector<blas::Complexes> parts = blas::block_inner_product<T>(vectors, w).products;
    for (blas::Complexes& part : parts) part[0] = -part[0];
    blas::block_caxpy<T>(w, vectors, parts);
  }
}

/// Vectors v_0, ..., v_m with B v_j = sum_i v_i H_ij for j < m, and beta v_m besides for j = m - 1.
template <class T>
struct LanczosSpace {
  const LinearOperator<T>& matrix;
  Enlarged<T>& enlarged;
  std::uint64_t seed;
  int dimension;                        // m
  std::vector<SpinorField<T>> vectors;  // m + 1
  SymmetricMatrix projected;            // H
  double beta = 0.0;
  std::uint32_t starts = 0;

  LanczosSpace(const LinearOperator<T>& a, Enlarged<T>& b, int m, const SpinorField<T>& first_vector, std::uint64_t key)
      : matrix(a), enlarged(b), seed(key), dimension(m), projected(m) {
    for (int j = 0; j <= m; ++j) vectors.push_back(matrix.make_field(1));
    blas::copy(at(0), first_vector);
    normalize(at(0));
  }

  std::span<const SpinorField<T>> first(int count) const {
    return std::span<const SpinorField<T>>(vectors).first(static_cast<std::size_t>(count));
  }
  SpinorField<T>& at(int j) { return vectors[static_cast<std::size_t>(j)]; }

  /// A random vector orthogonal to those before number j.
  void start(int j) {
    set_gaussian(at(j), {.seed = seed, .stream = ++starts});
    orthogonalize<T>(at(j), first(j));
    normalize(at(j));
  }

  /// Vectors from number `known` + 1 on.
  void extend(int known) {
    for (int j = known; j < dimension; ++j) {
      SpinorField<T>& next = at(j + 1);
      enlarged.apply(next, at(j));
      const double diagonal = blas::inner_product(at(j), next)[0].real();
      projected.set(j, j, diagonal);
      orthogonalize<T>(next, first(j + 1));
      beta = std::sqrt(blas::norm2(next)[0]);
      require(std::isfinite(beta), "Lanczos' method met a number that is not finite");
      if (beta > std::numeric_limits<T>::epsilon() * std::abs(diagonal)) {
        blas::scale(next, blas::Reals{1.0 / beta});
      } else {  // an invariant space: go on outside of it
        beta = 0.0;
        start(j + 1);
      }
      if (j + 1 < dimension) projected.set(j, j + 1, beta);
    }
  }

  /// The vectors sum_j y_j v_j of the last `count` eigenvectors y of H, largest eigenvalue first.
  std::vector<SpinorField<T>> largest(const SymmetricMatrix::Spectrum& spectrum, int count) const {
    std::vector<SpinorField<T>> result;
    for (int i = 0; i < count; ++i) {
      const std::vector<double>& y = spectrum.vectors[spectrum.vectors.size() - 1 - static_cast<std::size_t>(i)];
      std::vector<blas::Complexes> coefficients;
      for (const double part : y) coefficients.push_back({part});
      result.push_back(matrix.make_field(1));
      blas::block_caxpy<T>(result.back(), first(dimension), coefficients);
    }
    return result;
  }

  /// Begins anew with `count` of these vectors and v_m.
  void restart(const SymmetricMatrix::Spectrum& spectrum, int count) {
    std::vector<SpinorField<T>> kept = largest(spectrum, count);
    kept.push_back(std::move(at(dimension)));
    projected = SymmetricMatrix(dimension);
    for (int i = 0; i < count; ++i) {
      const std::size_t of = spectrum.vectors.size() - 1 - static_cast<std::size_t>(i);
      projected.set(i, i, spectrum.values[of]);
      projected.set(i, count, beta * spectrum.vectors[of].back());
    }
    for (int j = count + 1; j <= dimension; ++j) kept.push_back(std::move(at(j - count - 1)));
    vectors = std::move(kept);
  }
};

}  // namespace kaon::detail
