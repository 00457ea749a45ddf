// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/staggered_fields.hpp"
#include "tests/reference/improved_links_sums.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_phases.hpp>

#include <limits>

namespace kaon {
namespace KAON_TEST_FILE {

TEST(ImprovedLinks, ReproduceSumsOfAnotherProgram) {
  for (const reference::ImprovedLinksSums& expected : reference::improved_links_sums()) {
    KAON_TEST_DATA_FILE(path, expected.file);
    const reference::Links stored = reference::read_milc(path, expected.extents);
    for (const Lanes lanes : test::all_lanes) {
      SCOPED_TRACE(std::string(expected.file) + (lanes == Lanes::native ? ", native lanes" : ", one lane"));
      const Lattice lattice({.extents = expected.extents, .lanes = lanes});
      const GaugeField<double> u = test::reunitarized(lattice, stored);
      const ImprovedLinks asqtad = asqtad_links(u, 0.87);
      const GaugeField<double> v = fat_links(u, fat7_coefficients());
      const double epsilons[] = {0.0, -0.1};
      const std::vector<ImprovedLinks> hisq = hisq_links(u, epsilons);
      expect_sums({.asqtad_fat = asqtad.fat.to_host(),
                   .asqtad_long = long_links(asqtad).to_host(),
                   .v = v.to_host(),
                   .w = project_to_u3(v).to_host(),
                   .hisq_fat = hisq[0].fat.to_host(),
                   .hisq_long = long_links(hisq[0]).to_host(),
                   .charm_fat = hisq[1].fat.to_host()},
                  expected);
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
  EXPECT_LT(reference::relative_distance(improved.fat.to_host(), stored("fat.l8")), rounding);
  EXPECT_LT(reference::relative_distance(long_links(improved).to_host(), stored("long.l8")), rounding);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
