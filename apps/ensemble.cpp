// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble.hpp"

#include "apps/command.hpp"
#include "io/input_file.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/gauge.hpp>

#include <cmath>
#include <numeric>

namespace kaon::apps {
namespace {

/// By the name of the option that sets them.
Json to_json(const EnsembleParameters& parameters) {
  return {{"size", parameters.extents},
          {"beta", parameters.beta},
          {"overrelaxation", parameters.overrelaxation},
          {"thermalization", parameters.thermalization},
          {"seed", parameters.seed},
          {"start", parameters.start}};
}

constexpr const char* format_key = "kaon_checkpoint";
constexpr int format_version = 1;

}  // namespace

Checkpoint::Checkpoint(std::string prefix) : prefix_(std::move(prefix)), state_file_(prefix_ + ".checkpoint.json") {}

bool Checkpoint::exists(const Session& session) const { return apps::exists(session, state_file_); }

EnsembleState Checkpoint::read(const Session& session, const Lattice& lattice, const EnsembleParameters& parameters) {
  if (!exists(session)) throw input_error(fmt::format("--resume: there is no checkpoint {}", state_file_));
  Json json;
  std::string links_file;
  int updates = 0;
  std::vector<double> plaquettes;
  try {
    const io::InputFile file(state_file_, session.communicator());
    json = Json::parse(file.text(0, file.size()));
    if (json.at(format_key) != format_version) throw std::runtime_error("unknown version of the format");
    links_file = json.at("links").get<std::string>();
    updates = json.at("updates").get<int>();
    plaquettes = json.at("plaquettes").get<std::vector<double>>();
    if (!json.at("parameters").is_object()) throw std::runtime_error("no parameters");
  } catch (const std::exception& error) {
    throw input_error(fmt::format("--resume: {} is not a checkpoint of kaon: {}", state_file_, error.what()));
  }
  const Json wanted = to_json(parameters);
  for (const auto& [name, value] : wanted.items()) {
    const Json stored = json["parameters"].value(name, Json());
    if (stored != value) {
      throw usage_error(fmt::format("--{}: {} here, but the checkpoint {} was made with {}", name, value.dump(),
                                    state_file_, stored.dump()));
    }
  }
  const std::filesystem::path path = std::filesystem::path(state_file_).parent_path() / links_file;
  try {
    next_is_b_ = links_file.ends_with("-a.lime");
    return {io::read_gauge<double>(lattice, path), updates, std::move(plaquettes)};
  } catch (const Error& error) {
    throw input_error(fmt::format("--resume: {}", error.what()));
  }
}

void Checkpoint::write(const Session& session, const EnsembleParameters& parameters, const EnsembleState& state) {
  const std::string links_file = prefix_ + (next_is_b_ ? ".checkpoint-b.lime" : ".checkpoint-a.lime");
  try {
    io::write_gauge(links_file, state.links);
  } catch (const Error& error) {
    throw input_error(fmt::format("--output: {}", error.what()));
  }
  write_json(session, "--output", state_file_,
             {{format_key, format_version},
              {"parameters", to_json(parameters)},
              {"updates", state.updates},
              {"links", std::filesystem::path(links_file).filename().string()},
              {"plaquettes", state.plaquettes},
              {"provenance", provenance(session, state.links.lattice())}});
  next_is_b_ = !next_is_b_;
}

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
