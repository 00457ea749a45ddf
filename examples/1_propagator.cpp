// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The first example: reads a gauge field, solves for the twelve columns of a clover propagator at once and prints the
// pion correlator.
//
//     1_propagator examples/quenched_b6.0_8x8x8x16.nersc
#include <kaon/comm/session.hpp>
#include <kaon/core/error.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  // run_program starts MPI and Kokkos, and turns what is thrown into a message and an exit code.
  return kaon::run_program(argc, argv, [&](const kaon::Session& session) {
    if (argc != 2) throw kaon::Error("usage: 1_propagator GAUGE_FILE");

    // The format is recognised from the content; checksums, plaquette and unitarity are verified.
    const kaon::Lattice lattice(session.communicator(), {.extents = kaon::io::inspect_gauge(argv[1]).extents});
    const auto links = kaon::io::read_gauge<double>(lattice, argv[1]);

    // The Dirac operator, antiperiodic in time by default.
    const kaon::WilsonClover<double> dirac(links, {.mass = kaon::mass_from_kappa(0.1345), .csw = 1.769});

    // Even-odd BiCGstab with iterations in 16 bits, corrected in double precision.
    const kaon::PropagatorSolver solver(dirac, {.tolerance = 1e-10});

    // One right-hand side for each spin and colour of the source.
    kaon::SpinorField<double> source(lattice, {.right_hand_sides = 12}), propagator(lattice, {.right_hand_sides = 12});
    kaon::set_point_sources(source, {.site = {0, 0, 0, 0}});
    const kaon::SolveResult result = solver.solve(propagator, source);
    kaon::require_converged(result);
    std::printf("%d iterations, true residual %.1e, %.1f s, %.1f Gflop/s\n", result.iterations(),
                result.true_residual(), result.seconds, result.gflops());

    const std::vector<double> pion = kaon::pion_correlator(propagator);
    const auto mass = kaon::effective_mass(pion);
    for (std::size_t t = 0; t < pion.size(); ++t) {
      std::printf("%3zu  %.10e  %.6f\n", t, pion[t], mass[t].value_or(0.0));
    }
    return 0;
  });
}
