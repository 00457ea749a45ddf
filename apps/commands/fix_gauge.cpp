// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/files/changed_links.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/gauge/gauge_fixing.hpp>

#include <cmath>
#include <set>
#include <string>

namespace kaon::apps {
namespace {

struct FixGaugeOptions {
  ChangedLinksOptions links;
  std::string condition;
  GaugeFixingParameters fixing;
  int every = 100;
};

void check_fix_gauge(FixGaugeOptions& options, const std::set<std::string>& named) {
  check(options.links, named);
  if (options.links.as_json) refuse_named(named, {"--every"}, "with --json");
  const double relaxation = options.fixing.relaxation, tolerance = options.fixing.tolerance;
  if (!(relaxation >= 1.0 && relaxation < 2.0)) {
    throw usage_error(fmt::format("--relaxation: {} is not from 1 to below 2", relaxation));
  }
  if (!(tolerance >= 0.0 && std::isfinite(tolerance))) {
    throw usage_error(fmt::format("--tolerance: {} is not a number from 0 on", tolerance));
  }
}

Json quality_json(const GaugeQuality& quality) {
  return {{"functional", quality.functional}, {"theta", quality.theta}, {"largest_theta", quality.largest_theta}};
}

Exit fix_gauge(const Session& session, const FixGaugeOptions& options) {
  const bool as_text = !options.links.as_json;
  GaugeFile file = read_links_to_change(session, options.links);
  GaugeFixingParameters parameters = options.fixing;
  parameters.condition = options.condition == "coulomb" ? GaugeCondition::coulomb : GaugeCondition::landau;
  const bool slices = parameters.condition == GaugeCondition::coulomb;
  const GaugeQuality before = gauge_quality(file.links, parameters.condition);
  const auto line = [&](int iterations, const GaugeQuality& quality) {
    say(session, "{:>12}  {:>18.12f}  {:>14.6e}{}\n", iterations, quality.functional, quality.theta,
        slices ? fmt::format("  {:>14.6e}", quality.largest_theta) : "");
  };
  int last_line = 0;
  if (as_text) {
    say(session, "gauge         {}, relaxation {}\n\n{:>12}  {:>18}  {:>14}{}\n", options.condition,
        parameters.relaxation, "iteration", "F", "theta", slices ? fmt::format("  {:>14}", "worst slice") : "");
    line(0, before);
    parameters.on_check = [&](int iterations, const GaugeQuality& quality) {
      if (iterations / options.every > last_line / options.every) line(last_line = iterations, quality);
      return true;
    };
  }
  const GaugeFixingResult result = [&] {
    const detail::Phase phase(detail::PhaseName::update);
    return kaon::fix_gauge(file.links, parameters);
  }();
  if (as_text && result.iterations != last_line) line(result.iterations, result.quality);
  if (as_text && !options.links.output.empty()) say(session, "\n");
  write_changed_links(session, options.links, file.links);
  if (!as_text) {
    Json json{{"gauge", to_json(options.links.file, file.header, file.report)},
              {"condition", options.condition},
              {"relaxation", parameters.relaxation},
              {"tolerance", parameters.tolerance},
              {"max_iterations", parameters.max_iterations},
              {"converged", result.converged},
              {"iterations", result.iterations},
              {"before", quality_json(before)},
              {"after", quality_json(result.quality)},
              {"provenance", provenance(session, file.links.lattice())}};
    say_json(session, json);
  }
  if (result.converged) return Exit::success;
  throw Failure(
      Exit::not_converged,
      fmt::format("the gauge is not fixed to theta <= {}{} after {} iterations: theta = {:.3e}{}", parameters.tolerance,
                  slices ? " on each time slice" : "", result.iterations, result.quality.largest_theta,
                  options.links.output.empty() ? "" : "; the file has the links of the last iteration"));
}

void declare_fix_gauge(const Command& command, FixGaugeOptions& options) {
  GaugeFixingParameters& fixing = options.fixing;
  add_changed_links_options(command, options.links);
  command.add_choice("--condition", options.condition, {"landau", "coulomb"}, "Which gauge")->required();
  command.add_option("--tolerance", fixing.tolerance, "On theta");
  command.add_option("--max-iterations", fixing.max_iterations, "Most iterations", not_negative());
  command.add_option("--relaxation", fixing.relaxation, "From 1 to below 2");
  command.add_option("--every", options.every, "Iterations between two lines", positive());
}

const Subcommand fix_gauge_subcommand(100, "fix-gauge", "Landau and Coulomb gauge by overrelaxation", declare_fix_gauge,
                                      fix_gauge, check_fix_gauge);

}  // namespace
}  // namespace kaon::apps
