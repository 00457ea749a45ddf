// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_checks.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

/// Numbers that single precision holds exactly, each of them once.
Values numbered(std::size_t count) {
  Values values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = {static_cast<double>(k), -0.5 * static_cast<double>(k)};
  return values;
}

TEST(SpinorField, PartsShareItsStorage) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  SpinorField<double> whole(lattice, {.right_hand_sides = 3});
  SpinorField<double> part = whole.range(2, 1).parity(Parity::odd);
  const Values values = numbered(static_cast<std::size_t>(lattice.volume()) * 12);
  part.from_host(values);
  EXPECT_EQ(whole.to_host(2), part.to_host());
  EXPECT_EQ(blas::norm2(whole)[0], 0.0);
  KAON_EXPECT_ERROR(whole.range(2, 2), "right-hand sides [2, 4) of a field that has 3");
  KAON_EXPECT_ERROR(whole.range(2147483647, 1), "right-hand sides [2147483647, 2147483648) of a field that has 3");
}

TEST(SpinorField, PartsOverlapWhereTheyHaveRightHandSidesInCommon) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  SpinorField<float> whole(lattice, {.right_hand_sides = 6}), other(lattice, {.right_hand_sides = 6});
  EXPECT_TRUE(detail::overlap(whole, whole));
  EXPECT_FALSE(detail::overlap(whole, other));
  SpinorField<float> even = whole.parity(Parity::even), odd = whole.parity(Parity::odd);
  EXPECT_FALSE(detail::overlap(even, odd));
  EXPECT_FALSE(detail::overlap(odd, even));
  for (int count = 1; count <= 3; ++count) {
    for (int a = 0; a + count <= 6; ++a) {
      for (int b = 0; b + count <= 6; ++b) {
        const bool common = std::abs(a - b) < count;
        EXPECT_EQ(detail::overlap(whole.range(a, count), whole.range(b, count)), common) << a << b << count;
        EXPECT_EQ(detail::overlap(even.range(a, count), even.range(b, count)), common) << a << b << count;
        EXPECT_FALSE(detail::overlap(even.range(a, count), odd.range(b, count))) << a << b << count;
        EXPECT_FALSE(detail::overlap(whole.range(a, count), other.range(b, count))) << a << b << count;
      }
    }
  }
}

// Fields of their own lie as close to each other as memory has them, and the strides of some are twice those of others.
TEST(SpinorField, DoNotOverlapFieldsOfTheirOwn) {
  const Lattice lattice({.extents = {2, 2, 2, 2}});
  std::vector<SpinorField<float>> fields, parts;
  for (int k = 0; k < 60; ++k) {
    fields.emplace_back(lattice, SpinorParameters{.subset = Subset::even, .right_hand_sides = 2});
    fields.emplace_back(lattice, SpinorParameters{.right_hand_sides = 2});
    parts.push_back(fields[fields.size() - 2].range(0, 2));
    parts.push_back(fields.back().parity(Parity::even));
  }
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t b = 0; b < parts.size(); ++b)
      EXPECT_EQ(detail::overlap(parts[a], parts[b]), a == b) << a << " " << b;
  }
}

TEST(SpinorField, RefusesShapesAndValuesThatDoNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  KAON_EXPECT_ERROR(SpinorField<double>(lattice, {.right_hand_sides = 0}),
                    "at least one spin, colour and right-hand side");
  SpinorField<double> field(lattice);
  KAON_EXPECT_ERROR(field.from_host(Values(7)), "takes 3072 complex values (12 a site), but 7 were given");
}

TEST(GaugeField, SharesOrClonesItsLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links(lattice);
  const GaugeField<double> shared = links.share(), cloned = links.clone();
  const Values values = numbered(static_cast<std::size_t>(lattice.volume()) * 36);
  links.from_host(values);
  EXPECT_EQ(shared.to_host(), values);
  EXPECT_EQ(cloned.to_host(), Values(values.size()));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
