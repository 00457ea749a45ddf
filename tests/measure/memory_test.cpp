// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocated_bytes.hpp"
#include "tests/gauge/initial_links.hpp"

#include <kaon/campaign/measurement.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace kaon {
namespace KAON_TEST_FILE {

/// The largest memory of fields while rough links are measured on.
double measured_peak(const Lattice& lattice, const MeasurementInput& input) {
  const detail::AllocatedBytes bytes;
  const GaugeField<double> links = test::weak_links<double>(lattice, 0.2, 7);
  EXPECT_EQ(measure(links, input, "field").failure, "");
  return static_cast<double>(bytes.fields().peak);
}

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
    const Lattice lattice({.extents = {8, 8, 4, 16}, .reach = reach_of(input)});
    const double estimate = memory_of(input, lattice).fields, peak = measured_peak(lattice, input);
    EXPECT_NEAR(estimate, peak, 0.1 * peak);
  }
}

/// Halos, and the links with layers around them from which operators are made, change the memory of clover quarks by
/// 8 % and that of HISQ by a factor of two to three, which depends on the number of lanes.
TEST(MeasurementMemory, IsThatOfALargerLatticeWithHalos) {
  const std::string rest =
      R"(, "output": {"format": "json"}, "solver": {"tolerance": 1e-3}, "source": {"random": 2, "together": 2},
    "meson": [{"quarks": ["l", "l"]}])";
  for (const auto& [quarks, tolerance] :
       {std::pair<std::string, double>{R"({"l": {"action": "clover", "csw": 1, "mass": 0.4}})", 0.05},
        {R"({"l": {"action": "hisq", "mass": 0.4}})", 0.1}}) {
    SCOPED_TRACE(quarks);
    const MeasurementInput input = parse_measurement_input("{\"quark\": " + quarks + rest + "}", "input", false);
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      const Lattice lattice({.extents = {8, 8, 8, 16},
                             .partition = {false, false, true, true},
                             .lanes = lanes,
                             .reach = reach_of(input)});
      const double estimate = memory_of(input, lattice).fields, peak = measured_peak(lattice, input);
      EXPECT_NEAR(estimate, peak, tolerance * peak);
    }
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
    const Lattice lattice({.extents = {8, 8, 8, 16}, .reach = reach_of(input)});
    const std::optional<MeasurementMemory> estimate = memory_with_multigrid(input, lattice);
    ASSERT_TRUE(estimate.has_value());
    const double peak = measured_peak(lattice, input);
    EXPECT_NEAR(estimate->fields, peak, 0.1 * peak);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
