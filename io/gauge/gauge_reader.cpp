// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"
#include "io/collective.hpp"
#include "io/gauge/gauge_body.hpp"
#include "io/gauge/gauge_formats.hpp"
#include "io/gauge/gauge_parts.hpp"
#include "io/gauge/link_examination.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/gauge_file.hpp>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>

namespace kaon::io {
namespace {

/// All readings that the header of the file allows; at least one.
std::vector<ParsedGauge> parse(const InputFile& file, const ReadOptions& options) {
  for (const auto parser : {parse_nersc, parse_lime, parse_hdf5, parse_milc, parse_raw}) {
    const auto readings = parser(file, options);
    if (readings.empty()) continue;
    require(!options.format || readings.front().header.format == *options.format, [&] {
      return fmt::format("{} is a file in format {}, not {}", file.path().string(),
                         to_string(readings.front().header.format), to_string(*options.format));
    });
    return readings;
  }
  throw Error(
      fmt::format("{} has an unknown format; kaon reads gauge fields as NERSC archive, ILDG or SciDAC (LIME), HDF5 of "
                  "PyQUDA and QDP++, MILC v5, "
                  "openQCD and DD-alphaAMG raw",
                  file.path().string()));
}

/// 1e-5 is what a plaquette summed in single precision may be off.
double allowed_difference(const StatedNumber& stated, int bits) { return stated.rounding + (bits == 32 ? 1e-5 : 1e-8); }

/// Adds what is wrong with a stated number, if anything.
void compare(std::vector<std::string>& wrong, std::string_view what, const std::optional<StatedNumber>& stated,
             double computed, int bits) {
  if (!stated) return;
  const double allowed = allowed_difference(*stated, bits);
  const double difference = std::abs(stated->value - computed);
  if (difference <= allowed) return;
  wrong.push_back(
      fmt::format("wrong {}: the file states {:.12g} ({}), its links give {:.12g} (difference {:.2g}, allowed {:.2g})",
                  what, stated->value, stated->source, computed, difference, allowed));
}

/// Makes notes or problems of wrong statements: notes where a right checksum and the options allow it.
void judge(const std::vector<std::string>& wrong, std::vector<std::string>& problems, HostGaugeFile& gauge,
           const InputFile& file, const ReadOptions& options) {
  if (wrong.empty()) return;
  const std::optional<Checksum>& stated = gauge.header.checksum;
  const bool verified = stated && *stated == gauge.report.checksum;
  if (verified && options.ignore_stated_plaquette) {
    for (const std::string& text : wrong) {
      gauge.report.notes.push_back(text + "; ignored: the checksum is right");
      if (problems.empty()) file.warn(gauge.report.notes.back());
    }
    return;
  }
  problems.insert(problems.end(), wrong.begin(), wrong.end());
  if (verified) {
    problems.emplace_back(
        "the checksum is right: where the statement is known to be wrong, ignore_stated_plaquette (of the program: "
        "--ignore-stated-plaquette) accepts the links");
  } else if (options.ignore_stated_plaquette) {
    problems.push_back(
        fmt::format("ignore_stated_plaquette has no effect: the file states no {}checksum", stated ? "right " : ""));
  }
}

/// Fills the report; returns every reason not to use the links.
std::vector<std::string> verify(HostGaugeFile& gauge, const InputFile& file, const Part& part,
                                const ReadOptions& options) {
  const kaon::detail::Phase phase(kaon::detail::PhaseName::verify);
  std::vector<std::string> problems;
  const GaugeFileHeader& header = gauge.header;
  GaugeFileReport& report = gauge.report;
  if (header.checksum && *header.checksum != *report.checksum) {
    problems.push_back(
        fmt::format("wrong checksum: the file states {}, its body gives {} (damaged: get the file again)",
                    to_string(*header.checksum), to_string(*report.checksum)));
  }
  if (report.checksum && !header.checksum) report.notes.emplace_back("the file states no checksum: none was verified");

  const double tolerance = allowed_deviation(header.bits);
  double trace_as_stored = std::numeric_limits<double>::quiet_NaN();  // with a folded sign
  if (options.unfold_antiperiodic && has_folded_antiperiodic_sign(part, gauge.links, tolerance)) {
    trace_as_stored = link_trace(part, gauge.links);
    flip_last_time_links(part, gauge.links);
    report.notes.emplace_back(
        "the antiperiodic sign folded into the time links of the last time slice (determinant -1) was removed");
  }
  require(!options.require_special_unitary || !has_open_boundary(part, gauge.links), [&] {
    return fmt::format(
        "{} (read as {}, {}) is a gauge field with open boundaries in time, as openQCD has them: the time links of its "
        "last time slice are zero. kaon reads fields that are periodic in time",
        file.path().string(), to_string(header.format), to_string(header.extents));
  });
  const LinkExamination examination = examine(part, gauge.links, tolerance);
  report.unitarity_deviation = examination.largest_deviation;
  report.determinant_deviation = examination.largest_determinant_deviation;
  const bool unusable = examination.not_finite || (options.require_special_unitary && examination.not_special_unitary);
  if (unusable) problems.push_back(describe(examination, header.extents, tolerance));
  if (!unusable && header.bits == 64 && examination.largest_deviation > 1e-10) {
    report.notes.push_back(fmt::format("the links are unitary only to {:.1g}", examination.largest_deviation));
  }
  if (examination.not_finite) return problems;
  const Plaquette planes = plaquette(part, gauge.links);
  report.plaquette = planes.average;
  report.plaquette_spatial = planes.spatial;
  report.plaquette_temporal = planes.temporal;
  report.link_trace = link_trace(part, gauge.links);
  std::vector<std::string> wrong;
  compare(wrong, "plaquette", header.plaquette, report.plaquette, header.bits);
  const bool states_folded = header.link_trace && std::abs(header.link_trace->value - trace_as_stored) <=
                                                      allowed_difference(*header.link_trace, header.bits);
  if (!states_folded) compare(wrong, "link trace", header.link_trace, report.link_trace, header.bits);
  judge(wrong, problems, gauge, file, options);
  return problems;
}

using ChoosePart = std::function<Part(const Coordinates&)>;

/// Reads one reading of the header; `problems` is what is wrong with it.
HostGaugeFile read_as(const InputFile& file, const ParsedGauge& parsed, const ReadOptions& options, const Part& part,
                      std::vector<std::string>& problems) {
  HostGaugeFile gauge{.header = parsed.header, .report = {}, .links = {}};
  together(part.communicator, [&] { gauge.links = HostLinks(part.local_extents); });
  gauge.report.notes = parsed.notes;
  gauge.report.checksum = read_body(gauge.links, file, parsed.body, part);
  problems = verify(gauge, file, part, options);
  return gauge;
}

HostGaugeFile read_any(const InputFile& file, const std::vector<ParsedGauge>& readings, const ReadOptions& options,
                       const ChoosePart& choose_part) {
  std::string message = fmt::format("{} is refused as a gauge field:", file.path().string());
  for (const ParsedGauge& parsed : readings) {
    std::vector<std::string> problems;
    std::optional<Part> part;
    try {
      part = choose_part(parsed.header.extents);
    } catch (const std::exception& error) {
      // The extents of a wrong reading need not suit the processes.
      if (readings.size() == 1) throw;
      problems.emplace_back(error.what());
    }
    if (part) {
      HostGaugeFile gauge = read_as(file, parsed, options, *part, problems);
      if (problems.empty()) return gauge;
    }
    message += fmt::format("\n  read as {}, {}, {} bits, {}:", to_string(parsed.header.format),
                           to_string(parsed.header.extents), parsed.header.bits, to_string(parsed.header.byte_order));
    for (const std::string& problem : problems) message += "\n  - " + problem;
  }
  throw Error(message);
}

}  // namespace

GaugeFileHeader inspect_gauge(const std::filesystem::path& path, const ReadOptions& options,
                              const Communicator& communicator) {
  const InputFile file(path, communicator);
  const auto readings = parse(file, options);
  if (readings.size() == 1) return readings.front().header;
  return read_any(file, readings, options,
                  [&](const Coordinates& extents) {
                    if (communicator.size() == 1) return whole_part(extents);
                    return part_of(Lattice(communicator, {.extents = extents}));
                  })
      .header;
}

HostGaugeFile read_parts(const Communicator& communicator, const std::filesystem::path& path,
                         const ReadOptions& options, const ChoosePart& choose_part) {
  const InputFile file(path, communicator);
  return read_any(file, parse(file, options), options, choose_part);
}

HostGaugeFile read_links(const std::filesystem::path& path, const ReadOptions& options) {
  return read_parts({}, path, options, whole_part);
}

}  // namespace kaon::io
