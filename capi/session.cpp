// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

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

extern "C" {

void kaon_start_options_init(kaon_start_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_start_options), nullptr, nullptr};
}

kaon_status kaon_start(const kaon_start_options* options) {
  return kaon::capi::guard(__func__, [&] {
    const kaon_start_options given =
        kaon::capi::options_or_defaults(options, kaon_start_options_init, "kaon_start_options");
    kaon::require((given.argc == nullptr) == (given.argv == nullptr), "argc and argv go together: set both, or none");
    kaon::capi::Run& run = kaon::capi::run();
    if (!run.held) {
      run.held = run.alive.lock();
      if (!run.held) {
        if (Kokkos::is_finalized()) {
          throw kaon::capi::Unsupported("kaon has been stopped, and cannot be started again in this program");
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
  return kaon::capi::guard(__func__, [&] {
    kaon::capi::Run& run = kaon::capi::run();
    kaon::require(run.starts > 0, "kaon has been stopped as often as it was started");
    if (--run.starts == 0) run.held = nullptr;
  });
}

kaon_status kaon_fail(const char* message, int exit_code) {
  return kaon::capi::guard(__func__, [&] {
    const std::string text = &kaon::capi::needed(message, "message");
    (void)kaon::capi::session()->fail(text, exit_code);
  });
}

kaon_status kaon_set_log(kaon_log log, void* context) {
  return kaon::capi::guard(__func__, [&] {
    if (log == nullptr) {
      kaon::set_message_handler({});
      return;
    }
    kaon::set_message_handler([log, context](kaon::MessageKind kind, const std::string& text) {
      log(kind == kaon::MessageKind::notice ? KAON_NOTICE : KAON_WARNING, text.c_str(), context);
    });
  });
}
}
