// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/improved_links.hpp"
#include "tests/known_answers/staggered_fields.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_phases.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace kaon {
namespace KAON_TEST_FILE {

/// Over all links: |.|^2, Re Tr, and the largest real or imaginary part.
struct LinkSums {
  double norm2, real_trace, largest;
};

/// Links of one of MILC's sample fields, reunitarised before, by an independent program: asqtad with u0 = 0.87; HISQ's
/// links, and fat ones with epsilon = -0.1.
struct ImprovedLinksSums {
  const char* file;  ///< among the reference data
  Coordinates extents;
  LinkSums asqtad_fat, asqtad_long, v, w;
  double sum_of_phases;  ///< arg det W
  LinkSums hisq_fat, hisq_long, charm_fat;
};

const ImprovedLinksSums improved_links_sums[] = {{"milc/lat.sample.l4444",
                                                  {4, 4, 4, 4},
                                                  {3649.833391752103, 2282.827139237195, 1.297576687},
                                                  {9.309400563450, -67.358815236602, 0.054402971},
                                                  {1185.180012561687, 1347.556963420300, 0.700292669},
                                                  {3072.0, 2188.434289260630, 0.998799927},
                                                  -2.782128449753,
                                                  {3891.272455787089, 2459.124923183913, 1.139986279},
                                                  {5.333333333333, -80.609353064064, 0.041240543},
                                                  {3805.859839382808, 2431.769494568156, 1.127703538}},
                                                 {"staggered/lat.sample.l6666.hisq",
                                                  {6, 6, 6, 6},
                                                  {19458.378913704913, 3089.174449367914, 1.339327975},
                                                  {47.128840352467, -51.644938031961, 0.054619004},
                                                  {6228.348484670782, 1801.322515899400, 0.714496938},
                                                  {15552.0, 2871.855435145536, 0.994530034},
                                                  -9.386377038502,
                                                  {20280.509331719240, 3251.829816121470, 1.184030874},
                                                  {27.0, -64.214775896114, 0.041312559},
                                                  {19841.155853646436, 3215.931623182151, 1.171599249}}};

double largest_number(const reference::Links& links) {
  double largest = 0.0;
  for (const reference::Complex& element : links)
    largest = std::max({largest, std::abs(element.real()), std::abs(element.imag())});
  return largest;
}

void expect_sums(const GaugeField<double>& field, const LinkSums& expected, const char* name) {
  const reference::Links links = field.to_host();
  const double real_trace = 3.0 * reference::link_trace(links) * static_cast<double>(links.size() / 9);
  EXPECT_NEAR(reference::norm2(links) / expected.norm2, 1.0, 1e-12) << name;
  EXPECT_NEAR(real_trace / expected.real_trace, 1.0, 1e-12) << name;
  EXPECT_NEAR(largest_number(links), expected.largest, 1e-9) << name;
}

TEST(ImprovedLinks, ReproduceSumsOfAnotherProgram) {
  for (const ImprovedLinksSums& expected : improved_links_sums) {
    KAON_TEST_DATA_FILE(path, expected.file);
    const reference::Links stored = reference::read_milc(path, expected.extents);
    for (const Lanes lanes : test::all_lanes) {
      SCOPED_TRACE(std::string(expected.file) + (lanes == Lanes::native ? ", native lanes" : ", one lane"));
      const Lattice lattice({.extents = expected.extents, .lanes = lanes});
      const GaugeField<double> u = test::reunitarized(lattice, stored);
      const ImprovedLinks asqtad = asqtad_links(u, 0.87);
      const GaugeField<double> v = fat_links(u, fat7_coefficients()), w = project_to_u3(v);
      const double epsilons[] = {0.0, -0.1};
      const std::vector<ImprovedLinks> hisq = hisq_links(u, epsilons);
      expect_sums(asqtad.fat, expected.asqtad_fat, "asqtad's fat links");
      expect_sums(long_links(asqtad), expected.asqtad_long, "asqtad's long links");
      expect_sums(v, expected.v, "V");
      expect_sums(w, expected.w, "W");
      expect_sums(hisq[0].fat, expected.hisq_fat, "HISQ's fat links");
      expect_sums(long_links(hisq[0]), expected.hisq_long, "HISQ's long links");
      expect_sums(hisq[1].fat, expected.charm_fat, "HISQ's fat links with epsilon = -0.1");
      double sum_of_phases = 0.0;
      reference::transform_each_link(w.to_host(), [&](const reference::ColorMatrix& link) {
        sum_of_phases += std::arg(reference::determinant(link));
        return link;
      });
      EXPECT_NEAR(sum_of_phases, expected.sum_of_phases, 1e-11);
    }
  }
}

// Stored in single precision, with MILC's phases and antiperiodic in time.
TEST(ImprovedLinks, AreMilcsAsqtadLinks) {
  KAON_TEST_DATA_FILE(folder, "milc");
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  const double rounding = 0.5 * std::numeric_limits<float>::epsilon();
  const auto stored = [&](const char* file) {
    return reference::read_scidac_single(folder / file, static_cast<std::size_t>(36 * lattice.volume()));
  };
  ImprovedLinks improved = asqtad_links(test::reunitarized(lattice, stored("lat.sample.l8")), 0.502);
  fold_staggered_phases(improved.fat);
  fold_staggered_phases(improved.third, {.steps = 3});
  EXPECT_LT(reference::relative_difference(improved.fat.to_host(), stored("fat.l8")), rounding);
  EXPECT_LT(reference::relative_difference(long_links(improved).to_host(), stored("long.l8")), rounding);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
