// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/observables.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

LinkPath times(int step, int count) { return LinkPath(static_cast<std::size_t>(count), step); }

TEST(LinkPaths, SumsEqualTheReferences) {
  // Paths of one step, there and back, around corners, longer than the lattice, and two in one sum.
  const std::array<std::vector<WeightedPath>, 4> paths{{
      {{{1}}, {{-3, 1, 1, 4}, -0.5}},
      {{{2, -2}, 2.0}},
      {},
      {{{4, 4, 4, 4, 4, 4, 4, 4, 4, -1, -1, -1, -1, -1, 2}, 0.7}, {{-4, -4, 3, 4, -3, 4, -2}}},
  }};
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = hot_links<double>(lattice, 1);
    GaugeField<double> sums = hot_links<double>(lattice, 2);
    const reference::Links before = sums.to_host(), host = links.to_host();
    add_link_paths(sums, links, paths);
    const reference::Links after = sums.to_host();
    double largest = 0.0;
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      for (int mu = 0; mu < 4; ++mu) {
        reference::ColorMatrix expected = reference::link(before, x, mu, lattice.extents());
        for (const WeightedPath& path : paths[static_cast<std::size_t>(mu)]) {
          const auto product = reference::path_product(host, x, path.steps, lattice.extents());
          for (std::size_t k = 0; k < 9; ++k) expected[k] += path.weight * product[k];
        }
        const auto found = reference::link(after, x, mu, lattice.extents());
        for (std::size_t k = 0; k < 9; ++k) largest = larger(largest, std::abs(found[k] - expected[k]));
      }
    });
    EXPECT_LT(largest, tolerance<double>);
    EXPECT_GT(largest, 0.0);
  }
}

TEST(LinkPaths, TransformAtBothEnds) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const LinkPath path{1, 2, -4, 2};  // ends at x + (1, 2, 0, -1)
  const Coordinates end{1, 2, 0, -1};
  GaugeField<double> links = hot_links<double>(lattice, 1);
  std::mt19937_64 generator(3);
  const auto g = reference::random_gauge_transformation(lattice.extents(), generator);
  const auto product = [&](const GaugeField<double>& of) {
    GaugeField<double> sums(lattice);
    add_link_paths(sums, of, {{{{path}}, {}, {}, {}}});
    return sums.to_host();
  };
  const reference::Links before = product(links);
  links.from_host(reference::transform_links(links.to_host(), g, lattice.extents()));
  const reference::Links after = product(links);
  reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
    Coordinates y = x;
    for (int mu = 0; mu < 4; ++mu) y = reference::neighbor(y, mu, end[static_cast<std::size_t>(mu)], lattice.extents());
    const auto at = [&](const Coordinates& site) {
      return g[static_cast<std::size_t>(lexicographic_index(site, lattice.extents()))];
    };
    using reference::operator*;
    const auto expected = at(x) * reference::link(before, x, 0, lattice.extents()) * reference::dagger(at(y));
    const auto found = reference::link(after, x, 0, lattice.extents());
    for (std::size_t k = 0; k < 9; ++k) EXPECT_LT(std::abs(found[k] - expected[k]), tolerance<double>);
  });
}

TEST(LoopTraces, HavePlaquetteAndPolyakovLoop) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = weak_links<double>(lattice, 0.3, 1);
    std::vector<LinkPath> loops;
    for (int nu = 2; nu <= 4; ++nu) {
      for (int mu = 1; mu < nu; ++mu) loops.push_back({mu, nu, -mu, -nu});
    }
    for (int mu = 0; mu < 4; ++mu) loops.push_back(times(mu + 1, lattice.extents()[static_cast<std::size_t>(mu)]));
    const auto traces = loop_traces(links, loops);
    ASSERT_EQ(traces.size(), 10u);
    double spatial = 0.0, temporal = 0.0;
    for (std::size_t k = 0; k < 6; ++k) (k < 3 ? spatial : temporal) += traces[k].real() / 3.0;
    EXPECT_NEAR(spatial, plaquette(links).spatial, tolerance<double>);
    EXPECT_NEAR(temporal, plaquette(links).temporal, tolerance<double>);
    for (int mu = 0; mu < 4; ++mu) {
      EXPECT_LT(std::abs(traces[static_cast<std::size_t>(6 + mu)] - polyakov_loop(links, mu)), tolerance<double>);
    }
  }
}

TEST(LoopTraces, OfAnyLoopAreTheReferences) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> links = hot_links<double>(lattice, 1);
  // A rectangle, a chair, a parallelogram, and a loop over its own links.
  const std::vector<LinkPath> loops{{1, 1, 4, -1, -1, -4},
                                    {1, 2, -1, 3, -2, -3},
                                    {1, 2, 3, -1, -2, -3},
                                    {2, -2, 4, -4},
                                    {-4, -4, -4, 2, 4, 4, 4, -2}};
  const auto traces = loop_traces(links, loops);
  const reference::Links host = links.to_host();
  for (std::size_t k = 0; k < loops.size(); ++k) {
    reference::Complex sum = 0.0;
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      const auto product = reference::path_product(host, x, loops[k], lattice.extents());
      sum += product[0] + product[4] + product[8];
    });
    EXPECT_LT(std::abs(traces[k] - sum / (3.0 * static_cast<double>(lattice.volume()))), tolerance<double>) << k;
  }
  EXPECT_LT(std::abs(traces[3] - 1.0), tolerance<double>);
}

TEST(LinkPaths, RefuseWhatTheyCannotTake) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = hot_links<double>(lattice, 1);
  GaugeField<double> sums(lattice);
  const auto add = [&](const WeightedPath& path) { add_link_paths(sums, links, {{{path}, {}, {}, {}}}); };
  KAON_EXPECT_ERROR(add({{}}), "a path of links needs at least one step");
  KAON_EXPECT_ERROR(add({{1, 5}}), "the path (1, 5) has the step 5: steps are +1 to +4 forward in x to t");
  KAON_EXPECT_ERROR(add({{0}}), "has the step 0");
  KAON_EXPECT_ERROR(add({{1}, std::nan("")}), "the weight nan of a path of links is not finite");
  KAON_EXPECT_ERROR(add_link_paths(const_cast<GaugeField<double>&>(links), links, {}), "must not be the links");
  GaugeField<double> other(Lattice({.extents = {4, 4, 4, 4}}));
  KAON_EXPECT_ERROR(add_link_paths(other, links, {}), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_link_paths(sums, GaugeField<double>(links, LinkStorage::two_rows), {}), "18");
  const std::vector<LinkPath> open{{1, 4, 4}};
  KAON_EXPECT_ERROR(loop_traces(links, open), "the path (1, 4, 4) is not closed: it ends at (1, 0, 0, 2)");
  EXPECT_TRUE(loop_traces(links, {}).empty());
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
