// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/changed_links.hpp"

#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/prepared_files.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

namespace kaon::apps {

void add_changed_links_options(const Command& command, ChangedLinksOptions& options) {
  command.add_option("FILE", options.file, "Gauge file; its format is recognised from its content")->required();
  add_gauge_input_options(command, options.input);
  command.add_option("--output", options.output, "File for the links; one of that name is replaced")->type_name("FILE");
  add_gauge_output_options(command, options.format);
  command.add_flag("--json", options.as_json, "Write the result as JSON");
}

void check(const ChangedLinksOptions& options, const std::set<std::string>& named) {
  check(options.input);
  if (options.output.empty()) refuse_named(named, {"--format", "--precision"}, "without --output");
  require_name_of_format("--output", options.output, "--format", options.format.format);
}

GaugeFile read_links_to_change(const Session& session, const ChangedLinksOptions& options) {
  require_usable_files(session, {{"FILE", options.file, true}, {"--output", options.output}});
  GaugeFile file = read_gauge_file(session, "FILE", options.file, options.input);
  if (!options.as_json) report_gauge_file(session, options.file, file);
  const int reals = options.format.format == "nersc" ? 12 : 18, bytes = options.format.precision == "single" ? 4 : 8;
  const auto of_links = static_cast<std::uint64_t>(file.links.lattice().volume() * 4 * reals * bytes);
  require_usable_files(session, {{"--output", options.output, false, of_links}});
  reunitarize(file.links);
  return file;
}

void write_changed_links(const Session& session, const ChangedLinksOptions& options, const GaugeField<double>& links) {
  if (options.output.empty()) return;
  write_gauge_file("--output", options.output, links, options.format);
  if (!options.as_json) say(session, "written       {} ({})\n", options.output, describe(options.format));
}

Smoothness measure_smoothness(const GaugeField<double>& links, double anisotropy) {
  const detail::Phase phase(detail::PhaseName::contract);
  const CloverObservables found = clover_observables(links);
  const double energy =
      anisotropy == 1.0 ? found.energy : found.spatial_energy + anisotropy * anisotropy * found.temporal_energy;
  return {plaquette(links).average, energy, found.charge};
}

Json to_json(const Smoothness& found) {
  return {{"plaquette", found.plaquette}, {"energy", found.energy}, {"charge", found.charge}};
}

}  // namespace kaon::apps
