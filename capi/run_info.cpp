// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/comm/build_info.hpp>

namespace {

/// Texts that live as long as the program.
struct Texts {
  kaon::BuildInfo build = kaon::build_info();
  std::string device;
};

Texts& texts() {
  static Texts instance;
  return instance;
}

}  // namespace

extern "C" {

void kaon_run_info_init(kaon_run_info* info) {
  if (info == nullptr) return;
  *info = {};
  info->size = sizeof(kaon_run_info);
}

kaon_status kaon_run_get(kaon_run_info* info) {
  return kaon::capi::guard(__func__, [&] {
    kaon::capi::checked(kaon::capi::needed(info, "info"), "kaon_run_info");
    const kaon::RunInfo run = kaon::run_info(kaon::capi::session()->communicator());
    Texts& all = texts();
    if (all.device.empty()) all.device = run.device;  // once: pointers into it have been given away
    const kaon::BuildInfo& build = all.build;
    info->commit = build.commit.c_str();
    info->compiler = build.compiler.c_str();
    info->kokkos = build.kokkos.c_str();
    info->message_passing = build.message_passing.c_str();
    info->instruction_set = build.instruction_set.c_str();
    info->execution_space = build.execution_space.c_str();
    info->device = all.device.c_str();
    info->double_lanes = build.double_lanes;
    info->single_lanes = build.float_lanes;
    info->host_threads = run.host_threads;
    info->processes = run.processes;
  });
}
}
