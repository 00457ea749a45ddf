// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble.hpp"

#include "apps/command.hpp"
#include "io/input_file.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/checksum.hpp>
#include <kaon/io/gauge.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>

namespace kaon::apps {
namespace {

constexpr const char* format_key = "kaon_checkpoint";
constexpr int format_version = 2;
constexpr const char* links_a = "checkpoint-a.lime";
constexpr const char* links_b = "checkpoint-b.lime";

/// What resumed runs must have in common, by the names of the options; as it comes back from a file.
Json to_json(const EnsembleParameters& parameters, const EnsembleOutput& output) {
  const Json json{{"size", parameters.extents},
                  {"beta", parameters.beta},
                  {"overrelaxation", parameters.overrelaxation},
                  {"thermalization", parameters.thermalization},
                  {"seed", parameters.seed},
                  {"start", parameters.start},
                  {"sweeps", output.sweeps},
                  {"save-every", output.save_every},
                  {"format", output.format.format},
                  {"precision", output.format.precision}};
  return Json::parse(to_text(json));
}

std::string checksum_of(const Json& content) {
  const std::string text = to_text(content);
  return fmt::format("{:08x}", io::crc32(std::as_bytes(std::span(text))));
}

/// What a checkpoint's JSON file says.
struct StoredState {
  Json options;
  int updates = 0;
  std::string links;
  std::string links_checksum;
  std::vector<double> plaquettes;
};

/// Refuses texts whose nesting would exhaust the stack when they are written again.
Json parse(const std::string& text) {
  constexpr int deepest = 8;  // a checkpoint has 3 levels
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw std::runtime_error("brackets within brackets");
    return true;
  });
}

/// Throws for whatever kaon has not written.
StoredState stored_state(const std::string& text) {
  Json json = parse(text);
  if (json.at(format_key) != format_version) {
    throw std::runtime_error(fmt::format("its format is not number {}, the one of this kaon", format_version));
  }
  const std::string checksum = json.at("checksum").get<std::string>();
  json.erase("checksum");
  if (checksum != checksum_of(json)) throw std::runtime_error("it was changed or damaged: its checksum is another");
  StoredState state{.options = json.at("options"),
                    .updates = 0,
                    .links = json.at("links").get<std::string>(),
                    .links_checksum = json.at("links_checksum").get<std::string>(),
                    .plaquettes = json.at("plaquettes").get<std::vector<double>>()};
  if (state.links != links_a && state.links != links_b) throw std::runtime_error("it names no links");
  const Json& updates = json.at("updates");
  const auto largest =
      std::int64_t{state.options.at("thermalization").get<int>()} + state.options.at("sweeps").get<int>();
  if (!updates.is_number_integer() || updates < 1 || updates > largest) {
    throw std::runtime_error(fmt::format("{} updates are not between 1 and {}", updates.dump(), largest));
  }
  state.updates = updates.get<int>();
  const int counting = std::max(0, state.updates - state.options.at("thermalization").get<int>());
  if (state.plaquettes.size() != static_cast<std::size_t>(counting)) {
    throw std::runtime_error(fmt::format("it has {} plaquettes of {} updates", state.plaquettes.size(), counting));
  }
  return state;
}

/// Throws `Failure` for the first option that differs.
void check_options(const std::string& file, const Json& wanted, const Json& stored) {
  for (const auto& [name, value] : wanted.items()) {
    const Json then = stored.value(name, Json());
    const bool may_grow = name == "sweeps";
    if (then == value || (may_grow && then < value)) continue;
    throw usage_error(fmt::format("--{}: {} here, but the checkpoint {} was made with {}{}", name, value.dump(), file,
                                  then.dump(), may_grow ? "; it may be larger, not smaller" : ""));
  }
}

}  // namespace

Checkpoint::Checkpoint(std::string prefix) : prefix_(std::move(prefix)), state_file_(prefix_ + ".checkpoint.json") {}

bool Checkpoint::exists(const Session& session) const { return apps::exists(session, state_file_); }

EnsembleState Checkpoint::read(const Session& session, const Lattice& lattice, const EnsembleParameters& parameters,
                               const EnsembleOutput& output) {
  if (!exists(session)) throw input_error(fmt::format("--resume: there is no checkpoint {}", state_file_));
  StoredState stored;
  try {
    const io::InputFile file(state_file_, session.communicator());
    // Four mebibytes are more than a command line can have, 32 bytes more than a plaquette.
    const std::uint64_t largest = (std::uint64_t{4} << 20) + std::uint64_t{32} * static_cast<unsigned>(output.sweeps);
    if (file.size() > largest) {
      throw std::runtime_error(fmt::format("{} bytes are too many for {} updates", file.size(), output.sweeps));
    }
    stored = stored_state(file.text(0, file.size()));
  } catch (const std::exception& error) {
    throw input_error(fmt::format("--resume: {} is not a checkpoint of kaon: {}", state_file_, error.what()));
  }
  check_options(state_file_, to_json(parameters, output), stored.options);
  next_is_b_ = stored.links == links_b;
  const std::string path = links_file();
  io::GaugeFile<double> file = [&] {
    try {
      return io::read_gauge_file<double>(session.communicator(), path, [&](const Coordinates&) { return lattice; },
                                         {.extents = lattice.extents()});
    } catch (const Error& error) {
      throw input_error(fmt::format("--resume: {}", error.what()));
    }
  }();
  const std::string found = file.report.checksum ? to_string(*file.report.checksum) : "none";
  if (found != stored.links_checksum) {
    throw input_error(fmt::format("--resume: {} is not the file that {} was written with: checksum {}, not {}", path,
                                  state_file_, found, stored.links_checksum));
  }
  next_is_b_ = !next_is_b_;
  return {std::move(file.links), stored.updates, std::move(stored.plaquettes)};
}

void Checkpoint::write(const Session& session, const EnsembleParameters& parameters, const EnsembleOutput& output,
                       const EnsembleState& state) {
  io::Checksum links_checksum;
  try {
    links_checksum = io::write_gauge(links_file(), state.links);
  } catch (const Error& error) {
    throw input_error(fmt::format("--output: {}", error.what()));
  }
  Json json{{format_key, format_version},
            {"options", to_json(parameters, output)},
            {"updates", state.updates},
            {"links", next_is_b_ ? links_b : links_a},
            {"links_checksum", to_string(links_checksum)},
            {"plaquettes", state.plaquettes},
            {"provenance", provenance(session, state.links.lattice())}};
  json["checksum"] = checksum_of(json);
  write_json(session, "--output", state_file_, json);
  next_is_b_ = !next_is_b_;
}

std::vector<std::string> Checkpoint::files() const {
  return {state_file_, fmt::format("{}.{}", prefix_, links_a), fmt::format("{}.{}", prefix_, links_b)};
}

std::string Checkpoint::links_file() const { return fmt::format("{}.{}", prefix_, next_is_b_ ? links_b : links_a); }

BinnedMean binned_mean(const std::vector<double>& values) {
  constexpr std::size_t bins = 20;
  const auto mean = [](auto first, auto last) {
    return std::accumulate(first, last, 0.0) / static_cast<double>(last - first);
  };
  if (values.empty()) return {};
  BinnedMean result{mean(values.begin(), values.end()), std::nullopt};
  if (values.size() < 2 * bins) return result;
  double square = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const auto at = [&](std::size_t n) {
      return values.begin() + static_cast<std::ptrdiff_t>(n * values.size() / bins);
    };
    const double difference = mean(at(bin), at(bin + 1)) - result.mean;
    square += difference * difference;
  }
  result.error = std::sqrt(square / (bins * (bins - 1)));
  return result;
}

}  // namespace kaon::apps
