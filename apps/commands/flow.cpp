// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/files/changed_links.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/gauge/gradient_flow.hpp>

#include <algorithm>
#include <vector>

namespace kaon::apps {
namespace {

struct FlowOptions {
  ChangedLinksOptions links;
  std::string action = "wilson";
  double step = 0.01;
  double anisotropy = 1.0;
  int steps = 100;
  int every = 1;
};

void report_scales(const Session& session, const FlowScales& scales, std::size_t measurements) {
  const auto reached = [](std::optional<double> scale, const char* condition) {
    return scale ? fmt::format("{:.8f}", *scale) : fmt::format("not reached: {}", condition);
  };
  constexpr const char* passed = "passed before the first measurement: lower --every or --step";
  say(session, "t0            {}\n", scales.passes_t0_before ? passed : reached(scales.t0, "t^2 E stays below 0.3"));
  if (scales.passes_w0_before) {
    say(session, "w0            {}\n", passed);
  } else if (measurements < 3) {
    say(session, "w0            not known: t d/dt [t^2 E] needs three measurements\n");
  } else {
    say(session, "w0            {}\n", reached(scales.w0, "t d/dt [t^2 E] stays below 0.3"));
  }
}

Exit flow(const Session& session, const FlowOptions& options) {
  const bool as_text = !options.links.as_json;
  const GaugeFile file = read_links_to_change(session, options.links);
  const bool wilson = options.action == "wilson";
  const double xi = options.anisotropy;
  GradientFlow links = with_value_of("--anisotropy", [&] {
    return GradientFlow(
        file.links, {.step = options.step, .weights = wilson ? wilson_weights : symanzik_weights, .anisotropy = xi});
  });
  if (as_text) {
    say(session, "flow          {} action, {} of {}{}\n\n", wilson ? "Wilson" : "Symanzik",
        counted(options.steps, "step", "steps"), options.step, xi == 1.0 ? "" : fmt::format(", anisotropy {}", xi));
    say(session, "{:>12}  {:>12}  {:>14}  {:>12}  {:>12}\n", "t", "plaquette", "E", "t^2 E", "Q");
  }
  std::vector<FlowPoint> points;
  Json lines = Json::array();
  for (int done = 0;;) {
    const double t = links.time();
    const Smoothness found = measure_smoothness(links.links(), xi);
    points.push_back({t, found.energy});
    const double t2_energy = t * t * found.energy;
    if (as_text) {
      say(session, "{:>12.8g}  {:>12.8f}  {:>14.8e}  {:>12.8f}  {:>12.6f}\n", t, found.plaquette, found.energy,
          t2_energy, found.charge);
    } else {
      Json line{{"t", t}};
      line.update(to_json(found));
      line["t2_energy"] = t2_energy;
      lines.push_back(line);
    }
    if (done >= options.steps) break;
    const int more = std::min(options.every, options.steps - done);
    with_value_of("--step", [&] {
      const detail::Phase phase(detail::PhaseName::update);
      links.advance(more);
    });
    done += more;
  }
  const FlowScales scales = flow_scales(points);
  write_changed_links(session, options.links, links.links());
  if (as_text) {
    say(session, "\n");
    report_scales(session, scales, points.size());
    return Exit::success;
  }
  const auto number = [](std::optional<double> scale) { return scale ? Json(*scale) : Json(nullptr); };
  Json result{{"gauge", to_json(options.links.file, file.header, file.report)},
              {"action", options.action},
              {"step", options.step},
              {"steps", options.steps},
              {"every", options.every},
              {"anisotropy", xi},
              {"flow", lines},
              {"t0", number(scales.t0)},
              {"w0", number(scales.w0)},
              {"provenance", provenance(session, file.links.lattice())}};
  say_json(session, result);
  return Exit::success;
}

void check_flow(FlowOptions& options, const std::set<std::string>& named) { check(options.links, named); }

void declare_flow(const Command& command, FlowOptions& options) {
  add_changed_links_options(command, options.links);
  command.add_choice("--action", options.action, {"wilson", "symanzik"}, "Along whose gradient links flow");
  command.add_option("--step", options.step, "Of the flow time, in units of a_s^2", positive());
  command.add_option("--anisotropy", options.anisotropy, "a_s/a_t of the lattice spacings in space and time",
                     positive());
  command.add_option("--steps", options.steps, "Their number", not_negative());
  command.add_option("--every", options.every, "Steps from one measurement to the next", positive());
}

const Subcommand flow_subcommand(120, "flow", "Gradient flow of a gauge field: energy, topological charge, t0 and w0",
                                 declare_flow, flow, check_flow);

}  // namespace
}  // namespace kaon::apps
