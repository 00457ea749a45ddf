// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/core/message.hpp>

namespace kaon::capi {
namespace {

/// Starts that have not been undone, and the session, which handles share.
struct Run {
  int starts = 0;
  std::shared_ptr<const Session> held;
  std::weak_ptr<const Session> alive;
  bool has_own_communicators = false;  ///< lattices of some processes
};

Run& run() {
  static Run instance;
  return instance;
}

}  // namespace

std::shared_ptr<const Session> session() {
  require(run().held != nullptr, "kaon has not been started: call kaon_start first");
  return run().held;
}

std::shared_ptr<const Session> running_session() { return run().held; }

void add_own_communicator() { run().has_own_communicators = true; }

Communicator processes_of_all_lattices() {
  return run().held != nullptr && !run().has_own_communicators ? run().held->communicator() : Communicator();
}

}  // namespace kaon::capi

using namespace kaon::capi;

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

void kaon_start_options_init(kaon_start_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_start_options), nullptr, nullptr};
}

kaon_status kaon_start(const kaon_start_options* options) {
  return guard(__func__, [&] {
    const kaon_start_options& given = options_or_defaults(options);
    kaon::require((given.argc == nullptr) == (given.argv == nullptr), "argc and argv go together: set both, or none");
    Run& run = kaon::capi::run();
    if (!run.held) {
      run.held = run.alive.lock();
      if (!run.held) {
        if (Kokkos::is_finalized()) {
          throw Unsupported("kaon has been stopped, and cannot be started again in this program");
        }
        run.held = given.argc != nullptr ? std::make_shared<const kaon::Session>(*given.argc, *given.argv)
                                         : std::make_shared<const kaon::Session>();
        run.alive = run.held;
      }
    }
    ++run.starts;
  });
}

kaon_status kaon_stop() {
  return guard(__func__, [&] {
    Run& run = kaon::capi::run();
    kaon::require(run.starts > 0, "kaon has been stopped as often as it was started");
    if (--run.starts == 0) run.held = nullptr;
  });
}

kaon_status kaon_fail(const char* message, int exit_code) {
  return guard(__func__, [&] {
    const std::string text = &needed(message, "message");
    (void)kaon::capi::session()->fail(text, exit_code);
  });
}

kaon_status kaon_set_log(kaon_log log, void* context) {
  return guard(__func__, [&] {
    if (log == nullptr) {
      kaon::set_message_handler({});
      return;
    }
    kaon::set_message_handler([log, context](kaon::MessageKind kind, const std::string& text) {
      log(kind == kaon::MessageKind::notice ? KAON_NOTICE : KAON_WARNING, text.c_str(), context);
    });
  });
}

void kaon_run_info_init(kaon_run_info* info) { clear(info); }

kaon_status kaon_run_get(kaon_run_info* info) {
  return guard(__func__, [&] {
    checked(needed(info, "info"));
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
