// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/contractions.hpp"
#include "tests/measure/correlator_difference.hpp"
#include "tests/operators/test_fields.hpp"

#include <kaon/measure/contractions.hpp>
#include <kaon/measure/correlator.hpp>

#include <numbers>

namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;
using test::difference_to_largest;
using test::random_spinors;

constexpr Coordinates source{3, 1, 1, 2};
const std::vector<SpatialMomentum> some_momenta{{0, 0, 0}, {1, 0, -1}, {-2, 1, 0}, {2, -1, 1}};

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
      EXPECT_LT(difference_to_largest(meson_traces(w, left, right), expected), 1e-13) << a << " " << b;
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

// Time slices of this size are summed over one after another.
TYPED_TEST(Contractions, TheChannelOfPionsIsTheProductOfPropagators) {
  const Lattice lattice({.extents = {4, 24, 24, 4}});
  const auto s = random_spinors<TypeParam>(lattice, 12, 1), other = random_spinors<TypeParam>(lattice, 12, 2);
  const SpatialSums w = meson_spin_sums(s, other, {.source_site = source, .momenta = some_momenta});
  const std::array channels{meson_channel("g4g5"), meson_channel("g5")};
  const auto found = meson_correlators(w, channels);
  for (std::size_t n = 0; n < some_momenta.size(); ++n) {
    const SpatialMomentum& p = some_momenta[n];
    const auto products = momentum_products(other, s, {.mode = {-p[0], -p[1], -p[2], 0}, .source_site = source});
    for (std::size_t t = 0; t < 4; ++t) {
      EXPECT_LT(std::abs(found[8 * n + 4 + t] - products[(t + 2) % 4]), 1e-9) << n << " " << t;
    }
  }
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
  // Quarks with propagators of their own, and the first two of them with one.
  constexpr std::array<std::size_t, 3> different{0, 1, 2}, equal{0, 0, 1};
  for (const auto& [name, places] : {std::pair{"nucleon", different},
                                     {"nucleon", equal},
                                     {"lambda", different},
                                     {"lambda", equal},
                                     {"delta_y", different},
                                     {"sigma_star_x", different},
                                     {"sigma_star_x", equal}}) {
    const BaryonOperator baryon = baryon_operator(name);
    std::vector<const SpinorField<TypeParam>*> quarks;
    std::vector<const reference::Propagator*> host_quarks;
    for (std::size_t n = 0; n < static_cast<std::size_t>(baryon_quarks(baryon)); ++n) {
      quarks.push_back(&fields[places[n]]);
      host_quarks.push_back(&hosts[places[n]]);
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
      EXPECT_LT(difference_to_largest(baryon_correlator(sums, projector), expected), 1e-12) << name << " " << spins;
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

TEST(StaggeredContractions, EqualReference) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  std::mt19937_64 generator(3);
  SpinorField<double> s(lattice, {.spins = 1, .right_hand_sides = 3}), other(lattice, s.parameters());
  std::vector<std::vector<Complex>> host, host_other;
  std::normal_distribution<double> normal;
  for (int rhs = 0; rhs < 3; ++rhs) {
    for (auto* all : {&host, &host_other}) {
      std::vector<Complex>& column = all->emplace_back();
      for (std::ptrdiff_t n = 0; n < 3 * lattice.volume(); ++n)
        column.emplace_back(normal(generator), normal(generator));
    }
    s.from_host(host.back(), rhs);
    other.from_host(host_other.back(), rhs);
  }
  BaryonParameters parameters;
  parameters.source_site = source;
  parameters.momenta = some_momenta;
  parameters.time_boundary = 0.0;
  const auto number = [&](const auto& columns, const Coordinates& x, std::size_t row, std::size_t column) {
    return columns[column][3 * static_cast<std::size_t>(lexicographic_index(x, lattice.extents())) + row];
  };
  const auto meson = projections(
      [&](const Coordinates& x) {
        Complex sum = 0.0;
        for (std::size_t n = 0; n < 9; ++n) {
          sum += number(host, x, n / 3, n % 3) * std::conj(number(host_other, x, n / 3, n % 3));
        }
        return sum;
      },
      lattice);
  EXPECT_LT(difference_to_largest(staggered_meson_correlators(s, other, parameters), meson), 1e-13);
  const auto baryon = projections(
      [&](const Coordinates& x) -> Complex {
        for (std::size_t mu = 0; mu < 3; ++mu) {
          if ((x[mu] + source[mu]) % 2 != 0) return 0.0;
        }
        Complex determinant = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
          const std::size_t d = (c + 1) % 3, e = (c + 2) % 3;
          determinant += number(host, x, 0, c) * (number(host, x, 1, d) * number(host, x, 2, e) -
                                                  number(host, x, 1, e) * number(host, x, 2, d));
        }
        return determinant;
      },
      lattice);
  EXPECT_LT(difference_to_largest(staggered_baryon_correlators(s, parameters), baryon), 1e-13);
}

// < N Nbar > follows from three open quarks.
TEST(ContractionsOfThreeQuarks, ContainTheDirectNucleon) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto a = random_spinors<double>(lattice, 12, 1), b = random_spinors<double>(lattice, 12, 2),
             c = random_spinors<double>(lattice, 12, 3);
  const BaryonOperator direct{{{1.0, {0, 1, 2}}}, baryon_operator("nucleon").diquark};
  const SpinorField<double>* quarks[] = {&a, &b, &c};
  const SpatialSums sums = baryon_spin_sums<double>(direct, direct, quarks, {});
  const SpatialSums open = three_quark_spin_sums(a, b, c, {});
  const SpinMatrix bar = source_diquark(direct);
  for (std::size_t t = 0; t < 4; ++t) {
    for (std::size_t s = 0; s < 16; ++s) {
      Complex sum = 0.0;
      for (std::size_t n = 0; n < 256; ++n) {
        const std::size_t i = n / 64, j = n / 16 % 4, k = n / 4 % 4, l = n % 4;
        sum +=
            direct.diquark[i][j] * bar[k][l] * open.at(0, t)[((((i * 4 + j) * 4 + s / 4) * 4 + k) * 4 + l) * 4 + s % 4];
      }
      EXPECT_LT(std::abs(sums.at(0, t)[s] - sum), 1e-10);
    }
  }
}

TEST(ContractionsRefuse, WhatIsNoPropagator) {
  const Lattice lattice({.extents = {4, 4, 4, 4}}), longer({.extents = {4, 4, 4, 8}});
  const SpinorField<double> s(lattice, test::propagator_shape), one(lattice), far(longer, test::propagator_shape);
  KAON_EXPECT_ERROR((void)meson_spin_sums(one, s, {}), "a contraction needs a propagator of 4 spins");
  KAON_EXPECT_ERROR((void)meson_spin_sums(s, far, {}), "propagators on one lattice");
  KAON_EXPECT_ERROR((void)meson_spin_sums(s, s, {.source_site = {0, 0, 0, 4}}), "source t = 4: the lattice has 0 to 3");
  KAON_EXPECT_ERROR((void)meson_spin_sums(s, s, {.momenta = {}}), "a correlator needs one momentum at least");
  KAON_EXPECT_ERROR((void)meson_spin_sums(s, s, {.momenta = {{0, 0, 0}, {2, 3, -6}}}),
                    "momentum (2, 3, -6) is the same as (2, -1, 2) on 4x4x4 sites: give numbers up to half");
  const BaryonOperator lambda = baryon_operator("lambda");
  const SpinorField<double>* quarks[] = {&s, &s};
  KAON_EXPECT_ERROR((void)baryon_spin_sums<double>(lambda, lambda, quarks, {}),
                    "a baryon of 3 different quarks needs as many propagators, one to three, not 2");
  KAON_EXPECT_ERROR((void)parity_projector(0), "parity is 0, neither 1 nor -1");
  KAON_EXPECT_ERROR((void)momenta_up_to(-1), "momenta up to n^2 = -1");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
