// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/test_lattices.hpp"
#include "tests/operators/improved_cases.hpp"
#include "tests/operators/rounding_errors.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class ImprovedOperators : public ::testing::Test {};
TYPED_TEST_SUITE(ImprovedOperators, Precisions);

// R_b M R_b^T of the whole operator on blocks b.
TYPED_TEST(ImprovedOperators, CanBeCutIntoBlocks) {
  const Lattice lattice({.extents = {8, 4, 8, 8}, .reach = 3});
  const ImprovedStaggered<TypeParam> exact = rough_improved<TypeParam>(lattice, improved_cases()[0]);
  const SpinorField<TypeParam> chi = gaussian_colors<TypeParam>(lattice, 1);
  for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::minimal_and_determinant})) {
    const ImprovedStaggered<TypeParam> whole(exact, storage);
    for (const Coordinates& block : {Coordinates{4, 4, 4, 4}, Coordinates{2, 0, 0, 2}, Coordinates{4, 0, 8, 8}}) {
      SCOPED_TRACE("blocks of " + to_string(block));
      Coordinates extents = block;
      for (std::size_t mu = 0; mu < 4; ++mu) extents[mu] = block[mu] == 0 ? lattice.extents()[mu] : block[mu];
      const auto blocks = whole.on_blocks(block);
      for (const Coordinates& first : {Coordinates{0, 0, 0, 0}, Coordinates{8 - extents[0], 0, 8 - extents[2], 0}}) {
        const auto in_block = [&](reference::ColorField values) {
          reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
            for (std::size_t mu = 0; mu < 4; ++mu) {
              if (x[mu] >= first[mu] && x[mu] < first[mu] + extents[mu]) continue;
              for (std::size_t c = 0; c < 3; ++c) values[reference::color_offset(x, lattice.extents()) + c] = 0.0;
            }
          });
          return values;
        };
        SpinorField<TypeParam> in = whole.make_field(1), out = whole.make_field(1), cut = whole.make_field(1);
        in.from_host(in_block(chi.to_host()));
        SpinorField<TypeParam> cut_on_part = cut.on(blocks->lattice());
        whole.apply(out, in);
        blocks->apply(cut_on_part, in.on(blocks->lattice()));
        EXPECT_LT(reference::relative_difference(cut.to_host(), in_block(out.to_host())), tolerance<TypeParam>);
        EXPECT_GT(reference::relative_difference(cut.to_host(), out.to_host()), 1e-3);
      }
    }
  }
}

TYPED_TEST(ImprovedOperators, RefuseWhatDoesNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}, .reach = 3});
  const GaugeField<TypeParam> fat = rough_fat_links<TypeParam>(lattice), third = rough_third_links<TypeParam>(lattice);
  EXPECT_THROW(ImprovedStaggered<TypeParam>(fat, third, {.mass = std::nan("")}), Error);
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(fat, third, {.mass = 0.1, .third_weight = std::nan("")}),
                    "weight nan of third links is not a number");
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(fat, third, {.mass = 0.1, .boundary = {0.0, 0.0, 0.0, std::nan("")}}),
                    "the boundary angle of direction 3 is nan");
  const ImprovedStaggered<TypeParam> dirac(fat, third, {.mass = 0.1});
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(dirac, LinkStorage::two_rows), "from SU(3) cannot be stored");
  SpinorField<TypeParam> full = dirac.make_field(1), spinor(lattice);
  SpinorField<TypeParam> even(lattice, {.spins = 1, .subset = Subset::even});
  EXPECT_THROW(dirac.apply(even, full), Error);
  EXPECT_THROW(dirac.apply(full, spinor), Error);
  EXPECT_THROW(dirac.hop(even, even, {}), Error);

  const Lattice short_lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<TypeParam> links = rough_links<TypeParam>(short_lattice);
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(links, links, {.mass = 0.1}), "make the lattice with reach = 3");
  const Lattice other_lattice({.extents = {4, 4, 4, 8}, .reach = 3});
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(fat, rough_third_links<TypeParam>(other_lattice), {.mass = 0.1}),
                    "live on different lattices");
  const GaugeField<TypeParam> unitary(rough_links<TypeParam>(lattice), LinkStorage::two_rows);
  KAON_EXPECT_ERROR(ImprovedStaggered<TypeParam>(unitary, third, {.mass = 0.1}), "takes no links of 12 and 18 reals");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
