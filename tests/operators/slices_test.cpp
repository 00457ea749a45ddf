// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_checks.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/random.hpp>

#include <algorithm>

// Fields of several slices, and hops on them.

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;
constexpr int slices = 3;

std::size_t slice_numbers(const Lattice& lattice) { return static_cast<std::size_t>(lattice.volume()) * 12; }

/// Numbers that single precision holds exactly, each of them once.
Values numbered(const Lattice& lattice) {
  Values values(slices * slice_numbers(lattice));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = {static_cast<double>(k), -0.5 * static_cast<double>(k)};
  return values;
}

Values slice_of(const Lattice& lattice, const Values& values, int s) {
  const auto size = static_cast<std::ptrdiff_t>(slice_numbers(lattice));
  return {values.begin() + s * size, values.begin() + (s + 1) * size};
}

template <class T>
SpinorField<T> field_of(const Lattice& lattice, int right_hand_sides) {
  SpinorField<double> wide(lattice, {.right_hand_sides = right_hand_sides, .slices = slices});
  set_gaussian(wide, RandomKey{.seed = 5});
  SpinorField<T> field(lattice, wide.parameters());
  blas::copy(field, wide);
  return field;
}

TEST(Slices, ComeBackFromHostValuesInEveryPrecision) {
  for (const Lattice& lattice : test_lattices()) {
    const Values values = numbered(lattice);
    SpinorField<double> field(lattice, {.right_hand_sides = 2, .slices = slices}), back(lattice, field.parameters());
    SpinorField<float> single(lattice, field.parameters());
    field.from_host(values, 1);
    EXPECT_EQ(field.to_host(1), values);
    EXPECT_EQ(field.to_host(0), Values(values.size()));
    blas::copy(single, field);
    EXPECT_EQ(single.to_host(1), values);
    blas::copy(back, single);
    EXPECT_EQ(back.to_host(1), values);
    SpinorField<half> rounded(lattice, field.parameters());
    blas::copy(rounded, field);
    blas::copy(back, rounded);
    EXPECT_LT(reference::relative_difference(back.to_host(1), values), 10.0 * rounding<half>());
  }
}

TEST(Slices, OfOneParityAreFieldsOfTheirOwn) {
  for (const Lattice& lattice : test_lattices()) {
    const Values values = numbered(lattice);
    SpinorField<float> whole(lattice, {.right_hand_sides = 2, .slices = slices});
    whole.from_host(values, 1);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const SpinorField<float> half_field = whole.parity(parity);
      for (int s = 0; s < slices; ++s) {
        EXPECT_EQ(
            half_field.slice(s).to_host(1),
            reference::restrict_to_parity(slice_of(lattice, values, s), static_cast<int>(parity), lattice.extents()));
      }
      EXPECT_FALSE(half_field.slices_are_evenly_spaced());
      KAON_EXPECT_ERROR(half_field.slices_as_right_hand_sides(), "not evenly spaced");
      const SpinorField<float> apart = half_field.range(1, 1).slices_as_right_hand_sides();
      for (int s = 0; s < slices; ++s) EXPECT_EQ(apart.to_host(s), half_field.slice(s).to_host(1));
    }
    SpinorField<float> even(lattice, {.subset = Subset::even, .right_hand_sides = 2, .slices = slices});
    even.from_host(values, 1);
    const SpinorField<float> apart = even.slices_as_right_hand_sides();
    EXPECT_EQ(apart.right_hand_sides(), 2 * slices);
    for (int s = 0; s < slices; ++s) EXPECT_EQ(apart.to_host(slices + s), even.slice(s).to_host(1));
    KAON_EXPECT_ERROR(even.slice(slices), "slice 3 of a field that has 3");
    KAON_EXPECT_ERROR(whole.slice(0), "both parities");
  }
}

TEST(Slices, TakeCallersArraysSliceBySlice) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const Values values = numbered(lattice);
  SpinorField<double> field(lattice, {.slices = slices});
  field.from_host(values);
  std::vector<std::complex<float>> array(values.size());
  const ArrayView view{.data = array.data(),
                       .element = ArrayElement::complex64,
                       .sites = SiteOrder::even_odd,
                       .inside = InsideOrder::color_spin};
  copy_out(view, field);
  for (int s = 0; s < slices; ++s) {
    SpinorField<double> one(lattice);
    one.from_host(slice_of(lattice, values, s));
    std::vector<std::complex<float>> of_one(array.size() / slices);
    ArrayView view_of_one = view;
    view_of_one.data = of_one.data();
    copy_out(view_of_one, one);
    const auto first = array.begin() + s * static_cast<std::ptrdiff_t>(of_one.size());
    EXPECT_TRUE(std::equal(of_one.begin(), of_one.end(), first));
  }
  SpinorField<double> back(lattice, {.slices = slices});
  copy_in(back, view);
  EXPECT_EQ(back.to_host(), values);
}

TEST(Slices, OfNoiseAreIndependentAndTheFirstIsThatOfAFieldWithoutSlices) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const SpinorField<double> field = field_of<double>(lattice, 1);
  SpinorField<double> one(lattice);
  set_gaussian(one, RandomKey{.seed = 5});
  const Values values = field.to_host();
  EXPECT_EQ(slice_of(lattice, values, 0), one.to_host());
  for (int s = 1; s < slices; ++s) {
    EXPECT_GT(reference::relative_difference(slice_of(lattice, values, s), slice_of(lattice, values, s - 1)), 1.0);
  }
}

TEST(Slices, CountInNormsAndRounding) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const SpinorField<double> field = field_of<double>(lattice, 2);
  for (int rhs = 0; rhs < 2; ++rhs) {
    EXPECT_NEAR(blas::norm2(field)[static_cast<std::size_t>(rhs)] / reference::norm2(field.to_host(rhs)), 1.0, 1e-13);
  }
}

template <class T>
class SlicesOfHops : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(SlicesOfHops, AllPrecisions);

/// A hop on slices is the hop on each of them; reductions run over all slices.
TYPED_TEST(SlicesOfHops, AreThoseOfSingleFields) {
  using T = TypeParam;
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = hot_links<double>(lattice, 3);
    const Wilson<T> dirac(Wilson<double>(links, {.mass = 0.1, .boundary = {0.3, -0.7, 1.1, 2.5}}));
    const SpinorField<T> psi = field_of<T>(lattice, 2);
    const SpinorField<T> in = psi.parity(Parity::odd), x = psi.parity(Parity::even);
    const SpinorField<T> in_own = blas::clone(in);
    SpinorField<T> out(lattice, x.parameters()), out_own(lattice, x.parameters()),
        alone(lattice, {.subset = Subset::even, .right_hand_sides = 2});
    blas::PendingReductions reduced;
    const HopForm<T> form{.scale = -0.7, .x = &x, .x_scale = 1.3, .reduced = &reduced};
    dirac.hop(out, in, form);
    const blas::Reals norm2 = reduced.wait().y_norm2;
    dirac.hop(out_own, in_own, {.scale = -0.7});
    for (int s = 0; s < slices; ++s) {
      const SpinorField<T> x_of_slice = x.slice(s);
      dirac.hop(alone, in.slice(s), {.scale = -0.7, .x = &x_of_slice, .x_scale = 1.3});
      for (int rhs = 0; rhs < 2; ++rhs) expect_as_alone<T>(out.slice(s).to_host(rhs), alone.to_host(rhs));
      dirac.hop(alone, in.slice(s), {.scale = -0.7});
      for (int rhs = 0; rhs < 2; ++rhs) expect_as_alone<T>(out_own.slice(s).to_host(rhs), alone.to_host(rhs));
    }
    for (int rhs = 0; rhs < 2; ++rhs) {
      EXPECT_NEAR(norm2[static_cast<std::size_t>(rhs)] / reference::norm2(out.to_host(rhs)), 1.0, 1e-5);
    }
  }
}

TEST(Slices, OfOutputAndInputMustAgree) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const Wilson<double> dirac(links, {.mass = 0.1});
  const SpinorField<double> psi(lattice, {.subset = Subset::odd, .slices = 2});
  SpinorField<double> out(lattice, {.subset = Subset::even, .slices = 3}), full(lattice, {.slices = 2}),
      full_out(lattice, {.slices = 2});
  SpinorField<double> odd(lattice, psi.parameters());
  KAON_EXPECT_ERROR(dirac.hop(out, psi, {}), "output has 3 slices and its input 2");
  KAON_EXPECT_ERROR(dirac.apply(full_out, full), "2 slices");
  KAON_EXPECT_ERROR(dirac.apply_site_term(odd, psi, SiteTerm::diagonal, false), "slices");
  KAON_EXPECT_ERROR(SpinorField<double>(lattice, {.slices = 0}), "at least one slice, got 0");
  KAON_EXPECT_ERROR(SpinorField<double>(lattice, {.slices = 1 << 30}), "1073741824 slices with 12 numbers each");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
