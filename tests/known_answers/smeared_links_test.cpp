// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/layout.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace kaon {
namespace KAON_TEST_FILE {

// MILC's program smooth_inst on its sample lattice with an instanton, which is in a format of its own time: a header
// of 28 bytes, then links in single precision, little endian. Its outputs have the plaquette times 3 in seven digits
// (smooth_inst/test/su3_hyp.1, su3_ape.1 and su3_stout.1.sample-out).
TEST(SmearedLinks, AreMilcs) {
  KAON_TEST_DATA_FILE(path, "milc/lat.sample.inst");
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links(lattice);
  reference::Links host(static_cast<std::size_t>(36 * lattice.volume()));
  std::vector<std::complex<float>> stored(host.size());
  std::ifstream file(path, std::ios::binary);
  file.seekg(28);
  file.read(reinterpret_cast<char*>(stored.data()), static_cast<std::streamsize>(8 * stored.size()));
  ASSERT_TRUE(file.good());
  std::copy(stored.begin(), stored.end(), host.begin());
  links.from_host(host);
  reunitarize(links);
  constexpr double last_digit = 0.6e-6;
  const auto loops = [](const GaugeField<double>& of) { return 3.0 * plaquette(of).average; };
  EXPECT_NEAR(loops(links), 2.973028, last_digit);
  EXPECT_NEAR(loops(hyp_links(links, {.alpha_1 = 0.75, .alpha_2 = 0.6, .alpha_3 = 0.3})), 2.976299, last_digit);
  EXPECT_NEAR(loops(ape_links(links, {.alpha = 0.45})), 2.974836, last_digit);
  EXPECT_NEAR(loops(stout_links(links, {.rho = 0.15})), 2.975931, last_digit);
  EXPECT_NEAR(loops(stout_links(links, {.rho = 0.15, .steps = 2})), 2.977070, last_digit);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
