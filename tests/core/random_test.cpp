// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/random/random_sequence.hpp"

#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace kaon {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

constexpr Coordinates all_extents[] = {{4, 4, 4, 4}, {4, 6, 2, 8}, {8, 4, 4, 8}};
constexpr RandomKey key{.seed = 0x123456789abcdef0u, .stream = 7};

std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& c, const std::array<std::uint32_t, 2>& k) {
  const detail::PhiloxWords words = detail::philox4x32({{c[0], c[1], c[2], c[3]}}, k[0], k[1]);
  return {words.word[0], words.word[1], words.word[2], words.word[3]};
}

/// A counter, a key and the ten-round output.
struct PhiloxKnownAnswer {
  std::array<std::uint32_t, 4> counter;
  std::array<std::uint32_t, 2> key;
  std::array<std::uint32_t, 4> output;
};

/// The lines "philox4x32 10" of Random123's tests/kat_vectors.
inline constexpr std::array<PhiloxKnownAnswer, 3> philox_known_answers{{
    {{0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u},
     {0x00000000u, 0x00000000u},
     {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
    {{0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
     {0xffffffffu, 0xffffffffu},
     {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
    {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
     {0xa4093822u, 0x299f31d0u},
     {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
}};

template <class T>
using Filler = void (*)(SpinorField<T>&, const RandomKey&);

/// One of the noise fields, in both precisions.
struct Noise {
  Filler<double> in_double;
  Filler<float> in_float;
};
const Noise all_noises[] = {{set_gaussian<double>, set_gaussian<float>},
                            {set_z2<double>, set_z2<float>},
                            {set_complex_z2<double>, set_complex_z2<float>}};

template <class T>
Values noise(Filler<T> fill, const LatticeParameters& lattice, const SpinorParameters& spinor, int right_hand_side = 0,
             const RandomKey& with = key) {
  SpinorField<T> field(Lattice(lattice), spinor);
  fill(field, with);
  return field.to_host(right_hand_side);
}

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  for (const auto& known : philox_known_answers) EXPECT_EQ(philox(known.counter, known.key), known.output);
}

TEST(RandomSequence, IsUniformAndNormal) {
  detail::RandomSequence sequence(key, detail::Purpose::heatbath, 12345678901, 3);
  constexpr int pairs = 50000;
  double sum = 0, sum_2 = 0, normal_sum = 0, normal_2 = 0, normal_4 = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const auto u = sequence.next_uniform_pair();
    const auto z = sequence.next_normal_pair();
    for (const double value : {u.re, u.im}) {
      ASSERT_GT(value, 0.0);
      ASSERT_LT(value, 1.0);
      sum += value;
      sum_2 += value * value;
    }
    for (const double value : {z.re, z.im}) {
      normal_sum += value;
      normal_2 += value * value;
      normal_4 += value * value * value * value;
    }
  }
  constexpr double n = 2.0 * pairs;
  EXPECT_NEAR(sum / n, 0.5, 4.0 * std::sqrt(1.0 / 12.0 / n));
  EXPECT_NEAR(sum_2 / n, 1.0 / 3.0, 4.0 * std::sqrt(4.0 / 45.0 / n));
  EXPECT_NEAR(normal_sum / n, 0.0, 4.0 * std::sqrt(1.0 / n));
  EXPECT_NEAR(normal_2 / n, 1.0, 4.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(normal_4 / n, 3.0, 4.0 * std::sqrt(96.0 / n));
}

TEST(RandomField, DoesNotDependOnLanes) {
  for (const Coordinates& extents : all_extents) {
    for (const Noise& kind : all_noises) {
      EXPECT_EQ(noise(kind.in_double, {.extents = extents}, {}),
                noise(kind.in_double, {.extents = extents, .lanes = Lanes::single}, {}));
      EXPECT_EQ(noise(kind.in_float, {.extents = extents}, {}),
                noise(kind.in_float, {.extents = extents, .lanes = Lanes::single}, {}));
    }
  }
}

TEST(RandomField, InSinglePrecisionIsTheRoundedOne) {
  for (const Coordinates& extents : all_extents) {
    for (const Noise& kind : all_noises) {
      Values expected = noise(kind.in_double, {.extents = extents}, {});
      for (auto& value : expected) value = std::complex<double>(std::complex<float>(value));
      EXPECT_EQ(noise(kind.in_float, {.extents = extents}, {}), expected);
    }
  }
}

TEST(RandomField, DoesNotDependOnTheNumberOfRightHandSides) {
  const LatticeParameters lattice{.extents = {4, 6, 2, 8}};
  const Values first = noise(set_gaussian<double>, lattice, {.right_hand_sides = 1});
  const Values second = noise(set_gaussian<double>, lattice, {.right_hand_sides = 2}, 1);
  EXPECT_EQ(noise(set_gaussian<double>, lattice, {.right_hand_sides = 3}, 0), first);
  EXPECT_EQ(noise(set_gaussian<double>, lattice, {.right_hand_sides = 3}, 1), second);
  EXPECT_NE(first, second);
}

TEST(RandomField, OfOneParityIsThatPartOfTheFullOne) {
  const LatticeParameters lattice{.extents = {4, 6, 2, 8}};
  const Values full = noise(set_gaussian<double>, lattice, {});
  Values sum = noise(set_gaussian<double>, lattice, {.subset = Subset::even});
  const Values odd = noise(set_gaussian<double>, lattice, {.subset = Subset::odd});
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += odd[k];
  EXPECT_EQ(sum, full);
}

TEST(RandomField, DependsOnSeedAndStream) {
  const LatticeParameters lattice{.extents = {4, 4, 4, 4}};
  const Values values = noise(set_gaussian<double>, lattice, {});
  EXPECT_NE(noise(set_gaussian<double>, lattice, {}, 0, {.seed = key.seed + 1, .stream = key.stream}), values);
  EXPECT_NE(noise(set_gaussian<double>, lattice, {}, 0, {.seed = key.seed + (1ull << 32), .stream = key.stream}),
            values);
  EXPECT_NE(noise(set_gaussian<double>, lattice, {}, 0, {.seed = key.seed, .stream = key.stream + 1}), values);
}

TEST(GaussianField, HasUnitVariance) {
  const Values values = noise(set_gaussian<double>, {.extents = {8, 8, 8, 8}}, {});
  const auto n = static_cast<double>(values.size());
  std::complex<double> sum = 0.0, square = 0.0;
  double norm = 0.0, fourth = 0.0;
  for (const auto& z : values) {
    sum += z;
    square += z * z;
    norm += std::norm(z);
    fourth += std::norm(z) * std::norm(z);
  }
  EXPECT_LT(std::abs(sum) / n, 4.0 / std::sqrt(n));
  EXPECT_LT(std::abs(square) / n, 4.0 * std::sqrt(2.0 / n));
  EXPECT_NEAR(norm / n, 1.0, 4.0 / std::sqrt(n));
  EXPECT_NEAR(fourth / n, 2.0, 4.0 * std::sqrt(20.0 / n));
}

TEST(GaussianField, HasUncorrelatedSites) {
  const Coordinates extents{8, 8, 8, 8};
  const Values values = noise(set_gaussian<double>, {.extents = extents}, {});
  const std::size_t steps[] = {1, 12, 12 * 8, 12 * 64, 12 * 512};  // component, x, y, z, t
  for (const std::size_t step : steps) {
    std::complex<double> sum = 0.0;
    for (std::size_t k = 0; k + step < values.size(); ++k) sum += std::conj(values[k]) * values[k + step];
    EXPECT_LT(std::abs(sum), 4.0 * std::sqrt(static_cast<double>(values.size()))) << "step " << step;
  }
}

TEST(Z2Field, HoldsOnlySigns) {
  const Values values = noise(set_z2<double>, {.extents = {4, 6, 2, 8}}, {});
  double sum = 0.0;
  for (const auto& z : values) {
    ASSERT_TRUE(z == 1.0 || z == -1.0);
    sum += z.real();
  }
  EXPECT_LT(std::abs(sum), 4.0 * std::sqrt(static_cast<double>(values.size())));
}

TEST(ComplexZ2Field, HasFourPhasesOfUnitModulus) {
  const Values values = noise(set_complex_z2<double>, {.extents = {4, 6, 2, 8}}, {});
  std::complex<double> sum = 0.0, square = 0.0;
  for (const auto& z : values) {
    ASSERT_DOUBLE_EQ(std::abs(z.real()), std::sqrt(0.5));
    ASSERT_DOUBLE_EQ(std::abs(z.imag()), std::sqrt(0.5));
    sum += z;
    square += z * z;
  }
  EXPECT_LT(std::abs(sum), 4.0 * std::sqrt(static_cast<double>(values.size())));
  EXPECT_LT(std::abs(square), 4.0 * std::sqrt(static_cast<double>(values.size())));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
