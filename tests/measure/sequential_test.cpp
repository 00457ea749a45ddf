// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/measure/correlator_difference.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/reference/contractions.hpp"

#include <Kokkos_Core.hpp>

#include <kaon/core/blas.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sequential.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/operators/dirichlet.hpp>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <type_traits>

namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;
using test::random_spinors;
using Field = SpinorField<double>;

constexpr double pi = std::numbers::pi;

std::vector<reference::BaryonTerm> terms_of(const BaryonOperator& baryon) {
  std::vector<reference::BaryonTerm> terms;
  for (const BaryonTerm& term : baryon.terms) {
    const auto at = [&](std::size_t n) { return static_cast<std::size_t>(term.quarks[n]); };
    terms.push_back({term.coefficient, {at(0), at(1), at(2)}});
  }
  return terms;
}

/// sum_{s s'} P_{s' s} < B_s Bbar_s' > at a site.
Complex projected_density(const BaryonOperator& baryon, const SpinMatrix& projector,
                          const std::vector<const reference::Propagator*>& quarks, const Coordinates& x,
                          const Coordinates& extents) {
  SpinMatrix bar = baryon.diquark;
  for (auto& row : bar)
    for (Complex& entry : row) entry = std::conj(entry);
  using reference::operator*;
  bar = reference::gamma(3) * bar * reference::gamma(3);
  Complex sum = 0.0;
  for (int s = 0; s < 4; ++s) {
    for (int r = 0; r < 4; ++r) {
      const Complex factor = projector[static_cast<std::size_t>(r)][static_cast<std::size_t>(s)];
      if (factor == 0.0) continue;
      sum += factor * reference::baryon_density(terms_of(baryon), baryon.diquark, terms_of(baryon), bar, quarks, s, r,
                                                x, extents);
    }
  }
  return sum;
}

template <class T>
class SequentialSources : public ::testing::Test {};
TYPED_TEST_SUITE(SequentialSources, test::Precisions);

// A correlator is a polynomial of degree 1, 2 or 3 in a propagator, whose odd part without its cubic one is the
// derivative.
TYPED_TEST(SequentialSources, OfBaryonsAreDerivatives) {
  const Lattice lattice({.extents = {4, 2, 2, 4}});
  const Coordinates& extents = lattice.extents();
  const Coordinates source{3, 1, 0, 2};
  const SpatialMomentum p{1, 0, 1};
  std::vector<SpinorField<TypeParam>> fields;
  std::vector<reference::Propagator> hosts;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    fields.push_back(random_spinors<TypeParam>(lattice, 12, seed));
    hosts.push_back(test::to_host(fields.back()));
  }
  const SpinorField<TypeParam>& change = fields[3];
  SpinMatrix polarized = polarization_projector(1, 2);
  polarized[0][1] = {0.3, -0.2};
  struct Case {
    const char* name;
    int quark;
    SpinMatrix projector;
  };
  for (const Case& of : {Case{"nucleon", 0, parity_projector(1)}, Case{"nucleon", 1, polarized},
                         Case{"lambda", 2, parity_projector(-1)}, Case{"delta_y", 0, parity_projector(1)}}) {
    SCOPED_TRACE(of.name);
    const BaryonOperator baryon = baryon_operator(of.name);
    std::vector<const SpinorField<TypeParam>*> quarks;
    std::vector<const reference::Propagator*> known;
    for (int n = 0; n < baryon_quarks(baryon); ++n) {
      quarks.push_back(&fields[static_cast<std::size_t>(n)]);
      known.push_back(&hosts[static_cast<std::size_t>(n)]);
    }
    const auto plus = [&](double number, double of_change) {
      reference::Propagator sum = hosts[static_cast<std::size_t>(of.quark)];
      for (std::size_t k = 0; k < sum.size(); ++k) {
        for (std::size_t n = 0; n < sum[k].size(); ++n) sum[k][n] = number * sum[k][n] + of_change * hosts[3][k][n];
      }
      return sum;
    };
    const reference::Propagator more = plus(1.0, 1.0), less = plus(1.0, -1.0), alone = plus(0.0, 1.0);
    const bool is_cubic = std::string(of.name) == "delta_y";
    const auto expected = reference::project(
        [&](const Coordinates& x) {
          const auto with = [&](const reference::Propagator& s) {
            std::vector<const reference::Propagator*> all = known;
            all[static_cast<std::size_t>(of.quark)] = &s;
            return projected_density(baryon, of.projector, all, x, extents);
          };
          return 0.5 * (with(more) - with(less)) - (is_cubic ? with(alone) : 0.0);
        },
        p, source, extents);
    SpinorField<TypeParam> eta(lattice, test::propagator_shape);
    for (const int time : {1, 3}) {
      set_baryon_sequential_source<TypeParam>(
          eta, baryon, baryon, quarks, of.quark, of.projector,
          {.source_site = source, .time = time, .momentum = p, .time_boundary = time == 1 ? 0.0 : pi});
      const std::vector<SpinMatrix> one{gamma_product(0)};
      const auto found =
          sequential_currents(meson_spin_sums(change, eta, {.source_site = source}), one, gamma_product(0));
      for (int t = 0; t < 4; ++t) {
        const auto at = static_cast<std::size_t>(t);
        const Complex wanted = t != time ? 0.0 : time == 1 ? expected[at] : -expected[at];
        // The source is rounded to the precision of its field.
        const double bound = std::is_same_v<TypeParam, double> ? 1e-12 : 1e-5;
        EXPECT_LT(std::abs(found[at] - wanted), bound * std::abs(expected[1])) << t;
      }
    }
  }
}

TYPED_TEST(SequentialSources, OfMesonsAndCurrentsAreGammasTimesPropagators) {
  const double bound = std::is_same_v<TypeParam, double> ? 1e-14 : 1e-6;
  for (const Lattice& lattice : test::test_lattices()) {
    const Coordinates& extents = lattice.extents();
    const auto s = random_spinors<TypeParam>(lattice, 12, 1);
    const auto host = test::to_host(s);
    const Coordinates source{1, 1, 0, extents[3] - 1};
    SpinorField<TypeParam> eta(lattice, test::propagator_shape);
    const SpinMatrix gamma = gamma_matrix("g1g4");
    const auto expect = [&](const std::optional<int>& time, double sign, const SpinMatrix& matrix) {
      reference::Propagator expected = host;
      reference::for_each_site(extents, [&](const Coordinates& x) {
        const double angle = 2.0 * pi * (2.0 * (x[0] - 1) / extents[0] - 1.0 * x[2] / extents[2]);
        const bool covered = !time || x[3] == (source[3] + *time) % extents[3];
        const Complex phase = covered ? std::polar(1.0, sign * angle) : 0.0;
        for (reference::Spinor& column : expected) {
          Complex* numbers = column.data() + reference::spinor_offset(x, extents);
          for (std::size_t color = 0; color < 3; ++color) {
            std::array<Complex, 4> spins{};
            for (std::size_t row = 0; row < 4; ++row) {
              for (std::size_t k = 0; k < 4; ++k) spins[row] += phase * matrix[row][k] * numbers[3 * k + color];
            }
            for (std::size_t row = 0; row < 4; ++row) numbers[3 * row + color] = spins[row];
          }
        }
      });
      EXPECT_LT(test::relative_difference(test::to_host(eta), expected), bound);
    };
    using reference::operator*;
    SequentialParameters at{.source_site = source, .time = 2, .momentum = {2, 0, -1}};
    set_meson_sequential_source(eta, s, gamma, at);
    const SpinMatrix reversed = reference::gamma(3) * reference::gamma(0);
    expect(2, 1.0, reference::gamma5() * reversed * reference::gamma5());
    set_current_sequential_source(eta, s, gamma, at);
    expect(2, -1.0, gamma);
    at.time.reset();
    set_current_sequential_source(eta, s, gamma, at);
    expect(std::nullopt, -1.0, gamma);
    for (int n = 0; n < 2; ++n) multiply_plane_wave(eta, source, at.momentum);
    expect(std::nullopt, 1.0, gamma);
  }
}

/// Currents with one link against shifts of the propagators, with all boundaries.
TYPED_TEST(SequentialSources, HaveCurrentsWithLinksOfTheReference) {
  const Coordinates source{1, 0, 1, 2};
  const BoundaryAngles boundary{0.3, -0.7, dirichlet, pi};
  const std::vector<SpatialMomentum> momenta{{0, 0, 0}, {1, 2, -1}};
  const SpinMatrix b = sequential_meson_source(gamma_matrix("g2"));
  const double bound = std::is_same_v<TypeParam, double> ? 1e-13 : 1e-5;
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 2, 8}, .lanes = lanes});
    const Coordinates& extents = lattice.extents();
    const auto s = random_spinors<TypeParam>(lattice, 12, 1), q = random_spinors<TypeParam>(lattice, 12, 2);
    const auto links = test::random_links<TypeParam>(lattice, 3);
    const reference::Links host_links = links.to_host();
    const auto host = test::to_host(s), host_q = test::to_host(q);
    const auto project = [&](const auto& density) {
      std::vector<Complex> all;
      for (const SpatialMomentum& n : momenta) {
        const auto one = reference::project(density, n, source, extents);
        all.insert(all.end(), one.begin(), one.end());
      }
      return all;
    };
    for (int mu = 0; mu < 4; ++mu) {
      const auto shifted = [&](reference::Propagator columns, int step) {
        const double angle = boundary[static_cast<std::size_t>(mu)];
        const Complex phase = angle == dirichlet ? 0.0 : std::polar(1.0, step * angle);
        const int edge = step > 0 ? extents[static_cast<std::size_t>(mu)] - 1 : 0;
        for (reference::Spinor& column : columns) {
          column = reference::covariant_shift(column, host_links, mu, step, extents);
          reference::for_each_site(extents, [&](const Coordinates& x) {
            if (x[static_cast<std::size_t>(mu)] != edge) return;
            Complex* numbers = column.data() + reference::spinor_offset(x, extents);
            for (int n = 0; n < 12; ++n) numbers[n] *= phase;
          });
        }
        return columns;
      };
      const auto derived = [&](const reference::Propagator& columns) {
        reference::Propagator result = shifted(columns, 1);
        const reference::Propagator back = shifted(columns, -1);
        for (std::size_t k = 0; k < result.size(); ++k) {
          for (std::size_t n = 0; n < result[k].size(); ++n) result[k][n] = 0.5 * (result[k][n] - back[k][n]);
        }
        return result;
      };
      const auto ahead = shifted(host, 1), ahead_q = shifted(host_q, 1), derived_s = derived(host),
                 derived_q = derived(host_q);
      const LinkSpinSums sums = link_spin_sums(s, q, links, boundary, mu, {.source_site = source, .momenta = momenta});
      using reference::operator*;
      const SpinMatrix g5 = reference::gamma5(), gamma = reference::gamma(mu), current = gamma_matrix("g1g5");
      SpinMatrix plus = gamma, minus = gamma;
      for (std::size_t k = 0; k < 4; ++k) {
        for (std::size_t l = 0; l < 4; ++l) minus[k][l] = (k == l ? 1.0 : 0.0) - gamma[k][l];
        plus[k][k] += 1.0;
      }
      const auto density = [&](const reference::Propagator& left, const reference::Propagator& right,
                               const SpinMatrix& j, const Coordinates& x) {
        return reference::meson_density(left, right, g5 * j, b, x, extents);
      };
      const auto conserved = project([&](const Coordinates& x) {
        return 0.35 * (density(host, ahead_q, plus, x) - density(ahead, host_q, minus, x));
      });
      EXPECT_LT(test::difference_to_largest(conserved_current(sums, b, 0.7), conserved), bound) << mu;
      const auto derivative = project([&](const Coordinates& x) {
        return 0.5 * (density(derived_s, host_q, current, x) - density(host, derived_q, current, x));
      });
      const std::vector<SpinMatrix> one{current};
      EXPECT_LT(test::difference_to_largest(derivative_currents(sums, one, b), derivative), bound) << mu;
    }
  }
}

TEST(SequentialSourcesRefuse, WhatTheyCannotUse) {
  const Lattice lattice({.extents = {4, 4, 4, 4}}), longer({.extents = {4, 4, 4, 8}});
  Field s(lattice, test::propagator_shape), eta(lattice, test::propagator_shape), one(lattice);
  const SpinMatrix g5 = gamma_product(15);
  const BaryonOperator nucleon = baryon_operator("nucleon");
  const Field* quarks[] = {&s, &s};
  const auto baryon = [&](Field& to, int quark, const SequentialParameters& parameters) {
    set_baryon_sequential_source<double>(to, nucleon, nucleon, quarks, quark, g5, parameters);
  };
  KAON_EXPECT_ERROR(set_meson_sequential_source(s, s, g5, {}), "cannot replace the propagator that it is made of");
  KAON_EXPECT_ERROR(set_meson_sequential_source(eta, one, g5, {}), "a contraction needs a propagator of 4 spins");
  KAON_EXPECT_ERROR(set_meson_sequential_source(eta, s, g5, {.time = 4}), "distance 4 in time: the lattice has 0 to 3");
  KAON_EXPECT_ERROR(set_meson_sequential_source(eta, s, g5, {.time = 1, .momentum = {0, 0, 3}}),
                    "momentum (0, 0, 3) is the same as (0, 0, -1) on 4x4x4 sites");
  KAON_EXPECT_ERROR(set_meson_sequential_source(eta, s, g5, {.time = std::nullopt}), "through a sink needs its time");
  KAON_EXPECT_ERROR(set_current_sequential_source(eta, s, g5, {.source_site = {0, 4, 0, 0}}),
                    "source y = 4: the lattice has 0 to 3");
  KAON_EXPECT_ERROR(baryon(s, 0, {}), "cannot replace the propagator that it is made of");
  KAON_EXPECT_ERROR(baryon(eta, 2, {}), "a current on quark 2: the baryon has quarks 0 to 1");
  KAON_EXPECT_ERROR(baryon(eta, 0, {.time = -1}), "distance -1 in time");
  KAON_EXPECT_ERROR(set_baryon_sequential_source<double>(eta, nucleon, nucleon, std::span(quarks, 1), 0, g5, {}),
                    "a baryon of 2 different quarks needs as many propagators, not 1");
  const GaugeField<double> links(longer);
  KAON_EXPECT_ERROR((void)link_spin_sums(s, eta, links, periodic, 4, {}), "along direction 4: directions are 0 to 3");
  KAON_EXPECT_ERROR((void)link_spin_sums(s, eta, links, periodic, 0, {}), "lattice");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
