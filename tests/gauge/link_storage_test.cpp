// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

/// Half the spacing of numbers around 1.
template <class T>
constexpr double rounding() {
  return 0.5 * detail::spacing<T>();
}

struct Errors {
  double largest = 0.0;  // |difference| of an element
  double root_mean_square = 0.0;
  double largest_in_bound = 0.0;  // largest |difference| / (1/rho + 1/|alpha|), see below
};

/// Elements of stored links against those that were stored. Eight reals restore rho = |U_00| and |alpha| from square
/// roots; |alpha| is found here from U alone: row 2 is alpha f2 + beta f3, and |beta| = |stored[3]|, so alpha is the
/// part of row 2 along f2 = (-p a2*, 1 - |a2|^2/(1 + rho), -a2* a3/(1 + rho)), p = U_00/rho.
Errors compare(const Values& found, const Values& expected, double eps) {
  Errors errors;
  for (std::size_t link = 0; link < expected.size() / 9; ++link) {
    const std::complex<double>* u = expected.data() + 9 * link;
    double worst = 0.0;
    for (std::size_t c = 0; c < 9; ++c) {
      const double error = std::abs(found[9 * link + c] - u[c]);
      worst = larger(worst, error);
      errors.root_mean_square += error * error;
    }
    const double rho = std::abs(u[0]);
    const std::complex<double> p = rho > 0.0 ? u[0] / rho : 1.0;
    const std::complex<double> alpha = -std::conj(p) * u[1] * u[3] + (1.0 - std::norm(u[1]) / (1.0 + rho)) * u[4] -
                                       u[1] * std::conj(u[2]) / (1.0 + rho) * u[5];
    const double floor = std::sqrt(eps);
    errors.largest = larger(errors.largest, worst);
    errors.largest_in_bound =
        larger(errors.largest_in_bound, worst / (1.0 / std::max(rho, floor) + 1.0 / std::max(std::abs(alpha), floor)));
  }
  errors.root_mean_square = std::sqrt(errors.root_mean_square / static_cast<double>(expected.size()));
  return errors;
}

template <class T>
class LinkStorages : public ::testing::Test {
 protected:
  static Errors errors(const GaugeField<double>& links, LinkStorage storage) {
    const GaugeField<T> stored(links, storage);
    EXPECT_EQ(stored.storage(), storage);
    return compare(stored.to_host(), links.to_host(), rounding<T>());
  }
  static std::vector<GaugeField<double>> smooth_links() {
    std::vector<GaugeField<double>> all;
    for (const double noise : {0.0, 1e-9, 1e-4, 0.05, 0.15}) {
      all.emplace_back(Lattice({.extents = {8, 8, 4, 8}}));
      set_weak(all.back(), noise, {.seed = 3});
    }
    return all;
  }
  static std::vector<GaugeField<double>> rough_links() {
    std::vector<GaugeField<double>> all;
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      all.emplace_back(Lattice({.extents = {8, 8, 16, 8}, .lanes = lanes}));
      set_random(all.back(), {.seed = 4});
    }
    return all;
  }
};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(LinkStorages, AllPrecisions);

constexpr LinkStorage all_storages[] = {LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                                        LinkStorage::minimal_and_determinant, LinkStorage::minimal};
constexpr LinkStorage with_determinant[] = {LinkStorage::two_rows_and_determinant,
                                            LinkStorage::minimal_and_determinant};

/// Links of U(3): those of SU(3), each times a phase of its own.
GaugeField<double> with_phases(const GaugeField<double>& links) {
  Values values = links.to_host();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= std::polar(1.0, 0.7 * static_cast<double>(k / 9));
  GaugeField<double> result(links.lattice());
  result.from_host(values);
  return result;
}

TYPED_TEST(LinkStorages, OfTwoRowsAreWrongByAFewRoundings) {
  // In the third row each of two products has two factors that are wrong by sqrt(2) eps and at most 1 long.
  const double eps = rounding<TypeParam>();
  for (const auto& all : {this->smooth_links(), this->rough_links()}) {
    for (const GaugeField<double>& links : all) {
      EXPECT_LE(this->errors(links, LinkStorage::full).largest, 1.5 * eps);
      EXPECT_LE(this->errors(links, LinkStorage::two_rows).largest,
                6.0 * eps + 8.0 * rounding<float>() * (eps > 1e-10));
    }
  }
}

TYPED_TEST(LinkStorages, OfEightRealsAreAsGoodOnSmoothLinks) {
  // A phase moves by up to 4 eps (2 + 2 from the doubled angle) for each of two angles.
  for (const GaugeField<double>& links : this->smooth_links()) {
    EXPECT_LE(this->errors(links, LinkStorage::minimal).largest, 16.0 * rounding<TypeParam>());
  }
}

TYPED_TEST(LinkStorages, OfEightRealsStayWithinTheirBoundOnRoughLinks) {
  const double eps = rounding<TypeParam>();
  for (const GaugeField<double>& links : this->rough_links()) {
    const Errors found = this->errors(links, LinkStorage::minimal);
    EXPECT_LE(found.largest_in_bound, 8.0 * eps);
    EXPECT_LE(found.largest, 8.0 * std::sqrt(eps));
    EXPECT_LE(found.root_mean_square, 16.0 * eps);
    EXPECT_GE(found.root_mean_square, 0.1 * eps) << "a rough field is not stored without error";
  }
}

TYPED_TEST(LinkStorages, WithADeterminantHoldU3) {
  // The bound for SU(3), and the determinant's error in the third row.
  const double eps = rounding<TypeParam>();
  const double arithmetic = 12.0 * rounding<float>() * (eps > 1e-10);
  for (const GaugeField<double>& links : this->smooth_links()) {
    const GaugeField<double> unitary = with_phases(links);
    EXPECT_LE(this->errors(unitary, LinkStorage::full).largest, 1.5 * eps);
    EXPECT_LE(this->errors(unitary, LinkStorage::two_rows_and_determinant).largest, 8.0 * eps + arithmetic);
  }
  for (const GaugeField<double>& links : this->rough_links()) {
    const GaugeField<double> unitary = with_phases(links);
    EXPECT_LE(this->errors(unitary, LinkStorage::two_rows_and_determinant).largest, 8.0 * eps + arithmetic);
    const Errors found = this->errors(unitary, LinkStorage::minimal_and_determinant);
    EXPECT_LE(found.largest_in_bound, 9.0 * eps);
    EXPECT_LE(found.root_mean_square, 16.0 * eps);
  }
}

TYPED_TEST(LinkStorages, WithADeterminantHoldSU3) {
  const GaugeField<double> links = this->rough_links().front().clone();
  for (const LinkStorage storage : with_determinant) {
    EXPECT_LE(this->errors(links, storage).root_mean_square, 16.0 * rounding<TypeParam>());
  }
}

TYPED_TEST(LinkStorages, InFullHoldAllMatrices) {
  // 16 bits: relative to the largest element of the field.
  for (const double factor : {0.3, 1.0, 1.3, 9.6}) {
    const Lattice lattice({.extents = {4, 4, 4, 4}});
    GaugeField<double> links = hot_links<double>(lattice, 4);
    Values values = links.to_host();
    double largest = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] *= factor * (1.0 + 0.1 * std::cos(static_cast<double>(k)));
      largest = std::max({largest, std::abs(values[k].real()), std::abs(values[k].imag())});
    }
    links.from_host(values);
    const GaugeField<TypeParam> stored(links, LinkStorage::full);
    const double scale = std::is_same_v<TypeParam, half> ? std::max(1.0, largest) : 1.0;
    EXPECT_DOUBLE_EQ(stored.scale(), scale);
    const double unit = std::is_same_v<TypeParam, half> ? scale : std::max(1.0, 2.0 * factor);
    EXPECT_LE(largest_difference(stored.to_host(), values), 1.5 * rounding<TypeParam>() * unit);
    const GaugeField<TypeParam> copy = stored.clone();
    EXPECT_EQ(copy.to_host(), stored.to_host());
    EXPECT_EQ(stored.share().scale(), scale);
    EXPECT_LE(largest_difference(GaugeField<float>(stored, LinkStorage::full).to_host(), stored.to_host()),
              2e-7 * unit);
    GaugeField<TypeParam> filled(lattice);
    const GaugeField<TypeParam> handle = filled.share();
    filled.from_host(values);
    EXPECT_EQ(handle.to_host(), stored.to_host());
    EXPECT_EQ(handle.scale(), scale);
  }
}

TYPED_TEST(LinkStorages, HoldPermutationsAndDiagonalMatrices) {
  // Matrices with zeros where eight reals take square roots: each even permutation with phases, and diagonal ones.
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  Values values(static_cast<std::size_t>(lattice.volume()) * 36, 0.0);
  for (std::size_t link = 0; link < values.size() / 9; ++link) {
    const std::size_t shift = link % 3;
    const double first = 0.37 * static_cast<double>(link), second = 1.1 - 0.61 * static_cast<double>(link);
    const std::complex<double> phases[3] = {std::polar(1.0, first), std::polar(1.0, second),
                                            std::polar(1.0, -first - second)};
    for (std::size_t row = 0; row < 3; ++row) values[9 * link + 3 * row + (row + shift) % 3] = phases[row];
  }
  GaugeField<double> links(lattice);
  links.from_host(values);
  const double eps = rounding<TypeParam>();
  EXPECT_LE(this->errors(links, LinkStorage::two_rows).largest, 6.0 * eps + 8.0 * rounding<float>() * (eps > 1e-10));
  EXPECT_LE(this->errors(links, LinkStorage::minimal).largest, 8.0 * std::sqrt(eps));
}

TYPED_TEST(LinkStorages, RestoreUnitaryLinks) {
  // The result of any rounding is close to SU(3): so it is the operator of a nearby gauge field.
  for (const GaugeField<double>& links : this->rough_links()) {
    const GaugeField<TypeParam> stored(links, LinkStorage::minimal);
    const GaugeField<double> restored(stored, LinkStorage::full);
    const double coarse = std::is_same_v<TypeParam, double> ? 1e-14 : 3e-6;
    EXPECT_LE(deviation_from_su3(restored).unitarity.deviation, std::max(coarse, 8.0 * rounding<TypeParam>()));
  }
}

TYPED_TEST(LinkStorages, AreKeptByCopiesAndCanBeConvertedAgain) {
  for (const GaugeField<double>& links : this->rough_links()) {
    for (const LinkStorage storage : all_storages) {
      const GaugeField<TypeParam> stored(links, storage), copy = stored.clone();
      EXPECT_EQ(copy.storage(), storage);
      EXPECT_EQ(stored.share().storage(), storage);
      EXPECT_EQ(copy.to_host(), stored.to_host());
      EXPECT_EQ(stored.size(), copy.size());
      const GaugeField<double> restored(stored, LinkStorage::full);
      EXPECT_NEAR(plaquette(restored).average, plaquette(links).average, 4.0 * rounding<TypeParam>());
      const GaugeField<TypeParam> full(stored, LinkStorage::full);
      EXPECT_LE(largest_difference(full.to_host(), stored.to_host()), 2.0 * rounding<TypeParam>());
      for (const LinkStorage rows : {LinkStorage::two_rows, LinkStorage::two_rows_and_determinant}) {
        const GaugeField<half> rounded(stored, rows);
        EXPECT_LE(largest_difference(rounded.to_host(), restored.to_host()), 12.0 * rounding<half>());
      }
    }
  }
}

TEST(LinkStorage, TakesTheMemoryItSays) {
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  GaugeField<double> links = unit_links<double>(lattice);
  for (const LinkStorage storage : all_storages) {
    const auto numbers = static_cast<std::size_t>(lattice.volume()) * 4 * static_cast<std::size_t>(reals(storage));
    EXPECT_EQ(GaugeField<float>(links, storage).size(), numbers);
    EXPECT_EQ(GaugeField<half>(links, storage).size(), numbers);
  }
}

TEST(LinkStorage, RefusesWhatIsNotInSU3) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = unit_links<double>(lattice);
  Values values = links.to_host();
  values[9 * 77] *= 1.25;
  links.from_host(values);
  KAON_EXPECT_ERROR(GaugeField<double>(links, LinkStorage::two_rows),
                    "links that are up to 5.62e-01 from SU(3) cannot be stored in 12 reals");
  KAON_EXPECT_ERROR(GaugeField<float>(links, LinkStorage::minimal), "cannot be stored in 8 reals");
  KAON_EXPECT_ERROR(GaugeField<half>(links, LinkStorage::two_rows), "cannot be stored in 12 16-bit numbers");
  KAON_EXPECT_ERROR(GaugeField<double>(links, LinkStorage::two_rows_and_determinant),
                    "links that are up to 5.62e-01 from U(3) cannot be stored in 14 reals");
  KAON_EXPECT_ERROR(GaugeField<half>(links, LinkStorage::minimal_and_determinant),
                    "from U(3) cannot be stored in 10 16-bit numbers");
  EXPECT_EQ(GaugeField<double>(links, LinkStorage::full).to_host(), values);
  for (const LinkStorage storage : {LinkStorage::two_rows, LinkStorage::minimal}) {
    const GaugeField<double> random = hot_links<double>(lattice, 3);
    GaugeField<double> compressed(random, storage);
    const Values before = compressed.to_host();
    KAON_EXPECT_ERROR(compressed.from_host(values), "cannot be stored");
    EXPECT_EQ(compressed.to_host(), before);
  }
  values[9 * 77] = std::numeric_limits<double>::quiet_NaN();
  links.from_host(values);
  KAON_EXPECT_ERROR(GaugeField<double>(links, LinkStorage::minimal), "links with NaN, infinity or huge numbers cannot");
  KAON_EXPECT_ERROR(GaugeField<double>(links, LinkStorage::two_rows_and_determinant),
                    "links with NaN, infinity or huge numbers cannot");
  KAON_EXPECT_ERROR(GaugeField<half>(links, LinkStorage::full), "links that are not finite cannot be stored");
}

TEST(LinkStorage, RefusesWhatIsNotInU3) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = hot_links<double>(lattice, 3);
  const GaugeField<double> unitary = with_phases(links);
  for (const LinkStorage storage : {LinkStorage::two_rows, LinkStorage::minimal}) {
    KAON_EXPECT_ERROR(GaugeField<double>(unitary, storage), "from SU(3)");
  }
  // A third row of another length: |det| is not 1.
  Values values = links.to_host();
  for (std::size_t c = 6; c < 9; ++c) values[9 * 5 + c] *= 1.01;
  links.from_host(values);
  for (const LinkStorage storage : with_determinant) {
    KAON_EXPECT_ERROR(GaugeField<double>(links, storage), "links that are up to 1.00e-02 from U(3)");
  }
}

TEST(LinkStorage, MustBeFullForMeasurements) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = unit_links<double>(lattice);
  const GaugeField<double> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(plaquette(compressed), "links stored in 12 reals were given where 18 are wanted");
  KAON_EXPECT_ERROR(GaugeField<double>(links, LinkStorage{}), "links cannot be stored in 0 reals: take 18, 14");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
