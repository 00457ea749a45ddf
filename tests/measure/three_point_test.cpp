// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/measure/correlator_difference.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/reference/contractions.hpp"
#include "tests/reference/domain_wall.hpp"

#include <Kokkos_Core.hpp>

#include <kaon/core/blas.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sequential.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/operators/dirichlet.hpp>

#include <array>
#include <cmath>
#include <list>
#include <numbers>
#include <optional>
#include <string>

namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;
using Field = SpinorField<double>;

constexpr double pi = std::numbers::pi;

/// Quarks on one field of links: solves for sources and sequential sources.
struct Quarks {
  GaugeField<double> links;
  FermionParameters parameters;
  PropagatorSolver<double> solver;

  explicit Quarks(GaugeField<double> of, const FermionParameters& given)
      : links(std::move(of)), parameters(given), solver(make_quark(links, given), {.tolerance = 1e-13}) {}

  /// The propagator and, of domain wall quarks, the fields of conserved currents.
  QuarkPropagators<double> solve_for_all(const Field& eta) const {
    std::vector<std::string> wanted{"propagator"};
    if (parameters.action == FermionAction::domain_wall) wanted.emplace_back(current_fields);
    QuarkPropagators<double> quark = propagate(solver, eta, wanted);
    require_converged(quark.solve);
    return quark;
  }
  Field solve(const Field& eta) const { return std::move(solve_for_all(eta).propagators.front().field); }
  Field source(const SourceParameters& source) const {
    Field eta(links.lattice(), test::propagator_shape);
    set_sources(eta, source, links);
    return eta;
  }
};

GaugeField<double> weak_links(const Lattice& lattice, double size = 0.3) {
  return test::weak_links<double>(lattice, size, 5);
}

/// The field of which a quark's conserved current is made.
const Field& of_current(const QuarkPropagators<double>& quark) {
  const Field* const found = quark.find(current_fields);
  return found != nullptr ? *found : quark.at("propagator");
}

/// The conserved currents of all directions, [direction][momentum][t].
std::vector<std::vector<Complex>> conserved_currents(const Quarks& quarks, const Field& s, const Field& q,
                                                     const SpinMatrix& source,
                                                     const ContractionParameters& parameters) {
  const FermionParameters& p = quarks.parameters;
  std::vector<std::vector<Complex>> v;
  for (int mu = 0; mu < 4; ++mu) {
    const double weight = (mu < 3 ? p.anisotropy.spatial_weight() : 1.0) * (s.slices() > 1 ? p.b + p.c : 1.0);
    v.push_back(conserved_current(link_spin_sums(s, q, quarks.links, p.boundary, mu, parameters), source, weight));
  }
  return v;
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
  FermionParameters parameters;
  Coordinates site;
  int time;
  Coordinates extents{4, 4, 2, 8};
};
const Anisotropy anisotropy{.xi0 = 1.3, .nu = 0.9};
// Sinks lie before and beyond the boundary in time.
const Setting settings[] = {
    {"antiperiodic",
     {.action = FermionAction::wilson_clover, .mass = 0.3, .csw = 1.2, .anisotropy = anisotropy},
     {1, 2, 0, 1},
     3},
    {"beyond the boundary",
     {.action = FermionAction::wilson, .mass = 0.3, .anisotropy = anisotropy, .boundary = {0.3, 0.0, 0.0, 1.1}},
     {0, 3, 1, 5},
     4},
    {"Dirichlet",
     {.action = FermionAction::wilson_clover,
      .mass = 0.3,
      .csw = 1.2,
      .anisotropy = anisotropy,
      .boundary = dirichlet_in_time},
     {1, 2, 0, 2},
     4},
    {"Moebius, 4 slices",
     {.action = FermionAction::domain_wall, .mass = 0.2, .anisotropy = anisotropy, .slices = 4, .b = 1.7, .c = 0.4},
     {1, 2, 0, 1},
     3,
     {4, 4, 4, 8}},
    {"Borici, 6 slices, Dirichlet",
     {.action = FermionAction::domain_wall,
      .mass = 0.1,
      .boundary = dirichlet_in_time,
      .slices = 6,
      .b = 1.0,
      .c = 1.0},
     {1, 2, 3, 2},
     3,
     {4, 4, 4, 8}}};

/// The propagators of a setting, with smeared source and sinks.
struct Solved {
  const Setting& of;
  GaussianSmearingParameters smearing{.width = 1.5, .steps = 4};
  Quarks quarks;
  Field eta;
  QuarkPropagators<double> from_source;
  const Field& s;
  Field at_sink;
  std::vector<ThreePoint> hadrons = three_points();
  std::vector<QuarkPropagators<double>> sequential{};  ///< of each hadron

  explicit Solved(const Setting& setting)
      : of(setting),
        quarks(weak_links(Lattice({.extents = of.extents})), of.parameters),
        eta(quarks.source({.kind = SourceKind::gaussian, .site = of.site, .width = 1.5, .steps = 4})),
        from_source(quarks.solve_for_all(eta)),
        s(from_source.at("propagator")),
        at_sink(smeared(s)) {
    if (of.parameters.action == FermionAction::domain_wall)
      hadrons = {hadrons[1], hadrons[2]};  // these solves are long
    for (const ThreePoint& hadron : hadrons) {
      sequential.push_back(quarks.solve_for_all(smeared(hadron.sequential_source(at_sink, at()))));
    }
  }
  Solved(const Solved&) = delete;
  Solved& operator=(const Solved&) = delete;
  SequentialParameters at() const {
    return {
        .source_site = of.site, .time = of.time, .momentum = {1, 0, -1}, .time_boundary = of.parameters.boundary[3]};
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

const std::list<Solved>& solved() {
  static std::optional<std::list<Solved>> all;
  if (!all) {
    all.emplace();
    for (const Setting& setting : settings) all->emplace_back(setting);
    Kokkos::push_finalize_hook([] { all.reset(); });  // fields end before Kokkos
  }
  return *all;
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
      const SpatialSums w =
          meson_spin_sums(with.s, with.sequential[n].at("propagator"), {.source_site = with.of.site, .momenta = {q}});
      const Complex found = sequential_currents(w, one, hadron.source_matrix())[2];
      const Complex expected = with.two_point(hadron, through_current);
      EXPECT_LT(std::abs(found - expected), 1e-10 * std::abs(expected)) << found << " " << expected;
    }
  }
}

// sum_x V_4 changes by the charge at the source, and the divergence of V vanishes at all sites elsewhere: at all
// momenta.
TEST(ThreePointFunctions, HaveAConservedCurrent) {
  for (const Solved& with : solved()) {
    SCOPED_TRACE(with.of.name);
    const auto sink = static_cast<std::size_t>(with.of.time);
    const Coordinates& extents = with.of.extents;
    std::vector<SpatialMomentum> momenta;  // zero first
    const auto half = [](int n, int length) { return 2 * n > length ? n - length : n; };
    for (int n = 0; n < extents[0] * extents[1] * extents[2]; ++n) {
      momenta.push_back({half(n % extents[0], extents[0]), half(n / extents[0] % extents[1], extents[1]),
                         half(n / extents[0] / extents[1], extents[2])});
    }
    for (std::size_t n = 0; n < with.hadrons.size(); ++n) {
      const ThreePoint& hadron = with.hadrons[n];
      SCOPED_TRACE(hadron.name);
      const auto v = conserved_currents(with.quarks, of_current(with.from_source), of_current(with.sequential[n]),
                                        hadron.source_matrix(), {.source_site = with.of.site, .momenta = momenta});
      const Complex charge = static_cast<double>(hadron.count) * with.two_point(hadron, with.at_sink);
      // v[7] is the current before the source: of quarks that wind around the lattice.
      for (std::size_t t = 0; t < sink; ++t) EXPECT_LT(std::abs(v[3][t] - v[3][7] - charge), 1e-10 * std::abs(charge));
      if (with.of.parameters.boundary[3] == dirichlet) {
        EXPECT_EQ(std::abs(v[3][static_cast<std::size_t>(7 - with.of.site[3])]), 0.0)
            << "from the last slice to the first";
      }
      double largest = 0.0;
      for (std::size_t p = 0; p < momenta.size(); ++p) {
        for (std::size_t t = 1; t < 8; ++t) {
          if (t == sink) continue;
          Complex divergence = v[3][8 * p + t] - v[3][8 * p + t - 1];
          for (std::size_t mu = 0; mu < 3; ++mu) {
            const double turn = 2.0 * pi * momenta[p][mu] / extents[mu];
            divergence += (1.0 - std::polar(1.0, -turn)) * v[mu][8 * p + t];
          }
          largest = test::larger(largest, std::abs(divergence));
        }
      }
      EXPECT_LT(largest, 1e-10 * std::abs(charge));
    }
  }
}

using Slices = reference::Slices;

/// Solves D x = b by conjugate gradients on D^dag D, or D^dag x = b on D D^dag.
Slices solve_slowly(const reference::DomainWallOperator& d, const Slices& b, bool dagger) {
  const auto apply = [&](const reference::Spinor& x, bool of_dagger) {
    const Slices in = reference::cut(x, d.slices());
    return reference::joined(of_dagger ? d.apply_dagger(in) : d.apply(in));
  };
  const reference::Spinor rhs = reference::joined(b);
  reference::Spinor x(rhs.size()), r = apply(rhs, !dagger), p = r;
  const double target = 1e-24 * reference::norm2(r);
  for (double r2 = reference::norm2(r); r2 > target;) {
    const reference::Spinor dp = apply(p, dagger);
    const double alpha = r2 / reference::norm2(dp);
    x = reference::add(x, alpha, p);
    r = reference::add(r, -alpha, apply(dp, !dagger));
    const double next = reference::norm2(r);
    p = reference::add(r, next / r2, p);
    r2 = next;
  }
  return reference::cut(x, d.slices());
}

/// P_+ or P_- of a field of four spins.
reference::Spinor projected(const reference::Spinor& psi, bool plus) {
  const reference::Spinor turned = reference::multiply(reference::gamma5(), psi);
  reference::Spinor sum = reference::add(psi, plus ? 1.0 : -1.0, turned);
  for (Complex& z : sum) z *= 0.5;
  return sum;
}

// The current by a slow solve of D^dag from the sink, by D itself and not by M, without R M R = M^dag:
// dq = [P_- at s = 0, P_+ at s = L_s - 1]^dag D^-1 dK (B psi + c [P_+ eta at s = 0, P_- eta at s = L_s - 1]).
TEST(ThreePointFunctions, OfDomainWallsHaveTheCurrentOfTheReference) {
  const Lattice lattice({.extents = {4, 2, 2, 4}});
  const Coordinates& extents = lattice.extents();
  const Coordinates site{1, 0, 1, 1};
  const std::vector<SpatialMomentum> momenta{{0, 0, 0}, {1, 0, 1}};
  const FermionParameters p{.action = FermionAction::domain_wall,
                            .mass = 0.2,
                            .anisotropy = anisotropy,
                            .boundary = {0.3, 0.0, pi, 1.1},
                            .m5 = 1.4,
                            .slices = 4,
                            .b = 1.7,
                            .c = 0.4};
  const Quarks quarks(weak_links(lattice), p);
  reference::DomainWallParameters slow{
      .mass = p.mass, .b = Slices::value_type(4, p.b), .c = Slices::value_type(4, p.c), .kernel = {}};
  slow.kernel.mass = -p.m5;
  slow.kernel.anisotropy = anisotropy.xi0;
  slow.kernel.nu = anisotropy.nu;
  for (std::size_t mu = 0; mu < 4; ++mu) slow.kernel.boundary_phases[mu] = std::polar(1.0, p.boundary[mu]);
  const reference::DomainWallOperator d(quarks.links.to_host(), extents, slow);
  const reference::WilsonOperator kernel(quarks.links.to_host(), extents, slow.kernel);

  constexpr int column = 7;  // all others of the sequential source are zero
  const Field eta = quarks.source({.site = site});
  Field at_sink(lattice, test::propagator_shape);
  std::mt19937_64 generator(3);
  at_sink.from_host(reference::random_spinor(extents, generator), column);
  const auto found =
      conserved_currents(quarks, of_current(quarks.solve_for_all(eta)), of_current(quarks.solve_for_all(at_sink)),
                         gamma_product(0), {.source_site = site, .momenta = momenta});

  const reference::Spinor of_eta = eta.to_host(column), none = reference::zero_spinor(extents);
  Slices walls(4, none), rows(4, none);
  walls[0] = projected(of_eta, true);
  walls[3] = projected(of_eta, false);
  const reference::Spinor of_sink = reference::multiply(reference::gamma5(), at_sink.to_host(column));
  rows[0] = projected(of_sink, false);
  rows[3] = projected(of_sink, true);
  Slices source = walls;
  for (reference::Spinor& slice : source) slice = reference::add(slice, -p.c, kernel.apply(slice));
  Slices chi = d.apply_b(solve_slowly(d, source, false));
  for (std::size_t s = 0; s < 4; ++s) chi[s] = reference::add(chi[s], p.c, walls[s]);
  const Slices from_sink = solve_slowly(d, rows, true);
  const auto at = [&](const reference::Spinor& psi, const Coordinates& x) { return reference::at(psi, x, extents); };
  for (int mu = 0; mu < 4; ++mu) {
    const auto density = [&](const Coordinates& x) {
      const Coordinates y = reference::neighbor(x, mu, 1, extents);
      const auto forward = kernel.half_hop_matrix(x, mu, 1), backward = kernel.half_hop_matrix(y, mu, -1);
      Complex sum = 0.0;
      for (std::size_t s = 0; s < 4; ++s) {
        const auto to_y = reference::multiply(backward, at(chi[s], x)),
                   to_x = reference::multiply(forward, at(chi[s], y));
        const auto row_y = at(from_sink[s], y), row_x = at(from_sink[s], x);
        for (std::size_t k = 0; k < to_y.size(); ++k) {
          sum += std::conj(row_y[k]) * to_y[k] - std::conj(row_x[k]) * to_x[k];
        }
      }
      return sum;
    };
    std::vector<Complex> expected;
    for (const SpatialMomentum& n : momenta) {
      const auto one = reference::project(density, n, site, extents);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    EXPECT_LT(test::difference_to_largest(found[static_cast<std::size_t>(mu)], expected), 1e-10) << mu;
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
