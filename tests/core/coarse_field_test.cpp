// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/element_order.hpp"
#include "core/fields/not_finite.hpp"
#include "tests/core/components.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class CoarseField : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CoarseField, Precisions);

/// Coarse lattices of two parities and of one.
std::vector<Lattice> lattices() {
  return {Lattice({.extents = {4, 4, 4, 8}}).coarsened({2, 2, 2, 2}),
          Lattice({.extents = {4, 6, 2, 8}}).coarsened({2, 3, 1, 4}),
          Lattice({.extents = {4, 8, 4, 8}}).coarsened({4, 2, 2, 2}),
          Lattice({.extents = {6, 6, 6, 12}}).coarsened({2, 2, 2, 2}),
          Lattice({.extents = {4, 4, 4, 4}}).coarsened({4, 4, 4, 4})};
}

/// n = 2 N: whole registers of both precisions, of double alone, and of none.
constexpr int color_cases[] = {8, 24, 32, 12, 6, 5};

template <class Body>
void for_each_case(const Body& body) {
  for (const Lattice& lattice : lattices()) {
    for (const int colors : color_cases) body(lattice, SpinorParameters{.spins = 2, .colors = colors});
  }
}

/// Numbers that single precision holds exactly, each of them once.
Values numbered(const Lattice& lattice, int components, int first = 0) {
  Values values(static_cast<std::size_t>(lattice.volume() * components));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double number = first + static_cast<double>(k);
    values[k] = {number, -0.5 * number};
  }
  return values;
}

Parity parity_of(const Lattice& lattice, const Coordinates& x) {
  return lattice.parities() == 2 ? Parity{(x[0] + x[1] + x[2] + x[3]) % 2} : Parity::even;
}

TYPED_TEST(CoarseField, IsStoredSiteAfterSiteWithLanesOfComponents) {
  using T = TypeParam;
  for_each_case([](const Lattice& lattice, const SpinorParameters& shape) {
    SpinorField<T> psi(lattice, shape);
    const auto n = static_cast<std::size_t>(shape.components());
    const std::size_t width = n % detail::native_lanes<T> == 0 ? detail::native_lanes<T> : 1;
    const auto sites = static_cast<std::size_t>(lattice.volume() / lattice.parities());
    ASSERT_EQ(psi.parity_size(), sites * 2 * n);
    ASSERT_EQ(psi.size(), static_cast<std::size_t>(lattice.volume()) * 2 * n);
    const Values values = numbered(lattice, shape.components());
    psi.from_host(values);
    const Kokkos::View<const T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>> memory(psi.data(), psi.size());
    const auto stored = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory);
    std::size_t index[2] = {0, 0};
    for (std::ptrdiff_t site = 0; site < lattice.volume(); ++site) {
      const auto parity = static_cast<std::size_t>(parity_of(lattice, lexicographic_site(site, lattice.extents())));
      const T* of_site = stored.data() + (parity * sites + index[parity]++) * 2 * n;
      for (std::size_t c = 0; c < n; ++c) {
        const std::complex<double> value = values[static_cast<std::size_t>(site) * n + c];
        ASSERT_EQ(of_site[(c / width * 2) * width + c % width], value.real());
        ASSERT_EQ(of_site[(c / width * 2 + 1) * width + c % width], value.imag());
      }
    }
  });
}

TYPED_TEST(CoarseField, OfOneParityHoldsThatParityAlone) {
  using T = TypeParam;
  for_each_case([](const Lattice& lattice, SpinorParameters shape) {
    const Values values = numbered(lattice, shape.components(), 1);
    SpinorField<T> whole(lattice, shape);
    whole.from_host(values);
    EXPECT_EQ(whole.parities(), lattice.parities());
    for (int p = 0; p < lattice.parities(); ++p) {
      const Parity parity{p};
      shape.subset = subset_of(parity);
      SpinorField<T> part(lattice, shape);
      part.from_host(values);
      Values expected = values;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const auto site = static_cast<std::ptrdiff_t>(k / static_cast<std::size_t>(shape.components()));
        if (parity_of(lattice, lexicographic_site(site, lattice.extents())) != parity) expected[k] = 0.0;
      }
      EXPECT_TRUE(whole.holds(parity));
      EXPECT_TRUE(part.holds(parity));
      EXPECT_EQ(part.to_host(), expected);
      EXPECT_EQ(whole.parity(parity).to_host(), expected);
      EXPECT_EQ(part.parity(parity).to_host(), expected);
    }
    EXPECT_EQ(whole.holds(Parity::odd), lattice.parities() == 2);
  });
}

TYPED_TEST(CoarseField, HasTheRandomNumbersOfAFineFieldOfItsExtents) {
  using T = TypeParam;
  using Set = void (*)(SpinorField<T>&, const RandomKey&);
  for_each_case([](const Lattice& lattice, SpinorParameters shape) {
    bool even = true;
    for (const int extent : lattice.extents()) even = even && extent % 2 == 0;
    if (!even) return;
    const Lattice fine({.extents = lattice.extents(), .lanes = Lanes::single});
    shape.right_hand_sides = 2;
    for (const Set set : {static_cast<Set>(set_gaussian), static_cast<Set>(set_z2), static_cast<Set>(set_complex_z2)}) {
      SpinorField<T> psi(lattice, shape), on_fine(fine, shape);
      set(psi, {.seed = 7, .stream = 3});
      set(on_fine, {.seed = 7, .stream = 3});
      for (const int r : {0, 1}) EXPECT_EQ(psi.to_host(r), on_fine.to_host(r));
    }
  });
}

TYPED_TEST(CoarseField, DoesNotMeetFieldsOfFineLattices) {
  using T = TypeParam;
  const SpinorParameters shape{.spins = 2, .colors = 8};
  SpinorField<T> coarse(Lattice({.extents = {8, 8, 8, 8}}).coarsened({2, 2, 2, 2}), shape);
  SpinorField<T> fine(Lattice({.extents = {4, 4, 4, 4}, .lanes = Lanes::single}), shape);
  KAON_EXPECT_ERROR(blas::copy(coarse, fine), "can be copied only to one with the same lattice");
  KAON_EXPECT_ERROR(blas::axpy(coarse, fine, std::vector{1.0}), "must have the same lattice");
  KAON_EXPECT_ERROR(fine.on(coarse.lattice()), "lattices of the same layout only");
}

TYPED_TEST(CoarseField, HoldsNoLinksAndNoCloverTerm) {
  const Lattice lattice = Lattice({.extents = {4, 4, 4, 8}}).coarsened({2, 2, 2, 2});
  KAON_EXPECT_ERROR(GaugeField<TypeParam>(lattice), "a gauge field cannot live on coarse lattice 2x2x2x4");
  KAON_EXPECT_ERROR(CloverField<TypeParam>(lattice), "a clover field cannot live on coarse lattice 2x2x2x4");
}

TYPED_TEST(CoarseField, RefusesShapesThatItCannotHave) {
  using T = TypeParam;
  const Lattice lattice = Lattice({.extents = {4, 4, 4, 8}}).coarsened({2, 2, 2, 2});
  KAON_EXPECT_ERROR(SpinorField<T>(lattice), "has 2 spins, one for each chirality, not 4");
  KAON_EXPECT_ERROR(SpinorField<half>(lattice, {.spins = 2, .colors = 8}),
                    "in double or single precision, not in half");
  const Lattice odd = Lattice({.extents = {6, 6, 6, 12}}).coarsened({2, 2, 2, 2});
  const Lattice point = Lattice({.extents = {4, 4, 4, 4}}).coarsened({4, 4, 4, 4});
  const SpinorParameters odd_sites{.spins = 2, .colors = 8, .subset = Subset::odd};
  KAON_EXPECT_ERROR(SpinorField<T>(odd, odd_sites), "coarse lattice 3x3x3x6 has one parity, since an extent is odd");
  KAON_EXPECT_ERROR(SpinorField<T>(point, odd_sites), "coarse lattice 1x1x1x1 has one parity, since it is one site");
  SpinorField<T> psi(odd, {.spins = 2, .colors = 8});
  KAON_EXPECT_ERROR(psi.parity(Parity::odd), "holds only the other parity");
  KAON_EXPECT_ERROR(psi.from_host(Values(7)), "takes 2592 complex values (16 a site), but 7 were given");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
