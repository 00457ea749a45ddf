// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/apps/propagator_runs.hpp"

#include <kaon/measure/correlator.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/flavors.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon;
using namespace kaon::test;

/// The program's twisted-mass and staggered propagators.
class Actions : public PropagatorRuns {};

TEST_F(Actions, SolveWithTheOperatorsOfTheLibrary) {
  const GaugeField<double> links = weak_links();
  expect_propagator_of(TwistedMass<double>(links, {.mass = 0.1, .mu = 0.3}),
                       "--action twisted-mass --mass 0.1 --mu 0.3");
  expect_propagator_of(TwistedMass<double>(links, {.mass = 0.1, .mu = -0.3, .anisotropy = {1.2, 0.9}}),
                       "--action twisted-mass --mass 0.1 --mu=-0.3 --xi0 1.2 --nu 0.9");
  expect_propagator_of(TwistedClover<double>(links, {.mass = 0.1, .mu = 0.3, .csw = 1.1}),
                       "--action twisted-mass --mass 0.1 --mu 0.3 --csw 1.1");
  expect_propagator_of(Staggered<double>(links, {.mass = 0.2}), "--action staggered --mass 0.2");
  expect_propagator_of(Staggered<double>(links, {.mass = -0.3, .boundary = {0.0, 0.5, 0.0, 1.0}}),
                       "--action staggered --mass=-0.3 --boundary 0,0.5,0,1");
}

TEST_F(Actions, AreNamedInReports) {
  Json action = run(weak + "--action twisted-mass --kappa 0.12 --mu 0.3").at("action");
  EXPECT_EQ(action.at("name"), "twisted-mass");
  EXPECT_EQ(action.at("mu"), 0.3);
  EXPECT_EQ(action.at("kappa"), 0.12);
  EXPECT_FALSE(action.contains("csw"));
  EXPECT_TRUE(contains(output_, "Wilson with a twisted mass\n")) << output_;
  EXPECT_TRUE(contains(output_, "mass          0.1666666667, kappa 0.12, mu 0.3\n")) << output_;
  action = run(weak + "--action twisted-mass --mass 0.1 --mu 0.3 --csw 1.1").at("action");
  EXPECT_EQ(action.at("csw"), 1.1);
  EXPECT_TRUE(contains(output_, "Wilson-clover with a twisted mass, csw = 1.1\n")) << output_;
  const Json report = run(weak + "--action staggered --mass 0.2");
  action = report.at("action");
  EXPECT_EQ(action.at("name"), "staggered");
  EXPECT_EQ(action.at("mass"), 0.2);
  for (const char* key : {"kappa", "mu", "csw", "xi0", "nu"}) EXPECT_FALSE(action.contains(key)) << key;
  EXPECT_EQ(report.at("solver").at("name"), "auto");
  EXPECT_TRUE(report.at("solver").at("schur").is_null());
  for (const char* text : {"naive staggered, 2m + D\n", "mass          0.2\n", "3 right-hand sides\n",
                           "auto on the normal operator of the even sites, double-half precision, links in 12 reals"}) {
    EXPECT_TRUE(contains(output_, text)) << text << "\n" << output_;
  }
}

TEST_F(Actions, OfDomainWallQuarksGiveThePropagatorsOfTheLibrary) {
  const GaugeField<double> links = weak_links();
  const DomainWall<double> dirac(links,
                                 {.mass = 0.1, .m5 = 1.4, .slices = 4, .b = 1.5, .c = 0.5, .anisotropy = {1.2, 0.9}});
  SpinorField<double> sources(links.lattice(), {.right_hand_sides = 12});
  set_point_sources(sources, {.site = {1, 0, 2, 3}});
  auto found = propagate<double>(PropagatorSolver<double>(dirac, {.tolerance = 1e-11}), sources);
  require_converged(found.solve);
  const SpinorField<double>&q = found.at("propagator"), &midpoint = found.at("midpoint");
  std::vector<double>& current = found.axial_current;
  const CorrelatorParameters of{.source_site = {1, 0, 2, 3}};
  const std::string file = folder_ / "domain_wall.lime";
  const std::string arguments = weak +
                                "--action domain-wall --mass 0.1 --m5 1.4 --b 1.5 --c 0.5 --xi0 1.2 --nu 0.9 "
                                "--tolerance 1e-11 --source-site 1,0,2,3 ";
  const Json report = run(arguments + "--ls 4 --output " + file);
  expect_near(pion(report), pion_correlator(q, of), 1e-8);
  const auto m_res = report.at("residual_mass").get<std::vector<double>>();
  expect_near(m_res, residual_mass(pion_correlator(midpoint, of), pion_correlator(q, of)), 1e-8);
  std::rotate(current.begin(), current.begin() + 3, current.end());
  expect_near(report.at("axial_current").get<std::vector<double>>(), current, 1e-8);
  EXPECT_TRUE(contains(output_, "domain wall, M5 = 1.4, 4 slices, b = 1.5, c = 0.5\n")) << output_;
  EXPECT_TRUE(contains(output_, "block-cg on the asymmetric even-odd system, double-single")) << output_;
  EXPECT_TRUE(contains(output_, "residual mass ")) << output_;
  EXPECT_EQ(report.at("action").at("ls"), 4);
  EXPECT_FALSE(report.at("action").contains("kappa"));
  const auto written = io::read_propagator<double>(links.lattice(), file);
  EXPECT_NEAR(sum(pion_correlator(written, of)) / sum(pion_correlator(q, of)), 1.0, 1e-8);
  EXPECT_FALSE(run(arguments + "--ls 3").contains("residual_mass"));  // no midpoint
}

TEST_F(Actions, OfZMoebiusQuarksGiveThePropagatorsOfTheLibrary) {
  const GaugeField<double> links = weak_links();
  const DomainWall<double> dirac(
      links, {.mass = 0.1, .m5 = 1.4, .slices = 2, .c = 0.5, .b_of_slices = {{1.46, 0.2}, {0.73, -1e-1}}});
  SpinorField<double> sources(links.lattice(), {.right_hand_sides = 12});
  set_point_sources(sources, {.site = {0, 0, 0, 0}});
  const auto found = propagate<double>(PropagatorSolver<double>(dirac, {.tolerance = 1e-11}), sources);
  require_converged(found.solve);
  const Json report = run(weak + "--action domain-wall --mass 0.1 --m5 1.4 --ls 2 --b 1.46+0.2i,0.73-1e-1i --c 0.5 " +
                          "--tolerance 1e-11");
  expect_near(pion(report), pion_correlator(found.at("propagator"), {}), 1e-8);
  EXPECT_FALSE(report.contains("axial_current"));
  EXPECT_EQ(report.at("action").at("b"), Json::parse("[[1.46, 0.2], [0.73, -0.1]]"));
  EXPECT_EQ(report.at("action").at("c"), 0.5);
}

// The four files are the flavours of solutions from sources in each flavour.
TEST_F(Actions, OfATwistedDoubletGiveThePropagatorsOfTheLibrary) {
  const GaugeField<double> links = weak_links();
  const Coordinates site{1, 0, 2, 3};
  const std::string file = folder_ / "doublet.lime";
  for (const std::string csw : {"", " --csw 1.1"}) {
    TwistedDoubletParameters parameters{.mass = 0.1, .mu = 0.3, .epsilon = 0.2};
    if (!csw.empty()) parameters.csw = 1.1;
    const TwistedDoublet<double> dirac(links, parameters);
    const Json report = run(weak + "--action twisted-doublet --mass 0.1 --mu 0.3 --epsilon 0.2" + csw +
                            " --tolerance 1e-11 --source-site 1,0,2,3 --output " + file);
    SpinorField<double> sources(links.lattice(), {.right_hand_sides = 12});
    set_point_sources(sources, {.site = site});
    for (const std::string from : {"0", "1"}) {
      SpinorField<double> psi = dirac.make_field(12), b = dirac.make_field(12), part = dirac.make_field(12);
      for (const std::string to : {"0", "1"}) {
        const auto read = io::read_propagator<double>(links.lattice(), folder_ / ("doublet_" + to + from + ".lime"));
        const std::string name = to == from ? to : from + "_to_" + to;
        EXPECT_EQ(report.at("flavor_correlators").at(name).get<std::vector<double>>(),
                  pion_correlator(read, {.source_site = site}));
        set_flavor(part, read, std::stoi(to));
        blas::add(psi, part);
      }
      set_flavor(b, sources, std::stoi(from));
      expect_solution(dirac, psi, b);
    }
    EXPECT_EQ(report.at("flavor_correlators").at("0"), report.at("pion_correlator"));
    EXPECT_EQ(report.at("action").at("epsilon"), 0.2);
    EXPECT_EQ(report.at("solver").at("right_hand_sides").size(), 24);
    EXPECT_TRUE(contains(output_, "doublet with twisted masses that differ")) << output_;
    EXPECT_TRUE(contains(output_, "mu 0.3, epsilon 0.2\n")) << output_;
    EXPECT_TRUE(contains(output_, "cgnr on the symmetric even-odd system")) << output_;
  }
}

// M^-1 = M^dag (M^dag M)^-1 and D joins no site to itself: sum_t C(t) = Re tr S(0, 0) / (2m).
TEST_F(Actions, StaggeredPionSumsToTheCondensate) {
  const double mass = 0.2;
  const std::string file = folder_ / "propagator.lime";
  const auto correlator = pion(run(weak + "--action staggered --mass 0.2 --tolerance 1e-12 --output " + file));
  const auto propagator = io::read_propagator<double>(Lattice({.extents = {4, 4, 4, 8}}), file);
  double trace = 0.0;
  for (int color = 0; color < 3; ++color) trace += propagator.to_host(color)[static_cast<std::size_t>(color)].real();
  EXPECT_NEAR(sum(correlator), trace / (2.0 * mass), 1e-9 * sum(correlator));
}

}  // namespace KAON_TEST_FILE
