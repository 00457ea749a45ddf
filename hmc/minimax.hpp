// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

namespace kaon::detail {

/// The rational function r(y) = A prod_i (y + z_i) / (y + b_i), b_1 < z_1 < b_2 < ... < z_n, that is closest to a
/// function f on a range, in the sense of the largest |ln r - ln f|.
///
/// Remez' algorithm with the logarithms of A, b_i and z_i as unknowns: in them zeros and poles can neither change their
/// sign nor, in small enough steps, their order, and nothing is lost by cancellation.
class Minimax {
 public:
  /// ln f as a function of y
  using LogFunction = std::function<double(double)>;

  /// Zolotarev's solution for (y / (1 + w y))^(-1/2), w >= 0: with w = 0 for a cut that reaches to infinity, otherwise
  /// for one from 0 to -1/w.
  Minimax(double lower, double upper, int degree, double inverse_cut);

  /// Goes to the solution for another function, which must be close to that of the last one. False if it cannot be
  /// reached; the values are meaningless then.
  bool solve(const LogFunction& log_f);

  double log_scale() const { return unknowns_.log_scale; }
  /// b_i and z_i in turn
  std::vector<double> positions() const;
  /// The largest |ln r - ln f|.
  double error() const { return error_; }

 private:
  /// ln A, ln b_i and ln z_i, and the height E of the extrema.
  struct Unknowns {
    std::vector<double> log_positions;  // ln b_1, ln z_1, ln b_2, ...
    double log_scale = 0.0;
    double level = 0.0;
  };

  /// ln r - ln f
  double difference(double log_y, const LogFunction& log_f) const;
  /// (-1)^k E - (ln r - ln f)(t_k)
  std::vector<double> defects(const LogFunction& log_f) const;
  /// A step of Newton's method against the defects, shortened so that the order of b_i and z_i does not change. False
  /// where the equations are singular.
  bool newton_step(std::vector<double> defects);
  /// Makes the extrema equal: (ln r - ln f)(t_k) = (-1)^k E, 2n + 2 equations for as many unknowns.
  bool level(const LogFunction& log_f);
  /// Moves the t_k to the extrema of ln r - ln f, one between each two of its zeros. False if its signs do not
  /// alternate beyond rounding.
  bool exchange(const LogFunction& log_f);
  /// Whether ln r and ln f differ by rounding alone, and then `error` is that.
  bool agrees(const LogFunction& log_f);

  double lower_, upper_;  // of ln y
  double rounding_;       // of ln r - ln f
  Unknowns unknowns_;
  std::vector<double> extrema_;  // t_k = ln y_k
  double error_ = 0.0;
  double smallest_extremum_ = 0.0;
};

/// An error that is used for rounding where no extrema are found.
inline constexpr double smallest_minimax_error = 1e-12;

}  // namespace kaon::detail
