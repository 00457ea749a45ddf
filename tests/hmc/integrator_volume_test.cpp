// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/chain_mean.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <string>
#include <utility>
#include <vector>

// The conditions of detailed balance, for each integrator.

namespace kaon::test {
namespace KAON_TEST_FILE {

using Numbers = std::vector<std::complex<double>>;
using Matrix = std::array<std::array<std::complex<double>, 3>, 3>;
constexpr int generators = 8;

/// T_a = i lambda_a / sqrt(2): a basis of traceless anti-Hermitian matrices with Re tr(T_a^dag T_b) = delta_ab.
Matrix generator(int a) {
  constexpr std::complex<double> i{0.0, 1.0};
  const double half = std::sqrt(0.5), sixth = std::sqrt(1.0 / 6.0);
  Matrix t{};
  constexpr int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  if (a < 6) {
    const auto& [row, column] = pairs[a / 2];
    t[row][column] = a % 2 == 0 ? i * half : half;
    t[column][row] = a % 2 == 0 ? i * half : -half;
  } else if (a == 6) {
    t[0][0] = i * half;
    t[1][1] = -i * half;
  } else {
    t[0][0] = t[1][1] = i * sixth;
    t[2][2] = -2.0 * i * sixth;
  }
  return t;
}

/// Links and momenta.
struct Phase {
  Numbers links, momenta;
};

/// A step of the gauge action.
class Step {
 public:
  explicit Step(Integrator integrator)
      : links_(lattice_), momenta_(lattice_), scale_{{std::make_shared<GaugeAction>(5.6)}, 1, integrator} {}

  Phase start() {
    set_random(links_, {.seed = 4});
    set_gaussian_momenta(momenta_, 1.0, {.seed = 3});
    return {links_.to_host(), momenta_.to_host()};
  }
  Phase operator()(const Phase& from) {
    links_.from_host(from.links);
    momenta_.from_host(from.momenta);
    integrate(links_, momenta_, {&scale_, 1}, 0.4);
    return {links_.to_host(), momenta_.to_host()};
  }

 private:
  Lattice lattice_{{.extents = {2, 2, 2, 2}}};
  GaugeField<double> links_, momenta_;
  TimeScale scale_;
};

/// Moves coordinate k: U <- exp(x T_a) U to the second order, or P <- P + x T_a.
Phase moved(Phase phase, std::size_t k, double x) {
  const std::size_t links = phase.links.size() / 9, link = k / generators % links;
  const Matrix t = generator(static_cast<int>(k % generators));
  const bool is_link = k < links * generators;
  const Numbers old(phase.links.begin() + 9 * link, phase.links.begin() + 9 * link + 9);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (!is_link) {
        phase.momenta[9 * link + 3 * i + j] += x * t[i][j];
        continue;
      }
      for (std::size_t l = 0; l < 3; ++l) {
        std::complex<double> square = 0.0;
        for (std::size_t n = 0; n < 3; ++n) square += t[i][n] * t[n][l];
        phase.links[9 * link + 3 * i + j] += (x * t[i][l] + 0.5 * x * x * square) * old[3 * l + j];
      }
    }
  }
  return phase;
}

/// Coordinates of a small change: Re tr(T_a^dag dU U^dag) and Re tr(T_a^dag dP).
std::vector<double> coordinates(const Phase& change, const Phase& at) {
  std::vector<double> values;
  for (const bool is_link : {true, false}) {
    const Numbers& numbers = is_link ? change.links : change.momenta;
    for (std::size_t link = 0; link < numbers.size() / 9; ++link) {
      Matrix d{};
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          if (!is_link) d[i][j] = numbers[9 * link + 3 * i + j];
          for (std::size_t l = 0; is_link && l < 3; ++l) {
            d[i][j] += numbers[9 * link + 3 * i + l] * std::conj(at.links[9 * link + 3 * j + l]);
          }
        }
      }
      for (int a = 0; a < generators; ++a) {
        const Matrix t = generator(a);
        double value = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) value += (std::conj(t[i][j]) * d[i][j]).real();
        }
        values.push_back(value);
      }
    }
  }
  return values;
}

/// By elimination with pivots.
double determinant(std::vector<std::vector<double>> rows) {
  double product = 1.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto pivot = std::max_element(rows.begin() + k, rows.end(),
                                        [k](const auto& a, const auto& b) { return std::abs(a[k]) < std::abs(b[k]); });
    if (pivot != rows.begin() + k) {
      std::swap(*pivot, rows[k]);
      product = -product;
    }
    product *= rows[k][k];
    for (std::size_t i = k + 1; i < rows.size(); ++i) {
      const double factor = rows[i][k] / rows[k][k];
      if (factor == 0.0) continue;
      for (std::size_t j = k; j < rows.size(); ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  return product;
}

TEST(Integrator, HasAJacobianOfDeterminantOne) {
  for (const IntegratorScheme& scheme : integrators) {
    if (scheme.value == Integrator::leapfrog || scheme.value == Integrator::fourth_order) continue;
    Step step(scheme.value);
    const Phase start = step.start(), end = step(start);
    constexpr double x = 1e-4;
    std::vector<std::vector<double>> columns;
    for (std::size_t k = 0; k < 2 * generators * start.links.size() / 9; ++k) {
      Phase change = step(moved(start, k, x));
      const Phase below = step(moved(start, k, -x));
      for (std::size_t n = 0; n < change.links.size(); ++n) {
        change.links[n] = (change.links[n] - below.links[n]) / (2.0 * x);
        change.momenta[n] = (change.momenta[n] - below.momenta[n]) / (2.0 * x);
      }
      columns.push_back(coordinates(change, end));
    }
    EXPECT_NEAR(determinant(std::move(columns)), 1.0, 1e-5) << scheme.word;
  }
}

// Steps so large that a good part of the trajectories is rejected, so that <exp(-dH)> differs from 1 - <dH>.
TEST(Integrator, HasAMeanExponentialOfOne) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const std::pair<Integrator, int> cases[] = {{Integrator::badab, 4},
                                              {Integrator::abadaba, 3},
                                              {Integrator::badabadab, 2},
                                              {Integrator::babadabab, 2},
                                              {Integrator::adada, 4}};
  for (const auto& [integrator, steps] : cases) {
    const std::string word(scheme_of(integrator).word);
    SCOPED_TRACE(word);
    GaugeField<double> links(lattice);
    set_random(links, {.seed = 7, .stream = 1});
    const auto action = std::make_shared<GaugeAction>(5.6);
    HybridMonteCarlo start({{{action}, 6}}, {.seed = 2, .accept_all = true}),
        hmc({{{action}, steps, integrator}}, {.seed = 2});
    constexpr std::uint32_t first = 100, count = 500;
    std::vector<double> weights, accepted;
    for (std::uint32_t n = 0; n < first + count; ++n) {
      const TrajectoryReport report = (n < first ? start : hmc).trajectory(links, n);
      if (n < first) continue;
      weights.push_back(std::exp(-report.delta_energy));
      accepted.push_back(report.accepted ? 1.0 : 0.0);
    }
    const ChainMean mean = chain_mean(weights), taken = chain_mean(accepted);
    RecordProperty(word, std::to_string(mean.mean) + " +- " + std::to_string(mean.error.value()) + ", accepted " +
                             std::to_string(taken.mean));
    EXPECT_NEAR(mean.mean, 1.0, 4.0 * mean.error.value());
    EXPECT_LT(mean.error.value(), 0.1);
    EXPECT_LT(taken.mean, 0.99);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
