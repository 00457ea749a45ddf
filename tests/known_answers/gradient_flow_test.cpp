// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/data.hpp"

#include <kaon/gauge/field_strength.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/gauge.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kaon {
namespace KAON_TEST_FILE {

/// A line of MILC's programs wilson_flow, on its sample lattice lat.sample.l4448, printed in six digits.
struct Line {
  double temporal, spatial, charge;
};

// wilson_flow/test/wilson_flow.1.sample-out and .2: steps of 0.1, from time 0 on.
const Line wilson_lines[] = {{1.05787, 1.03094, 0.0955429},      {0.790042, 0.76505, 0.0389772},
                             {0.506125, 0.481396, 0.0166373},    {0.321384, 0.294125, 0.0106751},
                             {0.214891, 0.186857, 0.0080155},    {0.152452, 0.125636, 0.00570391},
                             {0.11377, 0.0890839, 0.00380684},   {0.0884234, 0.0660664, 0.00243419},
                             {0.0710114, 0.0508605, 0.00150337}, {0.0585831, 0.0404036, 0.000886915}};
const Line symanzik_lines[] = {
    {1.05787, 1.03094, 0.0955429},      {0.702993, 0.679487, 0.0318912},    {0.3965, 0.370493, 0.0147839},
    {0.24165, 0.213598, 0.0106361},     {0.162335, 0.135329, 0.00705779},   {0.117361, 0.0927153, 0.00433563},
    {0.0894768, 0.0673906, 0.00255707}, {0.0710065, 0.0512666, 0.00146115}, {0.0581566, 0.040449, 0.000788772},
    {0.0488672, 0.0328895, 0.00037138}, {0.0419343, 0.0274275, 0.000108379}};

// wilson_flow/test/wilson_flow_a.wilson.1.sample-out, wilson_flow_a.symanzik.1 and wilson_flow_bbb_a.wilson.1 of MILC's
// branch feature/wilson_flow_4: steps of 0.0625 with anisotropy 2, the last ones in fourth order. MILC's exponentials
// are cut off at the eighth power.
const Line wilson_a_lines[] = {{1.05787, 1.03094, 0.0955429},     {0.771612, 0.764046, 0.00915371},
                               {0.478855, 0.528177, -0.0141816},  {0.304259, 0.368261, -0.00893506},
                               {0.205937, 0.263002, -0.00223137}, {0.147608, 0.193081, 0.00141071},
                               {0.110779, 0.145676, 0.0029908},   {0.0862087, 0.112677, 0.00348675}};
const Line symanzik_a_lines[] = {{1.05787, 1.03094, 0.0955429},     {0.688143, 0.693495, -0.00155342},
                                 {0.382128, 0.439688, -0.00703306}, {0.235814, 0.291526, 0.00292922},
                                 {0.159764, 0.202791, 0.00567577},  {0.11573, 0.147464, 0.00593391}};
const Line fourth_order_a_lines[] = {{1.05787, 1.03094, 0.0955429},     {0.76961, 0.763256, 0.00857829},
                                     {0.478178, 0.528223, -0.0140417},  {0.30431, 0.36831, -0.00876675},
                                     {0.206052, 0.263003, -0.00219859}, {0.147689, 0.193084, 0.0014036}};

/// A little more than one in the sixth digit.
double last_digit(double value) { return 1.1 * std::pow(10.0, std::floor(std::log10(value)) - 5.0); }

/// Q of F without its trace, as MILC's.
double traceless_charge(const GaugeField<double>& links) {
  const auto f = FieldStrength(links).to_host();
  const auto trace = [&](std::size_t k) { return (f[k] + f[k + 4] + f[k + 8]).real(); };
  double traces = 0.0;
  for (std::size_t site = 0; site < f.size(); site += 9 * FieldStrength::planes) {
    traces += trace(site) * trace(site + 45) - trace(site + 9) * trace(site + 36) + trace(site + 18) * trace(site + 27);
  }
  return clover_observables(links).charge - traces / (12.0 * std::pow(std::numbers::pi, 2));
}

// The stored field is the sample lattice in another gauge.
TEST(GradientFlow, IsMilcs) {
  KAON_TEST_DATA_FILE(path, "milc/lat.sample.l4448.gf");
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    auto links = io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}, .lanes = lanes}), path);
    reunitarize(links);
    const auto compare = [&](const FlowParameters& parameters, std::span<const Line> lines) {
      GradientFlow flow(links, parameters);
      for (const Line& expected : lines) {
        const CloverObservables found = clover_observables(flow.links());
        EXPECT_NEAR(found.temporal_energy, expected.temporal, last_digit(expected.temporal)) << "t = " << flow.time();
        EXPECT_NEAR(found.spatial_energy, expected.spatial, last_digit(expected.spatial)) << "t = " << flow.time();
        EXPECT_NEAR(traceless_charge(flow.links()), expected.charge, 2e-7) << "t = " << flow.time();
        flow.advance();
      }
    };
    compare({.step = 0.1}, wilson_lines);
    compare({.step = 0.1, .weights = symanzik_weights}, symanzik_lines);
    compare({.step = 0.0625, .anisotropy = 2.0}, wilson_a_lines);
    compare({.step = 0.0625, .weights = symanzik_weights, .anisotropy = 2.0}, symanzik_a_lines);
    compare({.step = 0.0625, .order = 4, .anisotropy = 2.0}, fourth_order_a_lines);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
