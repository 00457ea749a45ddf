// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/solver_blas.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"
#include "solvers/eigen/symmetric_matrix.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kaon::detail {

/// A number above the largest eigenvalue, from an estimate that is too small.
inline double above(double largest) { return largest + 0.1 * std::abs(largest); }

/// An operator whose largest eigenvalues have the wanted eigenvectors of A: -A for the smallest ones of A, A for the
/// largest ones, or a Chebyshev polynomial of A, which damps the other eigenvalues.
template <class T>
class FilteredOperator {
 public:
  FilteredOperator(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters,
                   const SpinorField<T>& start)
      : matrix_(matrix), filter_(parameters.filter), sign_(parameters.largest ? 1.0 : -1.0) {
    const std::optional<ChebyshevFilter>& filter = filter_;
    if (!filter) return;
    require(filter->upper || !parameters.largest,
            "a Chebyshev filter for the largest eigenvalues needs the upper end of the range that it damps");
    upper_ = filter->upper ? *filter->upper : above(detail::spectrum_ends(matrix, start).largest);
    require(std::isfinite(filter->lower) && std::isfinite(upper_) && filter->lower < upper_ && filter->degree >= 1,
            [&] {
              return fmt::format(
                  "a Chebyshev filter of degree {} that damps eigenvalues from {} to {}: give a degree from 1 "
                  "on and a range",
                  filter->degree, filter->lower, upper_);
            });
    kept_.push_back(matrix.make_field(1));
    kept_.push_back(matrix.make_field(1));
  }

  void apply(SpinorField<T>& out, const SpinorField<T>& in) {
    if (!filter_) {
      matrix_.apply(out, in);
      ++applications_;
      if (sign_ < 0.0) blas::scale(out, -1.0);
      return;
    }
    // T_0 = 1, T_1 = x, T_(n+1) = 2 x T_n - T_(n-1) with x = (centre - A) / width or (A - centre) / width
    SpinorField<T>*before = &kept_[0], *here = &kept_[1];
    blas::copy(*before, in);
    times_x(*here, in, 1.0);
    for (int n = 1; n < filter_->degree; ++n) {
      times_x(out, *here, 2.0);
      blas::axpy(out, *before, -1.0);
      std::swap(before, here);
      blas::copy(*here, out);
    }
    if (filter_->degree == 1) blas::copy(out, *here);
  }
  /// The eigenvalue of this operator where that of A is `lambda`.
  double value(double lambda) const {
    if (!filter_) return sign_ * lambda;
    const double x = sign_ * (lambda - centre()) / width();
    double before = 1.0, here = x;
    for (int n = 1; n < filter_->degree; ++n) before = std::exchange(here, 2.0 * x * here - before);
    return here;
  }
  long applications() const { return applications_; }

 private:
  double centre() const { return 0.5 * (upper_ + filter_->lower); }
  double width() const { return 0.5 * (upper_ - filter_->lower); }
  /// out = factor x in
  void times_x(SpinorField<T>& out, const SpinorField<T>& in, double factor) {
    matrix_.apply(out, in);
    ++applications_;
    blas::scale(out, sign_ * factor / width());
    blas::axpy(out, in, -sign_ * factor * centre() / width());
  }

  const LinearOperator<T>& matrix_;
  std::optional<ChebyshevFilter> filter_;
  double sign_;
  double upper_ = 0.0;
  std::vector<SpinorField<T>> kept_;
  long applications_ = 0;
};

template <class T>
double normalize(SpinorField<T>& v) {
  const double norm = std::sqrt(blas::norm2(v)[0]);
  blas::scale(v, 1.0 / norm);
  return norm;
}

/// w minus its parts along orthonormal vectors.
template <class T>
void project_out(SpinorField<T>& w, std::span<const SpinorField<T>> vectors) {
  if (vectors.empty()) return;
  std::vector<blas::Complexes> parts = blas::block_inner_product<T>(vectors, w).products;
  for (blas::Complexes& part : parts) part[0] = -part[0];
  blas::block_caxpy<T>(w, vectors, parts);
}

/// Random vectors of one seed, each of a stream of its own.
struct RandomVectors {
  std::uint64_t seed;
  std::uint32_t drawn = 0;

  template <class T>
  void draw(SpinorField<T>& v) {
    set_gaussian(v, {.seed = seed, .stream = ++drawn});
  }
};

/// Vectors v_0, ..., v_n with B v_j = sum_i v_i H_ij for j < n, plus beta v_n for j = n - 1. They are orthogonal to the
/// vectors in `beside`.
template <class T>
struct LanczosSpace {
  const LinearOperator<T>& matrix;
  FilteredOperator<T>& filtered;
  RandomVectors& random;
  std::span<const SpinorField<T>> beside;
  int dimension;                        // the largest n
  std::vector<SpinorField<T>> vectors;  // dimension + 1
  int size = 0;                         // n
  SymmetricMatrix projected;            // H
  double beta = 0.0;

  /// Starts with `first_vector`.
  LanczosSpace(const LinearOperator<T>& a, FilteredOperator<T>& b, int most, const SpinorField<T>& first_vector,
               RandomVectors& others)
      : LanczosSpace(a, b, most, others) {
    blas::copy(at(0), first_vector);
    normalize(at(0));
  }
  /// Starts with a random vector that is orthogonal to `known`, which it borrows.
  LanczosSpace(const LinearOperator<T>& a, FilteredOperator<T>& b, int most, std::span<const SpinorField<T>> known,
               RandomVectors& others)
      : LanczosSpace(a, b, most, others) {
    beside = known;
    start(0);
  }

  std::span<const SpinorField<T>> first(int count) const {
    return std::span<const SpinorField<T>>(vectors).first(static_cast<std::size_t>(count));
  }
  SpinorField<T>& at(int j) { return vectors[static_cast<std::size_t>(j)]; }

  /// A random vector orthogonal to those before number j.
  void start(int j) {
    random.draw(at(j));
    orthogonalize(at(j), j);
    normalize(at(j));
  }

  /// To the first `count` vectors and to those beside them: twice, since the first time leaves rounding errors of the
  /// parts, and those of one set along the other.
  void orthogonalize(SpinorField<T>& w, int count) const {
    for (int time = 0; time < 2; ++time) {
      project_out(w, beside);
      project_out(w, first(count));
    }
  }

  /// Makes n = `most`.
  void extend(int most) {
    for (int j = size; j < most; ++j) {
      SpinorField<T>& next = at(j + 1);
      filtered.apply(next, at(j));
      const double diagonal = blas::inner_product(at(j), next)[0].real();
      projected.set(j, j, diagonal);
      const double whole = blas::norm2(next)[0];
      orthogonalize(next, j + 1);
      const double left = blas::norm2(next)[0];
      beta = std::sqrt(left);
      if (!std::isfinite(beta)) throw SolveError("Lanczos' method met a number that is not finite");
      constexpr double rounding = std::numeric_limits<T>::epsilon();
      bool invariant = !(left > rounding * rounding * whole);
      if (!invariant) blas::scale(next, 1.0 / beta);
      if (!invariant && left < rounding * whole) {
        // The rest of a vector may be mostly rounding, which has parts along the others.
        orthogonalize(next, j + 1);
        invariant = normalize(next) < 0.5;
      }
      if (invariant) {  // continue outside of the space
        beta = 0.0;
        start(j + 1);
      }
      if (j + 1 < dimension) projected.set(j, j + 1, beta);
    }
    size = most;
  }

  SymmetricMatrix::Spectrum spectrum() const { return projected.leading(size).spectrum(); }

  /// The vectors sum_j y_j v_j of the last `count` eigenvectors y of H, largest eigenvalue first.
  std::vector<SpinorField<T>> largest(const SymmetricMatrix::Spectrum& spectrum, int count) const {
    std::vector<SpinorField<T>> result;
    for (int i = 0; i < count; ++i) {
      const std::vector<double>& y = spectrum.vectors[spectrum.vectors.size() - 1 - static_cast<std::size_t>(i)];
      std::vector<blas::Complexes> coefficients;
      for (const double part : y) coefficients.push_back({part});
      result.push_back(matrix.make_field(1));
      blas::block_caxpy<T>(result.back(), first(size), coefficients);
    }
    return result;
  }

  /// Restarts with `count` of these vectors and v_n.
  void restart(const SymmetricMatrix::Spectrum& spectrum, int count) {
    std::vector<SpinorField<T>> kept = largest(spectrum, count);
    std::swap(at(size), at(dimension));
    kept.push_back(std::move(at(dimension)));
    projected = SymmetricMatrix(dimension);
    for (int i = 0; i < count; ++i) {
      const std::size_t of = spectrum.vectors.size() - 1 - static_cast<std::size_t>(i);
      projected.set(i, i, spectrum.values[of]);
      projected.set(i, count, beta * spectrum.vectors[of].back());
    }
    for (int j = count + 1; j <= dimension; ++j) kept.push_back(std::move(at(j - count - 1)));
    vectors = std::move(kept);
    size = count;
  }

 private:
  LanczosSpace(const LinearOperator<T>& a, FilteredOperator<T>& b, int most, RandomVectors& others)
      : matrix(a), filtered(b), random(others), dimension(most), projected(most) {
    for (int j = 0; j <= most; ++j) vectors.push_back(matrix.make_field(1));
  }
};

}  // namespace kaon::detail
