// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/contractions.hpp"
#include "tests/operators/test_fields.hpp"

#include <kaon/measure/contractions.hpp>
#include <kaon/measure/correlator.hpp>

#include <numbers>

namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;
using test::random_spinors;

constexpr Coordinates source{3, 1, 1, 2};
const std::vector<SpatialMomentum> some_momenta{{0, 0, 0}, {1, 0, -1}, {-2, 1, 0}, {3, -1, 1}};

/// |a - b| of the largest of b.
double difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double largest = 0.0;
  for (const Complex& value : b) largest = std::max(largest, std::abs(value));
  return test::max_difference(a, b) / largest;
}

/// Correlators of a density at all momenta, [momentum][t].
std::vector<Complex> projections(const std::function<Complex(const Coordinates&)>& density, const Lattice& lattice) {
  std::vector<Complex> all;
  for (const SpatialMomentum& n : some_momenta) {
    const auto one = reference::project(density, n, source, lattice.extents());
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

template <class T>
class Contractions : public ::testing::Test {};
TYPED_TEST_SUITE(Contractions, test::Precisions);

TYPED_TEST(Contractions, MesonsEqualReference) {
  for (const Lattice& lattice : test::test_lattices()) {
    const auto s = random_spinors<TypeParam>(lattice, 12, 1), other = random_spinors<TypeParam>(lattice, 12, 2);
    const auto host = test::to_host(s), host_other = test::to_host(other);
    const SpatialSums w = meson_spin_sums(s, other, {.source_site = source, .momenta = some_momenta});
    for (const auto& [a, b] : {std::pair{15, 15}, {0, 8}, {9, 6}, {1, 14}}) {
      const SpinMatrix left = gamma_product(a), right = gamma_product(b);
      const auto expected = projections(
          [&](const Coordinates& x) {
            return reference::meson_density(host, host_other, left, right, x, lattice.extents());
          },
          lattice);
      EXPECT_LT(difference(meson_traces(w, left, right), expected), 1e-13) << a << " " << b;
    }
  }
}

// Every one of the 256 numbers of W is right if all traces with two matrices of one entry are.
TEST(ContractionsOfMesons, HaveAllSpins) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto s = random_spinors<double>(lattice, 12, 1), other = random_spinors<double>(lattice, 12, 2);
  const auto host = test::to_host(s), host_other = test::to_host(other);
  const SpatialSums w = meson_spin_sums(s, other, {});
  for (std::size_t n = 0; n < 256; ++n) {
    SpinMatrix a{}, b{};
    a[n / 4 % 4][n / 64] = 1.0;
    b[n / 16 % 4][n % 4] = 1.0;
    const auto expected = reference::project(
        [&](const Coordinates& x) { return reference::meson_density(host, host_other, a, b, x, lattice.extents()); },
        {}, {}, lattice.extents());
    for (std::size_t t = 0; t < 4; ++t) EXPECT_LT(std::abs(w.at(0, t)[n] - expected[t]), 1e-12) << n;
  }
}

TYPED_TEST(Contractions, TheChannelOfPionsIsTheSumOfSquares) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto s = random_spinors<TypeParam>(lattice, 12, 1), other = random_spinors<TypeParam>(lattice, 12, 2);
  const SpatialSums w = meson_spin_sums(s, other, {.source_site = source});
  const std::array channels{meson_channel("g4g5"), meson_channel("g5")};
  const auto found = meson_correlators(w, channels);
  const std::vector<double> pion = pion_correlator(s, other, {.source_site = source});
  for (std::size_t t = 0; t < 8; ++t) EXPECT_NEAR(found[8 + t].real(), pion[t], 1e-10);
  KAON_EXPECT_ERROR((void)meson_channel("g5:g6"), "\"g6\" is no product of gamma matrices; there are 1, g5, g1,");
}

TEST(ContractionsOfMesons, HaveTheirGammas) {
  const auto power = [](int mu) { return gamma_product(1 << mu); };
  for (int mu = 0; mu < 4; ++mu) EXPECT_EQ(reference::max_difference(power(mu), reference::gamma(mu)), 0.0);
  EXPECT_EQ(reference::max_difference(gamma_matrix("g5"), reference::gamma5()), 0.0);
  using reference::operator*;
  EXPECT_EQ(reference::max_difference(gamma_matrix("g2g5"), reference::gamma(1) * reference::gamma5()), 0.0);
  EXPECT_EQ(reference::max_difference(gamma_matrix("g1g4"), reference::gamma(0) * reference::gamma(3)), 0.0);
  EXPECT_EQ(momenta_up_to(4).size(), 33U);
  EXPECT_EQ(momenta_up_to(0), std::vector<SpatialMomentum>{SpatialMomentum{}});
}

std::vector<reference::BaryonTerm> terms_of(const BaryonOperator& baryon) {
  std::vector<reference::BaryonTerm> terms;
  for (const BaryonTerm& term : baryon.terms) {
    const auto at = [&](std::size_t n) { return static_cast<std::size_t>(term.quarks[n]); };
    terms.push_back({term.coefficient, {at(0), at(1), at(2)}});
  }
  return terms;
}

/// G' = g_t G^* g_t^T
SpinMatrix source_diquark(const BaryonOperator& baryon) {
  SpinMatrix conjugate = baryon.diquark;
  for (auto& row : conjugate)
    for (Complex& entry : row) entry = std::conj(entry);
  using reference::operator*;
  return reference::gamma(3) * conjugate * reference::gamma(3);
}

TYPED_TEST(Contractions, BaryonsEqualReference) {
  const Lattice lattice({.extents = {4, 2, 2, 4}});
  std::vector<SpinorField<TypeParam>> fields;
  std::vector<reference::Propagator> hosts;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    fields.push_back(random_spinors<TypeParam>(lattice, 12, seed));
    hosts.push_back(test::to_host(fields.back()));
  }
  for (const char* name : {"nucleon", "lambda", "delta_y", "sigma_star_x"}) {
    const BaryonOperator baryon = baryon_operator(name);
    std::vector<const SpinorField<TypeParam>*> quarks;
    std::vector<const reference::Propagator*> host_quarks;
    for (int n = 0; n < baryon_quarks(baryon); ++n) {
      quarks.push_back(&fields[static_cast<std::size_t>(n)]);
      host_quarks.push_back(&hosts[static_cast<std::size_t>(n)]);
    }
    BaryonParameters parameters;
    parameters.source_site = {3, 1, 1, 2};
    parameters.momenta = some_momenta;
    parameters.time_boundary = 0.0;
    const SpatialSums sums = baryon_spin_sums<TypeParam>(baryon, baryon, quarks, parameters);
    for (int spins = 0; spins < 16; spins += 5) {
      SpinMatrix projector{};
      projector[static_cast<std::size_t>(spins % 4)][static_cast<std::size_t>((spins / 4 + spins) % 4)] = 1.0;
      const auto expected = projections(
          [&](const Coordinates& x) {
            return reference::baryon_density(terms_of(baryon), baryon.diquark, terms_of(baryon), source_diquark(baryon),
                                             host_quarks, (spins / 4 + spins) % 4, spins % 4, x, lattice.extents());
          },
          lattice);
      EXPECT_LT(difference(baryon_correlator(sums, projector), expected), 1e-12) << name << " " << spins;
    }
    // The boundary changes the sign of the times that lie before the source.
    parameters.time_boundary = std::numbers::pi;
    const SpatialSums turned = baryon_spin_sums<TypeParam>(baryon, baryon, quarks, parameters);
    for (std::size_t t = 0; t < 4; ++t) {
      EXPECT_EQ(turned.at(1, t)[3], (t < 2 ? 1.0 : -1.0) * sums.at(1, t)[3]);
    }
  }
  KAON_EXPECT_ERROR((void)baryon_operator("pion"), "\"pion\" is no baryon; there are nucleon");
}

TYPED_TEST(Contractions, ThreeQuarksEqualReference) {
  const Lattice lattice({.extents = {4, 2, 2, 4}});
  const auto a = random_spinors<TypeParam>(lattice, 12, 1), b = random_spinors<TypeParam>(lattice, 12, 2),
             c = random_spinors<TypeParam>(lattice, 12, 3);
  const reference::Propagator hosts[] = {test::to_host(a), test::to_host(b), test::to_host(c)};
  BaryonParameters parameters;
  parameters.source_site = source;
  parameters.source_site[1] = 1;
  parameters.time_boundary = 0.0;
  const SpatialSums sums = three_quark_spin_sums(a, b, c, parameters);
  for (std::size_t n = 5; n < 4096; n += 239) {
    const auto digit = [&](std::size_t unit) { return static_cast<int>(n / unit % 4); };
    const auto expected = reference::project(
        [&](const Coordinates& x) {
          return reference::three_quark_density({&hosts[0], &hosts[1], &hosts[2]}, {digit(1024), digit(256), digit(64)},
                                                {digit(16), digit(4), digit(1)}, x, lattice.extents());
        },
        {}, parameters.source_site, lattice.extents());
    for (std::size_t t = 0; t < 4; ++t) EXPECT_LT(std::abs(sums.at(0, t)[n] - expected[t]), 1e-11) << n;
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
