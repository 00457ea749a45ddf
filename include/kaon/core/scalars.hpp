// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

namespace kaon::detail {
struct ScalarState;
}

namespace kaon::blas {

using Reals = std::vector<double>;
using Complexes = std::vector<std::complex<double>>;

/// Coefficients of a vector operation, one or several for each right-hand side. The host has them, or kernels compute
/// them from reductions, in their own memory, before the host knows them. Operations take both.
///
/// An operation leaves a right-hand side as it is if its first coefficient is NaN. Copies share what kernels compute.
class Scalars {
 public:
  /// No values.
  Scalars() = default;
  /// One value for all right-hand sides.
  Scalars(double value) : Scalars(std::complex<double>(value)) {}
  Scalars(std::complex<double> value);
  /// One for each right-hand side.
  Scalars(std::span<const double> values);
  Scalars(std::span<const std::complex<double>> values);
  Scalars(const Reals& values) : Scalars(std::span(values)) {}
  Scalars(const Complexes& values) : Scalars(std::span(values)) {}
  /// Several for each right-hand side, in the order of the operation's formula. Waits while kernels compute them.
  /// Throws `Error` unless they are one each for the same number of right-hand sides.
  Scalars(std::initializer_list<Scalars> coefficients)
      : Scalars(std::span(coefficients.begin(), coefficients.size())) {}
  explicit Scalars(std::span<const Scalars> coefficients);

  /// All with the other sign.
  Scalars operator-() const;

  /// Coefficients of a right-hand side.
  int count() const { return count_; }
  /// Coefficient j of right-hand side k. Waits while kernels compute it.
  std::complex<double> operator()(std::size_t k, int j = 0) const;
  /// False if operations leave right-hand side k as it is. Waits as above.
  bool has(std::size_t k) const { return (*this)(k).real() == (*this)(k).real(); }

 private:
  friend struct detail::ScalarState;
  int count_ = 0;
  double sign_ = 1.0;
  std::shared_ptr<detail::ScalarState> state_;
};

}  // namespace kaon::blas
