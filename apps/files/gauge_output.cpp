// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/gauge_output.hpp"

#include "apps/cli/option_values.hpp"
#include "apps/cli/signal_report.hpp"
#include "apps/cli/with_option.hpp"

namespace kaon::apps {

void add_gauge_output_options(const Command& command, GaugeOutputOptions& options) {
  add_choice(command, "--format", options.format, {"ildg", "nersc", "nersc3x3"},
             "Of what is written; nersc leaves out the third row of links");
  add_choice(command, "--precision", options.precision, {"double", "single"}, "Of what is written");
}

std::string describe(const GaugeOutputOptions& options) {
  return fmt::format("{} in {} precision", options.format, options.precision);
}

void write_gauge_file(const std::string& option, const std::filesystem::path& path, const GaugeField<double>& links,
                      const GaugeOutputOptions& options, int sequence_number) {
  io::WriteOptions writing;
  writing.format = options.format == "ildg" ? io::GaugeFormat::ildg : io::GaugeFormat::nersc;
  writing.rows = options.format == "nersc" ? 2 : 3;
  writing.bits = options.precision == "double" ? 64 : 32;
  writing.sequence_number = sequence_number;
  with_option(option, [&] { io::write_gauge(path, links, writing); });
  report_complete_file(path);
}

std::string extension(const GaugeOutputOptions& options) { return options.format == "ildg" ? ".lime" : ".nersc"; }

}  // namespace kaon::apps
