// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/network.hpp"
#include "comm/processes.hpp"
#include "core/device/team.hpp"
#include "core/lattice/agreement.hpp"
#include "core/tuning/tuning.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>
#include <kaon/core/message.hpp>

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace kaon {
namespace {

/// How long a process that fails waits for the others to fail likewise. Later ranks wait a little longer, so that one
/// of several reports.
double patience(const Communicator& communicator) { return 1.0 + 0.1 * std::min(communicator.rank(), 20); }

/// An environment variable for the time of Kokkos' start, unless it or one that overrules it is set.
class Setting {
 public:
  Setting(const char* name, int value, std::initializer_list<const char*> overruling) : name_(name) {
    for (const char* other : overruling) set_ = set_ && std::getenv(other) == nullptr;
    set_ = set_ && std::getenv(name) == nullptr;
    if (set_) setenv(name, std::to_string(value).c_str(), 1);
  }
  ~Setting() {
    if (set_) unsetenv(name_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  bool set_ = true;
};

bool has_option(int* argc, char*** argv, std::string_view name) {
  if (argc == nullptr) return false;
  return std::any_of(*argv, *argv + *argc, [&](const char* argument) {
    return argument != nullptr && std::string_view(argument).starts_with(name);
  });
}

/// GPUs that the process could use.
int device_count() {
  int count = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
#endif
  return count;
}

void start_kokkos(int* argc, char*** argv, bool is_first) {
  require(!Kokkos::is_finalized(),
          "Kokkos has been stopped and cannot be started again: make one Session for the whole program");
  // OpenMP's meaning of an unset variable, said aloud: Kokkos warns if it is unset.
  setenv("OMP_PROC_BIND", "false", 0);
  const detail::NodeShare& node = detail::node_share();
  std::optional<Setting> device, threads, silence;
  if (!is_first) silence.emplace("KOKKOS_DISABLE_WARNINGS", 1, std::initializer_list<const char*>{});  // of all alike
  // Kokkos knows the rank within a node from variables of some launchers only, and assigns all cores to each process.
  const int devices = device_count();
  if (node.size > 1 && devices > 0 && !has_option(argc, argv, "--kokkos-map-device-id-by")) {
    device.emplace("KOKKOS_DEVICE_ID", node.rank % devices,
                   std::initializer_list<const char*>{"KOKKOS_MAP_DEVICE_ID_BY", "KOKKOS_VISIBLE_DEVICES"});
  }
  if (node.sharing > 1) {
    threads.emplace("KOKKOS_NUM_THREADS", std::max(1, node.cores / node.sharing),
                    std::initializer_list<const char*>{"OMP_NUM_THREADS"});
  }
  if (argc != nullptr) {
    Kokkos::initialize(*argc, *argv);
  } else {
    Kokkos::initialize();
  }
}

/// Warns of the first process that has started more threads than it has cores. Kokkos' setting for warnings silences
/// it.
void warn_of_crowded_cores(const Communicator& all, bool started_threads) {
  std::string text;
  if (started_threads && !on_device) {
    const int threads = static_cast<int>(Kokkos::DefaultHostExecutionSpace().concurrency());
    text = detail::crowded_cores(threads, detail::node_share());
  }
  const std::optional<int> crowded = all.first(!text.empty());
  if (!crowded) return;
  text = detail::broadcast_text(all, text, *crowded);
  if (all.rank() == 0 && Kokkos::show_warnings()) detail::tell(MessageKind::warning, text);
}

void report(const std::string& text) { detail::write_to_standard_error(text + "\n"); }

/// Throws `Error` in all processes where some run another kaon: how fields lie in memory and in messages depends on it.
void require_one_build(const Communicator& all) {
  const BuildInfo build = build_info();
  const std::string text = fmt::format("kaon {} {} for {}, {} and {} lanes", build.version, build.commit,
                                       build.execution_space, build.double_lanes, build.float_lanes);
  if (const auto differing = detail::find_disagreement(all, text)) {
    throw Error(fmt::format("processes run different programs: {} on process 0, but {} on process {}; start one build",
                            differing->first, differing->other, differing->process));
  }
}

/// Returns where all processes come here; a process that comes alone says why, and ends them all.
void meet_or_end_all(const detail::Processes& processes, const std::string& why, int exit_code) {
  const Communicator& all = processes.all();
  if (processes.meet(patience(all))) return;
  report(fmt::format("{} (on process {} of {})", why, all.rank(), all.size()));
  processes.abort(exit_code);
}

}  // namespace

Session::Session() : Session(nullptr, nullptr) {}

Session::Session(int& argc, char** argv) : Session(&argc, &argv) {}

Session::Session(int* argc, char*** argv)
    : processes_(std::make_unique<detail::Processes>(argc, argv)),
      communicator_(processes_->all()),
      exceptions_(std::uncaught_exceptions()) {
  try {
    require_one_build(communicator_);
    communicator_ = detail::emulate_by_setting(communicator_);
    detail::share_tuning_setting(communicator_);
    if (!Kokkos::is_initialized()) {
      start_kokkos(argc, argv, communicator_.rank() == 0);
      started_kokkos_ = true;
    }
    detail::require_kernel_arguments();
    warn_of_crowded_cores(processes_->all(), started_kokkos_);
  } catch (const std::exception& error) {
    // If the other processes start, they would wait forever for this one in their first collective call.
    meet_or_end_all(*processes_, fmt::format("error: {}", error.what()), 1);
    if (started_kokkos_) Kokkos::finalize();
    processes_->stop_at_exit();
    throw;
  }
}

Session::~Session() {
  if (std::uncaught_exceptions() > exceptions_ && !processes_->meet(patience(communicator_))) {
    report(fmt::format("kaon: process {} of {} leaves its session by an exception while others go on: ending all",
                       communicator_.rank(), communicator_.size()));
    processes_->abort(1);
  }
  if (started_kokkos_ && Kokkos::is_initialized()) Kokkos::finalize();
}

int Session::fail(const std::string& message, int exit_code) const {
  meet_or_end_all(*processes_, message, exit_code);
  if (communicator_.rank() == 0) report(message);
  return exit_code;
}

int run_program(int& argc, char** argv, const std::function<int(const Session&)>& body) {
  std::optional<Session> session;
  try {
    session.emplace(argc, argv);
  } catch (const std::exception& error) {
    if (detail::node_share().rank == 0) report(fmt::format("error: {}", error.what()));
    return 1;
  }
  try {
    return body(*session);
  } catch (const std::exception& error) {
    return session->fail(fmt::format("error: {}", error.what()));
  }
}

}  // namespace kaon
