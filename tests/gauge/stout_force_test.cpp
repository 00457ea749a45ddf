// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/force_of.hpp"
#include "tests/gauge/improved_cases.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/reference/fermion_action.hpp"
#include "tests/reference/smeared_links.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/stout_force.hpp>

#include <cmath>
#include <complex>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using reference::operator*;

/// Other numbers for each direction, time without smearing, and one number with matrices |TA(Omega)| > 1.
const StoutSmearing smearings[] = {{.rho = {0.11, 0.07, 0.13, 0.09}, .levels = 2},
                                   {.rho = {0.14, 0.14, 0.14, 0.0}, .levels = 2},
                                   {.rho = {0.6, 0.6, 0.6, 0.6}, .levels = 1}};

/// Matrices of a force, of no symmetry.
GaugeField<double> random_matrices(const Lattice& lattice) { return hot_links<double>(lattice, 9); }

/// TA of the matrices on U that those of `of_last` lead to.
reference::Links chained(const GaugeField<double>& links, const StoutSmearing& smearing,
                         const GaugeField<double>& of_last) {
  GaugeField<double> matrices(links.lattice()), used = of_last.clone();
  add_stout_force(matrices, stout_levels(links, smearing), smearing, used);
  return force_of(matrices);
}

TEST(StoutLevels, EqualReference) {
  for (const Lattice& lattice : small_lattices()) {
    for (const StoutSmearing& smearing : smearings) {
      const GaugeField<double> links = random_links(lattice);
      const std::vector<GaugeField<double>> levels = stout_levels(links, smearing);
      ASSERT_EQ(levels.size(), static_cast<std::size_t>(smearing.levels + 1));
      reference::Links expected = links.to_host();
      for (const GaugeField<double>& level : levels) {
        EXPECT_LT(largest_difference(level.to_host(), expected), 10.0 * tolerance<double>);
        expected = reference::stout_links(expected, smearing.rho, lattice.extents());
      }
    }
  }
}

// They are the links of measurements.
TEST(StoutLevels, EndWithStoutLinks) {
  const GaugeField<double> links = random_links(Lattice({.extents = {4, 6, 4, 8}}));
  const std::vector<GaugeField<double>> all = stout_levels(links, {.rho = {0.1, 0.1, 0.1, 0.1}, .levels = 3});
  EXPECT_EQ(all.back().to_host(), stout_links(links, {.rho = 0.1, .steps = 3}).to_host());
  const std::vector<GaugeField<double>> space = stout_levels(links, {.rho = {0.1, 0.1, 0.1, 0.0}});
  EXPECT_EQ(space.back().to_host(), stout_links(links, {.rho = 0.1, .omitted = 3}).to_host());
}

// Links with momentum pi in all directions have the largest rate; numbers of one direction may be larger than 1/8.
TEST(StoutLevels, EnlargeWavesUnlessTheyAreStable) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const std::array<double, 4> shapes[] = {{1.0, 1.0, 1.0, 1.0},      {1.0, 1.0, 1.0, 0.0},     {0.15, 0.05, 0.02, 0.03},
                                          {0.01, 0.02, 0.16, 0.011}, {0.126, 0.126, 0.1, 0.1}, {0.0, 0.17, 0.1, 0.02}};
  const double bounds[] = {1.0 / 8.0, 1.0 / 6.0};
  for (std::size_t n = 0; n < std::size(shapes); ++n) {
    // The bound in these proportions, by bisection.
    const auto scaled = [&](double factor) {
      StoutSmearing smearing{.rho = shapes[n], .levels = 60};
      for (double& rho : smearing.rho) rho *= factor;
      return smearing;
    };
    double stable = 0.0, unstable = 100.0;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (stable + unstable);
      (is_stable(scaled(middle)) ? stable : unstable) = middle;
    }
    if (n < std::size(bounds)) {
      EXPECT_NEAR(stable, bounds[n], 1e-9);
    }
    // The distance from 1 of smeared links that are exp(i a T) of 1e-6 at most.
    const auto distance = [&](double factor) {
      GaugeField<double> links = unit_links<double>(lattice);
      const reference::Links unit = links.to_host();
      reference::Links wave = unit;
      for (std::size_t k = 0; k < wave.size(); ++k) {
        if (k % 9 != 0 && k % 9 != 4) continue;  // T is diagonal
        const std::size_t site = k / 36, mu = k / 9 % 4, parity = (site + site / 4 + site / 16 + site / 64) % 2;
        const double sign = (parity == 0) == (k % 9 == 0) ? 1.0 : -1.0;
        wave[k] = std::polar(1.0, sign * 1e-6 * std::cos(1.0 + static_cast<double>(mu)));
      }
      links.from_host(wave);
      return largest_difference(stout_levels(links, scaled(factor)).back().to_host(), unit);
    };
    EXPECT_LT(distance(0.95 * stable), 2e-6) << n;
    EXPECT_GT(distance(1.1 * stable), 1e-4) << n;
  }
}

// Morningstar and Peardon's equations, on rough and on weak links.
TEST(StoutForce, EqualsReference) {
  for (const Lattice& lattice : small_lattices()) {
    const GaugeField<double> matrices = random_matrices(lattice);
    for (const StoutSmearing& smearing : smearings) {
      for (const GaugeField<double>& links : {random_links(lattice), weak_links(lattice)}) {
        GaugeField<double> expected(lattice);
        reference::Links of_level = matrices.to_host();
        const std::vector<GaugeField<double>> levels = stout_levels(links, smearing);
        for (std::size_t k = levels.size() - 1; k-- > 0;) {
          of_level = reference::stout_force(levels[k].to_host(), smearing.rho, of_level, lattice.extents());
        }
        expected.from_host(of_level);
        EXPECT_LT(largest_difference(chained(links, smearing, matrices), force_of(expected)), 1e-12);
      }
    }
  }
}

/// S = sum Re tr(M^dag U^(n)) has the matrices U^(n) M^dag.
struct LinearAction {
  GaugeField<double> of;
  StoutSmearing smearing;

  double value(const GaugeField<double>& links) const {
    const reference::Links m = of.to_host(), smeared = stout_levels(links, smearing).back().to_host();
    double sum = 0.0;
    for (std::size_t k = 0; k < m.size(); ++k) sum += (std::conj(m[k]) * smeared[k]).real();
    return sum;
  }
  reference::Links force(const GaugeField<double>& links) const {
    const Coordinates& extents = links.lattice().extents();
    const reference::Links m = of.to_host(), smeared = stout_levels(links, smearing).back().to_host();
    reference::Links products;
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 4; ++mu) {
        const auto v = reference::link(smeared, x, mu, extents) * reference::dagger(reference::link(m, x, mu, extents));
        products.insert(products.end(), v.begin(), v.end());
      }
    });
    GaugeField<double> of_last(links.lattice());
    of_last.from_host(products);
    return chained(links, smearing, of_last);
  }
};

/// dS/dt = -sum Re tr(P^dag F) by differences of order 6.
void expect_derivative(const GaugeField<double>& links, const StoutSmearing& smearing, double step) {
  const Lattice& lattice = links.lattice();
  const LinearAction action{random_matrices(lattice), smearing};
  const reference::Links force = action.force(links);
  GaugeField<double> momenta(lattice), moved(lattice);
  set_gaussian_momenta(momenta, 0.5, {.seed = 7});
  const reference::Links p = momenta.to_host();
  double work = 0.0, norm2 = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    work -= (std::conj(p[k]) * force[k]).real();
    norm2 += std::norm(p[k]) + std::norm(force[k]);
  }
  const double expected = reference::derivative_along(
      [&](const reference::Links& u) {
        moved.from_host(u);
        return action.value(moved);
      },
      links.to_host(), p, step, lattice.extents());
  EXPECT_GT(std::abs(expected), 1e-3 * std::sqrt(norm2));
  EXPECT_NEAR(work, expected, 1e-10 * norm2);
}

TEST(StoutForce, IsTheDerivativeOfItsAction) {
  const Lattice lattice({.extents = {4, 6, 2, 4}});
  for (const StoutSmearing& smearing : smearings) {
    expect_derivative(random_links(lattice), smearing, 0.01);
    expect_derivative(weak_links(lattice), smearing, 0.01);
  }
  expect_derivative(random_links(lattice), {.rho = {0.125, 0.125, 0.125, 0.125}, .levels = 6}, 0.004);
}

// Q = 0, where w and the denominators of Morningstar and Peardon's functions are 0.
TEST(StoutForce, IsTheDerivativeOnUnitLinks) {
  const GaugeField<double> links = unit_links<double>(Lattice({.extents = {4, 4, 4, 4}}));
  expect_derivative(links, {.rho = {0.125, 0.125, 0.125, 0.125}, .levels = 2}, 0.01);
}

TEST(StoutForce, IsThatOfThinLinksWithoutSmearing) {
  const GaugeField<double> links = random_links(Lattice({.extents = {4, 4, 6, 8}}));
  const GaugeField<double> matrices = random_matrices(links.lattice());
  EXPECT_LT(largest_difference(chained(links, {.rho = {1e-20, 1e-20, 1e-20, 1e-20}, .levels = 3}, matrices),
                               force_of(matrices)),
            tolerance<double>);
}

// V(U^g) = g V(U) g^dag for V'(U'^g) = g V' g^dag.
TEST(StoutForce, IsGaugeCovariant) {
  const Lattice lattice({.extents = {4, 6, 4, 8}});
  const Coordinates& extents = lattice.extents();
  std::mt19937_64 generator(4);
  const reference::GaugeTransformation g = reference::random_gauge_transformation(extents, generator);
  const auto rotated = [&](const reference::Links& matrices) {  // all at x
    return reference::transform_links(matrices, g, extents, 0);
  };
  const GaugeField<double> links = random_links(lattice), matrices = random_matrices(lattice);
  GaugeField<double> turned(lattice), turned_matrices(lattice);
  turned.from_host(reference::transform_links(links.to_host(), g, extents));
  turned_matrices.from_host(rotated(matrices.to_host()));
  EXPECT_LT(largest_difference(chained(turned, smearings[0], turned_matrices),
                               rotated(chained(links, smearings[0], matrices))),
            10.0 * tolerance<double>);
}

TEST(StoutForce, RefusesWhatItCannotDo) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = weak_links(lattice);
  KAON_EXPECT_ERROR(stout_levels(links, {.rho = {0.1, -0.1, 0.1, 0.1}}),
                    "rho = 0.1, -0.1, 0.1, 0.1: numbers from 0 on");
  KAON_EXPECT_ERROR(stout_levels(links, {.rho = {0.1, std::numeric_limits<double>::quiet_NaN(), 0.1, 0.1}}),
                    "numbers from 0 on");
  KAON_EXPECT_ERROR(stout_levels(links, {.rho = {0.1, 0.0, 0.1, 0.0}}), "0 is possible for one direction");
  KAON_EXPECT_ERROR(stout_levels(links, {.rho = {0.1, 0.1, 0.1, 0.1}, .levels = 0}), "0 levels of stout smearing");
  KAON_EXPECT_ERROR(stout_levels(GaugeField<double>(lattice), {.rho = {0.1, 0.1, 0.1, 0.1}}), "stout smearing");
  GaugeField<double> matrices(lattice), of_last(lattice), elsewhere(Lattice({.extents = {4, 4, 4, 8}}));
  const StoutSmearing smearing{.rho = {0.1, 0.1, 0.1, 0.1}};
  const std::vector<GaugeField<double>> levels = stout_levels(links, smearing);
  KAON_EXPECT_ERROR(add_stout_force(matrices, std::span(levels).first(1), smearing, of_last),
                    "needs 2 fields of links, not 1");
  KAON_EXPECT_ERROR(add_stout_force(elsewhere, levels, smearing, of_last), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_stout_force(matrices, levels, smearing, matrices), "must not be those on smeared ones");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
