// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Hybrid Monte Carlo: trajectories with the Wilson gauge action and two flavours of clover quarks. The force of the
// quarks is computed on a coarser time scale than that of the links.
//
//     4_trajectory 4
#include "number.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <cstdio>
#include <memory>

int main(int argc, char** argv) {
  return kaon::run_program(argc, argv, [&](const kaon::Session& session) {
    if (argc != 2) throw kaon::Error("usage: 4_trajectory COUNT");
    const int count = static_cast<int>(number(argv[1]));
    const kaon::Lattice lattice(session.communicator(), {.extents = {4, 4, 4, 8}});
    kaon::GaugeField<double> links(lattice);
    kaon::set_random(links, {.seed = 3});

    const auto quarks = std::make_shared<kaon::TwoFlavorAction>(
        kaon::FermionParameters{.action = kaon::FermionAction::wilson_clover, .mass = 0.2, .csw = 1.5});
    const auto gauge = std::make_shared<kaon::GaugeAction>(5.0);
    const kaon::TimeScale outer{.terms = {quarks}, .steps = 6}, inner{.terms = {gauge}, .steps = 2};
    kaon::HybridMonteCarlo hmc({outer, inner}, {.length = 0.5, .seed = 7});

    // One seed and number draw the same momenta, so that a run can continue from a file of links.
    for (int n = 0; n < count; ++n) {
      const kaon::TrajectoryReport report = hmc.trajectory(links, static_cast<std::uint32_t>(n));
      if (session.communicator().rank() != 0) continue;
      std::printf("trajectory %d  delta H %8.5f  %s  plaquette %.8f  %ld iterations\n", n, report.delta_energy,
                  report.accepted ? "accepted" : "rejected", report.plaquette, report.iterations);
    }
    return 0;
  });
}
