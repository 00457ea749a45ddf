// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/cli/option_values.hpp"
#include "apps/cli/output.hpp"
#include "core/base/parts.hpp"
#include "operators/stencil_list.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/transport.hpp>

#include <fmt/format.h>

#include <optional>

namespace kaon::apps {
namespace {

struct InfoOptions {
  std::string extents;
  LayoutOptions layout;
  bool as_json = false;
};

/// The transport of halos on `lattice`, or on a small lattice if there is none.
std::string halo_transport(const Session& session, const std::optional<Lattice>& lattice) {
  const int processes = session.communicator().size();
  const Lattice some = lattice ? *lattice : Lattice(session.communicator(), {.extents = {2, 2, 2, 2 * processes}});
  std::string usable;
  for (const Transport transport : usable_transports(some))
    usable += (usable.empty() ? "" : ", ") + to_string(transport);
  return fmt::format("{} (of {})", to_string(choose_transport(some)), usable);
}

Exit show_info(const Session& session, const InfoOptions& options) {
  const BuildInfo build = build_info();
  const RunInfo run = run_info(session.communicator());
  const std::string left_out = detail::compiled_stencils().left_out();
  std::optional<Lattice> lattice;
  if (!options.extents.empty()) {
    lattice = make_lattice(session, "--size", parse_extents("--size", options.extents), options.layout);
  }
  if (options.as_json) {
    Json json = provenance(session);
    json["memory_space"] = build.memory_space;
    json["lanes"] = {{"double", build.double_lanes}, {"single", build.float_lanes}};
    json["operators_left_out"] = left_out;
    json["parts_left_out"] = detail::parts_left_out;
    json["visible_devices"] = run.visible_devices;
    json["device_index"] = run.device_index;
    json["cores"] = run.cores;
    json["node_processes"] = run.node_processes;
    json["sharing_cores"] = run.sharing_cores;
    json["transport"] = run.transport;
    json["halos"] = halo_transport(session, lattice);
    if (lattice) {
      json["extents"] = lattice->extents();
      json["process_grid"] = lattice->process_grid();
      json["local_extents"] = lattice->local_extents();
    }
    say(session, "{}\n", to_text(json));
    return Exit::success;
  }
  say(session, "kaon {}{}\n\n", build.version, build.commit.empty() ? "" : " (" + build.commit + ")");
  say(session, "compiler          {}\n", build.compiler);
  say(session, "Kokkos            {}\n", build.kokkos);
  say(session, "execution space   {}, fields in {}\n", build.execution_space, build.memory_space);
  say(session, "instruction set   {}\n", build.instruction_set);
  say(session, "lanes             {} in double, {} in single precision\n", build.double_lanes, build.float_lanes);
  say(session, "operators         {}\n", left_out.empty() ? "all" : "all but those with " + left_out);
  const std::string parts = detail::parts_left_out;
  say(session, "parts             {}\n", parts.empty() ? "all" : "all but " + parts);
  say(session, "message passing   {}\n\n", build.message_passing);
  if (run.device_index >= 0) {
    say(session, "device            {} (number {} of {})\n", run.device, run.device_index, run.visible_devices);
  } else {
    say(session, "device            {}\n", run.device);
  }
  say(session, "host threads      {} on {} core{}\n", run.host_threads, run.cores, run.cores == 1 ? "" : "s");
  say(session, "processes         {}, {} of them on this node, {} on these cores\n", run.processes, run.node_processes,
      run.sharing_cores);
  say(session, "transport         {}\n", run.transport);
  say(session, "halos             {}\n", halo_transport(session, lattice));
  if (lattice) {
    say(session, "process grid      {}\n", describe_grid(*lattice));
  } else if (run.processes > 1) {
    say(session,
        "process grid      chosen for each lattice, to have the least surface: --size shows it, --grid sets it\n");
  }
  return Exit::success;
}

void check_info(InfoOptions& options, const std::set<std::string>&) {
  if (!options.extents.empty()) parse_extents("--size", options.extents);
  check(options.layout);
  if (options.extents.empty() && !options.layout.grid.empty()) throw usage_error("--grid: needs --size");
}

void declare_info(const Command& command, InfoOptions& options) {
  command.add_option("--size", options.extents, "How a lattice of these extents would be spread over processes")
      ->type_name("X,Y,Z,T");
  add_grid_option(command, options.layout);
  command.add_flag("--json", options.as_json, "Write it as JSON");
}

const Subcommand info_subcommand(10, "info", "How this kaon was built and what it runs on", declare_info, show_info,
                                 check_info);

}  // namespace
}  // namespace kaon::apps
