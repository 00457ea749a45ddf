// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class InitialLinks : public ::testing::Test {};
TYPED_TEST_SUITE(InitialLinks, Precisions);

TYPED_TEST(InitialLinks, AreInSu3) {
  for (const Lattice& lattice : test_lattices()) {
    GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 1);
    expect_su3(links);
    set_weak(links, 0.1, {.seed = 1});
    expect_su3(links);
  }
}

TYPED_TEST(InitialLinks, DoNotDependOnLanes) {
  GaugeField<TypeParam> native(Lattice({.extents = {8, 4, 4, 8}}));
  GaugeField<TypeParam> single(Lattice({.extents = {8, 4, 4, 8}, .lanes = Lanes::single}));
  set_random(native, {.seed = 1, .stream = 2});
  set_random(single, {.seed = 1, .stream = 2});
  EXPECT_EQ(native.to_host(), single.to_host());
  set_weak(native, 0.2, {.seed = 1, .stream = 2});
  set_weak(single, 0.2, {.seed = 1, .stream = 2});
  EXPECT_EQ(native.to_host(), single.to_host());
}

TEST(RandomLinks, InSinglePrecisionAreTheRoundedOnes) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  GaugeField<double> links(lattice);
  GaugeField<float> rounded(lattice);
  set_random(links, {.seed = 3});
  set_random(rounded, {.seed = 3});
  EXPECT_EQ(rounded.to_host(), GaugeField<float>(links).to_host());
}

TEST(RandomLinks, AreDistributedByHaarsMeasure) {
  const GaugeField<double> links = hot_links<double>(Lattice({.extents = {8, 8, 8, 8}}), 4);
  const reference::Links host = links.to_host();
  const auto n = static_cast<double>(host.size() / 9);
  // Moments of the trace: <Tr U> = 0, <|Tr U|^2> = 1, <(Tr U)^2> = 0, <(Tr U)^3> = 1, <|Tr U|^4> = 2.
  std::complex<double> first = 0.0, second = 0.0, third = 0.0;
  double norm = 0.0, fourth = 0.0;
  for (std::size_t k = 0; k < host.size(); k += 9) {
    const std::complex<double> trace = host[k] + host[k + 4] + host[k + 8];
    first += trace;
    second += trace * trace;
    third += trace * trace * trace;
    norm += std::norm(trace);
    fourth += std::norm(trace) * std::norm(trace);
  }
  EXPECT_LT(std::abs(first) / n, 4.0 / std::sqrt(n));
  EXPECT_LT(std::abs(second) / n, 4.0 * std::sqrt(2.0 / n));
  EXPECT_LT(std::abs(third / n - 1.0), 4.0 * std::sqrt(5.0 / n));
  EXPECT_NEAR(norm / n, 1.0, 4.0 * std::sqrt(1.0 / n));
  EXPECT_NEAR(fourth / n, 2.0, 4.0 * std::sqrt(19.0 / n));
}

TEST(WeakLinks, ApproachUnitLinks) {
  GaugeField<double> links = weak_links<double>(Lattice({.extents = {4, 4, 4, 4}}), 0.0, 5);
  EXPECT_EQ(plaquette(links).average, 1.0);
  set_weak(links, 0.01, {.seed = 5});
  EXPECT_LT(plaquette(links).average, 1.0);
  EXPECT_GT(plaquette(links).average, 0.99);
}

TEST(WeakLinks, HaveNoiseThatDoesNotOverflow) {
  GaugeField<double> links = weak_links<double>(Lattice({.extents = {4, 4, 4, 4}}), 1e150, 5);
  EXPECT_LT(deviation_from_su3(links).unitarity.deviation, 1e-14);
  for (const double noise : {1e160, 1e308, std::numeric_limits<double>::infinity(), std::nan("")}) {
    KAON_EXPECT_ERROR(set_weak(links, noise, {.seed = 5}), "overflow");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
