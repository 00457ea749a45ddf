// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/improved_cases.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/reference/gauge_quality.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr GaugeCondition conditions[] = {GaugeCondition::landau, GaugeCondition::coulomb};

int dimensions_of(GaugeCondition condition) { return condition == GaugeCondition::landau ? 4 : 3; }

reference::GaugeQuality slow_quality(const GaugeField<double>& links, GaugeCondition condition) {
  return reference::gauge_quality(links.to_host(), dimensions_of(condition), links.lattice().extents());
}

GaugeField<double> turned_links(const Lattice& lattice) {
  GaugeField<double> links = weak_links<double>(lattice, 0.3, 8);
  transform(links, GaugeTransformation(lattice, {.seed = 3}));
  return links;
}

TEST(GaugeQuality, EqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = random_links(lattice);
    for (const GaugeCondition condition : conditions) {
      const GaugeQuality quality = gauge_quality(links, condition);
      const reference::GaugeQuality expected = slow_quality(links, condition);
      EXPECT_NEAR(quality.functional, expected.functional, tolerance<double>);
      EXPECT_NEAR(quality.theta, expected.theta, tolerance<double>);
      const bool landau = condition == GaugeCondition::landau;
      EXPECT_EQ(quality.largest_theta == quality.theta, landau);
    }
  }
}

// Links that are in the gauge on all time slices but one.
TEST(GaugeQuality, HasTheWorstTimeSliceOfCoulombGauge) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<double> links = unit_links<double>(lattice);
    const GaugeField<double> rough = random_links(lattice);
    std::vector<std::complex<double>> mixed = links.to_host();
    const std::vector<std::complex<double>> values = rough.to_host();
    const std::size_t slice = mixed.size() / static_cast<std::size_t>(lattice.extents()[3]);
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(slice), slice,
                mixed.begin() + static_cast<std::ptrdiff_t>(slice));
    links.from_host(mixed);
    const GaugeQuality quality = gauge_quality(links, GaugeCondition::coulomb);
    EXPECT_GT(quality.theta, 0.01);
    EXPECT_NEAR(quality.largest_theta, lattice.extents()[3] * quality.theta, 1e-12);
    mixed[slice] = std::numeric_limits<double>::quiet_NaN();
    links.from_host(mixed);
    EXPECT_FALSE(std::isfinite(gauge_quality(links, GaugeCondition::coulomb).largest_theta));
  }
}

// Links without a field are 1 in the gauge with the largest F.
TEST(GaugeFixing, FindsUnitLinksBehindATransformation) {
  for (const Lattice& lattice : test_lattices()) {
    for (const GaugeCondition condition : conditions) {
      GaugeField<double> links = unit_links<double>(lattice);
      transform(links, GaugeTransformation(lattice, {.seed = 3}));
      EXPECT_LT(gauge_quality(links, condition).functional, 0.2);
      const GaugeFixingResult result = fix_gauge(links, {.condition = condition, .tolerance = 1e-26});
      EXPECT_TRUE(result.converged);
      EXPECT_NEAR(result.quality.functional, 1.0, 1e-12) << to_string(lattice.extents());
    }
  }
}

TEST(GaugeFixing, EndsInTheGauge) {
  for (const Lattice& lattice : test_lattices()) {
    for (const GaugeCondition condition : conditions) {
      GaugeField<double> links = turned_links(lattice);
      const GaugeFixingResult result = fix_gauge(links, {.condition = condition, .tolerance = 1e-20});
      EXPECT_TRUE(result.converged);
      EXPECT_GT(result.iterations, 0);
      EXPECT_EQ(result.iterations % gauge_fixing_check, 0);
      const reference::GaugeQuality expected = slow_quality(links, condition);
      EXPECT_LE(expected.theta, 1.1e-20);
      EXPECT_LE(result.quality.largest_theta, 1e-20);
      EXPECT_LE(result.quality.theta, result.quality.largest_theta);
      EXPECT_NEAR(result.quality.functional, expected.functional, tolerance<double>);
    }
  }
}

TEST(GaugeFixing, ChangesNothingThatIsGaugeInvariant) {
  for (const Lattice& lattice : test_lattices()) {
    const Coordinates& extents = lattice.extents();
    GaugeField<double> links = turned_links(lattice);
    const std::vector<std::complex<double>> before = links.to_host();
    fix_gauge(links, {.condition = GaugeCondition::coulomb, .max_iterations = 30});
    const std::vector<std::complex<double>> after = links.to_host();
    EXPECT_LT(deviation_from_su3(links).unitarity.deviation, 1e-14);
    EXPECT_GT(largest_difference(before, after), 0.1);
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (int mu = 0; mu < 4; ++mu) {
        for (int nu = 0; nu < mu; ++nu) {
          const auto p = reference::plaquette_at(before, x, mu, nu, extents);
          const auto q = reference::plaquette_at(after, x, mu, nu, extents);
          EXPECT_LT(std::abs(p[0] + p[4] + p[8] - q[0] - q[4] - q[8]), 1e-12);
        }
      }
    });
    for (int mu = 0; mu < 4; ++mu) {
      EXPECT_LT(std::abs(reference::polyakov_loop(before, mu, extents) - reference::polyakov_loop(after, mu, extents)),
                1e-12);
    }
  }
}

TEST(GaugeFixing, RaisesTheFunctionalAtEveryCheck) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  for (const double relaxation : {1.0, 1.7, 1.95}) {
    GaugeField<double> links = turned_links(lattice);
    double last = gauge_quality(links, GaugeCondition::landau).functional;
    int checks = 0;
    fix_gauge(
        links,
        {.max_iterations = 45, .relaxation = relaxation, .on_check = [&](int iterations, const GaugeQuality& quality) {
           EXPECT_EQ(iterations, std::min(45, ++checks * gauge_fixing_check));
           EXPECT_GT(quality.functional, last);
           last = quality.functional;
           return true;
         }});
    EXPECT_EQ(checks, 5);
  }
}

TEST(GaugeFixing, EndsWhereItIsTold) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = turned_links(lattice);
  const std::vector<std::complex<double>> before = links.to_host();
  EXPECT_EQ(fix_gauge(links, {.max_iterations = 0}).iterations, 0);
  EXPECT_EQ(links.to_host(), before);
  const GaugeFixingResult result = fix_gauge(links, {.on_check = [](int n, const GaugeQuality&) { return n < 20; }});
  EXPECT_EQ(result.iterations, 20);
  EXPECT_FALSE(result.converged);
}

TEST(GaugeFixing, RefusesWhatLeadsToNoGauge) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = turned_links(lattice);
  for (const double relaxation : {0.9, 2.0, std::numeric_limits<double>::quiet_NaN()}) {
    KAON_EXPECT_ERROR(fix_gauge(links, {.relaxation = relaxation}), "must be at least 1 and below 2");
  }
  KAON_EXPECT_ERROR(fix_gauge(links, {.tolerance = -1.0}), "the tolerance -1 of a gauge");
  GaugeField<double> folded = links.clone();
  fold_staggered_phases(folded);
  KAON_EXPECT_ERROR(fix_gauge(folded), "gauge fixing needs links in SU(3)");
  KAON_EXPECT_ERROR(fix_gauge(links, {.max_iterations = -1}), "-1 iterations are not possible");
  GaugeField<double> compressed(links, LinkStorage::two_rows);
  EXPECT_THROW(fix_gauge(compressed), Error);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
