// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
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

/// |a - b| of the largest of b.
double difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double largest = 0.0;
  for (const Complex& value : b) largest = std::max(largest, std::abs(value));
  return test::max_difference(a, b) / largest;
}

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
    multiply_plane_wave(eta, source, {4, 0, -2});
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
      EXPECT_LT(difference(conserved_current(sums, b, 0.7), conserved), bound) << mu;
      const auto derivative = project([&](const Coordinates& x) {
        return 0.5 * (density(derived_s, host_q, current, x) - density(host, derived_q, current, x));
      });
      const std::vector<SpinMatrix> one{current};
      EXPECT_LT(difference(derivative_currents(sums, one, b), derivative), bound) << mu;
    }
  }
}

/// Quarks on one field of links: solves for sources and sequential sources.
struct Quarks {
  GaugeField<double> links;
  FermionParameters parameters;
  PropagatorSolver<double> solver;

  explicit Quarks(GaugeField<double> of, const FermionParameters& given)
      : links(std::move(of)), parameters(given), solver(make_quark(links, given), {.tolerance = 1e-13}) {}

  Field solve(const Field& eta) const {
    const std::vector<std::string> wanted{"propagator"};
    QuarkPropagators<double> quark = propagate(solver, eta, wanted);
    require_converged(quark.solve);
    return std::move(quark.propagators.front().field);
  }
  Field source(const SourceParameters& source) const {
    Field eta(links.lattice(), test::propagator_shape);
    set_sources(eta, source, links);
    return eta;
  }
};

GaugeField<double> weak_links(const Lattice& lattice, double size = 0.3) {
  GaugeField<double> links(lattice);
  set_weak(links, size, {.seed = 5});
  return links;
}

Quarks quarks_on(const Coordinates& extents, const BoundaryAngles& boundary, FermionAction action) {
  return Quarks(
      weak_links(Lattice({.extents = extents})),
      {.action = action, .mass = 0.3, .csw = 1.2, .anisotropy = {.xi0 = 1.3, .nu = 0.9}, .boundary = boundary});
}

/// A hadron, its sink, and the quark on which currents act.
struct ThreePoint {
  std::string name;
  std::optional<BaryonOperator> baryon{};
  int quark = 0;
  int count = 1;           ///< of these quarks
  SpinMatrix projector{};  ///< of baryons
  MesonChannel channel{};  ///< of mesons

  SpinMatrix source_matrix() const { return baryon ? gamma_product(0) : sequential_meson_source(channel.source); }
  Field sequential_source(const Field& s, const SequentialParameters& parameters) const {
    Field eta(s.lattice(), s.parameters());
    if (!baryon) {
      set_meson_sequential_source(eta, s, channel.sink, parameters);
      return eta;
    }
    const std::vector<const Field*> quarks(static_cast<std::size_t>(baryon_quarks(*baryon)), &s);
    set_baryon_sequential_source<double>(eta, *baryon, *baryon, quarks, quark, projector, parameters);
    return eta;
  }
  /// The two-point function of the propagator s with `changed` instead of s on one quark after another.
  std::vector<Complex> two_point(const Field& s, const Field& changed, const SequentialParameters& at) const {
    BaryonParameters parameters;
    parameters.source_site = at.source_site;
    parameters.momenta = {at.momentum};
    parameters.time_boundary = at.time_boundary;
    if (!baryon) {
      const std::array channels{channel};
      return meson_correlators(meson_spin_sums(changed, s, parameters), channels);
    }
    std::vector<const Field*> quarks(static_cast<std::size_t>(baryon_quarks(*baryon)), &s);
    const auto with = [&](const Field& field) {
      quarks[static_cast<std::size_t>(quark)] = &field;
      return baryon_correlator(baryon_spin_sums<double>(*baryon, *baryon, quarks, parameters), projector);
    };
    if (&changed == &s) return with(s);
    // The linear part of a polynomial of degree 2.
    Field more(s.lattice(), s.parameters()), less(s.lattice(), s.parameters());
    const auto ones = blas::Reals(12, 1.0), minus = blas::Reals(12, -1.0);
    blas::copy(more, s);
    blas::axpy(more, changed, ones);
    blas::copy(less, s);
    blas::axpy(less, changed, minus);
    std::vector<Complex> linear = with(more);
    const std::vector<Complex> other = with(less);
    for (std::size_t t = 0; t < linear.size(); ++t) linear[t] = 0.5 * (linear[t] - other[t]);
    return linear;
  }
};

std::vector<ThreePoint> three_points() {
  const BaryonOperator nucleon = baryon_operator("nucleon");
  return {{.name = "nucleon, u", .baryon = nucleon, .quark = 0, .count = 2, .projector = parity_projector(1)},
          {.name = "nucleon, d, polarised", .baryon = nucleon, .quark = 1, .projector = polarization_projector(1, 2)},
          {.name = "pion", .channel = meson_channel("g5")},
          {.name = "rho to a1", .channel = meson_channel("g1:g2g5")}};
}

struct Setting {
  const char* name;
  BoundaryAngles boundary;
  FermionAction action;
  Coordinates site;
  int time;
};
// Sinks lie before and beyond the boundary in time.
const Setting settings[] = {{"antiperiodic", antiperiodic_in_time, FermionAction::wilson_clover, {1, 2, 0, 1}, 3},
                            {"beyond the boundary", {0.3, 0.0, 0.0, 1.1}, FermionAction::wilson, {0, 3, 1, 5}, 4},
                            {"Dirichlet", dirichlet_in_time, FermionAction::wilson_clover, {1, 2, 0, 2}, 4}};

/// The propagators of a setting, with smeared source and sinks.
struct Solved {
  const Setting& of;
  GaussianSmearingParameters smearing{.width = 1.5, .steps = 3};
  Quarks quarks;
  Field eta, s, at_sink;
  std::vector<ThreePoint> hadrons = three_points();
  std::vector<Field> sequential{};  ///< of each hadron

  explicit Solved(const Setting& setting)
      : of(setting),
        quarks(quarks_on({4, 4, 2, 8}, of.boundary, of.action)),
        eta(quarks.source({.kind = SourceKind::gaussian, .site = of.site, .width = 1.5, .steps = 3})),
        s(quarks.solve(eta)),
        at_sink(smeared(s)) {
    for (const ThreePoint& hadron : hadrons) {
      sequential.push_back(quarks.solve(smeared(hadron.sequential_source(at_sink, at()))));
    }
  }
  SequentialParameters at() const {
    return {.source_site = of.site, .time = of.time, .momentum = {1, 0, -1}, .time_boundary = of.boundary[3]};
  }
  Field smeared(const Field& field) const {
    Field result(field.lattice(), field.parameters());
    blas::copy(result, field);
    gaussian_smear(result, quarks.links, smearing);
    return result;
  }
  Complex two_point(const ThreePoint& hadron, const Field& changed) const {
    return hadron.two_point(at_sink, changed, at())[static_cast<std::size_t>(of.time)];
  }
};

const std::vector<Solved>& solved() {
  static std::optional<std::vector<Solved>> all;
  if (!all) {
    all.emplace(std::begin(settings), std::end(settings));
    Kokkos::push_finalize_hook([] { all.reset(); });  // fields end before Kokkos
  }
  return *all;
}

// The sequential propagator, closed with the source at which its quark starts, is the two-point function at the sink.
TEST(ThreePointFunctions, CloseAtTheSource) {
  for (const Solved& with : solved()) {
    SCOPED_TRACE(with.of.name);
    for (std::size_t n = 0; n < with.hadrons.size(); ++n) {
      const ThreePoint& hadron = with.hadrons[n];
      SCOPED_TRACE(hadron.name);
      const SpatialSums w = meson_spin_sums(with.eta, with.sequential[n], {.source_site = with.of.site});
      const std::vector<SpinMatrix> one{gamma_product(0)};
      const Complex closed = sequential_currents(w, one, hadron.source_matrix())[0];
      const Complex expected = static_cast<double>(hadron.count) * with.two_point(hadron, with.at_sink);
      EXPECT_LT(std::abs(closed - expected), 1e-10 * std::abs(expected)) << closed << " " << expected;
    }
  }
}

// With a current at one time, the sequential propagator through the sink and that through the current have one value.
TEST(ThreePointFunctions, ThroughTheSinkAreThoseThroughTheCurrent) {
  for (const Solved& with : solved()) {
    SCOPED_TRACE(with.of.name);
    const SpatialMomentum q{0, 1, 1};
    const SpinMatrix current = gamma_matrix("g3g5");
    Field eta(with.s.lattice(), with.s.parameters());
    set_current_sequential_source(eta, with.s, current, {.source_site = with.of.site, .time = 2, .momentum = q});
    const Field through_current = with.smeared(with.quarks.solve(eta));
    for (std::size_t n = 0; n < with.hadrons.size(); ++n) {
      const ThreePoint& hadron = with.hadrons[n];
      SCOPED_TRACE(hadron.name);
      const std::vector<SpinMatrix> one{current};
      const SpatialSums w = meson_spin_sums(with.s, with.sequential[n], {.source_site = with.of.site, .momenta = {q}});
      const Complex found = sequential_currents(w, one, hadron.source_matrix())[2];
      const Complex expected = with.two_point(hadron, through_current);
      EXPECT_LT(std::abs(found - expected), 1e-10 * std::abs(expected)) << found << " " << expected;
    }
  }
}

// sum_x V_4 changes by the charge at the source, and the divergence of V vanishes elsewhere at all momenta.
TEST(ThreePointFunctions, HaveAConservedCurrent) {
  for (const Solved& with : solved()) {
    SCOPED_TRACE(with.of.name);
    const auto sink = static_cast<std::size_t>(with.of.time);
    const std::vector<SpatialMomentum> momenta{{0, 0, 0}, {1, 0, -1}};
    for (std::size_t n = 0; n < with.hadrons.size(); ++n) {
      const ThreePoint& hadron = with.hadrons[n];
      SCOPED_TRACE(hadron.name);
      std::vector<std::vector<Complex>> v;
      for (int mu = 0; mu < 4; ++mu) {
        const double weight = mu < 3 ? with.quarks.parameters.anisotropy.spatial_weight() : 1.0;
        v.push_back(conserved_current(link_spin_sums(with.s, with.sequential[n], with.quarks.links, with.of.boundary,
                                                     mu, {.source_site = with.of.site, .momenta = momenta}),
                                      hadron.source_matrix(), weight));
      }
      const Complex charge = static_cast<double>(hadron.count) * with.two_point(hadron, with.at_sink);
      // v[7] is the current before the source: of quarks that wind around the lattice.
      for (std::size_t t = 0; t < sink; ++t) EXPECT_LT(std::abs(v[3][t] - v[3][7] - charge), 1e-10 * std::abs(charge));
      if (with.of.boundary[3] == dirichlet) {
        EXPECT_EQ(std::abs(v[3][5]), 0.0);  // from the last slice to the first
      }
      for (std::size_t p = 0; p < 2; ++p) {
        for (std::size_t t = 1; t < 8; ++t) {
          if (t == sink) continue;
          Complex divergence = v[3][8 * p + t] - v[3][8 * p + t - 1];
          for (std::size_t mu = 0; mu < 3; ++mu) {
            const double turn = 2.0 * pi * momenta[p][mu] / with.s.lattice().extents()[mu];
            divergence += (1.0 - std::polar(1.0, -turn)) * v[mu][8 * p + t];
          }
          EXPECT_LT(std::abs(divergence), 1e-10 * std::abs(charge)) << t << " " << p;
        }
      }
    }
  }
}

/// All currents of a hadron: local ones, conserved ones and derivatives.
std::vector<Complex> all_currents(const Quarks& quarks, const ThreePoint& hadron, const Coordinates& site) {
  const GaussianSmearingParameters smearing{.width = 1.5, .steps = 3};
  Field s = quarks.solve(quarks.source({.kind = SourceKind::gaussian, .site = site, .width = 1.5, .steps = 3}));
  const SequentialParameters at{.source_site = site, .time = 3, .momentum = {1, 0, 0}};
  Field at_sink(s.lattice(), s.parameters());
  blas::copy(at_sink, s);
  gaussian_smear(at_sink, quarks.links, smearing);
  Field eta = hadron.sequential_source(at_sink, at);
  gaussian_smear(eta, quarks.links, smearing);
  const Field q = quarks.solve(eta);
  const ContractionParameters parameters{.source_site = site, .momenta = {{0, 0, 0}, {0, 1, 0}}};
  std::vector<SpinMatrix> gammas;
  for (int n = 0; n < 16; ++n) gammas.push_back(gamma_product(n));
  std::vector<Complex> all = sequential_currents(meson_spin_sums(s, q, parameters), gammas, hadron.source_matrix());
  const auto append = [&](const std::vector<Complex>& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (int mu = 0; mu < 4; ++mu) {
    const LinkSpinSums sums = link_spin_sums(s, q, quarks.links, quarks.parameters.boundary, mu, parameters);
    append(conserved_current(sums, hadron.source_matrix()));
    append(derivative_currents(sums, gammas, hadron.source_matrix()));
  }
  return all;
}

TEST(ThreePointFunctions, AreGaugeInvariantAndMoveWithTheirSource) {
  const Lattice lattice({.extents = {4, 2, 4, 8}});
  const Coordinates& extents = lattice.extents();
  const FermionParameters parameters{.action = FermionAction::wilson_clover, .mass = 0.3, .csw = 1.2};
  const reference::Links links = weak_links(lattice).to_host();
  const auto quarks_of = [&](const reference::Links& host) {
    GaugeField<double> field(lattice);
    field.from_host(host);
    return Quarks(std::move(field), parameters);
  };
  std::mt19937_64 generator(3);
  const auto g = reference::random_gauge_transformation(extents, generator);
  const Coordinates site{1, 1, 0, 2}, steps{1, 1, 2, 5};
  reference::Links moved = links;
  reference::for_each_site(extents, [&](const Coordinates& x) {
    Coordinates from = x;
    for (int mu = 0; mu < 4; ++mu) {
      from = reference::neighbor(from, mu, -steps[static_cast<std::size_t>(mu)], extents);
    }
    for (int mu = 0; mu < 4; ++mu) {
      const auto link = reference::link(links, from, mu, extents);
      std::copy(link.begin(), link.end(),
                moved.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, mu, extents)));
    }
  });
  const Quarks plain = quarks_of(links), turned = quarks_of(reference::transform_links(links, g, extents)),
               shifted = quarks_of(moved);
  for (const ThreePoint& hadron : {three_points()[1], three_points()[3]}) {
    SCOPED_TRACE(hadron.name);
    const std::vector<Complex> expected = all_currents(plain, hadron, site);
    EXPECT_LT(difference(all_currents(turned, hadron, site), expected), 1e-10);
    // Quarks that start elsewhere go over the boundary in time with signs that all cancel, at 2 + 5 + 3 > 8 as well.
    EXPECT_LT(difference(all_currents(shifted, hadron, {2, 0, 2, 7}), expected), 1e-10);
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
