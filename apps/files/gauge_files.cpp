// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/gauge_files.hpp"

#include "apps/cli/command.hpp"
#include "core/tuning/phases.hpp"
#include "io/gauge/gauge_parts.hpp"

#include <kaon/quarks/solve_options.hpp>

#include <optional>
#include <utility>

namespace kaon::apps {

void add_gauge_input_options(const Command& command, GaugeInputOptions& options, const std::string& size_text) {
  command.add_option("--size", options.extents, size_text)->type_name("X,Y,Z,T");
  add_ignore_stated_plaquette(command, options);
  add_grid_option(command, options.layout);
}

void add_ignore_stated_plaquette(const Command& command, GaugeInputOptions& options) {
  command.add_flag("--ignore-stated-plaquette", options.ignore_stated_plaquette,
                   "Accept links whose checksum is right, whatever plaquette the file states");
}

void check(const GaugeInputOptions& options, bool reads_file, const std::string& lacking) {
  if (options.ignore_stated_plaquette && !reads_file) {
    refuse_without_meaning("--ignore-stated-plaquette", "without " + lacking);
  }
  if (!options.extents.empty()) parse_extents("--size", options.extents);
  check(options.layout);
}

namespace {

io::ReadOptions read_options(const GaugeInputOptions& options) {
  io::ReadOptions reading{.ignore_stated_plaquette = options.ignore_stated_plaquette};
  if (!options.extents.empty()) reading.extents = parse_extents("--size", options.extents);
  return reading;
}

}  // namespace

HostGaugeFile read_to_host(const Session& session, const std::string& option, const std::filesystem::path& path,
                           const GaugeInputOptions& options) {
  const detail::Phase phase(detail::PhaseName::read);
  const io::ReadOptions reading = read_options(options);
  std::optional<Lattice> lattice;
  const auto choose_part = [&](const Coordinates& extents) {
    lattice = make_lattice(session, option, extents, options.layout);
    return io::part_of(*lattice);
  };
  io::HostGaugeFile file =
      with_option(option, [&] { return io::read_parts(session.communicator(), path, reading, choose_part); });
  return {*lattice, std::move(file)};
}

GaugeFile read_gauge_file(const Session& session, const std::string& option, const std::filesystem::path& path,
                          const GaugeInputOptions& options) {
  const io::ReadOptions reading = read_options(options);
  const auto make = [&](const Coordinates& extents) { return make_lattice(session, option, extents, options.layout); };
  return with_option(option, [&] { return io::read_gauge_file<double>(session.communicator(), path, make, reading); });
}

std::optional<Coordinates> extents_of_file(const Session& session, const std::filesystem::path& path,
                                           const GaugeInputOptions& options) {
  try {
    return io::inspect_gauge(path, read_options(options), session.communicator()).extents;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string describe(const io::GaugeFileHeader& header) {
  return fmt::format("{}, {}, {} precision, {} rows", to_string(header.extents), to_string(header.format),
                     header.bits == 64 ? "double" : "single", header.rows);
}

namespace {

template <class File>
void report(const Session& session, const std::filesystem::path& path, const File& file, const Lattice& lattice) {
  say(session, "gauge field   {}\n", path.string());
  say(session, "              {}\n", describe(file.header));
  report_grid(session, lattice);
  say(session, "plaquette     {:.10f}", file.report.plaquette);
  if (file.header.plaquette) say(session, "   (in the file: {:.10f})", file.header.plaquette->value);
  say(session, "\nlink trace    {:.10f}", file.report.link_trace);
  if (file.header.link_trace) say(session, "   (in the file: {:.10f})", file.header.link_trace->value);
  if (file.report.checksum) {
    say(session, "\nchecksum      {}{}", to_string(*file.report.checksum),
        file.header.checksum ? " as in the file" : " (the file has none)");
  }
  say(session, "\nunitarity     within {:.1e}, determinant within {:.1e}\n", file.report.unitarity_deviation,
      file.report.determinant_deviation);
  for (const std::string& note : file.report.notes) say(session, "note          {}\n", note);
}

}  // namespace

void report_gauge_file(const Session& session, const std::filesystem::path& path, const HostGaugeFile& gauge) {
  report(session, path, gauge.file, gauge.lattice);
}

void report_gauge_file(const Session& session, const std::filesystem::path& path, const GaugeFile& file) {
  report(session, path, file, file.links.lattice());
}

Json to_json(const std::filesystem::path& path, const io::GaugeFileHeader& header, const io::GaugeFileReport& report) {
  Json json{{"file", path.string()}, {"format", to_string(header.format)}, {"extents", header.extents},
            {"bits", header.bits},   {"plaquette", report.plaquette},      {"link_trace", report.link_trace}};
  if (report.checksum) json["checksum"] = to_string(*report.checksum);
  return json;
}

namespace {

constexpr OptionWord<io::GaugeFormat> gauge_formats[] = {
    {"ildg", io::GaugeFormat::ildg},     {"nersc", io::GaugeFormat::nersc}, {"nersc3x3", io::GaugeFormat::nersc},
    {"scidac", io::GaugeFormat::scidac}, {"grid", io::GaugeFormat::grid},   {"pyquda", io::GaugeFormat::pyquda},
    {"qdpxx", io::GaugeFormat::qdpxx}};

}  // namespace

void add_gauge_output_options(const Command& command, GaugeOutputOptions& options) {
  command.add_choice("--format", options.format, words_of(gauge_formats),
                     "Of what is written; nersc: two rows of links; pyquda, qdpxx: HDF5");
  command.add_choice("--precision", options.precision, {"double", "single"}, "Of what is written");
}

std::string describe(const GaugeOutputOptions& options) {
  return fmt::format("{} in {} precision", options.format, options.precision);
}

namespace {

io::WriteOptions write_options(const GaugeOutputOptions& options, int sequence_number) {
  io::WriteOptions writing;
  writing.format = value_of(gauge_formats, options.format);
  writing.rows = options.format == "nersc" ? 2 : 3;
  writing.bits = options.precision == "double" ? 64 : 32;
  writing.sequence_number = sequence_number;
  return writing;
}

}  // namespace

io::Checksum write_gauge_file(const std::string& option, const std::filesystem::path& path,
                              const GaugeField<double>& links, const GaugeOutputOptions& options, int sequence_number) {
  const io::WriteOptions writing = write_options(options, sequence_number);
  const io::Checksum checksum = with_option(option, [&] { return io::write_gauge(path, links, writing); });
  report_complete_file(path);
  return checksum;
}

io::Checksum write_gauge_file(const std::string& option, const std::filesystem::path& path, const HostGaugeFile& gauge,
                              const GaugeOutputOptions& options) {
  const detail::Phase phase(detail::PhaseName::write);
  const io::WriteOptions writing = write_options(options, 0);
  const io::Checksum checksum =
      with_option(option, [&] { return io::write_parts(path, io::part_of(gauge.lattice), gauge.file.links, writing); });
  report_complete_file(path);
  return checksum;
}

std::unique_ptr<io::GaugeWrite> start_gauge_file(const std::string& option, const std::filesystem::path& path,
                                                 const Lattice& lattice, std::shared_ptr<const io::HostLinks> links,
                                                 const GaugeOutputOptions& options, int sequence_number) {
  const io::WriteOptions writing = write_options(options, sequence_number);
  return with_option(
      option, [&] { return std::make_unique<io::GaugeWrite>(path, io::part_of(lattice), std::move(links), writing); });
}

std::string extension(const GaugeOutputOptions& options) {
  if (options.format.starts_with("nersc")) return ".nersc";
  return is_hdf5(options.format) ? ".h5" : ".lime";
}

}  // namespace kaon::apps
