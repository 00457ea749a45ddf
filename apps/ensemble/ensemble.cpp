// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/ensemble.hpp"

#include "apps/cli/command.hpp"
#include "apps/files/prepared_files.hpp"
#include "io/input_file.hpp"

#include <kaon/io/checksum.hpp>
#include <kaon/io/gauge.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <tuple>

namespace kaon::apps {
namespace {

constexpr const char* format_key = "kaon_checkpoint";
constexpr int format_version = 2;
constexpr const char* links_a = "checkpoint-a.lime";
constexpr const char* links_b = "checkpoint-b.lime";

/// Options that resumed runs must have in common, by name; as they come back from a file.
Json description_of(const EnsembleOptions& options, const EnsembleMethod& method) {
  const EnsembleParameters& parameters = options.ensemble;
  Json json{{"size", parameters.extents}};
  json.update(method.options);
  json.update({{"thermalization", parameters.thermalization},
               {"seed", parameters.seed},
               {"start", parameters.start},
               {method.count_option, options.output.updates},
               {"save-every", options.output.save_every},
               {"format", options.output.format.format},
               {"precision", options.output.format.precision}});
  return Json::parse(to_text(json));
}

std::string checksum_of(const Json& content) {
  const std::string text = to_text(content);
  return fmt::format("{:08x}", io::crc32(std::as_bytes(std::span(text))));
}

/// Content of a checkpoint's JSON file.
struct StoredState {
  Json options;
  int updates = 0;
  std::string links;
  std::string links_checksum;
  std::vector<std::vector<double>> series;
};

/// Throws for any text that kaon has not written.
StoredState stored_state(const std::string& text, const EnsembleMethod& method) {
  Json json = parse_json(text);
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
                    .series = {}};
  if (state.links != links_a && state.links != links_b) throw std::runtime_error("it names no links");
  if (!state.options.contains(method.count_option)) {
    throw std::runtime_error(fmt::format("it is of another kind of run, without --{}", method.count_option));
  }
  const Json& updates = json.at("updates");
  const int thermalization = state.options.at("thermalization").get<int>();
  const auto largest = std::int64_t{thermalization} + state.options.at(method.count_option).get<int>();
  if (!updates.is_number_integer() || updates < 1 || updates > largest) {
    throw std::runtime_error(fmt::format("{} updates are not between 1 and {}", updates.dump(), largest));
  }
  state.updates = updates.get<int>();
  const int counting = std::max(0, state.updates - thermalization);
  for (const std::string& name : method.series) {
    state.series.push_back(json.at(name).get<std::vector<double>>());
    if (state.series.back().size() == static_cast<std::size_t>(counting)) continue;
    throw std::runtime_error(fmt::format("it has {} {} of {} updates", state.series.back().size(), name, counting));
  }
  return state;
}

/// "0.12,0.13", "none" for no numbers, words in quotation marks; all digits if `exact`.
std::string option_text(const Json& value, bool exact) {
  if (value.is_number_float() && !exact) return fmt::format("{:.12g}", value.get<double>());
  if (!value.is_array()) return value.dump();
  if (value.empty()) return "none";
  std::string text;
  for (const Json& one : value) text += (text.empty() ? "" : ",") + option_text(one, exact);
  return text;
}

/// An option that differs from the checkpoint's, with both values. Null: the run has no such option.
struct Difference {
  std::string option;
  Json here, then;
  bool is_count = false;

  std::string describe(const std::string& file) const {
    const bool exact = option_text(here, false) == option_text(then, false);
    return fmt::format("--{}: {} here, but the checkpoint {} was made {}{}", option,
                       here.is_null() ? "not given" : option_text(here, exact), file,
                       then.is_null() ? "without it" : "with " + option_text(then, exact),
                       is_count ? "; it may be larger, not smaller" : "");
  }
};

std::vector<Difference> differences(const Json& wanted, const Json& stored, const EnsembleMethod& method) {
  std::vector<Difference> found;
  const auto compare = [&](const std::string& name) {
    const Json here = wanted.value(name, Json()), then = stored.value(name, Json());
    const bool is_count = name == method.count_option;
    if (then == here || (is_count && then < here)) return;
    Difference difference{name, here, then, is_count};
    if (method.option_behind) {
      std::tie(difference.option, difference.then) = method.option_behind(name, stored);
      if (!here.is_null()) std::tie(difference.option, difference.here) = method.option_behind(name, wanted);
    }
    found.push_back(difference);
  };
  for (const auto& [name, value] : stored.items()) {
    if (!wanted.contains(name)) compare(name);
  }
  for (const auto& [name, value] : wanted.items()) compare(name);
  return found;
}

/// Throws `Failure` for an option that differs: one that the command line has, if there is one.
void check_options(const std::string& file, const Json& stored, const EnsembleOptions& options,
                   const EnsembleMethod& method) {
  const std::vector<Difference> found = differences(description_of(options, method), stored, method);
  if (found.empty()) return;
  const auto named = std::ranges::find_if(
      found, [&](const Difference& difference) { return options.named.contains("--" + difference.option); });
  throw usage_error((named != found.end() ? *named : found.front()).describe(file));
}

}  // namespace

Checkpoint::Checkpoint(std::string prefix) : prefix_(std::move(prefix)), state_file_(prefix_ + ".checkpoint.json") {}

bool Checkpoint::exists(const Session& session) const { return apps::exists(session, state_file_); }

EnsembleState Checkpoint::read(const Session& session, const Lattice& lattice, const EnsembleOptions& options,
                               const EnsembleMethod& method) {
  if (!exists(session)) throw input_error(fmt::format("--resume: there is no checkpoint {}", state_file_));
  StoredState stored;
  try {
    const io::InputFile file(state_file_, session.communicator());
    // Four mebibytes are more than a command line can have, 32 bytes more than a number.
    const auto numbers = std::uint64_t{static_cast<unsigned>(options.output.updates)} * method.series.size();
    if (file.size() > (std::uint64_t{4} << 20) + 32 * numbers) {
      throw std::runtime_error(
          fmt::format("{} bytes are too many for {} updates", file.size(), options.output.updates));
    }
    stored = stored_state(file.text(0, file.size()), method);
  } catch (const std::exception& error) {
    throw input_error(fmt::format("--resume: {} is not a checkpoint of kaon: {}", state_file_, error.what()));
  }
  check_options(state_file_, stored.options, options, method);
  next_is_b_ = stored.links == links_b;
  const std::string path = links_file();
  io::GaugeFile<double> file = with_option("--resume", [&] {
    return io::read_gauge_file<double>(session.communicator(), path, [&](const Coordinates&) { return lattice; },
                                       {.extents = lattice.extents()});
  });
  const std::string found = file.report.checksum ? to_string(*file.report.checksum) : "none";
  if (found != stored.links_checksum) {
    throw input_error(fmt::format("--resume: {} is not the file that {} was written with: checksum {}, not {}", path,
                                  state_file_, found, stored.links_checksum));
  }
  next_is_b_ = !next_is_b_;
  return {{stored.updates, std::move(stored.series)}, std::move(file.links)};
}

void Checkpoint::write(const Session& session, const Lattice& lattice, const EnsembleOptions& options,
                       const EnsembleMethod& method, const EnsembleProgress& progress,
                       const io::Checksum& links_checksum) {
  Json json{{format_key, format_version},
            {"options", description_of(options, method)},
            {"updates", progress.updates},
            {"links", next_is_b_ ? links_b : links_a},
            {"links_checksum", to_string(links_checksum)}};
  for (std::size_t k = 0; k < method.series.size(); ++k) json[method.series[k]] = progress.series[k];
  json["provenance"] = provenance(session, lattice);
  json["phases"] = phases_json();
  json["checksum"] = checksum_of(json);
  write_json(session, "--output", state_file_, json);
  next_is_b_ = !next_is_b_;
}

std::vector<std::string> Checkpoint::files() const {
  return {state_file_, fmt::format("{}.{}", prefix_, links_a), fmt::format("{}.{}", prefix_, links_b)};
}

std::string Checkpoint::links_file() const { return fmt::format("{}.{}", prefix_, next_is_b_ ? links_b : links_a); }

std::string describe(const ChainMean& mean) {
  const std::string value = describe_value(mean);
  if (!mean.error || std::abs(mean.mean) >= 1e6) return value;
  return fmt::format("{} (tau_int {:.1f} +- {:.1f})", value, mean.tau_int, mean.tau_int_error);
}

std::string describe_value(const ChainMean& mean) {
  if (std::abs(mean.mean) >= 1e6) {
    return fmt::format("{:.3e}{}", mean.mean, mean.error ? fmt::format(" +- {:.1e}", *mean.error) : "");
  }
  if (!mean.error) return fmt::format("{:.6f}", mean.mean);
  const int digits =
      *mean.error > 0.0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(*mean.error))), 0, 15) : 6;
  return fmt::format("{:.{}f} +- {:.{}f}", mean.mean, digits, *mean.error, digits);
}

}  // namespace kaon::apps
