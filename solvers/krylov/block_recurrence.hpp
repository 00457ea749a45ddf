// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/column_products.hpp"
#include "solvers/contract/block_lanczos_matrix.hpp"
#include "solvers/contract/solve_state.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <algorithm>
#include <utility>

namespace kaon::detail {

/// Columns of a block of which less than this part of the length is independent of the others: what T knows of their
/// direction is rounding. They are solved for by the directions of the others, until a residual says more.
template <class T>
constexpr double dependent_column = std::is_same_v<T, float> ? 2e-3 : 2e-6;

/// A Cholesky decomposition whose smallest pivot is below this leaves columns that are orthonormal to less than a
/// thousandth of a column: they are orthonormalized a second time (CholeskyQR2: Yamamoto et al., ETNA 44 (2015) 306).
template <class S>
constexpr double accurate_pivot = std::is_same_v<S, float> ? 1e-4 : 1e-8;

/// The block of some right-hand sides: conjugate gradients for A X = B, A Hermitian and positive, whose residuals are
/// R = Q C with orthonormal Q (A. A. Dubrulle, ETNA 12 (2001) 216, "BCGrQ"):
///
///   Z = A D,  M = (D^dag Z)^-1,  X = X + D M C,  Q S = Q - Z M,  C = S C,  D = Q + D S^dag
///
/// Fields hold W with Q = W T, T upper triangular, so that the division by S costs no pass over the fields.
/// If A = M^dag M is the normal operator, C are the coordinates of M^dag R, and |b - M x|^2 falls by the elements on
/// the diagonal of C^dag M C in each iteration.
template <class S>
class BlockRecurrence {
 public:
  struct Fields {
    SpinorField<S> x, w, d, z;  ///< of its right-hand sides
  };

  /// Right-hand sides [first, first + fields.x.right_hand_sides()).
  BlockRecurrence(const LinearOperator<S>& matrix, bool of_normal, int first, Fields fields)
      : matrix_(matrix),
        of_normal_(of_normal),
        first_(static_cast<std::size_t>(first)),
        columns_(static_cast<std::size_t>(fields.x.right_hand_sides())),
        fields_(std::move(fields)) {}

  /// Forgets all directions: the next residuals start a recurrence.
  void forget() { rank_ = 0; }
  /// Starts from `residual`, R or M^dag R in T, which it changes, or continues from it: directions remain conjugate to
  /// those of the last iteration. `residual` may be w. Columns that do not run have no part in the block from then on.
  template <class T, class State>
  void take_residual(SpinorField<T>& residual, const State& state) {
    const std::size_t before = std::exchange(rank_, orthonormalize(residual, state));
    if (rank_ == 0) return;
    SpinorField<S> w = first_columns(fields_.w, rank_), d = first_columns(fields_.d, rank_);
    if constexpr (!std::is_same_v<T, S>) blas::copy(w, first_columns(residual, rank_));
    to_q_ = SmallMatrix::identity(rank_);
    if (before == 0) {
      blas::copy(d, w);
      lanczos_.restart();
      return;
    }
    // With D^dag of the residuals removed, <D, R> of the next iteration is C again.
    PendingGram of_z = gram(first_columns(fields_.z, before), w, false);
    PendingGram of_d = gram(first_columns(fields_.d, before), w, false);
    const SmallMatrix coupling = -(inverse_gram_ * of_z.wait());
    const SmallMatrix of_w = SmallMatrix::identity(rank_) - of_d.wait().adjoint() * coupling;
    turn_columns(fields_.d, w, {of_w}, {coupling});
    lanczos_.couple(coupling);
  }

  /// An iteration up to the coordinates of the next residual, whose |r|^2 become `norm2`. Returns false, and leaves all
  /// as it was, if the directions are not independent or A is not positive.
  template <class State>
  bool advance(const State& state, blas::Reals& norm2) {
    if (rank_ == 0) return false;
    SpinorField<S> z = first_columns(fields_.z, rank_), d = first_columns(fields_.d, rank_);
    matrix_.apply(z, d);
    const SmallMatrix gram_of_d = gram(d, z, true).wait();
    is_finite_ = gram_of_d.is_finite();
    const std::optional<Cholesky> of_d = cholesky(gram_of_d);
    if (!of_d) return false;
    const SmallMatrix inverse = inverse_of_triangle(of_d->triangle);
    inverse_gram_ = inverse * inverse.adjoint();
    const SmallMatrix half_step = inverse.adjoint() * coordinates_;
    step_ = inverse * half_step;
    lanczos_.append(inverse_gram_);

    SmallMatrix gram_of_w = update_columns(fields_.w, {to_q_, Triangle::upper}, z, {-inverse_gram_}).wait();
    const SmallMatrix last = coordinates_;
    coupling_.reset();
    std::optional<Cholesky> of_w = cholesky(gram_of_w);
    if (of_w) {
      SmallMatrix triangle = of_w->triangle;
      if (of_w->smallest_pivot < accurate_pivot<S>) {
        const SmallMatrix first_pass = inverse_of_triangle(triangle);
        of_w = cholesky(update_columns(fields_.w, {first_pass, Triangle::upper}).wait());
        if (of_w) triangle = of_w->triangle * triangle;
      }
      if (of_w) {
        to_q_ = inverse_of_triangle(of_w->triangle);
        coordinates_ = triangle * last;
        coupling_ = triangle.adjoint();
      }
    }
    const SmallMatrix of_residual = gram_of_w * last;  // |r|^2 is on the diagonal of C^dag (W^dag W) C
    for (std::size_t k = 0; k < columns_; ++k) {
      double fall = 0.0, square = 0.0;
      for (std::size_t i = 0; i < rank_; ++i) {
        fall += std::norm(half_step(i, k));
        square += (std::conj(last(i, k)) * of_residual(i, k)).real();
      }
      if (!state.runs(first_ + k)) {
        for (std::size_t i = 0; i < rank_; ++i) step_(i, k) = 0.0;
        continue;
      }
      double& of_k = norm2[first_ + k];
      of_k = std::max(of_normal_ ? of_k - fall : square, 0.0);
    }
    return true;
  }
  /// Whether numbers of the last iteration were finite.
  bool is_finite() const { return is_finite_; }
  /// Whether the residual of the last iteration is not known well enough for another iteration.
  bool is_lost() const { return rank_ > 0 && !coupling_; }
  /// The rest of an iteration: X = X + D M C and, unless residuals are replaced, D = Q + D S^dag.
  void finish(bool replaced) {
    SpinorField<S>&x = fields_.x, &d = fields_.d;
    if (replaced) return add_columns(x, d, step_);
    step_columns(x, step_, d, fields_.w, {to_q_, Triangle::upper}, {*coupling_, Triangle::lower});
    lanczos_.couple(*coupling_);
  }

  std::size_t first() const { return first_; }
  std::size_t columns() const { return columns_; }
  /// Columns of the block that are independent.
  std::size_t rank() const { return rank_; }
  double lowest() const { return lanczos_.lowest(); }

 private:
  template <class U>
  static SpinorField<U> first_columns(SpinorField<U>& field, std::size_t count) {
    return field.range(0, static_cast<int>(count));
  }

  /// Makes Q of the columns that run, in the first columns of `residual`, and C. Returns the number of columns of Q.
  template <class T, class State>
  std::size_t orthonormalize(SpinorField<T>& residual, const State& state) {
    SmallMatrix of_residual = gram(residual).wait();
    for (std::size_t k = 0; k < columns_; ++k) {
      if (state.runs(first_ + k)) continue;
      for (std::size_t i = 0; i < columns_; ++i) of_residual(i, k) = of_residual(k, i) = 0.0;
    }
    constexpr double least = dependent_column<T> * dependent_column<T>;
    constexpr int most_passes = 4;
    coordinates_ = {};
    for (int pass = 0; pass < most_passes; ++pass) {
      const ThinQr qr = thin_qr(of_residual, least);
      coordinates_ = pass == 0 ? qr.coordinates : qr.coordinates * coordinates_;
      if (qr.to_q.columns() == 0) return 0;
      of_residual = update_columns(residual, {qr.to_q}).wait();
      if (pass > 0 && qr.smallest_pivot > 0.5) break;
    }
    return coordinates_.rows();
  }

  const LinearOperator<S>& matrix_;
  bool of_normal_, is_finite_ = true;
  std::size_t first_, columns_, rank_ = 0;
  Fields fields_;
  SmallMatrix to_q_;                     // T
  SmallMatrix coordinates_;              // C
  SmallMatrix inverse_gram_;             // M
  SmallMatrix step_;                     // M C
  std::optional<SmallMatrix> coupling_;  // S^dag
  BlockLanczosMatrix lanczos_;
};

}  // namespace kaon::detail
