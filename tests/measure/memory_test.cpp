// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace kaon {
namespace KAON_TEST_FILE {

/// The estimate is from lattices of 512 and 1024 sites. The measurement is on 4096 sites of rough links, with another
/// number of lanes. Sloppy solves have the largest batch in all-mode averages.
TEST(MeasurementMemory, IsThatOfALargerLattice) {
  const std::string rest =
      R"(, "output": {"format": "json"}, "solver": {"tolerance": 1e-3}, "source": {"random": 3, "together": 2}, "sink": {"wide": {}},
    "meson": [{"quarks": ["l", "s"], "sinks": ["point", "wide"]}])";
  const std::string clover =
                        R"({"l": {"action": "clover", "csw": 1, "mass": 0.4}, "s": {"action": "wilson", "mass": 0.6}})",
                    hisq = R"({"l": {"action": "hisq", "mass": 0.4}, "s": {"action": "hisq", "mass": 0.6}})",
                    sloppy = R"(, "sloppy": {"tolerance": 1e-2, "exact": 1})";
  for (const std::string& quarks : {clover, hisq, clover + sloppy}) {
    SCOPED_TRACE(quarks);
    const MeasurementInput input = parse_measurement_input("{\"quark\": " + quarks + rest + "}", "input", false);
    const Coordinates extents{8, 8, 4, 16};
    const MeasurementMemory estimate = memory_of(input, extents);
    const detail::AllocatedBytes bytes;
    const Lattice lattice({.extents = extents, .reach = reach_of(input)});
    GaugeField<double> links(lattice);
    set_weak(links, 0.2, {.seed = 7});
    EXPECT_EQ(measure(links, input, "field").failure, "");
    const auto peak = static_cast<double>(bytes.fields().peak);
    EXPECT_NEAR(estimate.fields, peak, 0.1 * peak);
  }
}

// Both families have multigrid on lattices of several aggregates, with one solve for several masses or one for each.
// The tolerance is one for which GCR takes more iterations than it has directions.
TEST(MeasurementMemory, IsThatOfALargerLatticeWithMultigrid) {
  const std::string rest =
      R"(, "output": {"format": "json"}, "solver": {"tolerance": 1e-11, "method": "multigrid"}, "source": {"random": 2, "together": 2},
    "meson": [{"quarks": ["l", "s"]}])";
  for (const std::string quarks : {R"({"l": {"action": "clover", "csw": 1, "mass": 0.1},
                                       "s": {"action": "clover", "csw": 1, "mass": 0.6}})",
                                   R"({"l": {"action": "hisq", "mass": 0.1}, "s": {"action": "hisq", "mass": 0.3}})"}) {
    SCOPED_TRACE(quarks);
    const MeasurementInput input = parse_measurement_input("{\"quark\": " + quarks + rest + "}", "input", false);
    const Coordinates extents{8, 8, 8, 16};
    const std::optional<MeasurementMemory> estimate = memory_with_multigrid(input, extents);
    ASSERT_TRUE(estimate.has_value());
    const detail::AllocatedBytes bytes;
    const Lattice lattice({.extents = extents, .reach = reach_of(input)});
    GaugeField<double> links(lattice);
    set_weak(links, 0.2, {.seed = 7});
    EXPECT_EQ(measure(links, input, "field").failure, "");
    const auto peak = static_cast<double>(bytes.fields().peak);
    EXPECT_NEAR(estimate->fields, peak, 0.1 * peak);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
