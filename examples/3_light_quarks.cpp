// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Light quarks: pion correlators by multigrid. The setup at the first mass computes near-null vectors, with which the
// setups at the other masses start.
//
//     3_light_quarks examples/quenched_b6.0_8x8x8x16.nersc 0.1335 0.1345 0.1350
#include "number.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/wilson.hpp>

#include <cstdio>
#include <memory>

int main(int argc, char** argv) {
  return kaon::run_program(argc, argv, [&](const kaon::Session& session) {
    if (argc < 3) throw kaon::Error("usage: 3_light_quarks GAUGE_FILE KAPPA...");
    const bool speaks = session.communicator().rank() == 0;
    const kaon::Lattice lattice(session.communicator(), {.extents = kaon::io::inspect_gauge(argv[1]).extents});
    const auto links = kaon::io::read_gauge<double>(lattice, argv[1]);

    // One right-hand side for each spin and colour of the source.
    kaon::SpinorField<double> source(lattice, {.right_hand_sides = 12}), propagator(lattice, {.right_hand_sides = 12});
    kaon::set_point_sources(source, {.site = {0, 0, 0, 0}});

    kaon::MultigridParameters parameters{.tolerance = 1e-10};
    for (int argument = 2; argument < argc; ++argument) {
      const double kappa = number(argv[argument]);
      const kaon::WilsonClover<double> dirac(links, {.mass = kaon::mass_from_kappa(kappa), .csw = 1.769});

      // Levels, vectors and the length of the setup are chosen by kaon.
      const kaon::Multigrid multigrid(dirac, parameters);
      const kaon::SolveResult result = multigrid.solve(propagator, source);
      kaon::require_converged(result);
      if (!parameters.near_null_vectors) {
        parameters.near_null_vectors = std::make_shared<const kaon::SpinorField<float>>(multigrid.near_null_vectors());
      }

      const std::vector<double> pion = kaon::pion_correlator(propagator);
      const auto mass = kaon::effective_mass(pion);
      const std::size_t middle = pion.size() / 2 - 2;
      if (speaks) {
        std::printf("kappa %.4f  setup %.2f s, %d bootstraps  %d iterations  true residual %.1e  pion mass %.5f\n",
                    kappa, multigrid.report().setup_seconds, multigrid.report().bootstraps, result.iterations(),
                    result.true_residual(), mass[middle].value_or(0.0));
      }
      kaon::blas::set_zero(propagator);
    }
    return 0;
  });
}
