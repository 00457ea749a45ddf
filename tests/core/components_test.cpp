// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/core/components.hpp"
#include "core/fields/layout.hpp"
#include "core/fields/not_finite.hpp"
#include "tests/support/error_text.hpp"

#include <fmt/format.h>

#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(ScaledObjects, AreTheLargestThatDivideASite) {
  for (const Components& components : component_cases) {
    if (components.scaled == 0) continue;
    EXPECT_EQ(detail::scaled_object(components.count()), components.scaled) << components.count();
    const int called = detail::with_scaled_object(components.count(), []<int N>() { return N; });
    EXPECT_EQ(called, components.scaled) << components.count();
  }
}

TEST(ScaledObjects, AreOfThreeNumbersOrTwelve) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  for (const Components& components : component_cases) {
    const SpinorParameters parameters{.spins = components.spins, .colors = components.colors};
    if (components.scaled != 0) {
      EXPECT_EQ(SpinorField<half>(lattice, parameters).components(), components.count());
    } else {
      KAON_EXPECT_ERROR(SpinorField<half>(lattice, parameters),
                        "a spinor field in half precision has 3 numbers or a multiple at a site");
    }
  }
}

TEST(ScaledObjects, CountTheirScalesAmongTheBytesOfASite) {
  EXPECT_EQ(detail::site_bytes<half>(12), 24 * 2 + 4);
  EXPECT_EQ(detail::site_bytes<half>(3), 6 * 2 + 4);
  EXPECT_EQ(detail::site_bytes<half>(48), 96 * 2 + 4 * 4);
  EXPECT_EQ(detail::site_bytes<float>(48), 96 * 4);
  EXPECT_EQ(detail::site_bytes<double>(3), 6 * 8);
}

TEST(HalfSpinors, HoldZeroAndTheLargestNumberExactly) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  Values values(static_cast<std::size_t>(lattice.volume()) * 12, 0.0);
  values[24] = {0.75, 0.0};
  values[25] = {0.0, -0.75};
  SpinorField<half> field(lattice);
  field.from_host(values);
  const Values stored = field.to_host();
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_NEAR(std::abs(stored[k] - values[k]), 0.0, std::abs(values[k]) * 1e-7) << k;
  }
}

TEST(HalfSpinors, LoseNothingButTinySites) {
  // A kernel stores a site below 1e-30 with the scale of 1e-30: it may vanish, it must not change its size.
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const double size : {1e-20, 1e-28, 1e-31, 1e-33}) {
    SpinorField<double> values(lattice), found(lattice);
    set_gaussian(values, {.seed = 4});
    blas::scale(values, std::vector{size});
    SpinorField<half> field(lattice), stored(lattice);
    blas::copy(field, values);
    blas::axpy(stored, field, std::vector{1.0});
    blas::copy(found, stored);
    const double error = std::sqrt(blas::xmy_norm2(found, values)[0]);
    EXPECT_LE(error, 1e-4 * std::sqrt(blas::norm2(values)[0]) + std::sqrt(24.0 * 1024.0) * 1e-30 / 65534.0);
  }
}

template <class T>
class AnyComponents : public ::testing::Test {};
using Precisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(AnyComponents, Precisions);

SpinorParameters shape(const Components& components, int right_hand_sides = 1) {
  return {.spins = components.spins, .colors = components.colors, .right_hand_sides = right_hand_sides};
}

TYPED_TEST(AnyComponents, AreGivenBackWithinTheirRounding) {
  using T = TypeParam;
  for_each_components<T>([](const Lattice& lattice, const Components& components) {
    const Values values = uneven_values(lattice, components, 0);
    SpinorField<T> field(lattice, shape(components, 2)), again(lattice, shape(components));
    field.from_host(values, 1);
    expect_stored<T>(field.to_host(1), values, components);
    EXPECT_EQ(field.to_host(0), Values(values.size()));
    again.from_host(field.to_host(1));
    EXPECT_EQ(again.to_host(), field.to_host(1));
  });
}

TYPED_TEST(AnyComponents, OfOneParityAreThoseOfTheWholeField) {
  using T = TypeParam;
  for_each_components<T>([](const Lattice& lattice, const Components& components) {
    const Values values = uneven_values(lattice, components, 0);
    SpinorField<T> whole(lattice, shape(components)), odd(lattice, shape(components).on(Subset::odd));
    whole.from_host(values);
    odd.from_host(values);
    Values expected = whole.to_host();
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const auto site = static_cast<std::ptrdiff_t>(k / static_cast<std::size_t>(components.count()));
      const Coordinates x = lexicographic_site(site, lattice.extents());
      if ((x[0] + x[1] + x[2] + x[3]) % 2 == 0) expected[k] = 0.0;
    }
    EXPECT_EQ(odd.to_host(), expected);
    EXPECT_EQ(whole.parity(Parity::odd).to_host(), expected);
  });
}

template <class To, class From>
void expect_copy(const Lattice& lattice, const Components& components) {
  SpinorField<From> in(lattice, shape(components, 2));
  SpinorField<To> out(lattice, shape(components, 2));
  in.from_host(uneven_values(lattice, components, 0), 0);
  in.from_host(uneven_values(lattice, components, 1), 1);
  blas::copy(out, in);
  for (const int r : {0, 1}) expect_stored<To>(out.to_host(r), in.to_host(r), components);
}

template <class To, class From>
void expect_sum(const Lattice& lattice, const Components& components) {
  SpinorField<From> x(lattice, shape(components));
  SpinorField<To> y(lattice, shape(components));
  x.from_host(uneven_values(lattice, components, 0));
  y.from_host(uneven_values(lattice, components, 1));
  const Values x0 = x.to_host(), y0 = y.to_host();
  Values expected(x0.size());
  std::vector<double> sizes(x0.size());
  for (std::size_t k = 0; k < x0.size(); ++k) {
    expected[k] = x0[k] + y0[k];
    sizes[k] = std::abs(x0[k]) + std::abs(y0[k]);
  }
  blas::add(y, x);
  expect_stored<To>(y.to_host(), expected, components, sizes);
}

TYPED_TEST(AnyComponents, AreCopiedFromAndAddedToEveryPrecision) {
  using T = TypeParam;
  for_each_components<T>([](const Lattice& lattice, const Components& components) {
    expect_copy<T, double>(lattice, components);
    expect_copy<T, float>(lattice, components);
    if (has_fields<half>(lattice, components)) expect_copy<T, half>(lattice, components);
    expect_sum<T, double>(lattice, components);
    expect_sum<T, float>(lattice, components);
    if (has_fields<half>(lattice, components)) expect_sum<T, half>(lattice, components);
  });
}

TYPED_TEST(AnyComponents, HoldRandomNumbersRoundedFromDouble) {
  using T = TypeParam;
  for_each_components<T>([](const Lattice& lattice, const Components& components) {
    SpinorField<double> exact(lattice, shape(components, 2));
    SpinorField<T> field(lattice, shape(components, 2));
    const auto expect_same = [&](const auto& set) {
      set(exact);
      set(field);
      for (const int r : {0, 1}) expect_stored<T>(field.to_host(r), exact.to_host(r), components);
    };
    const RandomKey key{.seed = 5, .stream = 2};
    expect_same([&](auto& numbers) { set_gaussian(numbers, key); });
    expect_same([&](auto& numbers) { set_z2(numbers, key); });
    expect_same([&](auto& numbers) { set_complex_z2(numbers, key); });
  });
}

TYPED_TEST(AnyComponents, KeepANaNAndSayWhereItIs) {
  using T = TypeParam;
  for_each_components<T>([](const Lattice& lattice, const Components& components) {
    Values values = uneven_values(lattice, components, 0);
    const std::size_t site = 5;
    const Coordinates x = lexicographic_site(site, lattice.extents());
    const auto count = static_cast<std::size_t>(components.count());
    values[site * count + count - 1] = {0.0, std::numeric_limits<double>::quiet_NaN()};
    SpinorField<double> exact(lattice, shape(components));
    exact.from_host(values);
    SpinorField<T> field(lattice, shape(components)), sum(lattice, shape(components));
    blas::copy(field, exact);
    blas::axpy(sum, field, std::vector{1.0});  // through a kernel of its own precision
    for (const SpinorField<T>* psi : {&field, &sum}) {
      EXPECT_TRUE(std::isnan(blas::norm2(*psi)[0]));
      EXPECT_EQ(detail::place_of_not_finite(*psi, 0), fmt::format("at site ({}, {}, {}, {})", x[0], x[1], x[2], x[3]));
    }
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
