// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch/launch.hpp"
#include "core/tuning/tuning_results.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/tuning.hpp>

#include <algorithm>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class TunedHop : public ::testing::Test {
 protected:
  TunedHop() : was_on_(tuning_is_on()) { set_tuning(true); }
  ~TunedHop() override { set_tuning(was_on_); }

 private:
  bool was_on_;
};
TYPED_TEST_SUITE(TunedHop, Precisions);

template <class T>
SpinorField<T> gaussian_on(const Lattice& lattice, Parity parity, int right_hand_sides, std::uint64_t seed) {
  SpinorField<T> psi(lattice, {.subset = subset_of(parity), .right_hand_sides = right_hand_sides});
  set_gaussian(psi, {.seed = seed});
  return psi;
}

/// Results of the operators whose output may be an input, all right-hand sides behind each other.
template <class T>
std::vector<std::complex<double>> results(const WilsonClover<T>& dirac, int right_hand_sides) {
  const Lattice& lattice = dirac.lattice();
  const SpinorField<T> in = gaussian_on<T>(lattice, Parity::odd, right_hand_sides, 1);
  std::vector<std::complex<double>> all;
  const auto append = [&](const SpinorField<T>& psi) {
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      const auto values = psi.to_host(rhs);
      all.insert(all.end(), values.begin(), values.end());
    }
  };
  for (const SiteTerm term : {SiteTerm::none, SiteTerm::diagonal, SiteTerm::inverse}) {
    SpinorField<T> out = gaussian_on<T>(lattice, Parity::even, right_hand_sides, 2);
    dirac.hop(out, in, {.term = term, .scale = -0.5, .x = &out, .x_scale = 2.0});
    append(out);
  }
  SpinorField<T> psi = gaussian_on<T>(lattice, Parity::even, right_hand_sides, 3);
  dirac.apply_site_term(psi, psi, SiteTerm::inverse, false);
  append(psi);
  return all;
}

std::vector<TuningEntry> tuned_shapes() { return tuning_results().sections[0].entries; }
std::ptrdiff_t tuned_kernels(const Lattice& lattice) {
  const std::vector<TuningEntry> entries = tuned_shapes();
  return std::count_if(entries.begin(), entries.end(),
                       [&](const TuningEntry& entry) { return entry.extents == lattice.extents(); });
}

TYPED_TEST(TunedHop, EqualsUntuned) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const WilsonClover<TypeParam> dirac(random_links<TypeParam>(lattice), {.mass = 0.1, .csw = 1.3});
  for (const int right_hand_sides : {1, 2, 5, 12}) {
    set_tuning(false);
    clear_tuning();
    const auto untuned = results(dirac, right_hand_sides);
    EXPECT_EQ(tuned_kernels(lattice), 0);
    set_tuning(true);
    const auto first = results(dirac, right_hand_sides);  // while it is tuned
    std::vector<std::complex<double>> trial;
    detail::tune_ahead([&] {
      trial = results(dirac, right_hand_sides);
      ASSERT_EQ(trial.size(), untuned.size());
      for (std::size_t n = 0; n < untuned.size(); ++n) {
        const double bound = on_device ? tolerance<TypeParam> * (1.0 + std::abs(untuned[n])) : 0.0;
        ASSERT_LE(std::abs(trial[n] - untuned[n]), bound) << n;
      }
    });
    const auto second = results(dirac, right_hand_sides);
    const bool choice = on_device || right_hand_sides > 1;
    EXPECT_EQ(tuned_kernels(lattice), choice ? 4 : 0);
    ASSERT_EQ(first.size(), untuned.size());
    for (std::size_t n = 0; n < untuned.size(); ++n) {
      // A GPU has two compiled forms of a kernel, which may round differently.
      const double bound = on_device ? tolerance<TypeParam> * (1.0 + std::abs(untuned[n])) : 0.0;
      ASSERT_LE(std::abs(first[n] - untuned[n]), bound) << n;
      ASSERT_LE(std::abs(second[n] - untuned[n]), bound) << n;
    }
  }
}

TYPED_TEST(TunedHop, IsTunedForItsPrecisionLanesAndRightHandSides) {
  clear_tuning();
  const Lattice native({.extents = {8, 4, 4, 8}});
  const WilsonClover<TypeParam> dirac(random_links<TypeParam>(native), {.mass = 0.1, .csw = 1.3});
  detail::tune_ahead([&] { results(dirac, 6); });
  const std::vector<TuningEntry> entries = tuned_shapes();
  ASSERT_EQ(entries.size(), 4u);
  std::vector<std::string> kernels;
  for (const TuningEntry& entry : entries) {
    kernels.push_back(entry.kernel);
    EXPECT_EQ(entry.precision, sizeof(TypeParam) == 8 ? "double" : "single");
    EXPECT_EQ(entry.lanes, native.lane_count<TypeParam>());
    EXPECT_EQ(entry.link_reals, entry.kernel == "kaon::clover" ? 0 : 18);
    EXPECT_EQ(entry.right_hand_sides, 6);
    EXPECT_GT(entry.microseconds, 0.0);
    EXPECT_LE(entry.microseconds, entry.standard_microseconds);
  }
  std::sort(kernels.begin(), kernels.end());  // they come in the order in which their trials end
  EXPECT_EQ(kernels, (std::vector<std::string>{"kaon::clover", "kaon::wilson_hop", "kaon::wilson_hop_clover",
                                               "kaon::wilson_hop_inverse_clover"}));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
