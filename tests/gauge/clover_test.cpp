// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/matrix.hpp"
#include "tests/reference/wilson.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/clover.hpp>
#include <kaon/gauge/field_strength.hpp>

#include <complex>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

/// The reference's 12x12 site terms as [t][z][y][x][chirality][row][column]; `outside` gets the largest element that
/// joins the chiralities.
Values reference_blocks(const reference::WilsonOperator& op, double& outside) {
  Values blocks;
  outside = 0.0;
  reference::for_each_site(op.extents(), [&](const Coordinates& x) {
    const reference::SiteMatrix matrix = op.diagonal_term(x);
    for (std::size_t chirality = 0; chirality < 2; ++chirality) {
      for (std::size_t row = 6 * chirality; row < 6 * chirality + 6; ++row) {
        for (std::size_t column = 0; column < 12; ++column) {
          const std::complex<double> element = matrix[12 * row + column];
          if (column / 6 == chirality) {
            blocks.push_back(element);
          } else {
            outside = std::max(outside, std::abs(element));
          }
        }
      }
    }
  });
  return blocks;
}

/// max |A B - 1| over blocks of A that are not zero.
double distance_from_inverse(const Values& a, const Values& b) {
  double largest = 0.0;
  for (std::size_t block = 0; block < a.size(); block += 36) {
    if (b[block] == 0.0) continue;
    for (std::size_t row = 0; row < 6; ++row) {
      for (std::size_t column = 0; column < 6; ++column) {
        std::complex<double> sum = row == column ? -1.0 : 0.0;
        for (std::size_t k = 0; k < 6; ++k) sum += a[block + 6 * row + k] * b[block + 6 * k + column];
        largest = larger(largest, std::abs(sum));
      }
    }
  }
  return largest;
}

template <class T>
class CloverOf : public ::testing::Test {};
TYPED_TEST_SUITE(CloverOf, Precisions);

TYPED_TEST(CloverOf, FieldStrengthEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 1);
    const reference::Links host = links.to_host();
    Values expected;
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      for (const auto& plane : FieldStrength::plane_directions) {
        const auto f = reference::field_strength(host, x, plane[0], plane[1], lattice.extents());
        expected.insert(expected.end(), f.begin(), f.end());
      }
    });
    EXPECT_LT(largest_difference(FieldStrength(links).to_host(), expected), tolerance<double>);
  }
}

TYPED_TEST(CloverOf, RandomFieldEqualsReference) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 2);
    const reference::WilsonOperator op(
        links.to_host(), lattice.extents(),
        {.mass = 0.1, .csw_spatial = 1.3, .csw_temporal = 0.7, .anisotropy = 2.0, .nu = 0.9});
    double outside;
    const Values expected = reference_blocks(op, outside);
    EXPECT_LT(outside, tolerance<double>);
    const CloverField<TypeParam> clover =
        make_clover(links, {.diagonal = op.parameters().diagonal(), .spatial = 1.3 / 2.0, .temporal = 0.7});
    EXPECT_LT(largest_difference(clover.to_host(), expected), tolerance<TypeParam>);
  }
}

// Links exp(i B x diag(1, -1, 0)) in direction nu, 1 in the others: every plaquette in the x-nu plane is
// exp(i B diag(1, -1, 0)), as for covariant derivatives with [D_x, D_nu] = i F, F = B diag(1, -1, 0). For such D
//   -(1/2) D^2 = -(1/2) Dslash^2 + (1/2) sum_{mu<nu} sigma F,
// so the Wilson term's O(a) part is removed by -(c/2) sum sigma F with c = +1: the sign that this checks.
TYPED_TEST(CloverOf, ConstantFieldHasTheSignThatRemovesTheWilsonTerm) {
  constexpr double spatial = 1.25, temporal = 0.75, diagonal = 4.0;
  const Coordinates extents{8, 4, 4, 4};
  const double field = 2.0 * std::numbers::pi / extents[0];
  const double charges[3] = {1.0, -1.0, 0.0};
  for (const int nu : {1, 3}) {
    const Lattice lattice({.extents = extents});
    GaugeField<TypeParam> links = unit_links<TypeParam>(lattice);
    reference::Links host = links.to_host();
    reference::for_each_site(extents, [&](const Coordinates& x) {
      for (std::size_t c = 0; c < 3; ++c) {
        host[reference::link_offset(x, nu, extents) + 4 * c] = std::polar(1.0, field * charges[c] * x[0]);
      }
    });
    links.from_host(host);
    const Values blocks =
        make_clover(links, {.diagonal = diagonal, .spatial = spatial, .temporal = temporal}).to_host();
    Values expected(blocks.size());
    for (std::size_t block = 0; block < blocks.size(); block += 36) {
      const bool upper = block / 36 % 2 == 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double f = std::sin(field) * charges[c];
        expected[block + 7 * c] = expected[block + 7 * (c + 3)] = diagonal;
        if (nu == 1) {  // sigma_xy = s3
          expected[block + 7 * c] -= 0.5 * spatial * f;
          expected[block + 7 * (c + 3)] += 0.5 * spatial * f;
        } else {  // sigma_xt = -s1 above, s1 below
          expected[block + 6 * c + c + 3] = (upper ? 0.5 : -0.5) * temporal * f;
          expected[block + 6 * (c + 3) + c] = (upper ? 0.5 : -0.5) * temporal * f;
        }
      }
    }
    EXPECT_LT(largest_difference(blocks, expected), tolerance<TypeParam>) << "nu = " << nu;
  }
}

TYPED_TEST(CloverOf, FieldHasTheSameDigitsInAllLanes) {
  const auto [native, single] = random_in_all_lanes<TypeParam>();
  const CloverParameters parameters{.diagonal = 4.0, .spatial = 1.0, .temporal = 1.0};
  const CloverField<TypeParam> of_native = make_clover(native, parameters), of_single = make_clover(single, parameters);
  EXPECT_EQ(of_native.to_host(), of_single.to_host());
  EXPECT_EQ(log_determinants(of_native).even, log_determinants(of_single).even);
  EXPECT_EQ(log_determinants(of_native).odd, log_determinants(of_single).odd);
}

TYPED_TEST(CloverOf, ScaledFieldIsAFieldOfItsOwn) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 4);
    const CloverField<TypeParam> clover = make_clover(links, {.diagonal = 4.1, .spatial = 1.2, .temporal = 0.9});
    Values expected = clover.to_host();
    const CloverField<TypeParam> quarter = scaled(clover, 0.25);
    EXPECT_EQ(largest_difference(clover.to_host(), expected), 0.0);
    for (auto& element : expected) element *= 0.25;
    EXPECT_EQ(largest_difference(quarter.to_host(), expected), 0.0);
  }
}

TYPED_TEST(CloverOf, InverseTimesItselfIsOne) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 7);
    const CloverField<TypeParam> clover = make_clover(links, {.diagonal = 4.0, .spatial = 1.0, .temporal = 1.5});
    for (const Subset subset : {Subset::full, Subset::even, Subset::odd}) {
      const CloverField<TypeParam> inverse = invert_clover(clover, subset);
      EXPECT_EQ(inverse.subset(), subset);
      EXPECT_LT(distance_from_inverse(clover.to_host(), inverse.to_host()), tolerance<TypeParam>);
    }
  }
}

// At the largest coefficient the series needs squarings.
TYPED_TEST(CloverOf, ExponentialsAreThoseOfTheReference) {
  for (const Lattice& lattice : test_lattices()) {
    for (const double csw : {0.01, 1.8, 20.0}) {
      const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 3);
      const double d = 4.1;
      const reference::WilsonOperator op(links.to_host(), lattice.extents(),
                                         {.mass = 0.1, .csw_spatial = csw, .csw_temporal = csw, .exponential = true});
      double outside;
      const Values expected = reference_blocks(op, outside);
      const CloverField<TypeParam> clover = make_clover(links, {.diagonal = d, .spatial = csw, .temporal = csw});
      const CloverField<TypeParam> term = exponential_clover(clover, d),
                                   inverse = exponential_clover_inverse(clover, d);
      double largest = 0.0;
      for (const std::complex<double>& element : expected) largest = std::max(largest, std::abs(element));
      const double precision = std::is_same_v<TypeParam, double> ? 1e-13 : tolerance<TypeParam>;
      EXPECT_LT(largest_difference(term.to_host(), expected), precision * largest) << csw;
      EXPECT_LT(distance_from_inverse(term.to_host(), inverse.to_host()), precision * largest * largest) << csw;
      const LogDeterminants log = log_determinants(term);
      const double volume = static_cast<double>(lattice.volume());
      EXPECT_NEAR(log.even + log.odd, 12.0 * volume * std::log(d), precision * largest * largest * volume) << csw;
    }
  }
  const CloverField<TypeParam> even(Lattice({.extents = {4, 4, 4, 4}}), Subset::even);
  EXPECT_EQ(exponential_clover(even, 4.0).subset(), Subset::even);
  KAON_EXPECT_ERROR(exponential_clover(even, 0.0), "is one of C/d with a number d, not 0");
  const GaugeField<TypeParam> unit = unit_links<TypeParam>(even.lattice());
  const CloverField<TypeParam> number = make_clover(unit, {.diagonal = 4.0});
  KAON_EXPECT_ERROR(exponential_clover(number, 1e-3), "the upper clover block at site (0, 0, 0, 0) is not finite");
}

TEST(CloverInverse, OfOneParityIsThatPartOfTheFullOne) {
  const GaugeField<double> links = hot_links<double>(Lattice({.extents = {4, 6, 2, 8}}), 8);
  const CloverField<double> clover = make_clover(links, {.diagonal = 4.0, .spatial = 1.0, .temporal = 1.0});
  Values sum = invert_clover(clover, Subset::even).to_host();
  const CloverField<double> odd = invert_clover(clover, Subset::odd);
  const Values odd_values = odd.to_host();
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += odd_values[k];
  EXPECT_EQ(sum, invert_clover(clover, Subset::full).to_host());
  EXPECT_LT(largest_difference(invert_clover(invert_clover(odd, Subset::odd), Subset::odd).to_host(), odd_values),
            tolerance<double>);
}

TEST(CloverInverse, IsAccurateOnIndefiniteBlocks) {
  // No diagonal: elimination meets small pivots. The bound depends on the condition |A| |A^-1| of a block.
  const GaugeField<double> links = hot_links<double>(Lattice({.extents = {8, 8, 8, 8}}), 9);
  const CloverField<double> clover = make_clover(links, {.diagonal = 0.0, .spatial = 4.0, .temporal = 4.0});
  const Values a = clover.to_host();
  const Values inverse = invert_clover(clover, Subset::full).to_host();
  for (std::size_t block = 0; block < a.size(); block += 36) {
    const Values x(&a[block], &a[block] + 36), y(&inverse[block], &inverse[block] + 36);
    double norm_x = 0.0, norm_y = 0.0;
    for (std::size_t k = 0; k < 36; ++k) {
      norm_x += std::norm(x[k]);
      norm_y += std::norm(y[k]);
    }
    ASSERT_LT(distance_from_inverse(x, y), tolerance<double> * norm_x * norm_y) << "block " << block / 36;
  }
}

TEST(CloverInverse, RefusesSingularBlocksAndTheOtherParity) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const CloverField<double> zero = make_clover(links, {.diagonal = 0.0, .spatial = 1.0, .temporal = 1.0});
  KAON_EXPECT_ERROR(invert_clover(zero, Subset::full), "the upper clover block at site (0, 0, 0, 0) has no inverse");
  KAON_EXPECT_ERROR(invert_clover(zero, Subset::odd), "at site (1, 0, 0, 0) has no inverse");
  KAON_EXPECT_ERROR(invert_clover(CloverField<double>(lattice, Subset::even), Subset::odd), "on that parity only");
}

TEST(CloverInverse, RefusesBlocksThatAreNotFinite) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    GaugeField<double> links = hot_links<double>(lattice, 4);
    std::vector<std::complex<double>> values = links.to_host();
    values.back() = bad;  // of the last link in t, which closes through the boundary
    links.from_host(values);
    const CloverField<double> clover = make_clover(links, {.diagonal = 4.0, .spatial = 1.0, .temporal = 1.0});
    KAON_EXPECT_ERROR(invert_clover(clover, Subset::full), "clover block at site (3, 3, 0, 0) is not finite");
    KAON_EXPECT_ERROR(invert_clover_norm(clover, 0.1, Subset::even), "is not finite");
  }
}

TYPED_TEST(CloverOf, LogDeterminantsAreThoseOfTheBlocks) {
  for (const double diagonal : {4.0, 0.0}) {  // 0: blocks are indefinite
    const Lattice lattice({.extents = {4, 2, 6, 2}});
    const GaugeField<TypeParam> links = hot_links<TypeParam>(lattice, 10);
    const CloverField<TypeParam> clover =
        make_clover(links, {.diagonal = diagonal, .spatial = 1.0, .temporal = diagonal == 0.0 ? 1.0 : 1.5});
    const Values blocks = clover.to_host();
    double expected[2] = {0.0, 0.0};
    std::size_t block = 0;
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      for (int chirality = 0; chirality < 2; ++chirality, block += 36) {
        reference::Matrix matrix(6, 6);
        std::copy_n(blocks.begin() + static_cast<std::ptrdiff_t>(block), 36, matrix.elements.begin());
        expected[reference::parity_of(x)] += std::log(std::abs(reference::determinant(matrix)));
      }
    });
    const LogDeterminants found = log_determinants(clover);
    const double allowed = 1e-13 * std::abs(expected[0] + expected[1]);
    EXPECT_NEAR(found.even, expected[0], allowed);
    EXPECT_NEAR(found.odd, expected[1], allowed);
    EXPECT_GT(std::abs(found.even - found.odd), 10.0 * allowed);
  }
}

TEST(LogDeterminants, RefuseSingularBlocks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  KAON_EXPECT_ERROR(log_determinants(make_clover(links, {})), "the determinant of a clover block is zero");
  KAON_EXPECT_ERROR(log_determinants(CloverField<double>(lattice, Subset::even)),
                    "needs a clover field on both parities");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
