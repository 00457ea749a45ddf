// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/smeared_links.hpp"
#include "gauge/nearest_su3.hpp"
#include "gauge/su3_exponential.hpp"
#include "tests/gauge/improved_cases.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <functional>

namespace kaon::test {
namespace KAON_TEST_FILE {

const std::optional<int> all_omitted[] = {std::nullopt, 3, 0};

int omitted_number(std::optional<int> omitted) { return omitted.value_or(reference::none_omitted); }

/// With an anisotropy, 1 for none.
reference::LoopWeights reference_weights(const LoopWeights& weights, double anisotropy) {
  return {weights.plaquette, weights.rectangle, anisotropy};
}

TEST(StoutLinks, EqualReference) {
  for (const Lattice& lattice : small_lattices()) {
    const GaugeField<double> links = random_links(lattice);
    for (const LoopWeights& weights : {wilson_weights, symanzik_weights, over_improved_weights(-0.25)}) {
      for (const std::optional<int> omitted : all_omitted) {
        for (const double xi : {1.0, 1.6}) {
          const GaugeField<double> smeared =
              stout_links(links, {.rho = 0.13, .omitted = omitted, .weights = weights, .anisotropy = xi});
          EXPECT_LT(largest_difference(smeared.to_host(),
                                       reference::stout_links(links.to_host(), 0.13, reference_weights(weights, xi),
                                                              omitted_number(omitted), lattice.extents())),
                    tolerance<double>);
        }
      }
    }
  }
}

TEST(ApeLinks, EqualReference) {
  for (const Lattice& lattice : small_lattices()) {
    const GaugeField<double> links = weak_links(lattice);
    for (const std::optional<int> omitted : all_omitted) {
      for (const double xi : {1.0, 1.6}) {
        EXPECT_LT(largest_difference(
                      ape_links(links, {.alpha = 0.6, .omitted = omitted, .anisotropy = xi}).to_host(),
                      reference::ape_links(links.to_host(), 0.6, omitted_number(omitted), lattice.extents(), xi)),
                  tolerance<double>);
      }
    }
  }
}

TEST(HypLinks, EqualReference) {
  for (const Lattice& lattice : small_lattices()) {
    const GaugeField<double> links = weak_links(lattice);
    for (const std::optional<int> omitted : all_omitted) {
      EXPECT_LT(
          largest_difference(
              hyp_links(links, {.alpha_1 = 0.7, .alpha_2 = 0.55, .alpha_3 = 0.35, .omitted = omitted}).to_host(),
              reference::hyp_links(links.to_host(), {0.7, 0.55, 0.35}, omitted_number(omitted), lattice.extents())),
          tolerance<double>);
    }
  }
}

struct Method {
  const char* name;
  std::function<GaugeField<double>(const GaugeField<double>&, int steps, std::optional<int> omitted)> smear;
};

std::vector<Method> all_methods() {
  return {{"stout",
           [](const GaugeField<double>& links, int steps, std::optional<int> omitted) {
             return stout_links(links, {.rho = 0.1, .steps = steps, .omitted = omitted});
           }},
          {"over-improved stout",
           [](const GaugeField<double>& links, int steps, std::optional<int> omitted) {
             return stout_links(
                 links, {.rho = 0.06, .steps = steps, .omitted = omitted, .weights = over_improved_weights(-0.25)});
           }},
          {"APE",
           [](const GaugeField<double>& links, int steps, std::optional<int> omitted) {
             return ape_links(links, {.alpha = 0.5, .steps = steps, .omitted = omitted});
           }},
          {"HYP", [](const GaugeField<double>& links, int steps, std::optional<int> omitted) {
             return hyp_links(links, {.steps = steps, .omitted = omitted});
           }}};
}

TEST(SmearedLinks, AreInSu3AndSmoother) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = weak_links(lattice);
    for (const Method& method : all_methods()) {
      const GaugeField<double> smeared = method.smear(links, 2, std::nullopt);
      const UnitarityDeviation deviation = deviation_from_su3(smeared);
      EXPECT_LT(deviation.unitarity.deviation, tolerance<double>) << method.name;
      EXPECT_LT(deviation.determinant.deviation, tolerance<double>) << method.name;
      EXPECT_GT(plaquette(smeared).average, plaquette(links).average + 0.1) << method.name;
    }
  }
}

TEST(SmearedLinks, AreOneInTheFreeField) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<double> unit = unit_links<double>(lattice);
  for (const Method& method : all_methods()) {
    for (const std::optional<int> omitted : all_omitted) {
      EXPECT_LT(largest_difference(method.smear(unit, 3, omitted).to_host(), unit.to_host()), tolerance<double>)
          << method.name;
    }
  }
}

TEST(SmearedLinks, AreGaugeCovariant) {
  const Lattice lattice({.extents = {8, 8, 4, 8}});
  const GaugeTransformation g(lattice, {.seed = 9});
  const GaugeField<double> links = weak_links(lattice);
  GaugeField<double> moved = links.clone();
  transform(moved, g);
  for (const Method& method : all_methods()) {
    GaugeField<double> smeared = method.smear(links, 1, std::nullopt);
    transform(smeared, g);
    EXPECT_LT(largest_difference(method.smear(moved, 1, std::nullopt).to_host(), smeared.to_host()), tolerance<double>)
        << method.name;
  }
}

TEST(SmearedLinks, OfManyStepsAreThoseOfOneByOne) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> links = weak_links(lattice);
  for (const Method& method : all_methods()) {
    GaugeField<double> smeared = links.clone();
    for (int step = 0; step < 3; ++step) smeared = method.smear(smeared, 1, 3);
    EXPECT_EQ(method.smear(links, 3, 3).to_host(), smeared.to_host()) << method.name;
    EXPECT_EQ(method.smear(links, 0, 3).to_host(), links.to_host()) << method.name;
  }
}

// Without time there are no staples in time.
TEST(SmearedLinks, InSpaceHaveNoAnisotropy) {
  const GaugeField<double> links = weak_links(Lattice({.extents = {4, 6, 2, 8}}));
  for (const double xi : {0.7, 3.5}) {
    EXPECT_EQ(stout_links(links, {.omitted = 3, .weights = symanzik_weights, .anisotropy = xi}).to_host(),
              stout_links(links, {.omitted = 3, .weights = symanzik_weights}).to_host());
    EXPECT_EQ(ape_links(links, {.omitted = 3, .anisotropy = xi}).to_host(), ape_links(links, {.omitted = 3}).to_host());
  }
}

// Phases that are the same on all links of a direction cancel in the staples between which a link lies.
TEST(SmearedLinks, KeepPhasesOfLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  GaugeField<double> links = weak_links(lattice);
  const std::array<double, 4> phases{0.3, -0.7, 1.1, 2.0};
  for (const Method& method : all_methods()) {
    GaugeField<double> expected = method.smear(links, 1, std::nullopt);
    multiply_phases(expected, phases);
    GaugeField<double> charged = links.clone();
    multiply_phases(charged, phases);
    EXPECT_LT(largest_difference(method.smear(charged, 1, std::nullopt).to_host(), expected.to_host()),
              tolerance<double>)
        << method.name;
  }
}

TEST(Su3Exponential, EqualsTheSeriesForMatricesOfAllSizes) {
  using reference::operator*;
  std::mt19937_64 generator(4);
  for (const double size : {0.0, 1e-12, 1e-4, 0.3, 0.99, 1.01, 3.0, 12.0}) {
    for (int trial = 0; trial < 20; ++trial) {
      reference::ColorMatrix a = reference::traceless_antihermitian(reference::random_su3(generator));
      double norm = 0.0;
      for (const auto& element : a) norm += std::norm(element);
      a = std::complex<double>(size / std::sqrt(norm)) * a;
      EXPECT_LT(distance(detail::exponential(to_matrix(a)), to_matrix(reference::exponential(a))),
                std::max(1.0, std::exp(size)) * tolerance<double>);
    }
  }
}

TEST(Su3Exponential, TurnsPhasesOfDiagonalMatrices) {
  for (const double angle : {1e-9, 0.4, 2.5, 40.0}) {
    const std::array<double, 3> angles{angle, -0.3 * angle, -0.7 * angle};
    reference::ColorMatrix a{}, expected{};
    for (std::size_t c = 0; c < 3; ++c) {
      a[4 * c] = {0.0, angles[c]};
      expected[4 * c] = std::polar(1.0, angles[c]);
    }
    EXPECT_LT(distance(detail::exponential(to_matrix(a)), to_matrix(expected)),
              std::max(1.0, angle) * tolerance<double>);
  }
}

TEST(NearestSu3, EqualsNewtonsIterationAndTheNearestRoot) {
  using reference::operator*;
  std::mt19937_64 generator(5);
  for (int trial = 0; trial < 50; ++trial) {
    const reference::ColorMatrix w = reference::random_su3(generator);
    const double phase = -3.0 + 6.0 * trial / 49.0;
    const reference::ColorMatrix stretch{1.3, 0.1, 0.0, 0.1, 0.7, 0.0, 0.0, 0.0, 0.4};
    const reference::ColorMatrix v = std::polar(1.0, phase / 3.0) * (w * stretch);
    EXPECT_LT(distance(detail::nearest_su3(to_matrix(v)), to_matrix(reference::project_to_su3(v))), tolerance<double>);
    EXPECT_LT(distance(detail::nearest_su3(to_matrix(v)), to_matrix(w)), tolerance<double>);  // |phase| < pi
  }
}

TEST(SmearedLinks, AreRefusedWhereTheyAreNone) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  GaugeField<double> links = weak_links(lattice);
  const GaugeField<double> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(stout_links(compressed, {}), "12 reals were given where 18 are wanted");
  KAON_EXPECT_ERROR(hyp_links(compressed, {}), "12 reals were given where 18 are wanted");
  KAON_EXPECT_ERROR(stout_links(links, {.rho = std::nan("")}), "coefficients of stout smearing must be finite numbers");
  KAON_EXPECT_ERROR(ape_links(links, {.steps = -1}), "-1 steps of APE smearing cannot be made");
  KAON_EXPECT_ERROR(hyp_links(links, {.omitted = 4}), "direction 4 cannot be left out of HYP smearing");
  for (const double anisotropy : {0.0, -2.0, std::nan("")}) {
    KAON_EXPECT_ERROR(stout_links(links, {.omitted = 3, .anisotropy = anisotropy}), "a_s/a_t is needed");
    KAON_EXPECT_ERROR(ape_links(links, {.anisotropy = anisotropy}), "a_s/a_t is needed, a number above 0");
  }
  for (const double rho : {1e16, 1e300}) {
    KAON_EXPECT_ERROR(stout_links(links, {.rho = rho}), "the exponential overflows or is rounding");
  }
  reference::Links host = links.to_host();
  for (std::size_t k = 0; k < 9; ++k) host[reference::link_offset({3, 0, 1, 6}, 2, lattice.extents()) + k] *= 1.01;
  links.from_host(host);
  for (const Method& method : all_methods()) {
    KAON_EXPECT_ERROR(method.smear(links, 1, 3), "smearing needs unitary links: in direction z at site (3, 0, 1, 6)");
  }
}

TEST(ApeLinks, NameTheSiteWithoutProjection) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = unit_links<double>(lattice);
  reference::Links host = links.to_host();
  // Two colours of one link have the other sign: its staples are 1, and (1 - alpha) U + alpha has the elements 0, 0, 1.
  for (const std::size_t c : {0, 4}) host[reference::link_offset({1, 2, 3, 0}, 1, lattice.extents()) + c] = -1.0;
  links.from_host(host);
  KAON_EXPECT_ERROR(ape_links(links, {.alpha = 0.5}),
                    "APE smearing: in direction y at site (1, 2, 3, 0) the sum of paths is singular");
  KAON_EXPECT_ERROR(hyp_links(links, {.alpha_3 = 0.5}), "the sum of paths is singular and has no projection to SU(3)");
  EXPECT_NO_THROW(static_cast<void>(ape_links(links, {.alpha = 0.4})));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
