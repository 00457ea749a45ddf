// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/launch_timer.hpp"

#include "core/tuning/phases.hpp"
#include "core/tuning/regions.hpp"

namespace kaon::detail {

std::chrono::steady_clock::time_point (*tuning_clock)() = &std::chrono::steady_clock::now;

#ifdef KOKKOS_ENABLE_CUDA

namespace {

cudaEvent_t event(void* stored) { return static_cast<cudaEvent_t>(stored); }

}  // namespace

LaunchTimer::LaunchTimer(const Execution& execution) : execution_(execution), elapsed_(never) {
  push_region(word_of(PhaseName::tune));
  for (void*& stored : events_) {
    cudaEvent_t made = nullptr;
    if (cudaEventCreate(&made) == cudaSuccess) stored = made;
  }
  if (events_[0] != nullptr) (void)cudaEventRecord(event(events_[0]), execution_.cuda_stream());
}
LaunchTimer::~LaunchTimer() {
  for (void* const stored : events_) {
    if (stored != nullptr) (void)cudaEventDestroy(event(stored));
  }
}
void LaunchTimer::stop() noexcept {
  pop_region();
  if (events_[1] == nullptr) return;
  if (cudaEventRecord(event(events_[1]), execution_.cuda_stream()) == cudaSuccess) elapsed_ = 0.0;
}
double LaunchTimer::seconds() const noexcept {
  if (elapsed_ != 0.0 || events_[0] == nullptr) return never;
  float milliseconds = 0.0f;
  if (cudaEventSynchronize(event(events_[1])) != cudaSuccess) return never;
  if (cudaEventElapsedTime(&milliseconds, event(events_[0]), event(events_[1])) != cudaSuccess) return never;
  return 1e-3 * static_cast<double>(milliseconds);
}

#else

// Launches on hosts end before they return; other devices are waited for.
LaunchTimer::LaunchTimer(const Execution& execution) : execution_(execution), elapsed_(never) {
  push_region(word_of(PhaseName::tune));
  if (on_device) execution_.fence("kaon::LaunchTimer: start");
  start_ = tuning_clock();
}
LaunchTimer::~LaunchTimer() = default;
void LaunchTimer::stop() noexcept {
  if (on_device) execution_.fence("kaon::LaunchTimer: stop");
  elapsed_ = std::chrono::duration<double>(tuning_clock() - start_).count();
  pop_region();
}
double LaunchTimer::seconds() const noexcept { return elapsed_; }

#endif

}  // namespace kaon::detail
