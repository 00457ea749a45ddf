// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/cli/output.hpp"
#include "apps/ensemble/campaign.hpp"

#include <kaon/campaign/measurement.hpp>

#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kaon::apps {
namespace {

struct MeasureOptions {
  std::string input, example, job;
  std::vector<std::string> configurations;
  GaugeInputOptions gauge;
  bool dry_run = false, status = false, keys = false, resume = false, overwrite = false;
};

/// Every n-th configuration, from the k-th on, for the job "k/n".
std::vector<std::filesystem::path> of_job(const std::vector<std::string>& configurations, const std::string& job) {
  int number = 1, jobs = 1;
  if (!job.empty()) {
    const std::size_t slash = job.find('/');
    const auto refuse = [&] {
      throw usage_error(fmt::format("--job: '{}' is no job K/N with K from 1 to N, such as 3/8", job));
    };
    if (slash == job.npos || slash == 0 || slash + 1 == job.size()) refuse();
    number = parse_counts("--job", job.substr(0, slash), "no number of a job").at(0);
    jobs = parse_counts("--job", job.substr(slash + 1), "no number of jobs").at(0);
    if (number > jobs) refuse();
  }
  std::vector<std::filesystem::path> result;
  for (auto n = static_cast<std::size_t>(number - 1); n < configurations.size(); n += static_cast<std::size_t>(jobs)) {
    result.emplace_back(configurations[n]);
  }
  return result;
}

/// Files are named by the configurations.
void require_different_names(const std::vector<std::string>& configurations) {
  std::set<std::string> names;
  for (const std::filesystem::path configuration : configurations) {
    if (names.insert(configuration.stem().string()).second) continue;
    throw usage_error(
        fmt::format("CONFIGURATION: two have the name {}, by which their files are named: measure them "
                    "with different output.folder",
                    configuration.stem().string()));
  }
}

/// The rows of docs/measure.md.
std::string table_of_keys() {
  std::string text = "| table | key | type | default | text |\n|---|---|---|---|---|\n";
  for (const InputKey& key : input_keys()) {
    const std::string type = key.choices.empty() ? key.type : fmt::format("{}", fmt::join(key.choices, ", "));
    text += fmt::format("| {} | {} | {} | {} | {} |\n", key.table, key.name, type, key.initial, key.text);
  }
  return text;
}

MeasurementInput read_input(const std::string& file) {
  try {
    return read_measurement_input(file);
  } catch (const Error& error) {
    throw usage_error(error.what());
  }
}

Action text_action(const std::string& text) {
  return [text](const Session& session) {
    say(session, "{}", text);
    return Exit::success;
  };
}

std::function<Action()> declare_measure(const Command& command) {
  auto options = std::make_shared<MeasureOptions>();
  command.app->add_option("INPUT", options->input,
                          "Input: TOML, or JSON if it starts with { or its name ends in .json");
  command.app->add_option("CONFIGURATION", options->configurations, "Gauge files");
  command.add_option("--example", options->example, "Print an example of an input: spectrum")->type_name("NAME");
  command.add_flag("--keys", options->keys, "Print the keys of inputs");
  command.add_flag("--dry-run", options->dry_run, "Say what will be done, with memory, disk and time, and end");
  command.add_flag("--status", options->status, "Say what is done, failed and left, with its costs, and end");
  command.add_option("--job", options->job, "Measure the configurations of job K of N")->type_name("K/N");
  command.add_flag("--resume", options->resume, "Leave configurations out that are measured already");
  command.add_flag("--overwrite", options->overwrite, "Measure configurations again that are measured already");
  add_gauge_input_options(command, options->gauge);
  return [options]() -> Action {
    if (options->keys) return text_action(table_of_keys());
    if (!options->example.empty()) {
      return text_action(with_value_of("--example", [&] { return measurement_example(options->example); }));
    }
    if (options->input.empty()) throw usage_error("INPUT is missing: kaon measure --example spectrum prints one");
    if (options->configurations.empty()) throw usage_error("CONFIGURATION is missing: name one gauge file or more");
    if (options->resume && options->overwrite) throw usage_error("--resume and --overwrite contradict each other");
    if (options->dry_run && options->status) throw usage_error("--dry-run and --status contradict each other");
    check(options->gauge);
    require_different_names(options->configurations);
    CampaignOptions campaign{.input = read_input(options->input),
                             .configurations = of_job(options->configurations, options->job),
                             .gauge = options->gauge,
                             .resume = options->resume,
                             .overwrite = options->overwrite};
    campaign.gauge.layout.reach = reach_of(campaign.input);
    if (campaign.configurations.empty()) {
      throw usage_error(
          fmt::format("--job: {} has none of {} configurations", options->job, options->configurations.size()));
    }
    const auto action = options->dry_run ? describe_campaign : options->status ? report_campaign : run_campaign;
    return [action, campaign](const Session& session) { return action(session, campaign); };
  };
}

const Subcommand measure_subcommand(45, "measure", "Correlators of many configurations, from one input",
                                    declare_measure);

}  // namespace
}  // namespace kaon::apps
