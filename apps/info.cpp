// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/command.hpp"
#include "apps/output.hpp"

#include <kaon/comm/build_info.hpp>

namespace kaon::apps {
namespace {

Exit show_info(const Session& session, bool as_json) {
  const BuildInfo build = build_info();
  const RunInfo run = run_info(session.communicator());
  if (as_json) {
    Json json = provenance(session);
    json["memory_space"] = build.memory_space;
    json["lanes"] = {{"double", build.double_lanes}, {"single", build.float_lanes}};
    json["visible_devices"] = run.visible_devices;
    json["device_index"] = run.device_index;
    json["transport"] = run.transport;
    say(session, "{}\n", to_text(json));
    return Exit::success;
  }
  say(session, "kaon {}{}\n\n", build.version, build.commit.empty() ? "" : " (" + build.commit + ")");
  say(session, "compiler          {}\n", build.compiler);
  say(session, "Kokkos            {}\n", build.kokkos);
  say(session, "execution space   {}, fields in {}\n", build.execution_space, build.memory_space);
  say(session, "instruction set   {}\n", build.instruction_set);
  say(session, "lanes             {} in double, {} in single precision\n", build.double_lanes, build.float_lanes);
  say(session, "message passing   {}\n\n", build.message_passing);
  if (run.device_index >= 0) {
    say(session, "device            {} (number {} of {})\n", run.device, run.device_index, run.visible_devices);
  } else {
    say(session, "device            {}\n", run.device);
  }
  say(session, "host threads      {}\n", run.host_threads);
  say(session, "processes         {}\n", run.processes);
  return Exit::success;
}

}  // namespace

void add_info(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("info", "How this kaon was built and what it runs on");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "Write it as JSON");
  command->callback(
      [as_json, &action] { action = [as_json](const Session& session) { return show_info(session, *as_json); }; });
}

}  // namespace kaon::apps
