// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/staggered.hpp>

// Wilson's hop along one direction, from which multigrid builds coarse operators.
namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class HopAlong : public ::testing::Test {};
TYPED_TEST_SUITE(HopAlong, Precisions);

/// psi' = K_{+mu} psi, block by block.
reference::Spinor slow_hop_along(const reference::WilsonOperator& dirac, const reference::Spinor& psi, int mu) {
  const Coordinates& extents = dirac.extents();
  reference::Spinor result(psi.size());
  for (std::size_t site = 0; site < psi.size() / 12; ++site) {
    const Coordinates x = lexicographic_site(static_cast<std::ptrdiff_t>(site), extents);
    Coordinates ahead = x;
    const auto direction = static_cast<std::size_t>(mu);
    ahead[direction] = (x[direction] + 1) % extents[direction];
    const auto from = static_cast<std::size_t>(lexicographic_index(ahead, extents));
    const reference::SiteMatrix block = dirac.half_hop_matrix(x, mu, 1);
    for (std::size_t row = 0; row < 12; ++row) {
      for (std::size_t column = 0; column < 12; ++column) {
        result[12 * site + row] += block[12 * row + column] * psi[12 * from + column];
      }
    }
  }
  return result;
}

TYPED_TEST(HopAlong, EqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const FermionCase& fermion : fermion_cases()) {
      const GaugeField<double> links = random_links<double>(lattice);
      const auto exact = make_operator<double>(links, fermion);
      const reference::WilsonOperator slow(links.to_host(), lattice.extents(), reference_parameters(fermion));
      const SpinorField<TypeParam> psi = gaussian<TypeParam>(lattice, 3);
      for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal})) {
        SCOPED_TRACE(describe(lattice, fermion) + ", links of " + std::to_string(reals(storage)) + " reals");
        const auto dirac = converted<TypeParam>(*exact, fermion, storage);
        for (int mu = 0; mu < 4; ++mu) {
          SpinorField<TypeParam> out(lattice, {.right_hand_sides = 3});
          for (const Parity parity : {Parity::even, Parity::odd}) {
            SpinorField<TypeParam> out_p = out.parity(parity);
            coarsenable(*dirac).hop_along(out_p, psi.parity(opposite(parity)), mu);
          }
          for (const int rhs : {0, 2}) {
            EXPECT_LT(reference::relative_difference(out.to_host(rhs), slow_hop_along(slow, psi.to_host(rhs), mu)),
                      tolerance<TypeParam>)
                << "direction " << mu << ", right-hand side " << rhs;
          }
        }
      }
    }
  }
}

TEST(HopAlong, IsRefusedWhereItMakesNoSense) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Wilson<float> dirac(random_links<float>(lattice), {.mass = 0.1});
  SpinorField<float> even(lattice, {.subset = Subset::even}), odd(lattice, {.subset = Subset::odd});
  KAON_EXPECT_ERROR(dirac.hop_along(even, odd, 4), "direction 4");
  KAON_EXPECT_ERROR(dirac.hop_along(even, even, 0), "even and an odd field");
  const Wilson<half> rounded(dirac, LinkStorage::full);
  SpinorField<half> even_half(lattice, {.subset = Subset::even}), odd_half(lattice, {.subset = Subset::odd});
  KAON_EXPECT_ERROR(rounded.hop_along(even_half, odd_half, 0), "double and single");
  const Staggered<float> staggered(random_links<float>(lattice), {.mass = 0.1});
  EXPECT_FALSE(is_coarsenable<float>(staggered));
  KAON_EXPECT_ERROR((void)coarsenable<float>(staggered), "Wilson-like");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
