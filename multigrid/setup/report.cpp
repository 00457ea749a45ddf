// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace kaon {

void detail::SetupReporter::add(const char* part, double seconds) const {
  auto found = std::ranges::find(report_.parts, part, &MultigridReport::Part::name);
  if (found == report_.parts.end()) found = report_.parts.insert(found, {part, 0.0});
  found->seconds += seconds;
}

void detail::SetupReporter::stop(const char* rest) const {
  report_.setup_seconds = timer_.seconds();
  double of_rest = report_.setup_seconds;
  for (const MultigridReport::Part& part : report_.parts) of_rest -= part.seconds;
  add(rest, of_rest);
  report_.setup_joules = meter_.joules();
}

std::vector<double> detail::shares_of_levels(const std::vector<double>& seconds, int cycle_steps) {
  std::vector<double> shares;
  double calls = 1.0;  // applications of a level's solver in a cycle of the first level
  for (std::size_t level = 0; level < seconds.size(); ++level) {
    const double steps = level == 0 ? 1.0 : cycle_steps;  // each applies the next solver once
    const double below = level + 1 == seconds.size() ? 0.0 : steps * seconds[level + 1];
    shares.push_back(std::max(0.0, calls * (seconds[level] - below) / seconds[0]));
    calls *= steps;
  }
  return shares;
}

std::string to_string(const MultigridReport& report) {
  const auto extents = [](const Coordinates& x) { return fmt::format("{}x{}x{}x{}", x[0], x[1], x[2], x[3]); };
  std::string text = fmt::format("{:>5}  {:>15}  {:>10}  {:>9}  {:>14}  {:>8}  {:>5}\n", "level", "sites", "components",
                                 "block", "smallest pivot", "replaced", "time");
  for (std::size_t l = 0; l < report.levels.size(); ++l) {
    const MultigridReport::Level& level = report.levels[l];
    const bool last = l + 1 == report.levels.size();
    text += fmt::format("{:>5}  {:>15}  {:>10}  {:>9}  {:>14}  {:>8}  {:>3.0f} %\n", l, extents(level.extents),
                        level.components, last ? "-" : extents(level.block),
                        last ? "-" : fmt::format("{:.1e}", level.smallest_pivot),
                        last ? "-" : fmt::format("{}", level.replaced), 100.0 * level.share);
  }
  text += report.exact_bottom ? fmt::format("last level solved by its inverse, error {:.1e}\n", report.bottom_error)
                              : std::string("last level solved by iterations\n");
  if (report.levels.size() > 2) {
    text += fmt::format("{}-cycle: {} step{} of GCR on each level between the first and the last\n",
                        report.cycle_steps == 1 ? "V" : "K", report.cycle_steps, report.cycle_steps == 1 ? "" : "s");
  }
  if (report.hypercubes) {
    text += fmt::format(
        "hops within hypercubes have singular values from {:.2f} to {:.2f}; on hypercubes alone an "
        "iteration brings the residual down to {:.3f} of it\n",
        report.hypercubes->smallest, report.hypercubes->largest, report.hypercubes->convergence);
  }
  text += fmt::format("setup {:.2f} s,{} {} bootstraps; an iteration brings the residual down to {:.3f} of it\n",
                      report.setup_seconds, report.setup_joules ? fmt::format(" {:.0f} J,", *report.setup_joules) : "",
                      report.bootstraps, report.convergence);
  std::string parts;
  for (const MultigridReport::Part& part : report.parts) {
    parts += fmt::format("{}{} {:.2f} s", parts.empty() ? "of the setup: " : ", ", part.name, part.seconds);
  }
  return parts.empty() ? text : text + parts + '\n';
}

}  // namespace kaon
