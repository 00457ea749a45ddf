// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"

#include "core/tuning/regions.hpp"
#include "core/tuning/tuning.hpp"

#include <Kokkos_Core.hpp>

#if defined(KOKKOS_ENABLE_CUDA) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define KAON_HAS_NVTX
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

namespace kaon::detail {
namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point loaded = Clock::now();
const std::thread::id main_thread = std::this_thread::get_id();

// In the order of `PhaseName`.
constexpr std::array phase_words{"start", "read",     "verify", "tune",  "setup", "source",
                                 "solve", "contract", "update", "write", "other"};

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

}  // namespace

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
