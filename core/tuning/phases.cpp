// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"

#include "core/tuning/regions.hpp"
#include "core/tuning/tuning.hpp"

#include <Kokkos_Core.hpp>

#include <time.h>
#include <unistd.h>

#if defined(KOKKOS_ENABLE_CUDA) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define KAON_HAS_NVTX
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace kaon::detail {
namespace {

using Clock = std::chrono::steady_clock;

Clock::time_point loaded = Clock::now();
const std::thread::id main_thread = std::this_thread::get_id();

// In the order of `PhaseName`.
constexpr std::array phase_words{"start", "read",     "verify", "tune",  "setup", "source",
                                 "solve", "contract", "update", "write", "leave", "other"};

// The clock of the main thread.
std::array<double, phase_words.size()> seconds_of{};
PhaseName current = PhaseName::start;
Clock::time_point charged_until = loaded;
double charged_tuning = 0.0;

double& seconds_of_phase(PhaseName name) { return seconds_of[static_cast<std::size_t>(name)]; }

/// Adds the time since the last call to the current phase, and the part of it that was tuning to `tune`.
void charge() {
  const Clock::time_point now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - std::exchange(charged_until, now)).count();
  const double tuning = std::clamp(tuning_seconds() - charged_tuning, 0.0, elapsed);
  charged_tuning += tuning;
  seconds_of_phase(PhaseName::tune) += tuning;
  seconds_of_phase(current) += elapsed - tuning;
}

/// Returns the seconds since the system started this process; 0 if that is not known.
double age_of_process() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // a name may contain blanks
  timespec now{};
  if (name_end == text.npos || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0.0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int k = 0; k < 19; ++k) fields >> skipped;  // proc_pid_stat(5): state is field 3, starttime field 22
  double ticks = 0.0;
  if (!(fields >> ticks)) return 0.0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

void count_from_start_of_process() {
  constexpr double longest_load = 60.0;  // more is another clock than the system's, as in some containers
  const double age = age_of_process();
  const auto start = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(age));
  if (age > longest_load || start >= loaded) return;
  loaded = charged_until = start;
}

void begin_to_leave() {
  charge();
  current = PhaseName::leave;
}

void push_region(const char* word) {
  Kokkos::Profiling::pushRegion(word);
#ifdef KAON_HAS_NVTX
  nvtxRangePushA(word);
#endif
}

void pop_region() {
#ifdef KAON_HAS_NVTX
  nvtxRangePop();
#endif
  Kokkos::Profiling::popRegion();
}

const char* word_of(PhaseName name) { return phase_words[static_cast<std::size_t>(name)]; }

Phase::Phase(PhaseName name) {
  if (std::this_thread::get_id() != main_thread) return;
  is_region_ = Kokkos::is_initialized() && !Kokkos::is_finalized();
  if (is_region_) {
    Kokkos::fence("kaon::phase");
    push_region(word_of(name));
  }
  charge();
  enclosing_ = std::exchange(current, name);
}

Phase::~Phase() {
  if (!enclosing_) return;
  if (is_region_) {
    Kokkos::fence("kaon::phase");
    pop_region();
  }
  charge();
  current = *enclosing_;
}

std::vector<PhaseTime> phase_times(const std::vector<PhaseTime>& since) {
  charge();
  auto seconds = seconds_of;
  for (const PhaseTime& earlier : since) seconds[static_cast<std::size_t>(earlier.name)] -= earlier.seconds;
  std::vector<PhaseTime> times;
  for (std::size_t n = 0; n < seconds.size(); ++n) {
    if (seconds[n] > 0.0) times.push_back({static_cast<PhaseName>(n), seconds[n]});
  }
  return times;
}

double wall_seconds() { return std::chrono::duration<double>(Clock::now() - loaded).count(); }

}  // namespace kaon::detail
