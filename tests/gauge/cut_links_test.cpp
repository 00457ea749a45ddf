// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/cut_links.hpp"
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"

#include <kaon/core/coordinates.hpp>

#include <algorithm>
#include <string>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CutLinks, AreZeroWhereTheyLeaveABlockAndElseAsTheyWere) {
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Coordinates extents{8, 4, 4, 16};
    const Lattice lattice({.extents = extents, .lanes = lanes});
    const GaugeField<double> links = hot_links<double>(lattice, 5);
    const Coordinates block{4, 2, 4, 8};  // one block in z: it meets itself
    for (const int step : {1, 3}) {
      SCOPED_TRACE("links of " + std::to_string(step) + " steps");
      reference::Links expected = links.to_host();
      int cut = 0;
      for (int site = 0; site < lattice.volume(); ++site) {
        const Coordinates x = lexicographic_site(site, extents);
        for (std::size_t mu = 0; mu < 4; ++mu) {
          if (x[mu] / block[mu] == (x[mu] + step) / block[mu] || block[mu] == extents[mu]) continue;
          const std::size_t offset = reference::link_offset(x, static_cast<int>(mu), extents);
          std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), 9, 0.0);
          ++cut;
        }
      }
      EXPECT_GT(cut, 0);
      EXPECT_EQ(largest_difference(detail::cut_links(links, block, step).to_host(), expected), 0.0);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
