// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Several masses: Goldstone pions of HISQ fermions on one gauge field. The links are smeared once, and one Krylov space
// serves all masses.
//
//     2_several_masses examples/quenched_b6.0_8x8x8x16.nersc 0.02 0.05 0.1
#include "number.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  return kaon::run_program(argc, argv, [&](const kaon::Session& session) {
    if (argc < 3) throw kaon::Error("usage: 2_several_masses GAUGE_FILE MASS...");
    const bool speaks = session.communicator().rank() == 0;

    // Third links reach three sites.
    const kaon::Lattice lattice(session.communicator(),
                                {.extents = kaon::io::inspect_gauge(argv[1]).extents, .reach = 3});
    auto thin = kaon::io::read_gauge<double>(lattice, argv[1]);
    kaon::reunitarize(thin);  // the file is in single precision
    const kaon::ImprovedLinks links = kaon::hisq_links(thin);

    std::vector<double> masses;
    for (int argument = 2; argument < argc; ++argument) masses.push_back(number(argv[argument]));
    const kaon::ImprovedStaggered<double> dirac(links.fat, links.third,
                                                {.mass = masses.front(), .third_weight = links.third_weight});
    const kaon::MultiMassSolver solver(dirac, masses, {.tolerance = 1e-10});

    // One right-hand side for each colour of the source.
    kaon::SpinorField<double> source(lattice, {.spins = 1, .right_hand_sides = 3});
    kaon::set_point_sources(source, {.site = {0, 0, 0, 0}});
    std::vector<kaon::SpinorField<double>> propagators;
    for (std::size_t s = 0; s < masses.size(); ++s) propagators.emplace_back(lattice, source.parameters());
    const std::vector<kaon::SolveResult> results = solver.solve(propagators, source);

    for (std::size_t s = 0; s < masses.size(); ++s) {
      kaon::require_converged(results[s]);
      const std::vector<double> pion = kaon::pion_correlator(propagators[s]);
      const auto mass = kaon::effective_mass(pion);
      if (speaks) {
        std::printf("mass %.4f  %d iterations  true residual %.1e  C(0) %.6e  pion mass %.5f\n", masses[s],
                    results[s].iterations(), results[s].true_residual(), pion[0],
                    mass[pion.size() / 2 - 2].value_or(0.0));
      }
    }
    return 0;
  });
}
