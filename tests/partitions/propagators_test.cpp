// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/core/random.hpp>
#include <kaon/measure/contractions.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/sequential.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/measure/spin_taste.hpp>
#include <kaon/operators/covariant_sum.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class PropagatorsInParts : public ::testing::Test {};
TYPED_TEST_SUITE(PropagatorsInParts, Precisions);

template <class T>
GaugeField<T> links_on(const Lattice& lattice) {
  return hot_links<T>(lattice, 1);
}

template <class T>
SpinorField<T> noise_on(const Lattice& lattice, const SpinorParameters& shape = {}) {
  SpinorField<T> field(lattice, shape);
  set_gaussian(field, {.seed = 2});
  return field;
}

TYPED_TEST(PropagatorsInParts, SourcesAreTheSame) {
  expect_same(all_partitions(), 0.0, [](const Lattice& lattice) {
    Made made;
    SpinorField<TypeParam> source(lattice, {.right_hand_sides = 12});
    const auto keep = [&] {
      for (const int rhs : {0, 7}) made.fields.push_back(source.to_host(rhs));
    };
    set_point_sources(source, {.site = {lattice.extents()[0] - 1, 1, 1, 2}});
    keep();
    set_z2_wall_source(source, {.time = 3, .key = {.seed = 5}});
    keep();
    for (const WallSites sites : {WallSites::all, WallSites::even, WallSites::corners}) {
      set_uniform_wall_sources(source, {.time = 3, .sites = sites});
      keep();
    }
    return made;
  });
}

TYPED_TEST(PropagatorsInParts, SmearedAndShiftedFieldsAreTheSame) {
  expect_same(all_partitions(), tolerance<TypeParam>, [](const Lattice& lattice) {
    Made made;
    const GaugeField<TypeParam> links = links_on<TypeParam>(lattice);
    const auto keep = [&](const SpinorField<TypeParam>& field) {
      made.fields.push_back(field.to_host(field.right_hand_sides() - 1));
    };
    SpinorField<TypeParam> chi = noise_on<TypeParam>(lattice, {.spins = 1});
    gaussian_smear(chi, links, {.width = 1.5, .steps = 2, .stride = 2, .dimensions = 4});
    keep(chi);
    SpinorField<TypeParam> turned(lattice, chi.parameters());
    for (const SpinTaste& of : {SpinTaste{5, 5}, SpinTaste{3, 9}, SpinTaste{15, 0}}) {
      apply_spin_taste(turned, chi, links, of);
      keep(turned);
    }
    for (const SpinorParameters& shape :
         {SpinorParameters{.right_hand_sides = 3}, SpinorParameters{.spins = 1, .right_hand_sides = 1}}) {
      SpinorField<TypeParam> smeared = noise_on<TypeParam>(lattice, shape);
      for (const int steps : {1, 4}) {
        gaussian_smear(smeared, links, {.width = 1.5, .steps = steps});
        keep(smeared);
      }
    }
    SpinorField<TypeParam> source(lattice, {.right_hand_sides = 12});
    set_point_sources(source, {.site = {1, 0, 1, 3}});
    gaussian_smear(source, links, {.width = 1.5, .steps = 3, .time = 3});
    keep(source);
    const auto keep_sum = [&](const SpinorParameters& shape, const CovariantSum& sum) {
      SpinorField<TypeParam> out(lattice, shape);
      covariant_sum(out, noise_on<TypeParam>(lattice, shape), links, sum);
      keep(out);
    };
    for (std::size_t mu = 0; mu < 4; ++mu) {
      CovariantSum ahead, behind;
      ahead.forward[mu] = behind.backward[mu] = true;
      keep_sum({.right_hand_sides = 2}, ahead);
      keep_sum({.spins = 1}, behind);
    }
    constexpr std::array<bool, 4> all{true, true, true, true};
    keep_sum({}, {.forward = all, .backward = all, .weight = -0.3, .center = 1.0});
    return made;
  });
}

TYPED_TEST(PropagatorsInParts, CorrelatorIsTheSame) {
  for (const Partition& partition : all_partitions()) {
    SCOPED_TRACE(partition.name);
    const SpinorField<TypeParam> propagator = noise_on<TypeParam>(partition.parts, {.right_hand_sides = 12}),
                                 whole = noise_on<TypeParam>(partition.whole, {.right_hand_sides = 12});
    for (int direction = 0; direction < 4; ++direction) {
      const CorrelatorParameters parameters{.source_site = {1, 1, 1, 3}, .direction = direction};
      const std::vector<double> c = pion_correlator(propagator, parameters);
      const std::vector<double> expected = pion_correlator(whole, parameters);
      ASSERT_EQ(c.size(), expected.size());
      for (std::size_t d = 0; d < c.size(); ++d) EXPECT_NEAR(c[d], expected[d], 1e-12 * expected[d]) << direction;
      EXPECT_EQ(pion_correlator(propagator, parameters), c);
    }
    const MomentumParameters momentum{.mode = {1, -1, 0, 1}, .source_site = {1, 1, 1, 3}};
    EXPECT_LT(largest_difference(momentum_products(propagator, propagator, momentum),
                                 momentum_products(whole, whole, momentum)),
              1e-10);
  }
}

// Sources of baryons are products of two propagators. Sums with links are of order 1e3 and are divided by it.
TYPED_TEST(PropagatorsInParts, SequentialSourcesAndCurrentsAreTheSame) {
  expect_same(all_partitions(), 10.0 * tolerance<TypeParam>, [](const Lattice& lattice) {
    Made made;
    const GaugeField<TypeParam> links = links_on<TypeParam>(lattice);
    const auto s = noise_on<TypeParam>(lattice, {.right_hand_sides = 12});
    SpinorField<TypeParam> eta(lattice, s.parameters());
    const auto keep = [&](const SpinorField<TypeParam>& field) {
      for (const int rhs : {0, 7}) made.fields.push_back(field.to_host(rhs));
    };
    const SequentialParameters at{.source_site = {1, 2, 1, 3}, .time = 2, .momentum = {1, -1, 0}};
    set_meson_sequential_source(eta, s, gamma_matrix("g4g5"), at);
    keep(eta);
    const SpinorField<TypeParam>* quarks[] = {&s, &s};
    const BaryonOperator nucleon = baryon_operator("nucleon");
    for (const int quark : {0, 1}) {
      set_baryon_sequential_source<TypeParam>(eta, nucleon, nucleon, quarks, quark, polarization_projector(1, 2), at);
      keep(eta);
    }
    set_current_sequential_source(eta, s, gamma_matrix("g3"),
                                  {.source_site = at.source_site, .time = {}, .momentum = {0, 1, 1}});
    keep(eta);
    multiply_plane_wave(eta, at.source_site, {0, 1, -1});
    keep(eta);
    const ContractionParameters sums{.source_site = at.source_site, .momenta = {{0, 0, 0}, {1, 0, 1}}};
    for (const int direction : {0, 3}) {
      const LinkSpinSums w = link_spin_sums(s, eta, links, antiperiodic_in_time, direction, sums);
      for (const SpatialSums* each : {&w.forward, &w.backward}) {
        for (const std::complex<double>& value : each->values) made.numbers.push_back(value / 1e3);
      }
    }
    return made;
  });
}

// Numbers are of order 1e3 to 1e5 and are divided by it.
TYPED_TEST(PropagatorsInParts, ContractionsAreTheSame) {
  expect_same(all_partitions(), tolerance<double>, [](const Lattice& lattice) {
    Made made;
    const auto keep = [&](const SpatialSums& sums, double unit) {
      for (const std::complex<double>& value : sums.values) made.numbers.push_back(value / unit);
    };
    const auto one = noise_on<TypeParam>(lattice, {.right_hand_sides = 12});
    BaryonParameters parameters;
    parameters.source_site = {1, 2, 1, 3};
    parameters.momenta = {{0, 0, 0}, {1, -1, 0}, {0, 2, 1}};
    keep(meson_spin_sums(one, one, parameters), 1e3);
    const SpinorField<TypeParam>* quarks[] = {&one, &one};
    const BaryonOperator nucleon = baryon_operator("nucleon");
    keep(baryon_spin_sums<TypeParam>(nucleon, nucleon, quarks, parameters), 1e5);
    const auto staggered = noise_on<TypeParam>(lattice, {.spins = 1, .right_hand_sides = 3});
    for (const std::complex<double>& value : staggered_baryon_correlators(staggered, parameters)) {
      made.numbers.push_back(value / 1e3);
    }
    return made;
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
