// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/files/gauge_files.hpp"
#include "apps/files/prepared_files.hpp"

namespace kaon::apps {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  GaugeInputOptions reading;
  GaugeOutputOptions format;
};

Exit convert(const Session& session, const ConvertOptions& options) {
  require_usable_files(session, {{"IN", options.input, true}, {"OUT", options.output}});
  const HostGaugeFile gauge = read_to_host(session, "IN", options.input, options.reading);
  report_gauge_file(session, options.input, gauge);
  write_gauge_file("OUT", options.output, gauge, options.format);
  std::error_code ignored;
  say(session, "written       {} ({}, {} bytes)\n", options.output, describe(options.format),
      std::filesystem::file_size(options.output, ignored));
  return Exit::success;
}

void check_convert(ConvertOptions& options, const std::set<std::string>&) {
  check(options.reading);
  require_name_of_format("OUT", options.output, "--format", options.format.format);
}

void declare_convert(const Command& command, ConvertOptions& options) {
  command.add_option("IN", options.input, "Gauge file; its format is recognised from its content")->required();
  command.add_option("OUT", options.output, "File to write; one of that name is replaced")->required();
  add_gauge_output_options(command, options.format);
  add_gauge_input_options(command, options.reading);
}

const Subcommand convert_subcommand(30, "convert", "Write a gauge field in another format or precision",
                                    declare_convert, convert, check_convert);

}  // namespace
}  // namespace kaon::apps
