// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/adapters/forecast.hpp"
#include "tests/gauge/initial_links.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/wilson.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// A Wilson operator, its normal operator and random fields.
struct System {
  Lattice lattice{{.extents = {4, 4, 4, 4}}};
  GaugeField<double> links = [this] { return hot_links<double>(lattice, 3); }();
  Wilson<double> wilson{links, {.mass = 0.2}};
  NormalOperator<double> normal{Ref<LinearOperator<double>>(wilson)};
  std::vector<SpinorField<double>> earlier;

  explicit System(int count) {
    for (int k = 0; k < count; ++k) earlier.push_back(random(static_cast<std::uint32_t>(k)));
  }
  SpinorField<double> random(std::uint32_t stream) const {
    SpinorField<double> field(lattice, wilson.domain());
    set_gaussian(field, {.seed = 5, .stream = stream});
    return field;
  }
  const LinearOperator<double>& matrix(detail::ForecastNorm norm) const {
    return norm == detail::ForecastNorm::error ? static_cast<const LinearOperator<double>&>(normal) : wilson;
  }
  SpinorField<double> forecast(const SpinorField<double>& b, detail::ForecastNorm norm) const {
    SpinorField<double> x(lattice, wilson.domain());
    detail::forecast(x, b, earlier, norm,
                     [&](SpinorField<double>& out, const SpinorField<double>& in) { matrix(norm).apply(out, in); });
    return x;
  }
};

constexpr detail::ForecastNorm norms[] = {detail::ForecastNorm::residual, detail::ForecastNorm::error};

TEST(Forecast, FindsASumOfTheSolutions) {
  for (const detail::ForecastNorm norm : norms) {
    System system(3);
    SpinorField<double> expected(system.lattice, system.wilson.domain()), b = system.random(9);
    blas::caxpy(expected, system.earlier[0], blas::Complexes{{0.3, -1.1}});
    blas::caxpy(expected, system.earlier[2], blas::Complexes{{-2.0, 0.4}});
    system.matrix(norm).apply(b, expected);
    // A solution that depends on others is left out.
    system.earlier.push_back(system.random(0));
    blas::scale(system.earlier.back(), 3.0);
    SpinorField<double> x = system.forecast(b, norm);
    blas::axpy(x, expected, -1.0);
    EXPECT_LT(std::sqrt(blas::norm2(x)[0] / blas::norm2(expected)[0]), 1e-12);
  }
}

// The residual is orthogonal to the images, or that of the error to the solutions: the conditions of a minimum.
TEST(Forecast, HasTheSmallestNorm) {
  for (const detail::ForecastNorm norm : norms) {
    const System system(3);
    const SpinorField<double> b = system.random(9), x = system.forecast(b, norm);
    SpinorField<double> residual(system.lattice, system.wilson.domain()), image = system.random(0);
    system.matrix(norm).apply(residual, x);
    blas::axpy(residual, b, -1.0);
    EXPECT_LT(blas::norm2(residual)[0], blas::norm2(b)[0]);
    for (const SpinorField<double>& solution : system.earlier) {
      system.matrix(norm).apply(image, solution);
      const SpinorField<double>& direction = norm == detail::ForecastNorm::error ? solution : image;
      const double size = std::sqrt(blas::norm2(direction)[0] * blas::norm2(residual)[0]);
      EXPECT_LT(std::abs(blas::inner_product(direction, residual)[0]), 1e-12 * size);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
