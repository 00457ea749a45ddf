// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_files.hpp"
#include "core/tuning/phases.hpp"
#include "io/gauge/link_examination.hpp"

#include <complex>

namespace kaon::apps {
namespace {

struct PlaquetteOptions {
  std::string file;
  GaugeInputOptions input;
  bool as_json = false;
};

Exit measure_plaquette(const Session& session, const PlaquetteOptions& options) {
  const HostGaugeFile gauge = read_to_host(session, "FILE", options.file, options.input);
  const io::GaugeFileReport& found = gauge.file.report;
  const std::complex<double> loop = [&] {
    const detail::Phase phase(detail::PhaseName::contract);
    return io::polyakov_loop(io::part_of(gauge.lattice), gauge.file.links);
  }();
  if (options.as_json) {
    Json json = to_json(options.file, gauge.file.header, found);
    json["plaquette_spatial"] = found.plaquette_spatial;
    json["plaquette_temporal"] = found.plaquette_temporal;
    json["polyakov_loop"] = {loop.real(), loop.imag()};
    json["provenance"] = provenance(session, gauge.lattice);
    say_json(session, json);
    return Exit::success;
  }
  report_gauge_file(session, options.file, gauge);
  say(session, "planes        {:.10f} spatial, {:.10f} temporal\n", found.plaquette_spatial, found.plaquette_temporal);
  say(session, "Polyakov loop {:.10f} {:+.10f} i\n", loop.real(), loop.imag());
  return Exit::success;
}

void check_plaquette(PlaquetteOptions& options, const std::set<std::string>&) { check(options.input); }

void declare_plaquette(const Command& command, PlaquetteOptions& options) {
  command.add_option("FILE", options.file, "Gauge file; its format is recognised from its content")->required();
  add_gauge_input_options(command, options.input);
  command.add_flag("--json", options.as_json, "Write the result as JSON");
}

const Subcommand plaquette_subcommand(20, "plaquette",
                                      "Plaquette, link trace and Polyakov loop of a gauge file, which is verified",
                                      declare_plaquette, measure_plaquette, check_plaquette);

}  // namespace
}  // namespace kaon::apps
