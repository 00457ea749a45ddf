// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/command.hpp"
#include "apps/gauge_input.hpp"
#include "apps/gauge_output.hpp"
#include "apps/option_values.hpp"

namespace kaon::apps {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string extents;
  LayoutOptions layout;
  GaugeOutputOptions format;
};

Exit convert(const Session& session, const ConvertOptions& options) {
  require_other_file(session, "OUT", options.output, "IN", options.input);
  require_writable(session, "OUT", options.output);
  io::ReadOptions reading;
  if (!options.extents.empty()) reading.extents = parse_extents("--size", options.extents);
  const GaugeFile file = read_gauge_file(session, "IN", options.input, options.layout, reading);
  report_gauge_file(session, options.input, file);
  write_gauge_file("OUT", options.output, file.links, options.format);
  std::error_code ignored;
  say(session, "written       {} ({}, {} bytes)\n", options.output, describe(options.format),
      std::filesystem::file_size(options.output, ignored));
  return Exit::success;
}

}  // namespace

void add_convert(CLI::App& program, Action& action) {
  const Command command(program, "convert", "Write a gauge field in another format or precision");
  auto options = std::make_shared<ConvertOptions>();
  command.add_option("IN", options->input, "Gauge file; its format is recognised from its content").required();
  command.add_option("OUT", options->output, "File to write; one of that name is replaced").required();
  add_gauge_output_options(command, options->format);
  command.add_option("--size", options->extents, "Extents of a file that does not state its own").type_name("X,Y,Z,T");
  add_grid_option(command, options->layout);
  command.callback([options, &action] {
    if (!options->extents.empty()) parse_extents("--size", options->extents);
    check(options->layout);
    action = [options](const Session& session) { return convert(session, *options); };
  });
}

}  // namespace kaon::apps
