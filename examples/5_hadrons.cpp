// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Mesons and baryons of one gauge field by the input of `kaon measure`: prints the correlators of the pion and of the
// nucleon from one source.
//
//     5_hadrons examples/quenched_b6.0_8x8x8x16.nersc
#include <kaon/campaign/measurement.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/io/gauge.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  return kaon::run_program(argc, argv, [&](const kaon::Session& session) {
    if (argc != 2) throw kaon::Error("usage: 5_hadrons GAUGE_FILE");

    // The keys of docs/measure.md; `read_measurement_input` reads them from a file.
    const kaon::MeasurementInput input = kaon::parse_measurement_input(R"({
      "quark": {"l": {"action": "clover", "csw": 1.769, "kappa": 0.1320}},
      "source": {"sites": [[0, 0, 0, 0]]},
      "meson": [{"quarks": ["l", "l"], "gammas": ["g5"]}],
      "baryon": [{"kind": "nucleon", "quarks": ["l", "l"], "channels": ["positive"]}]
    })",
                                                                       "5_hadrons", false);

    const kaon::Lattice lattice(session.communicator(), {.extents = kaon::io::inspect_gauge(argv[1]).extents});
    const auto links = kaon::io::read_gauge<double>(lattice, argv[1]);
    const kaon::Measurement measured = kaon::measure(links, input, "quenched");
    if (!measured.failure.empty()) throw kaon::Error(measured.failure);

    if (session.communicator().rank() != 0) return 0;
    const auto& pion = measured.correlators[0].values;  // [source][sink][momentum][channel][t]
    const auto& nucleon = measured.correlators[1].values;
    for (std::size_t t = 0; t < pion.size(); ++t) {
      std::printf("%3zu  %.8e  %.8e\n", t, pion[t].real(), nucleon[t].real());
    }
    return 0;
  });
}
