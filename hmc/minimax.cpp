// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/minimax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace kaon::detail {
namespace {

/// tan^2 of Jacobi's amplitude at `fraction` K, 0 <= fraction <= 1/2, by the arithmetic-geometric mean. Source: M.
/// Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 16.4.
double squared_tangent(double fraction, double complementary_modulus) {
  std::vector<double> means{1.0}, ratios{0.0};  // a_n, c_n / a_n
  double a = 1.0, b = complementary_modulus;
  while (std::abs(a - b) > 1e-15 * a) {
    const double c = 0.5 * (a - b), geometric = std::sqrt(a * b);
    a = 0.5 * (a + b);
    b = geometric;
    means.push_back(a);
    ratios.push_back(c / a);
  }
  // K = pi / (2 a_N), the amplitude of order N is 2^N a_N u.
  const std::size_t last = means.size() - 1;
  double amplitude = std::ldexp(0.5 * std::numbers::pi * fraction, static_cast<int>(last));
  for (std::size_t n = last; n > 0; --n) {
    amplitude = 0.5 * (amplitude + std::asin(ratios[n] * std::sin(amplitude)));
  }
  return std::tan(amplitude) * std::tan(amplitude);
}

/// Poles, zeros and extrema of Zolotarev's best rational approximation of x^(-1/2) of degree (n, n).
struct Zolotarev {
  std::vector<double> poles;    ///< b_i: r(x) = A prod_i (x + z_i) / (x + b_i)
  std::vector<double> zeros;    ///< z_i
  std::vector<double> extrema;  ///< the 2n + 2 places where r(x) x^(1/2) is extreme, from `lower` to `upper`
};

/// In Jacobi's functions of modulus k, k'^2 = 1 - k^2 = lower/upper, and with c_j = (sn/cn)^2(j K / (2n + 1)):
///
///   b_i = lower c_{2i-1},   z_i = lower c_{2i},   extrema lower (1 + c_j) / (1 + k'^2 c_j).
///
/// Source: J. van den Eshof, A. Frommer, T. Lippert, K. Schilling and H. A. van der Vorst, Comput. Phys. Commun. 146
/// (2002) 203, section 4.3.
Zolotarev zolotarev(double lower, double upper, int degree) {
  const double squared_modulus = lower / upper;  // k'^2
  const int parts = 2 * degree + 1;
  std::vector<double> c(static_cast<std::size_t>(parts));
  for (int j = 0; 2 * j < parts; ++j) {
    c[static_cast<std::size_t>(j)] = squared_tangent(static_cast<double>(j) / parts, std::sqrt(squared_modulus));
    // sn/cn (K - u) = 1 / (k' sn/cn (u))
    if (j > 0) c[static_cast<std::size_t>(parts - j)] = 1.0 / (squared_modulus * c[static_cast<std::size_t>(j)]);
  }
  Zolotarev found;
  for (std::size_t j = 1; j < c.size(); ++j) (j % 2 == 1 ? found.poles : found.zeros).push_back(lower * c[j]);
  for (const double c_j : c) found.extrema.push_back(lower * (1.0 + c_j) / (1.0 + squared_modulus * c_j));
  found.extrema.push_back(upper);
  return found;
}

/// Solves the n equations matrix x = b by elimination with row exchanges; x takes the place of b. False for a singular
/// matrix.
bool solve_linear(std::vector<double>& matrix, std::vector<double>& b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (std::abs(matrix[i * n + k]) > std::abs(matrix[pivot * n + k])) pivot = i;
    }
    if (!(std::abs(matrix[pivot * n + k]) > 0.0)) return false;
    if (pivot != k) {
      for (std::size_t j = 0; j < n; ++j) std::swap(matrix[k * n + j], matrix[pivot * n + j]);
      std::swap(b[k], b[pivot]);
    }
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = matrix[i * n + k] / matrix[k * n + k];
      for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= matrix[k * n + j] * b[j];
    b[k] /= matrix[k * n + k];
    if (!std::isfinite(b[k])) return false;
  }
  return true;
}

/// (-1)^k
double alternating(std::size_t k) { return k % 2 == 0 ? 1.0 : -1.0; }

/// The place of the only maximum of |f| between a and b, by golden sections.
template <class F>
double largest_between(double a, double b, const F& f) {
  constexpr double golden = 0.6180339887498949;
  const double left = a, right = b;
  double p = b - golden * (b - a), q = a + golden * (b - a);
  double of_p = std::abs(f(p)), of_q = std::abs(f(q));
  for (int step = 0; step < 36; ++step) {
    if (of_p > of_q) {
      b = q;
      q = p;
      of_q = of_p;
      p = b - golden * (b - a);
      of_p = std::abs(f(p));
    } else {
      a = p;
      p = q;
      of_p = of_q;
      q = a + golden * (b - a);
      of_q = std::abs(f(q));
    }
  }
  const double inner = 0.5 * (a + b), of_inner = std::abs(f(inner));
  const double of_left = std::abs(f(left)), of_right = std::abs(f(right));
  if (of_inner >= of_left && of_inner >= of_right) return inner;
  return of_left > of_right ? left : right;
}

/// The zero of f between a and b, if it has opposite signs.
template <class F>
double zero_between(double a, double b, const F& f) {
  const bool rises = f(a) < 0.0;
  for (int step = 0; step < 44; ++step) {
    const double middle = 0.5 * (a + b);
    ((f(middle) < 0.0) == rises ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

}  // namespace

Minimax::Minimax(double lower, double upper, int degree, double inverse_cut)
    : lower_(std::log(lower)), upper_(std::log(upper)), rounding_(1e-15 * (0.25 * degree + upper_ - lower_)) {
  // In u = y / (1 + w y): a rational function of u is one of y, of the same degree.
  const auto u = [inverse_cut](double y) { return y / (1.0 + inverse_cut * y); };
  const Zolotarev start = zolotarev(u(lower), u(upper), degree);
  for (std::size_t i = 0; i < start.poles.size(); ++i) {
    unknowns_.log_positions.push_back(std::log(u(start.poles[i])));  // u + b = 0 at y = -b / (1 + w b)
    unknowns_.log_positions.push_back(std::log(u(start.zeros[i])));
  }
  for (const double extremum : start.extrema) extrema_.push_back(std::log(extremum / (1.0 - inverse_cut * extremum)));
  extrema_.front() = lower_;
  extrema_.back() = upper_;
  const auto power = [&](double y) { return -0.5 * std::log(u(y)); };
  const double first = difference(extrema_[0], power), second = difference(extrema_[1], power);
  unknowns_.log_scale = -0.5 * (first + second);
  unknowns_.level = 0.5 * (first - second);
}

double Minimax::difference(double log_y, const LogFunction& log_f) const {
  const double y = std::exp(log_y);
  const std::vector<double>& positions = unknowns_.log_positions;
  double sum = unknowns_.log_scale - log_f(y);
  for (std::size_t i = 0; i < positions.size(); i += 2) {
    const double b = std::exp(positions[i]);
    sum += std::log1p(b * std::expm1(positions[i + 1] - positions[i]) / (y + b));  // ln((y + z)/(y + b))
  }
  return sum;
}

std::vector<double> Minimax::defects(const LogFunction& log_f) const {
  std::vector<double> found;
  for (std::size_t k = 0; k < extrema_.size(); ++k) {
    found.push_back(alternating(k) * unknowns_.level - difference(extrema_[k], log_f));
  }
  return found;
}

bool Minimax::newton_step(std::vector<double> defects) {
  std::vector<double>& positions = unknowns_.log_positions;
  const std::size_t n = extrema_.size(), count = positions.size();  // n = count + 2
  std::vector<double> matrix(n * n);
  for (std::size_t k = 0; k < n; ++k) {
    const double y = std::exp(extrema_[k]);
    for (std::size_t i = 0; i < count; ++i) {
      const double position = std::exp(positions[i]);
      matrix[k * n + i] = -alternating(i) * position / (y + position);
    }
    matrix[k * n + count] = 1.0;
    matrix[k * n + count + 1] = -alternating(k);
  }
  if (!solve_linear(matrix, defects)) return false;
  double fraction = 1.0;  // no gap between neighbours shrinks by more than two thirds
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double gap = positions[i + 1] - positions[i], shrinks = defects[i] - defects[i + 1];
    if (shrinks > 0.0) fraction = std::min(fraction, 0.67 * gap / shrinks);
  }
  for (std::size_t i = 0; i < count; ++i) positions[i] += fraction * defects[i];
  unknowns_.log_scale += fraction * defects[count];
  unknowns_.level += fraction * defects[count + 1];
  return true;
}

bool Minimax::level(const LogFunction& log_f) {
  Unknowns best = unknowns_;
  double smallest = std::numeric_limits<double>::infinity();
  for (int since_best = 0; since_best < 4; ++since_best) {
    const std::vector<double> of_extrema = defects(log_f);
    double largest = 0.0;
    for (const double defect : of_extrema) largest = std::max(largest, std::abs(defect));
    if (!std::isfinite(largest)) break;
    if (largest < smallest) {
      if (largest < 0.99 * smallest) since_best = 0;
      smallest = largest;
      best = unknowns_;
    }
    if (largest < 1e-8 * std::abs(best.level) + 0.2 * rounding_ || !newton_step(of_extrema)) break;
  }
  unknowns_ = std::move(best);
  // Almost singular equations leave more than rounding. Signs alternate all the same.
  return smallest < 0.5 * std::abs(unknowns_.level);
}

bool Minimax::exchange(const LogFunction& log_f) {
  if (std::abs(unknowns_.level) < rounding_) return false;
  const auto f = [&](double log_y) { return difference(log_y, log_f); };
  std::vector<double> zeros{lower_};
  for (std::size_t k = 0; k + 1 < extrema_.size(); ++k) {
    if (!(f(extrema_[k]) * f(extrema_[k + 1]) < 0.0)) return false;
    zeros.push_back(zero_between(extrema_[k], extrema_[k + 1], f));
  }
  zeros.push_back(upper_);
  error_ = 0.0;
  smallest_extremum_ = std::abs(unknowns_.level);
  for (std::size_t k = 0; k < extrema_.size(); ++k) {
    extrema_[k] = largest_between(zeros[k], zeros[k + 1], f);
    const double height = std::abs(f(extrema_[k]));
    error_ = std::max(error_, height);
    smallest_extremum_ = std::min(smallest_extremum_, height);
  }
  return true;
}

bool Minimax::agrees(const LogFunction& log_f) {
  // ln r is smooth on the scale of 1 in ln y.
  const int points = 20 + static_cast<int>(20.0 * (upper_ - lower_));
  error_ = rounding_;
  for (int i = 0; i <= points; ++i) {
    const double here = std::abs(difference(lower_ + (upper_ - lower_) * i / points, log_f));
    if (!(here < smallest_minimax_error)) return false;
    error_ = std::max(error_, here);
  }
  return true;
}

bool Minimax::solve(const LogFunction& log_f) {
  double smallest_spread = std::numeric_limits<double>::infinity();
  for (int since_smallest = 0; since_smallest < 4; ++since_smallest) {
    if (!level(log_f) || !exchange(log_f)) return agrees(log_f);
    const double spread = error_ - smallest_extremum_;
    if (spread < 1e-7 * error_ + rounding_) return true;
    if (spread < 0.9 * smallest_spread) {
      smallest_spread = spread;
      since_smallest = 0;
    }
  }
  return error_ - smallest_extremum_ < 0.2 * error_;
}

std::vector<double> Minimax::positions() const {
  std::vector<double> positions;
  for (const double log_position : unknowns_.log_positions) positions.push_back(std::exp(log_position));
  return positions;
}

}  // namespace kaon::detail
