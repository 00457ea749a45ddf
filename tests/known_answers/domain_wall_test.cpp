// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/known_answers/propagators.hpp"
#include "tests/reference/gamma.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/measure/correlator.hpp>
#include <kaon/measure/domain_wall_walls.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <utility>

// Domain wall propagators of other codes: Chroma's Shamir and Zolotarev operators on the weak field, with a smeared
// source at the origin, and Qlattice's norms of free propagators.
namespace kaon {
namespace KAON_TEST_FILE {

struct Propagators {
  SpinorField<double> walls, midpoint;
  SpinorField<double> psi;  ///< in five dimensions
};

enum class Method { cgnr, multigrid };

SpinorField<double> solve_by_multigrid(const DomainWall<double>& dirac, const SpinorField<double>& source,
                                       double tolerance) {
  const Multigrid<double> multigrid(dirac, {.tolerance = tolerance,
                                            .levels = {{.block = {4, 4, 4, 4}, .vectors = 8, .bootstraps = 0}},
                                            .relaxation_steps = 20});
  SpinorField<double> psi = dirac.make_field(source.right_hand_sides());
  const SolveResult result = multigrid.solve(psi, source);
  require_converged(result);
  return psi;
}

/// Propagators from 4-d sources, by even-odd CGNR or multigrid on M = D B^-1.
Propagators propagators(const DomainWall<double>& dirac, const SpinorField<double>& sources, double tolerance,
                        Method method = Method::cgnr) {
  SpinorField<double> source = dirac.make_field(sources.right_hand_sides());
  set_wall_source(source, sources, dirac);
  SpinorField<double> psi = method == Method::multigrid ? solve_by_multigrid(dirac, source, tolerance)
                                                        : test::solve(dirac, source, tolerance);
  dirac.apply_b_inverse(psi, psi);
  Propagators q{SpinorField<double>(sources.lattice(), sources.parameters()),
                SpinorField<double>(sources.lattice(), sources.parameters()), psi.range(0, psi.right_hand_sides())};
  take_walls(q.walls, psi);
  take_midpoint(q.midpoint, psi);
  return q;
}

/// A_4(t) - A_4(t - 1) - sum_x (2 m |q|^2 + 2 |q_mp|^2): zero for each t by the axial Ward identity, but where the
/// source is.
std::vector<double> ward_violation(const std::vector<double>& current, const Propagators& q, double mass) {
  const std::vector<double> walls = pion_correlator(q.walls), midpoint = pion_correlator(q.midpoint);
  std::vector<double> violation;
  for (std::size_t t = 0; t < current.size(); ++t) {
    const double divergence = current[t] - current[(t + current.size() - 1) % current.size()];
    violation.push_back(divergence - 2.0 * mass * walls[t] - 2.0 * midpoint[t]);
  }
  return violation;
}

/// sum_x tr [left(x)^dag right(x)] of each site: real parts, summed over right-hand sides and slices.
std::vector<double> products(const SpinorField<double>& left, const SpinorField<double>& right) {
  const auto sites = static_cast<std::size_t>(left.lattice().volume());
  std::vector<double> of_sites(sites);
  for (int k = 0; k < left.right_hand_sides(); ++k) {
    const auto a = left.to_host(k), b = right.to_host(k);
    for (std::size_t n = 0; n < a.size(); ++n) of_sites[n / 12 % sites] += (std::conj(a[n]) * b[n]).real();
  }
  return of_sites;
}

/// The local axial current q-bar g_t g5 q with the density of the source, -sum_x tr [q^dag g_t q], of each time slice.
std::vector<double> local_axial_current(const SpinorField<double>& q) {
  SpinorField<double> of_gamma(q.lattice(), q.parameters());
  for (int k = 0; k < q.right_hand_sides(); ++k) {
    of_gamma.from_host(reference::multiply(reference::gamma(3), q.to_host(k)), k);
  }
  std::vector<double> current(static_cast<std::size_t>(q.lattice().extents()[3]));
  const std::vector<double> of_sites = products(q, of_gamma);
  const std::size_t slice = of_sites.size() / current.size();
  for (std::size_t n = 0; n < of_sites.size(); ++n) current[n / slice] -= of_sites[n];
  return current;
}

/// The largest violation of Shamir's Ward identity on a site, with the axial current in all directions (b = 1, c = 0):
///   A_mu(x) = -2 sum_s sign(s - (L_s-1)/2) Re <g5 psi_{L_s-1-s}(x), (K_{+mu} psi)_s(x)>
///   sum_mu A_mu(x) - A_mu(x-mu) = 2 m |q|^2 + 2 |q_mp|^2 - 2 Re <eta, q>
double largest_ward_violation(const Propagators& q, const SpinorField<double>& sources,
                              const DomainWall<double>& dirac) {
  const Coordinates& extents = dirac.lattice().extents();
  const int slices = dirac.parameters().slices, count = q.psi.right_hand_sides();
  const std::vector<double> walls = products(q.walls, q.walls), midpoint = products(q.midpoint, q.midpoint),
                            source = products(sources, q.walls);
  std::vector<double> violation(walls.size());
  for (std::size_t n = 0; n < violation.size(); ++n) {
    violation[n] = 2.0 * (source[n] - dirac.parameters().mass * walls[n] - midpoint[n]);
  }
  // -sign(s - (L_s-1)/2) g5 psi_{L_s-1-s}
  SpinorField<double> left = dirac.make_field(count), hopped = dirac.make_field(count);
  const std::size_t size = 12 * walls.size();
  for (int k = 0; k < count; ++k) {
    const auto psi = q.psi.to_host(k);
    auto turned = psi;
    for (std::size_t n = 0; n < psi.size(); ++n) {
      const auto s = static_cast<int>(n / size);
      const int sign = 2 * s < slices - 1 ? 1 : -1;
      turned[n] = sign * (n % 12 < 6 ? 1.0 : -1.0) * psi[static_cast<std::size_t>(slices - 1 - s) * size + n % size];
    }
    left.from_host(turned, k);
  }
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (const Parity parity : {Parity::even, Parity::odd}) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        SpinorField<double> out = hopped.parity(parity).right_hand_side(k).slices_as_right_hand_sides();
        dirac.hop_along(out, q.psi.parity(opposite(parity)).right_hand_side(k).slices_as_right_hand_sides(),
                        static_cast<int>(mu));
      }
    }
    const std::vector<double> current = products(left, hopped);
    for (std::size_t n = 0; n < current.size(); ++n) {
      Coordinates x = lexicographic_site(static_cast<int>(n), extents);
      violation[n] += 2.0 * current[n];
      x[mu] = (x[mu] + 1) % extents[mu];
      violation[static_cast<std::size_t>(lexicographic_index(x, extents))] -= 2.0 * current[n];
    }
  }
  double largest = 0.0;
  for (const double each : violation) largest = test::larger(largest, std::abs(each));
  return largest;
}

/// Chroma's solves end at 1e-8 of the normal equations: its digits agree with those of exact solves to 2e-6. The second
/// numbers are such solves, by an independent program (numpy).
TEST(ShamirOperator, ReproducesTheCorrelatorsOfTheWeakField) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  for (const auto& [lanes, method] : {std::pair(Lanes::native, Method::cgnr), std::pair(Lanes::single, Method::cgnr),
                                      std::pair(Lanes::native, Method::multigrid)}) {
    SCOPED_TRACE(test::name(lanes));
    const auto links = io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}, .lanes = lanes}), path);
    const DomainWall<double> dirac(links,
                                   {.mass = 0.4, .m5 = 1.2, .slices = 4, .anisotropy = {.xi0 = 2.464, .nu = 1.2}});
    const SpinorField<double> sources = test::smeared_sources(links, {0, 0, 0, 0});
    const Propagators q = propagators(dirac, sources, 1e-11, method);
    const std::vector<double> walls = pion_correlator(q.walls), midpoint = pion_correlator(q.midpoint);
    test::expect_relatively_near(walls,
                                 {0.046334869623285, 0.0639292924323685, 0.0177903308441096, 0.00806536155861327,
                                  0.0059721249985301, 0.0080644891177445, 0.0177967872036496, 0.0639287163416963},
                                 2e-6);
    test::expect_relatively_near(walls,
                                 {0.046334872648, 0.063929402377, 0.017790333487, 0.008065363071, 0.005972126073,
                                  0.008064489982, 0.017796788398, 0.063928722667},
                                 1e-9);
    test::expect_relatively_near(
        midpoint,
        {0.04292382, 0.004030217, 0.0003961284, 4.971103e-05, 7.077304e-06, 4.974484e-05, 0.0003968574, 0.004034408},
        4e-6);
    test::expect_relatively_near(midpoint,
                                 {4.292382150290e-02, 4.030217930595e-03, 3.961286042254e-04, 4.971107556179e-05,
                                  7.077326682512e-06, 4.974489027906e-05, 3.968575702271e-04, 4.034409002882e-03},
                                 1e-8);
    const std::vector<double> current = axial_current(q.psi, sources, dirac);
    test::expect_relatively_near(
        current,
        {-0.08317834, -0.02397439, -0.008949869, -0.002398158, 0.002393697, 0.008944778, 0.02397592, 0.08318771}, 2e-6);
    // The source is at t = 0, where the identity has -2 Re <eta, q>.
    std::vector<double> violation = ward_violation(current, q, 0.4);
    violation[0] += 2.0 * [&] {
      double sum = 0.0;
      for (const std::complex<double>& product : blas::inner_product(sources, q.walls)) sum += product.real();
      return sum;
    }();
    for (const double left : violation) EXPECT_NEAR(left, 0.0, 1e-10);
    EXPECT_LT(largest_ward_violation(q, sources, dirac), 1e-10);
    const std::vector<double> local = local_axial_current(q.walls),
                              of_chroma{-1.2e-8, -0.05028691, -0.0151099, -0.005004862,
                                        -2.5e-6, 0.00500036,  0.01511138, 0.05027189};
    for (std::size_t t = 0; t < local.size(); ++t) EXPECT_NEAR(local[t], of_chroma[t], 1e-7) << t;
  }
}

/// The solver that users take, in 16 bits, for Moebius quarks on the field of a domain wall ensemble: the propagators
/// are those of D psi = eta_5 in double, and the residual mass falls with L_s.
TEST(DomainWallPropagators, AreThoseOfTheOperatorInDouble) {
  KAON_TEST_DATA_FILE(path, "nersc/lat..400");
  const auto links = io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}}), path);
  const SpinorField<double> sources = test::point_sources(links.lattice(), {0, 0, 0, 0});
  double last = 1.0;
  for (const int slices : {4, 8}) {
    const DomainWall<double> dirac(links, {.mass = 0.01, .m5 = 1.8, .slices = slices, .b = 1.5, .c = 0.5});
    const auto found = propagate<double>(PropagatorSolver<double>(dirac, {.tolerance = 1e-9}), sources);
    require_converged(found.solve);
    ASSERT_EQ(found.solve.right_hand_sides.size(), 12U);
    const SpinorField<double>&q = found.at("propagator"), &midpoint = found.at("midpoint");
    const Propagators exact = propagators(dirac, sources, 1e-11);
    EXPECT_LT(test::relative_difference(q, exact.walls), 1e-7);
    EXPECT_LT(test::relative_difference(midpoint, exact.midpoint), 1e-6);
    test::expect_relatively_near(found.axial_current, axial_current(exact.psi, sources, dirac), 1e-6);
    const double m_res = residual_mass(pion_correlator(midpoint), pion_correlator(q))[4];
    EXPECT_LT(m_res, 0.7 * last);
    EXPECT_GT(m_res, 0.0);
    last = m_res;
  }
}

/// Iterations of CGNR until |b - D psi| is 1e-8 |b|, b random on one parity, as an independent program (numpy) counts
/// them for D B^-1 in the asymmetric form.
TEST(MoebiusOperator, NeedsTheIterationsOfOtherPrograms) {
  KAON_TEST_DATA_FILE(path, "nersc/lat..400");
  const auto links = io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}}), path);
  const auto iterations = [&](double mass, int slices, double b) {
    const DomainWall<double> dirac(links, {.mass = mass, .m5 = 1.8, .slices = slices, .b = b, .c = b - 1.0});
    const Schur<double> schur(dirac, {SchurForm::asymmetric, Parity::even});
    SpinorField<double> source = schur.make_field(1), x = schur.make_field(1);
    set_gaussian(source, {.seed = 6});
    const SolveResult result = Cgnr<double>(schur, {.tolerance = 1e-8}).solve(x, source);
    require_converged(result);
    return result.iterations();
  };
  EXPECT_NEAR(iterations(0.01, 8, 1.5), 73, 2);
  EXPECT_NEAR(iterations(0.01, 8, 2.5), 72, 2);
  EXPECT_NEAR(iterations(0.01, 8, 1.0), 69, 2);
  EXPECT_NEAR(iterations(0.001, 12, 1.5), 73, 2);
}

/// The Ward identity of Moebius quarks, away from the source; not without the source in chi.
TEST(MoebiusOperator, HasTheConservedAxialCurrent) {
  KAON_TEST_DATA_FILE(path, "nersc/lat..400");
  const auto links = io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}}), path);
  const SpinorField<double> sources = test::point_sources(links.lattice(), {0, 0, 0, 0});
  SpinorField<double> nothing(links.lattice(), sources.parameters());
  const DomainWall<double> dirac(links, {.mass = 0.1, .m5 = 1.8, .slices = 6, .b = 1.5, .c = 0.5});
  const Propagators q = propagators(dirac, sources, 1e-11);
  const std::vector<double> violation = ward_violation(axial_current(q.psi, sources, dirac), q, 0.1);
  const std::vector<double> walls = pion_correlator(q.walls);
  for (std::size_t t = 1; t < violation.size(); ++t) EXPECT_LT(std::abs(violation[t]), 1e-9 * walls[t]) << t;
  const std::vector<double> wrong = ward_violation(axial_current(q.psi, nothing, dirac), q, 0.1);
  EXPECT_GT(std::abs(wrong[1]), 1e-3 * walls[1]);
}

/// b and c of each slice, and c D_W on the source. Chroma's residual is 2.7e-6; the second numbers
/// are again of the independent program.
TEST(ZolotarevOperator, ReproducesTheCorrelatorOfTheWeakField) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  const auto links = io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}}), path);
  DomainWallParameters parameters{.mass = 0.06, .m5 = 1.4, .slices = 4};
  for (const double gamma : {0.7308986208263609, 3.108054817332978, 5.836590846452645, 1.372548571604866}) {
    const double omega = 1.0 / gamma, b5 = 1.2, c5 = 0.2;
    parameters.b_of_slices.push_back(0.5 * ((omega + 1.0) * b5 + (omega - 1.0) * c5));
    parameters.c_of_slices.push_back(0.5 * ((omega - 1.0) * b5 + (omega + 1.0) * c5));
  }
  const DomainWall<double> dirac(links, parameters);
  for (const Method method : {Method::cgnr, Method::multigrid}) {
    const Propagators q = propagators(dirac, test::smeared_sources(links, {0, 0, 0, 0}), 1e-10, method);
    const std::vector<double> walls = pion_correlator(q.walls);
    test::expect_relatively_near(walls,
                                 {0.0165515975174225, 0.0751487213386444, 0.0349483768277233, 0.0302034684629801,
                                  0.028454058116784, 0.0302134083128889, 0.034976232584339, 0.0751355246704326},
                                 3e-6);
    test::expect_relatively_near(
        walls, {0.016551631, 0.075148744, 0.034948383, 0.030203477, 0.02845405, 0.03021342, 0.034976244, 0.075135569},
        1e-7);
  }
}

/// sum |q|^2 on unit links, periodic, from a point: L_s = 16 and 32 and z-Moebius of 12 slices by other codes' solvers,
/// whose residuals bound the tolerances. One colour is solved for: the three are alike on unit links.
TEST(FreeDomainWall, HasTheNormOfOtherCodes) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = test::unit_links<double>(lattice);
  SpinorField<double> sources(lattice, {.right_hand_sides = 4});
  for (int spin = 0; spin < 4; ++spin) {
    SpinorField<double> source = sources.range(spin, 1);
    set_point_source(source, {.spin = spin});
  }
  const auto norm2 = [&](DomainWallParameters parameters, Method method) {
    parameters.mass = 0.05;
    parameters.m5 = 1.0;
    parameters.boundary = {0.0, 0.0, 0.0, 0.0};
    const Propagators q = propagators(DomainWall<double>(links, parameters), sources, 1e-12, method);
    return 3.0 * test::sum(blas::norm2(q.walls));
  };
  DomainWallParameters z_moebius{.slices = 12};
  for (const std::complex<double> omega :
       std::initializer_list<std::complex<double>>{1.0903256131299373,
                                                   0.9570283702230611,
                                                   0.7048886040934104,
                                                   0.48979921782791747,
                                                   0.328608311201356,
                                                   0.21664245377015995,
                                                   0.14121112711957107,
                                                   0.0907785101745156,
                                                   {0.05608303440064219, -0.007537158177840385},
                                                   {0.05608303440064219, 0.007537158177840385},
                                                   {0.0365221637144842, -0.03343945161367745},
                                                   {0.0365221637144842, 0.03343945161367745}}) {
    z_moebius.b_of_slices.push_back(0.5 * (1.0 / omega + 1.0));
    z_moebius.c_of_slices.push_back(0.5 * (1.0 / omega - 1.0));
  }
  for (const Method method : {Method::cgnr, Method::multigrid}) {
    EXPECT_NEAR(norm2({.slices = 16}, method) / 9.736817290497456, 1.0, 1e-9);
    EXPECT_NEAR(norm2({.slices = 32}, method) / 9.736817294647567, 1.0, 1e-11);
    EXPECT_NEAR(norm2(z_moebius, method) / 9.739789986784416, 1.0, 1e-8);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
