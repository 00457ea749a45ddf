// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/smeared_files.hpp"

#include "apps/cli/command.hpp"
#include "apps/files/prepared_files.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "io/gauge/gauge_parts.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/io/gauge.hpp>

#include <fmt/format.h>

#include <exception>
#include <numbers>
#include <utility>

namespace kaon::apps {
namespace {

const char* name_of(int steps) { return steps == 1 ? "fat links" : "long links"; }

/// Folds the phases in, or removes them.
void fold(GaugeField<double>& links, int steps, const FoldedPhases& phases) {
  if (phases.milc || phases.antiperiodic) {
    fold_staggered_phases(links, {.antiperiodic = phases.antiperiodic, .steps = steps});
  }
  if (!phases.milc && phases.antiperiodic) fold_staggered_phases(links, {.antiperiodic = false, .steps = steps});
}

/// kaon's statement in a file about its links; an empty object for others, and for those of libraries with texts
/// of their own. Throws `Error` for a statement that is damaged: without it, phases would be assumed.
Json statement_of(const io::GaugeFileHeader& header, const std::filesystem::path& file) {
  for (const auto& [type, text] : header.metadata) {
    if (type != "scidac-record-xml") continue;
    const io::Xml xml(file, type, text);
    const std::string info = xml.value("info").value_or("");
    if (!xml.has("kaonSmearedLinks") || !info.starts_with('{')) continue;
    try {
      return parse_json(info);
    } catch (const std::exception& error) {
      throw Error(fmt::format("{}: the statement about the links is damaged: {}", file.string(), error.what()));
    }
  }
  return Json::object();
}

/// The member if it is a text; otherwise an empty text.
std::string text_of(const Json& statement, const char* key) {
  const Json text = statement.value(key, Json());
  return text.is_string() ? text.get<std::string>() : std::string();
}

GaugeFile read_file(const std::string& option, const std::filesystem::path& path, int steps,
                    const Communicator& communicator, const std::function<Lattice(const Coordinates&)>& make_lattice,
                    const std::optional<Coordinates>& extents, bool ignore_stated_plaquette) {
  return with_option(option, [&] {
    GaugeFile file = io::read_gauge_file<double>(communicator, path, make_lattice,
                                                 {.extents = extents,
                                                  .unfold_antiperiodic = false,
                                                  .require_special_unitary = false,
                                                  .ignore_stated_plaquette = ignore_stated_plaquette});
    const std::string kind = text_of(statement_of(file.header, path), "kind");
    require(kind.empty() || kind == name_of(steps),
            [&] { return fmt::format("{} holds {}, not {}", path.string(), kind, name_of(steps)); });
    return file;
  });
}

std::optional<FoldedPhases> stated_phases(const io::GaugeFileHeader& header, const std::string& name) {
  const Json statement = statement_of(header, name);
  const std::string phases = text_of(statement, "phases"), boundary = text_of(statement, "time_boundary");
  if (phases == "none") return FoldedPhases{.milc = false, .antiperiodic = false};
  if (phases != "milc") return std::nullopt;
  return FoldedPhases{.milc = true, .antiperiodic = boundary == "antiperiodic"};
}

/// Phases that options name for a file without a statement, or MILC's.
FoldedPhases assumed_phases(const std::string& option, const std::string& name, const SmearedFiles& files) {
  if (files.phases == "none") return {.milc = false, .antiperiodic = false};
  if (files.time_boundary == 0.0) return {.milc = true, .antiperiodic = false};
  if (files.time_boundary == std::numbers::pi) return {.milc = true, .antiperiodic = true};
  throw usage_error(
      fmt::format("{}: {} does not state its boundary in time, and links with MILC's phases are periodic or "
                  "antiperiodic, not twisted by {}: give --phases none, or links without phases",
                  option, name, files.time_boundary));
}

/// Factors folded into the links of a file, and their origin: the file's own statement, the signs of the long links,
/// the options, or MILC's habit.
struct KnownPhases {
  FoldedPhases phases;
  const char* source;
};

KnownPhases phases_of(const std::string& option, const std::string& name, const io::GaugeFileHeader& header,
                      const SmearedFiles& files, const detail::FoldedSigns& seen) {
  const auto unless_contradicted = [&](const KnownPhases& known, const std::string& how) {
    if (files.phases.empty() || known.phases.milc == (files.phases == "milc")) return known;
    throw input_error(fmt::format("--phases: {} is given, but {} {}", files.phases, how, describe(known.phases)));
  };
  if (const auto stated = stated_phases(header, name)) {
    return unless_contradicted({*stated, ""}, name + " states that it has");
  }
  if (seen.milc && seen.antiperiodic) {
    return unless_contradicted(
        {{.milc = *seen.milc, .antiperiodic = *seen.antiperiodic}, ", as the signs of the long links show"},
        fmt::format("the signs of the long links in {} show", files.long_links));
  }
  return {assumed_phases(option, name, files), ", assumed"};
}

/// Throws `Failure` where both files state what they were made of, and this is not the same.
void require_one_origin(const SmearedFiles& files, const io::GaugeFileHeader& fat,
                        const io::GaugeFileHeader& long_ones) {
  const Json of_fat = statement_of(fat, files.fat), of_long = statement_of(long_ones, files.long_links);
  for (const auto& [what, place] : {std::pair("their gauge fields have the checksums", "/gauge/checksum"),
                                    {"their gauge fields have the plaquettes", "/gauge/plaquette"},
                                    {"they are of the actions", "/action"},
                                    {"they have u0", "/u0"},
                                    {"they have the Naik epsilon", "/naik_epsilon"}}) {
    const Json::json_pointer member(place);
    const Json in_fat = of_fat.value(member, Json()), in_long = of_long.value(member, Json());
    if (in_fat.is_null() || in_long.is_null() || in_fat == in_long) continue;
    throw input_error(fmt::format("--long: {} and {} do not belong together: {} {} and {}", files.long_links, files.fat,
                                  what, in_long.dump(), in_fat.dump()));
  }
}

/// Throws `Failure` for long links that are not one number times unitary matrices: those of no action are.
void require_long_links(const SmearedFiles& files, const GaugeField<double>& fat,
                        const GaugeField<double>& long_links) {
  constexpr double allowed = 1e-4;
  const double distance = detail::distance_from_multiple_of_unitary(long_links);
  if (distance <= allowed) return;
  const bool swapped = detail::distance_from_multiple_of_unitary(fat) <= allowed;
  throw input_error(fmt::format(
      "--long: {} holds no long links, which are one number times unitary matrices: its links are {:.1e} from such, "
      "where at most {} is allowed{}",
      files.long_links, distance, allowed,
      swapped ? fmt::format("; those of --fat, {}, are such: give the two files the other way round", files.fat) : ""));
}

}  // namespace

std::string describe(const FoldedPhases& phases) {
  if (!phases.milc) return phases.antiperiodic ? "no phases, antiperiodic in time" : "no phases";
  return phases.antiperiodic ? "MILC's phases, antiperiodic in time" : "MILC's phases, periodic in time";
}

void write_smeared_links(const SmearedOutput& files, const ImprovedLinks& links, const Json& info,
                         const std::function<void(const std::filesystem::path& file)>& named) {
  PreparedFiles prepared;
  const auto add = [&](const char* option, const std::filesystem::path& path, GaugeField<double> folded, int steps) {
    Json statement{{"kind", name_of(steps)}, {"phases", files.phases.milc ? "milc" : "none"}};
    if (files.phases.milc) statement["time_boundary"] = files.phases.antiperiodic ? "antiperiodic" : "periodic";
    statement.update(info);
    fold(folded, steps, files.phases);
    prepared.add(option, [&] {
      io::Checksum checksum{};
      return io::prepare_parts(path, io::part_of(folded.lattice()), io::to_host_links(folded),
                               {.format = io::GaugeFormat::scidac,
                                .bits = files.bits,
                                .info = to_text(statement),
                                .require_special_unitary = false},
                               checksum);
    });
  };
  add("--fat", files.fat, links.fat.clone(), 1);
  add("--long", files.long_links, long_links(links), 3);
  prepared.commit([&](const std::string&, const std::filesystem::path& file) { named(file); });
}

SmearedInput read_smeared_links(const Session& session, const SmearedFiles& files) {
  const GaugeInputOptions& input = files.input;
  std::optional<Coordinates> extents;
  if (!input.extents.empty()) extents = parse_extents("--size", input.extents);
  GaugeFile fat = read_file(
      "--fat", files.fat, 1, session.communicator(),
      [&](const Coordinates& of_file) { return make_lattice(session, "--fat", of_file, input.layout); }, extents,
      input.ignore_stated_plaquette);
  const Lattice lattice = fat.links.lattice();
  GaugeFile long_ones = read_file(
      "--long", files.long_links, 3, session.communicator(), [&](const Coordinates&) { return lattice; },
      lattice.extents(), input.ignore_stated_plaquette);
  require_one_origin(files, fat.header, long_ones.header);
  require_long_links(files, fat.links, long_ones.links);
  const detail::FoldedSigns seen = detail::signs_in_long_links(long_ones.links);
  Json description = Json::object();
  const auto tell = [&](const std::string& option, const std::string& name, GaugeFile& file, int steps) {
    const auto [phases, source] = phases_of(option, name, file.header, files, seen);
    fold(file.links, steps, phases);
    const std::string folded = describe(phases) + source;
    say(session, "{:<14}{}\n              {}, {}\n", name_of(steps), name, describe(file.header), folded);
    Json& json = description[steps == 1 ? "fat" : "long"];
    json = {{"file", name}, {"bits", file.header.bits}, {"phases", folded}};
    if (file.report.checksum) json["checksum"] = to_string(*file.report.checksum);
  };
  tell("--fat", files.fat, fat, 1);
  report_grid(session, lattice);
  tell("--long", files.long_links, long_ones, 3);
  description["extents"] = lattice.extents();
  return {links_from_long(std::move(fat.links), long_ones.links), std::move(description)};
}

}  // namespace kaon::apps
