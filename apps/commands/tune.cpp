// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/output.hpp"
#include "core/tuning/tuning_file.hpp"
#include "core/tuning/tuning_json.hpp"
#include "io/collective.hpp"

#include <kaon/core/tuning.hpp>

namespace kaon::apps {
namespace {

struct TuneOptions {
  bool all = false;
  bool clear = false;
  bool as_json = false;
};

std::string describe(const LaunchShape& shape) {
  std::string text = fmt::format("{}{}{}", shape.halo_first ? "halo " : "", shape.box ? "box " : "", shape.sites);
  if (shape.columns > 1) text += fmt::format(" /{}", shape.columns);
  if (shape.keep_links) text += " keep";
  if (shape.edges_last) text += " last";
  if (shape.prefetch != 1) text += fmt::format(" prefetch {}", shape.prefetch);
  if (!shape.stream) text += " cached";
  return text;
}

void show_section(const Session& session, const TuningSection& section) {
  say(session, "\ndevice        {}\nbuild         {}\n", section.device, section.build);
  if (section.entries.empty()) {
    say(session, "nothing has been tuned here yet: launches are tuned while programs run\n");
    return;
  }
  say(session, "{:<36} {:>14} {:>9} {:>5} {:>5} {:>4}   {:>12} {:>7} {:>4} {:>12} {:>8}\n", "kernel", "lattice",
      "precision", "lanes", "link", "rhs", "sites", "threads", "rhs", "microseconds", "speedup");
  std::string solves;  // records of `--solver auto`, whose names have several parts
  for (const TuningEntry& entry : section.entries) {
    if (entry.kernel.ends_with(detail::too_few_launches)) continue;  // its shape is not known
    if (entry.kernel.find(',') != std::string::npos) {
      solves += fmt::format("{}, {}, {} rhs: {:.4g} s\n", entry.kernel, to_string(entry.extents),
                            entry.right_hand_sides, 1e-6 * entry.microseconds);
      continue;
    }
    say(session, "{:<36} {:>14} {:>9} {:>5} {:>5} {:>4}   {:>12} {:>7} {:>4} {:>12.1f} {:>8.2f}\n", entry.kernel,
        to_string(entry.extents), entry.precision, entry.lanes,
        entry.link_reals > 0 ? fmt::format("{}", entry.link_reals) : "-", entry.right_hand_sides, describe(entry.shape),
        entry.shape.threads_per_site, entry.shape.right_hand_sides, entry.microseconds,
        entry.standard_microseconds / entry.microseconds);
  }
  say(session, "{}", solves);
}

Exit clear(const Session& session) {
  const std::filesystem::path file = tuning_cache();
  if (file.empty()) throw usage_error("--clear: there is no tuning cache; KAON_TUNE_CACHE names one");
  with_option("--clear", [&] {
    io::together(session.communicator(), [&] {
      if (session.communicator().rank() == 0) clear_tuning();
    });
  });
  say(session, "cleared       {}\n", file.string());
  return Exit::success;
}

Exit tune(const Session& session, const TuneOptions& options) {
  if (options.clear) return clear(session);
  const std::filesystem::path file = tuning_cache();
  TuningResults results = tuning_results();
  if (!options.all) results.sections.resize(1);
  if (options.as_json) {
    const Json json{{"cache", file.empty() ? Json() : Json(file.string())},
                    {"on", tuning_is_on()},
                    {"problem", results.problem.empty() ? Json() : Json(results.problem)},
                    {"sections", results.sections}};
    say(session, "{}\n", to_text(json));
    return Exit::success;
  }
  say(session, "cache         {}\n", file.empty() ? "none: what is found is kept in memory only" : file.string());
  say(session, "tuning        {}\n", tuning_is_on() ? "on" : "off");
  if (!results.problem.empty()) say(session, "note          the cache is not used: {}\n", results.problem);
  for (const TuningSection& section : results.sections) show_section(session, section);
  return Exit::success;
}

void declare_tune(const Command& command, TuneOptions& options) {
  CLI::Option* const all = command.add_flag("--all", options.all, "Also for other devices and other builds of kaon");
  CLI::Option* const clear = command.add_flag("--clear", options.clear, "Forget it: remove the cache file");
  CLI::Option* const json = command.add_flag("--json", options.as_json, "Write it as JSON");
  clear->excludes(all)->excludes(json);
}

const Subcommand tune_subcommand(50, "tune", "What was found to be the fastest way to run each kernel", declare_tune,
                                 tune);

}  // namespace
}  // namespace kaon::apps
