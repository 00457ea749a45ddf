// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace kaon {

/// a_0 + sum_i a_i / (x + b_i): a rational function as a multi-shift solver applies it to a matrix.
struct PartialFractions {
  double constant = 0.0;         ///< a_0
  std::vector<double> residues;  ///< a_i
  std::vector<double> shifts;    ///< b_i, as many

  double operator()(double x) const;
};

/// (x + shift)^exponent
struct PowerFactor {
  double exponent = 0.0;
  double shift = 0.0;
};

/// The eigenvalues of a matrix lie from `lower` to `upper`.
struct SpectralRange {
  double lower = 0.0;
  double upper = 0.0;
};

/// r(x) = A prod_i (x + z_i) / (x + b_i), of degree (n, n), which approximates a function f on a range:
///
///   exp(-error) <= r(x) / f(x) <= exp(error).
class RationalApproximation {
 public:
  double operator()(double x) const;
  int degree() const { return static_cast<int>(zeros_.size()); }
  /// The largest |ln r(x) - ln f(x)| in the range.
  double error() const { return error_; }
  const SpectralRange& range() const { return range_; }
  /// z_i, increasing; all zeros and poles of r are at negative x and alternate.
  const std::vector<double>& zeros() const { return zeros_; }
  /// b_i, increasing
  const std::vector<double>& poles() const { return poles_; }

  /// 1/r, which approximates 1/f with the same error.
  RationalApproximation inverse() const;
  /// The function as partial fractions. Residues have one sign, that of -f'; a function that rises is a difference of
  /// large numbers, and is known to 1e-16 times the ratio of its largest value to its smallest one.
  PartialFractions partial_fractions() const;

 private:
  friend RationalApproximation minimax_powers(std::span<const PowerFactor>, const SpectralRange&, int);

  double scale_ = 1.0;  // A
  std::vector<double> zeros_, poles_;
  SpectralRange range_;
  double error_ = 0.0;
};

/// The best r of degree (n, n) for f(x) = prod_i (x + s_i)^p_i: that with the smallest error, which it reaches 2n + 2
/// times with alternating signs. r / cosh(error) is the one with the smallest relative error |r/f - 1|, which is
/// tanh(error). If the error is below the resolution of doubles, about 1e-12, r is the best one of a range that starts
/// closer to the zeros and poles.
///
/// The sums p_1, p_1 + p_2, ... of the exponents in the order of rising shifts must all be in (-1, 0], or all in
/// [0, 1): then f or 1/f is a Stieltjes function, and zeros and poles are real. A single power |p| < 1 is the case of
/// rational hybrid Monte Carlo; products are those of several masses.
///
/// Worked out in double precision: logarithms of A, z_i and b_i are the unknowns of Newton steps within an exchange of
/// extrema, from Zolotarev's solution for p = -1/2 on. Milliseconds. Throws `Error` for exponents that do not fit, a
/// range with x + s_i <= 0 in it or without length, or whose ends in x + s_i differ by more than a factor of 1e32, a
/// degree below 1, and where doubles do not hold the solution.
///
/// Sources: E. Y. Remez, 1934; E. I. Zolotarev, 1877, as in J. van den Eshof et al., Comput. Phys. Commun. 146 (2002)
/// 203; A. D. Kennedy, I. Horvath and S. Sint, Nucl. Phys. B (Proc. Suppl.) 73 (1999) 834.
RationalApproximation minimax_powers(std::span<const PowerFactor> factors, const SpectralRange& range, int degree);
/// The one of the lowest degree whose error is not above `error`. Throws `Error` for an error below 1e-12, too.
RationalApproximation minimax_powers_within(std::span<const PowerFactor> factors, const SpectralRange& range,
                                            double error);

/// The best approximation of f(x) = x^p.
RationalApproximation minimax_power(double exponent, const SpectralRange& range, int degree);
RationalApproximation minimax_power_within(double exponent, const SpectralRange& range, double error);

/// Largest |ln r - ln f| of the approximations in S = <phi, f(A) phi>. The force's error may be larger: it changes what
/// the equations of motion conserve, but not the sampled distribution.
struct RationalErrors {
  double value = 1e-10;  ///< of `draw` and `value`
  double force = 1e-6;   ///< of `add_force`
};

/// The rational functions of pseudofermions phi with the action S = <phi, f(A) phi>.
struct RationalFunctions {
  PartialFractions draw;   ///< of f^(-1/2): phi = draw(A) eta, eta Gaussian
  PartialFractions value;  ///< of f^(1/2): S = |value(A) phi|^2; 1/draw, so that S = |eta|^2 after `draw`
  PartialFractions force;  ///< of f
};

/// The functions of f(x) = prod_i (x + s_i)^p_i. Throws `Error` as `minimax_powers_within`.
RationalFunctions rational_functions(std::span<const PowerFactor> factors, const SpectralRange& range,
                                     const RationalErrors& errors = {});

}  // namespace kaon
