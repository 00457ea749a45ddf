// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/partitions/partitions.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/measure/spin_taste.hpp>
#include <kaon/operators/covariant_sum.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class PropagatorsInParts : public ::testing::Test {};
TYPED_TEST_SUITE(PropagatorsInParts, Precisions);

TYPED_TEST(PropagatorsInParts, SourcesAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    const SpinorParameters shape{.right_hand_sides = 12};
    const Coordinates site{partition.whole.extents()[0] - 1, 1, 1, 2};
    SpinorField<TypeParam> parts(partition.parts, shape), whole(partition.whole, shape);
    const auto expect_equal = [&](const char* what) {
      for (const int rhs : {0, 7}) {
        EXPECT_EQ(parts.to_host(rhs), part_of(whole.to_host(rhs), partition.parts)) << what << ", " << partition.name;
      }
    };
    for (SpinorField<TypeParam>* source : {&parts, &whole}) set_point_sources(*source, {.site = site});
    expect_equal("points");
    for (const Dilution dilution : {Dilution::spin_color, Dilution::none}) {
      for (SpinorField<TypeParam>* source : {&parts, &whole}) {
        set_z2_wall_source(*source, {.time = 3, .key = {.seed = 5}, .dilution = dilution});
      }
      expect_equal("wall");
    }
    for (const WallSites sites : {WallSites::all, WallSites::even, WallSites::corners}) {
      for (SpinorField<TypeParam>* source : {&parts, &whole}) {
        set_uniform_wall_sources(*source, {.time = 3, .sites = sites});
      }
      expect_equal("uniform wall");
    }
  }
}

TYPED_TEST(PropagatorsInParts, SmearedFieldIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<TypeParam> links(partition.parts), whole_links(partition.whole);
    set_random(links, {.seed = 1});
    set_random(whole_links, {.seed = 1});
    for (const SpinorParameters& shape :
         {SpinorParameters{.right_hand_sides = 3}, SpinorParameters{.spins = 1, .right_hand_sides = 1}}) {
      SpinorField<TypeParam> chi(partition.parts, shape), whole(partition.whole, shape);
      set_gaussian(chi, {.seed = 2});
      set_gaussian(whole, {.seed = 2});
      for (const int steps : {1, 4}) {
        gaussian_smear(chi, links, {.width = 1.5, .steps = steps});
        gaussian_smear(whole, whole_links, {.width = 1.5, .steps = steps});
        const int last = shape.right_hand_sides - 1;
        EXPECT_LT(largest_difference(chi.to_host(last), part_of(whole.to_host(last), partition.parts)),
                  tolerance<TypeParam>)
            << partition.name;
      }
    }
  }
}

TYPED_TEST(PropagatorsInParts, StaggeredFieldsAreTheSame) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<TypeParam> links(partition.parts), whole_links(partition.whole);
    set_random(links, {.seed = 1});
    set_random(whole_links, {.seed = 1});
    const SpinorParameters shape{.spins = 1};
    SpinorField<TypeParam> chi(partition.parts, shape), out(partition.parts, shape);
    SpinorField<TypeParam> whole(partition.whole, shape), whole_out(partition.whole, shape);
    set_gaussian(chi, {.seed = 2});
    set_gaussian(whole, {.seed = 2});
    gaussian_smear(chi, links, {.width = 1.5, .steps = 2, .stride = 2, .dimensions = 4});
    gaussian_smear(whole, whole_links, {.width = 1.5, .steps = 2, .stride = 2, .dimensions = 4});
    EXPECT_LT(largest_difference(chi.to_host(), part_of(whole.to_host(), partition.parts)), tolerance<TypeParam>)
        << partition.name;
    for (const SpinTaste& of : {SpinTaste{5, 5}, SpinTaste{3, 9}, SpinTaste{15, 0}}) {
      apply_spin_taste(out, chi, links, of);
      apply_spin_taste(whole_out, whole, whole_links, of);
      EXPECT_LT(largest_difference(out.to_host(), part_of(whole_out.to_host(), partition.parts)), tolerance<TypeParam>)
          << partition.name;
    }
  }
}

TYPED_TEST(PropagatorsInParts, ShiftedFieldIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    GaugeField<TypeParam> links(partition.parts), whole_links(partition.whole);
    set_random(links, {.seed = 1});
    set_random(whole_links, {.seed = 1});
    const auto expect_equal = [&](const SpinorParameters& shape, const CovariantSum& sum, const char* what) {
      SpinorField<TypeParam> in(partition.parts, shape), out(partition.parts, shape);
      SpinorField<TypeParam> whole_in(partition.whole, shape), whole_out(partition.whole, shape);
      set_gaussian(in, {.seed = 2});
      set_gaussian(whole_in, {.seed = 2});
      covariant_sum(out, in, links, sum);
      covariant_sum(whole_out, whole_in, whole_links, sum);
      const int last = shape.right_hand_sides - 1;
      EXPECT_LT(largest_difference(out.to_host(last), part_of(whole_out.to_host(last), partition.parts)),
                tolerance<TypeParam>)
          << what << ", " << partition.name;
    };
    for (std::size_t mu = 0; mu < 4; ++mu) {
      CovariantSum ahead, behind;
      ahead.forward[mu] = behind.backward[mu] = true;
      expect_equal({.right_hand_sides = 2}, ahead, "forward");
      expect_equal({.spins = 1}, behind, "backward");
    }
    constexpr std::array<bool, 4> all{true, true, true, true};
    expect_equal({}, {.forward = all, .backward = all, .weight = -0.3, .center = 1.0}, "sum");
  }
}

TYPED_TEST(PropagatorsInParts, CorrelatorIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    const SpinorParameters shape{.right_hand_sides = 12};
    SpinorField<TypeParam> propagator(partition.parts, shape), whole(partition.whole, shape);
    set_gaussian(propagator, {.seed = 3});
    set_gaussian(whole, {.seed = 3});
    for (int direction = 0; direction < 4; ++direction) {
      const CorrelatorParameters parameters{.source_site = {1, 1, 1, 3}, .direction = direction};
      const std::vector<double> c = pion_correlator(propagator, parameters);
      const std::vector<double> expected = pion_correlator(whole, parameters);
      ASSERT_EQ(c.size(), expected.size());
      for (std::size_t d = 0; d < c.size(); ++d) {
        EXPECT_NEAR(c[d], expected[d], 1e-12 * expected[d]) << partition.name << ", direction " << direction;
      }
      EXPECT_EQ(pion_correlator(propagator, parameters), c);
      const MomentumParameters momentum{.mode = {1, -1, 0, 1}, .source_site = {1, 1, 1, 3}};
      const auto products = momentum_products(propagator, propagator, momentum);
      const auto expected_products = momentum_products(whole, whole, momentum);
      for (std::size_t t = 0; t < products.size(); ++t) {
        EXPECT_LT(std::abs(products[t] - expected_products[t]), 1e-10) << partition.name;
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
