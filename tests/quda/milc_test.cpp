// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/momenta.hpp"

#include <quda_milc_interface.h>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// MILC, with thin links that hold phases.
class QudaMilc : public testing::Test {
 protected:
  QudaMilc() : links(random_links(1)), folded(even_odd(reference::fold_phases(links, extents, true, 1))) {
    const int grid[] = {1, 1, 1, 1};
    qudaSetLayout({extents.data(), grid, 0});
    args.max_iter = 2000;
    args.mixed_precision = 2;
    args.solver_type = QUDA_CG_INVERTER;
  }

  const reference::Links links;
  std::vector<Complex> folded;
  QudaInvertArgs_t args{};
  int iterations = -1;
};

TEST_F(QudaMilc, HopsFromOneParityToTheOther) {
  const reference::StaggeredOperator m(links, extents, {.mass = 0.2});
  const std::vector<Complex> chi = random_field(3, 2);
  std::vector<Complex> in = even_odd(chi), out(in.size());
  for (const QudaParity parity : {QUDA_EVEN_PARITY, QUDA_ODD_PARITY}) {
    args.evenodd = parity;
    qudaDslash(2, 2, args, folded.data(), nullptr, in.data(), out.data(), &iterations);
  }
  EXPECT_LT(reference::relative_difference(lexicographic(out), m.hop(chi)), 1e-13);
}

TEST_F(QudaMilc, SolvesTheNormalSystemOfOneParity) {
  constexpr double mass = 0.2;
  const reference::StaggeredOperator m(links, extents, {.mass = mass});
  const std::vector<Complex> chi = random_field(3, 2);
  for (const int parity : {0, 1}) {
    args.evenodd = parity == 0 ? QUDA_EVEN_PARITY : QUDA_ODD_PARITY;
    std::vector<Complex> b = even_odd(chi), x(b.size());
    double residual = 1.0, heavy = 1.0;
    iterations = -1;
    qudaInvert(2, 2, mass, args, 1e-10, 0.0, folded.data(), nullptr, b.data(), x.data(), &residual, &heavy,
               &iterations);
    EXPECT_GT(iterations, 0);
    EXPECT_LE(residual, 1e-10);
    EXPECT_LT(reference::relative_difference(reference::staggered_normal(m, lexicographic(x), parity),
                                             reference::restrict_to_parity(chi, parity, extents)),
              1.01e-10);
  }
}

TEST_F(QudaMilc, SolvesWithLinksThatItHasMade) {
  constexpr double mass = 0.2;
  const std::vector<Complex> chi = random_field(3, 2), even_chi = reference::restrict_to_parity(chi, 0, extents);
  const reference::StaggeredOperator naive(links, extents, {.mass = mass}), improved = asqtad_operator(links, mass);
  std::vector<Complex> fat(folded.size()), lengthy(folded.size());
  const std::array<double, 6> coefficients = asqtad_with_phases();
  args.evenodd = QUDA_EVEN_PARITY;
  std::vector<Complex> b = even_odd(chi);
  const auto expect_to_solve = [&](const reference::StaggeredOperator& m, std::vector<Complex>& one_hop, void* third) {
    std::vector<Complex> x(b.size());
    std::vector<void*> sources(2, b.data()), solutions{x.data(), x.data()};
    double residual = 1.0, heavy = 1.0;
    iterations = 0;  // the links are not new
    qudaInvertMsrc(2, 2, mass, args, 1e-10, 0.0, one_hop.data(), third, sources.data(), solutions.data(), &residual,
                   &heavy, &iterations, 2);
    EXPECT_LE(residual, 1e-10);
    EXPECT_LT(reference::relative_difference(reference::staggered_normal(m, lexicographic(x), 0), even_chi), 1.01e-10);
  };
  qudaLoadKSLink(2, {}, coefficients.data(), folded.data(), fat.data(), lengthy.data());
  expect_to_solve(improved, fat, lengthy.data());
  expect_to_solve(naive, folded, nullptr);
  expect_to_solve(improved, fat, lengthy.data());
  qudaFreeGaugeField();
  expect_to_solve(improved, fat, lengthy.data());
  qudaFreeGaugeField();
  expect_to_solve(naive, folded, nullptr);
}

// MILC's systems for multigrid: M x = b on all sites.
TEST_F(QudaMilc, SolvesOnAllSites) {
  constexpr double mass = 0.2;
  const std::vector<Complex> chi = random_field(3, 2);
  std::vector<Complex> fat(folded.size()), lengthy(folded.size());
  const std::array<double, 6> coefficients = asqtad_with_phases();
  qudaLoadKSLink(2, {}, coefficients.data(), folded.data(), fat.data(), lengthy.data());
  qudaFreeGaugeField();
  void* const multigrid = qudaMultigridCreate(2, 2, mass, args, fat.data(), lengthy.data(), "parameters");
  for (const bool improved : {false, true}) {
    const reference::StaggeredOperator m =
        improved ? asqtad_operator(links, mass) : reference::StaggeredOperator(links, extents, {.mass = mass});
    std::vector<Complex> b = even_odd(chi), x(b.size());
    double residual = 1.0, heavy = 1.0;
    iterations = -1;
    qudaInvertMG(2, 2, mass, args, 1e-10, 0.0, improved ? fat.data() : folded.data(),
                 improved ? lengthy.data() : nullptr, multigrid, 0, b.data(), x.data(), &residual, &heavy, &iterations);
    EXPECT_GT(iterations, 0);
    EXPECT_LE(residual, 1e-10);
    EXPECT_LT(reference::relative_difference(m.apply(lexicographic(x)), chi), 1.01e-10);
  }
  qudaMultigridDestroy(multigrid);
  qudaMultigridDestroy(nullptr);
  std::vector<Complex> b = even_odd(chi), x(b.size());
  double residual = 1.0, heavy = 1.0;
  EXPECT_EXIT(qudaInvertMG(2, 2, mass, args, 1e-10, 0.0, folded.data(), nullptr, multigrid, 0, b.data(), x.data(),
                           &residual, &heavy, &iterations),
              testing::ExitedWithCode(1), "this pointer leads to no multigrid");
}

TEST_F(QudaMilc, SolvesWithItsOwnCloverLinks) {
  const std::vector<Complex> psi = random_field(12, 2);
  const std::vector<Complex> given = even_odd(multiplied(links, true, 1.0));
  args.boundary_phase[3] = 1.0;
  args.solver_type = QUDA_BICGSTAB_INVERTER;
  std::vector<Complex> b = even_odd(psi), x(b.size());
  double residual = 1.0, heavy = 1.0;
  constexpr double kappa = 0.12, csw = 1.3;
  qudaLoadGaugeField(2, 2, args, given.data());
  QudaInvertParam clover = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  clover.clover_coeff = csw * kappa;
  loadCloverQuda(nullptr, nullptr, &clover);
  qudaCloverInvert(2, 2, kappa, csw * kappa, args, 1e-10, 0.0, nullptr, nullptr, nullptr, b.data(), x.data(), &residual,
                   &heavy, &iterations);
  EXPECT_LE(residual, 1e-10);
  const reference::WilsonOperator m(links, extents,
                                    {.mass = 0.5 / kappa - 4.0, .csw_spatial = csw, .csw_temporal = csw});
  reference::Spinor product = m.apply(lexicographic(x));
  for (Complex& z : product) z *= 2.0 * kappa;
  EXPECT_LT(reference::relative_difference(product, psi), 1.01e-10);
  qudaFreeCloverField();
  qudaFreeGaugeField();
}

TEST_F(QudaMilc, SolvesForSeveralMasses) {
  const std::vector<Complex> chi = random_field(3, 2);
  args.evenodd = QUDA_EVEN_PARITY;
  double offsets[] = {0.16, 0.64}, tolerances[] = {1e-10, 1e-10}, none[] = {0.0, 0.0}, residuals[2], heavy[2];
  std::vector<Complex> b = even_odd(chi);
  std::vector<std::vector<Complex>> x(2, std::vector<Complex>(b.size()));
  void* solutions[] = {x[0].data(), x[1].data()};
  qudaMultishiftInvert(2, 2, 2, offsets, args, tolerances, none, folded.data(), nullptr, b.data(), solutions, residuals,
                       heavy, &iterations);
  for (std::size_t i = 0; i < 2; ++i) {
    const reference::StaggeredOperator m(links, extents, {.mass = 0.5 * std::sqrt(offsets[i])});
    EXPECT_LE(residuals[i], 1e-10);
    EXPECT_LT(reference::relative_difference(reference::staggered_normal(m, lexicographic(x[i]), 0),
                                             reference::restrict_to_parity(chi, 0, extents)),
              1.01e-10);
  }
}

struct Site {
  int before;
  Complex link[4][9];
  double momentum[4][10];
};

// Momenta that are resident come before those of the sites.
TEST_F(QudaMilc, UpdatesLinksOfSitesAlongTheirMomenta) {
  std::vector<Site> sites(static_cast<std::size_t>(volume_of(extents)));
  const QdpMomenta momenta(3);
  for (std::size_t k = 0; k < folded.size(); ++k) sites[k / 36].link[k % 36 / 9][k % 9] = folded[k];
  for (std::size_t k = 0; k < 40 * sites.size(); ++k) {
    sites[k / 40].momentum[k % 40 / 10][k % 10] = momenta.parts[k % 40 / 10][k / 40 * 10 + k % 10];
  }
  QudaMILCSiteArg_t arg{};
  arg.site = sites.data();
  arg.link_offset = offsetof(Site, link);
  arg.mom_offset = offsetof(Site, momentum);
  arg.size = sizeof(Site);
  constexpr double step = 0.1;
  qudaMomLoad(2, &arg);
  const double action = qudaMomAction(2, &arg);
  for (Site& site : sites) std::fill_n(&site.momentum[0][0], 40, 0.0);
  qudaUpdateUPhased(2, step, &arg, 1);
  EXPECT_EQ(qudaMomAction(2, &arg), action);
  qudaMomSave(2, &arg);
  EXPECT_NEAR(qudaMomAction(2, &arg), action, 1e-12 * std::abs(action));
  std::vector<Complex> found;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(sites[s].momentum[mu][k], momenta.parts[mu][10 * s + k]);
      found.insert(found.end(), sites[s].link[mu], sites[s].link[mu] + 9);
    }
  }
  EXPECT_LT(reference::relative_difference(found, even_odd(advanced(lexicographic(folded), momenta, step, 8))), 1e-13);
}

// A leapfrog along the force of Symanzik's action conserves the energy to dt^2: force, sign and number of all 48 paths
// are those of the action's loops.
TEST_F(QudaMilc, KeepsTheEnergyOfSymanziksAction) {
  double coefficients[] = {1.0, -0.08, -0.015};
  constexpr double beta = 6.0;
  std::vector<std::vector<int>> loops;
  std::vector<double> of_loops;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      if (a < b) {
        loops.push_back({a, b, 7 - a, 7 - b});
        of_loops.push_back(coefficients[0]);
      }
      if (a != b) {
        loops.push_back({a, a, b, 7 - a, 7 - a, 7 - b});
        of_loops.push_back(coefficients[1]);
      }
      for (int c = b + 1; c < 4; ++c) {
        // Three directions have four loops, by the signs of two of them.
        if (a >= b) continue;
        for (const int y : {b, 7 - b}) {
          for (const int z : {c, 7 - c}) {
            loops.push_back({a, y, z, 7 - a, 7 - y, 7 - z});
            of_loops.push_back(coefficients[2]);
          }
        }
      }
    }
  }
  std::vector<int> lengths;
  std::vector<int*> paths;
  for (auto& loop : loops) {
    lengths.push_back(static_cast<int>(loop.size()));
    paths.push_back(loop.data());
  }
  const std::vector<Complex> numbers = random_field(20, 3);
  const auto change = [&](int steps) {
    std::vector<Complex> given = folded;
    std::vector<double> momenta;
    for (const Complex& z : numbers) {
      momenta.push_back(std::sqrt(0.5) * z.real());
      momenta.push_back(std::sqrt(0.5) * z.imag());
    }
    QudaMILCSiteArg_t arg{};
    arg.link = given.data();
    arg.mom = momenta.data();
    const auto energy = [&] {
      std::vector<double> traces(2 * loops.size());
      qudaGaugeLoopTracePhased(2, traces.data(), paths.data(), lengths.data(), of_loops.data(),
                               static_cast<int>(loops.size()), 6, -beta / 3.0, &arg, 1);
      double sum = qudaMomAction(2, &arg);
      for (std::size_t k = 0; k < loops.size(); ++k) sum += traces[2 * k];
      return sum;
    };
    const double before = energy(), dt = 0.2 / steps;
    for (int k = 0; k < steps; ++k) {
      qudaUpdateUPhased(2, 0.5 * dt, &arg, 1);
      qudaGaugeForcePhased(2, 3, coefficients, dt * beta / 3.0, &arg, 1);
      qudaUpdateUPhased(2, 0.5 * dt, &arg, 1);
    }
    return energy() - before;
  };
  const double coarse = change(8), fine = change(16);
  EXPECT_GT(std::abs(coarse), 0.01);
  EXPECT_NEAR(coarse / fine, 4.0, 0.2);
}

TEST_F(QudaMilc, BringsLinksOfSitesBackToTheirGroup) {
  QudaMILCSiteArg_t sites{};
  std::vector<Complex> given = folded;
  for (Complex& z : given) z *= std::polar(1.1, 0.2);
  sites.link = given.data();
  qudaUnitarizeSU3Phased(2, 1e-12, &sites, 1);
  EXPECT_LT(reference::relative_difference(given, folded), 1e-13);
}

TEST_F(QudaMilc, TakesPhasesOutOfLinksAndPutsThemIn) {
  std::vector<Complex> given = folded;
  qudaRephase(2, given.data(), 0, 0.0);
  EXPECT_EQ(given, even_odd(links));
  qudaRephase(2, given.data(), 1, 0.0);
  EXPECT_EQ(given, folded);
}

// Traces are sums over sites of links without phases.
TEST_F(QudaMilc, MeasuresLoopsOfSitesWithPhases) {
  QudaMILCSiteArg_t sites{};
  sites.link = folded.data();
  int xy[] = {0, 1, 7, 6}, zt[] = {2, 3, 5, 4};
  int* paths[] = {xy, zt};
  int lengths[] = {4, 4};
  double coefficients[] = {1.0, 0.5};
  double traces[4], plaquette[3], alone[3], loop[2], again[4], expected[2];
  const double factor = 1.0 / static_cast<double>(volume_of(extents));
  qudaGaugeLoopTracePhased(2, traces, paths, lengths, coefficients, 2, 4, factor, &sites, 1);
  Complex sums[2] = {0.0, 0.0};
  reference::for_each_site(extents, [&](const Coordinates& x) {
    const auto in_space = reference::plaquette_at(links, x, 0, 1, extents);
    const auto in_time = reference::plaquette_at(links, x, 2, 3, extents);
    sums[0] += factor * (in_space[0] + in_space[4] + in_space[8]);
    sums[1] += 0.5 * factor * (in_time[0] + in_time[4] + in_time[8]);
  });
  for (int k = 0; k < 2; ++k) {
    EXPECT_LT(std::abs(Complex(traces[2 * k], traces[2 * k + 1]) - sums[k]), 1e-14);
  }
  qudaGaugeMeasurementsPhased(2, plaquette, loop, 3, again, paths, lengths, coefficients, 2, 4, factor, &sites, 1);
  EXPECT_NEAR(plaquette[0], reference::plaquette(links, extents), 1e-14);
  qudaPlaquettePhased(2, alone, &sites, 1);
  EXPECT_EQ(alone[0], plaquette[0]);
  qudaPolyakovLoopPhased(2, expected, 3, &sites, 1);
  const Complex polyakov = 3.0 * reference::polyakov_loop(links, 3, extents);
  ASSERT_GT(std::abs(polyakov), 0.01);
  EXPECT_LT(std::abs(Complex(expected[0], expected[1]) - polyakov), 1e-14);
  for (int k = 0; k < 2; ++k) EXPECT_EQ(loop[k], expected[k]);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(again[k], traces[k]);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
