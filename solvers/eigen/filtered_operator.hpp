// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
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
    upper_ = filter->upper ? *filter->upper : above(detail::largest_eigenvalue(matrix, start));
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
      if (sign_ < 0.0) blas::scale(out, blas::Reals{-1.0});
      return;
    }
    // T_0 = 1, T_1 = x, T_(n+1) = 2 x T_n - T_(n-1) with x = (centre - A) / width or (A - centre) / width
    SpinorField<T>*before = &kept_[0], *here = &kept_[1];
    blas::copy(*before, in);
    times_x(*here, in, 1.0);
    for (int n = 1; n < filter_->degree; ++n) {
      times_x(out, *here, 2.0);
      blas::axpy(out, *before, blas::Reals{-1.0});
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
    blas::scale(out, blas::Reals{sign_ * factor / width()});
    blas::axpy(out, in, blas::Reals{-sign_ * factor * centre() / width()});
  }

  const LinearOperator<T>& matrix_;
  std::optional<ChebyshevFilter> filter_;
  double sign_;
  double upper_ = 0.0;
  std::vector<SpinorField<T>> kept_;
  long applications_ = 0;
};

}  // namespace kaon::detail
