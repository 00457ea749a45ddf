// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/eigen/symmetric_matrix.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <random>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Numbers = std::vector<reference::Complex>;

double norm_of(const Numbers& x) {
  double sum = 0.0;
  for (const reference::Complex& number : x) sum += std::norm(number);
  return std::sqrt(sum);
}

/// All eigenvalues of a Hermitian matrix, rising: the real matrix of twice the dimension has each of them twice.
template <class Apply>
std::vector<double> eigenvalues_of(const Apply& apply, std::size_t dimension) {
  detail::SymmetricMatrix real(static_cast<int>(2 * dimension));
  for (std::size_t column = 0; column < dimension; ++column) {
    Numbers unit(dimension);
    unit[column] = 1.0;
    const Numbers image = apply(unit);
    for (std::size_t row = 0; row < dimension; ++row) {
      const int i = static_cast<int>(row), j = static_cast<int>(column), d = static_cast<int>(dimension);
      real.set(i, j, image[row].real());
      real.set(i + d, j + d, image[row].real());
      real.set(i + d, j, image[row].imag());
    }
  }
  const std::vector<double> twice = real.spectrum().values;
  std::vector<double> once;
  for (std::size_t k = 0; k < twice.size(); k += 2) once.push_back(twice[k]);
  return once;
}

TEST(SymmetricMatrices, HaveTheirSpectrum) {
  std::mt19937 random(3);
  std::normal_distribution<double> number;
  for (const int d : {1, 2, 3, 5, 40, 150}) {
    detail::SymmetricMatrix matrix(d);
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j <= i; ++j) matrix.set(i, j, number(random));
    }
    const auto [values, vectors] = matrix.spectrum();
    for (int k = 0; k < d; ++k) {
      const auto at = static_cast<std::size_t>(k);
      EXPECT_TRUE(k == 0 || values[at - 1] <= values[at]);
      for (int l = 0; l < d; ++l) {
        double product = 0.0, image = 0.0;
        for (int j = 0; j < d; ++j) {
          product += vectors[at][static_cast<std::size_t>(j)] *
                     vectors[static_cast<std::size_t>(l)][static_cast<std::size_t>(j)];
          image += matrix.get(l, j) * vectors[at][static_cast<std::size_t>(j)];
        }
        EXPECT_NEAR(product, k == l ? 1.0 : 0.0, 1e-13);
        EXPECT_NEAR(image, values[at] * vectors[at][static_cast<std::size_t>(l)], 1e-13 * d);
      }
    }
  }
}

/// The results are orthonormal, and eigenvectors of what `slow` applies: nothing of the fast operator is asked.
template <class Slow>
void expect_eigenvectors(const Eigenvectors<double>& found, const Slow& slow, double tolerance, bool largest = false) {
  constexpr double rounding = 1e-10;
  for (std::size_t i = 0; i < found.vectors.size(); ++i) {
    EXPECT_TRUE(i == 0 || (largest ? found.values[i - 1] >= found.values[i] : found.values[i - 1] <= found.values[i]));
    for (std::size_t j = 0; j <= i; ++j) {
      const std::complex<double> product = blas::inner_product(found.vectors[i], found.vectors[j])[0];
      EXPECT_NEAR(std::abs(product), i == j ? 1.0 : 0.0, rounding) << i << " " << j;
    }
    const auto vector = found.vectors[i].to_host(0);
    auto residual = slow(vector);
    for (std::size_t n = 0; n < residual.size(); ++n) residual[n] -= found.values[i] * vector[n];
    const double length = norm_of(Numbers(residual.begin(), residual.end()));
    EXPECT_LE(length, tolerance);
    EXPECT_NEAR(found.residuals[i], length, rounding);
  }
}

/// M^dag M of clover quarks on a lattice that is small enough for all eigenvalues to be computed, and by the reference.
struct EigenvectorsOfCloverQuarks : ::testing::Test {
  Lattice lattice{{.extents = {2, 2, 2, 2}}};
  FermionCase fermion = fermion_cases()[2];
  GaugeField<double> links = random_links<double>(lattice);
  WilsonClover<double> dirac{links, fermion.parameters};
  NormalOperator<double> normal{dirac};
  reference::WilsonOperator slow{links.to_host(), lattice.extents(), reference_parameters(fermion)};
  std::function<reference::Spinor(const reference::Spinor&)> apply = [this](const reference::Spinor& x) {
    return slow.apply_dagger(slow.apply(x));
  };
  const std::vector<double>& all = all_eigenvalues();

  /// All tests share them, so they are computed once.
  const std::vector<double>& all_eigenvalues() const {
    static const std::vector<double> computed = eigenvalues_of(apply, 12 * 16);
    return computed;
  }
  /// The restarts of each way, which must find the eigenvalues of the dense matrix.
  std::vector<int> restarts_of(const std::vector<EigenvectorParameters>& ways) {
    std::vector<int> restarts;
    for (const EigenvectorParameters& way : ways) {
      const Eigenvectors<double> found = find_eigenvectors<double>(normal, way);
      EXPECT_TRUE(found.converged);
      expect_eigenvectors(found, apply, 2e-12 * all.back(), way.largest);
      for (std::size_t i = 0; i < found.values.size(); ++i) {
        EXPECT_NEAR(found.values[i], all[way.largest ? all.size() - 1 - i : i], 1e-11 * all.back()) << i;
      }
      restarts.push_back(found.restarts);
    }
    return restarts;
  }
};

TEST_F(EigenvectorsOfCloverQuarks, AreThoseOfTheDenseMatrix) {
  std::vector<EigenvectorParameters> ways(4, {.count = 8, .basis = 40, .tolerance = 1e-12});
  ways[0].filter = {.degree = 1};
  ways[1].filter = {.degree = 8, .lower = all[10]};
  ways[2].filter = {.degree = 15, .lower = all[10], .upper = 1.01 * all.back()};
  const std::vector<int> restarts = restarts_of(ways);
  EXPECT_LT(restarts[1], restarts[0]);
  EXPECT_LE(restarts[2], restarts[1]);
  EXPECT_LT(restarts[3], restarts[0]);  // a filter that is chosen
}

// The lowest tenth of the spectrum, and most of it, where a filter would mix eigenvalues up.
TEST_F(EigenvectorsOfCloverQuarks, ByAChosenFilterAreThoseOfTheSmallestEigenvalues) {
  for (const int count : {1, 19, 100}) {
    SCOPED_TRACE(count);
    const Eigenvectors<double> found =
        find_eigenvectors<double>(normal, {.count = count, .basis = count + 24, .tolerance = 1e-11});
    ASSERT_TRUE(found.converged);
    for (std::size_t i = 0; i < found.values.size(); ++i) EXPECT_NEAR(found.values[i], all[i], 1e-10 * all.back()) << i;
  }
}

TEST_F(EigenvectorsOfCloverQuarks, OfTheLargestEigenvaluesAreThoseOfTheDenseMatrix) {
  std::vector<EigenvectorParameters> ways(3, {.count = 8, .largest = true, .basis = 40, .tolerance = 1e-12});
  ways[1].filter = {.degree = 6, .upper = all[all.size() - 12]};
  ways[2].filter = {.degree = 7, .lower = 0.5 * all[0], .upper = all[all.size() - 12]};
  const std::vector<int> restarts = restarts_of(ways);
  EXPECT_LT(restarts[1], restarts[0]);
  EXPECT_LE(restarts[2], restarts[1]);
  KAON_EXPECT_ERROR((void)find_eigenvectors<double>(normal, {.largest = true, .filter = {{.degree = 6}}}),
                    "needs the upper end of the range");
}

// A tolerance in units of the largest eigenvalue leaves few digits of a small one.
TEST_F(EigenvectorsOfCloverQuarks, OfSmallEigenvaluesAreAsGoodAsThoseOfLargeOnes) {
  ASSERT_LT(all[0], 0.05 * all.back());
  const EigenvectorParameters loose{.count = 4, .basis = 24, .tolerance = 1e-3, .filter = {{.degree = 1}}};
  EigenvectorParameters relative = loose;
  relative.relative_to_each = true;
  relative.filter.reset();
  const Eigenvectors<double> of_largest = find_eigenvectors<double>(normal, loose);
  const Eigenvectors<double> of_each = find_eigenvectors<double>(normal, relative);
  ASSERT_TRUE(of_largest.converged && of_each.converged);
  EXPECT_GT(of_largest.residuals[3], loose.tolerance * of_largest.values[3]);
  expect_eigenvectors(of_each, apply, loose.tolerance * of_each.values[3]);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LE(of_each.residuals[i], loose.tolerance * of_each.values[i]);
    EXPECT_NEAR(of_each.values[i], all[i], 1e-3 * all[i]);
  }
  // Rounding bounds residuals from below.
  relative.tolerance = 1e-18;
  const Eigenvectors<double> best = find_eigenvectors<double>(normal, relative);
  EXPECT_TRUE(best.converged);
  EXPECT_LT(best.residuals[3], 1e-13 * all.back());
}

/// f(p) of all momenta, antiperiodic in time, `times` times, rising.
template <class F>
std::vector<double> of_momenta(const Coordinates& extents, int times, const F& f) {
  std::vector<double> values;
  for (int x = 0; x < extents[0]; ++x) {
    for (int y = 0; y < extents[1]; ++y) {
      for (int z = 0; z < extents[2]; ++z) {
        for (int t = 0; t < extents[3]; ++t) {
          const double turn = 2.0 * std::numbers::pi;
          const std::array p{turn * x / extents[0], turn * y / extents[1], turn * z / extents[2],
                             turn * (t + 0.5) / extents[3]};
          values.insert(values.end(), static_cast<std::size_t>(times), f(p));
        }
      }
    }
  }
  std::ranges::sort(values);
  return values;
}

// Free quarks have equal eigenvalues, each of which must be found with its multiplicity: all of them, some of the last
// ones, and those after them.
TEST(EigenvectorsOfFreeQuarks, AreAllThere) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const double mass = 0.1;
  const Wilson<double> wilson(links, {.mass = mass});
  const NormalOperator<double> normal(wilson);
  const std::vector<double> all = of_momenta(lattice.extents(), 12, [&](const auto& p) {
    double scalar = mass, vector = 0.0;
    for (const double q : p) {
      scalar += 1.0 - std::cos(q);
      vector += std::sin(q) * std::sin(q);
    }
    return scalar * scalar + vector;
  });
  ASSERT_NEAR(all[23], all[0], 1e-13);
  ASSERT_GT(all[24], all[0] + 0.1);
  for (const int count : {20, 24, 30}) {
    SCOPED_TRACE(count);
    const Eigenvectors<double> found = find_eigenvectors<double>(normal, {.count = count});
    EXPECT_TRUE(found.converged && found.complete);
    for (std::size_t i = 0; i < found.values.size(); ++i) EXPECT_NEAR(found.values[i], all[i], 1e-8) << i;
    for (std::size_t i = 0; i < found.vectors.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const std::complex<double> product = blas::inner_product(found.vectors[i], found.vectors[j])[0];
        EXPECT_NEAR(std::abs(product), i == j ? 1.0 : 0.0, 1e-9) << i << " " << j;
      }
    }
  }
  // The largest ones, by the filter that is given or without one.
  for (const bool filtered : {false, true}) {
    EigenvectorParameters largest{.count = 14, .largest = true};
    if (filtered) largest.filter = {.degree = 6, .lower = 0.0, .upper = 0.9 * all.back()};
    const Eigenvectors<double> found = find_eigenvectors<double>(normal, largest);
    EXPECT_TRUE(found.converged && found.complete);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      EXPECT_NEAR(found.values[i], all[all.size() - 1 - i], 1e-8 * all.back()) << i;
    }
  }
}

// Without links D is 2 i sin p_mu, and the smallest p_t is pi / 4. Half of the eigenvalues are those of even sites.
TEST(EigenvectorsOfStaggeredQuarks, HaveTheMomentaOfTheFreeField) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const auto full = std::make_shared<Staggered<double>>(links, StaggeredParameters{.mass = 0.1});
  const auto normal = full->normal_system(Parity::even);
  const std::vector<double> twice = of_momenta(lattice.extents(), 3, [&](const auto& p) {
    double sum = 0.01;
    for (const double q : p) sum += std::sin(q) * std::sin(q);
    return 4.0 * sum;
  });
  for (const int count : {1, 60}) {
    const Eigenvectors<double> found = find_eigenvectors<double>(*normal, {.count = count});
    ASSERT_TRUE(found.converged && found.complete);
    for (std::size_t i = 0; i < found.values.size(); ++i) EXPECT_NEAR(found.values[i], twice[2 * i], 1e-8) << i;
    EXPECT_GT(found.applications, 0);
  }
  // A search without restarts does not know whether others exist.
  const Eigenvectors<double> one = find_eigenvectors<double>(*normal, {.count = 20, .basis = 23, .max_restarts = 0});
  EXPECT_FALSE(one.complete);
}

// No filter is chosen for operators that are not positive.
TEST_F(EigenvectorsOfCloverQuarks, OfShiftedOperatorsAreThoseOfTheOperator) {
  for (const double shift : {-1.001 * all[0], -0.5 * (all[3] + all[4]), -0.5 * all.back(), -10.0 * all.back()}) {
    SCOPED_TRACE(shift);
    const Shifted<double> shifted(normal, shift);
    const Eigenvectors<double> found = find_eigenvectors<double>(shifted, {.count = 3, .basis = 60});
    EXPECT_TRUE(found.converged);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found.values[i], all[i] + shift, 1e-9 * all.back());
  }
}

TEST(EigenvectorsInSinglePrecision, AreGoodToIt) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonClover<double> fine(links, fermion_cases()[2].parameters);
  const WilsonClover<float> coarse(random_links<float>(lattice), fermion_cases()[2].parameters);
  const auto in_double = find_eigenvectors<double>(NormalOperator<double>(fine), {.count = 4, .tolerance = 1e-9});
  const auto in_single = find_eigenvectors<float>(NormalOperator<float>(coarse), {.count = 4, .tolerance = 1e-5});
  ASSERT_TRUE(in_double.converged && in_single.converged);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(in_double.values[i], in_single.values[i], 2e-5);
}

TEST_F(EigenvectorsOfCloverQuarks, ThatAreNotThereAreSaidToBe) {
  const Eigenvectors<double> found =
      find_eigenvectors<double>(normal, {.count = 4, .basis = 8, .max_restarts = 1, .filter = {{.degree = 1}}});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.restarts, 1);
  expect_eigenvectors(found, apply, 1.01 * found.residuals.back());
  EXPECT_GT(found.residuals.back(), 1e-8);
  const auto refused = [&](const EigenvectorParameters& parameters, const char* text) {
    KAON_EXPECT_ERROR((void)find_eigenvectors<double>(normal, parameters), text);
  };
  refused({.count = 0}, "0 eigenvectors in a space of 192 dimensions");
  refused({.count = 4, .basis = 5}, "must be larger than their number");
  refused({.count = 4, .basis = 192}, "smaller than the space");
  refused({.tolerance = 0.0}, "a tolerance of 0");
  const Shifted<double> overflowing(normal, 1e300);
  KAON_EXPECT_ERROR((void)find_eigenvectors<double>(NormalOperator<double>(overflowing)),
                    "the largest eigenvalue is inf: look for NaN, infinity and huge numbers");
  KAON_EXPECT_ERROR((void)find_eigenvectors<double>(normal, {.count = 2'000'000'000}),
                    "with a basis of 4000000016: the basis must be larger");
  refused({.filter = {{.degree = 0, .lower = 1.0}}}, "a Chebyshev filter of degree 0");
  refused({.filter = {{.lower = 2.0, .upper = 1.0}}}, "from 2 to 1");
  // Beyond the upper end the polynomial grows as it does below the lower one.
  refused({.filter = {{.lower = 2.0, .upper = 0.8 * all.back()}}}, "raise the upper end");
  refused({.count = 8, .basis = 40, .filter = {{.degree = 4, .lower = 0.5 * (all[5] + all[6])}}},
          "6 of the 8 smallest ones have been found below it: raise the end");
  refused({.count = 8, .largest = true, .basis = 40, .filter = {{.degree = 4, .upper = all[all.size() - 6]}}},
          "of the 8 largest ones have been found above it: lower the end");
  // No eigenvalue is enlarged: no need to search for one.
  refused({.count = 8, .max_restarts = 5, .filter = {{.degree = 8, .lower = 0.5 * all[0]}}}, "none lies below");
  refused({.count = 2, .largest = true, .max_restarts = 5, .filter = {{.degree = 8, .upper = 1.01 * all.back()}}},
          "none lies above");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
