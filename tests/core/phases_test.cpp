// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"
#include "core/tuning/launch_timer.hpp"

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace KAON_TEST_FILE {

using namespace kaon::detail;

double seconds_of(PhaseName name) {
  for (const PhaseTime& phase : phase_times()) {
    if (phase.name == name) return phase.seconds;
  }
  return 0.0;
}

double sum_of_phases(const std::vector<PhaseTime>& since = {}) {
  double sum = 0.0;
  for (const PhaseTime& phase : phase_times(since)) sum += phase.seconds;
  return sum;
}

void wait(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

constexpr double rounding = 1e-6;

TEST(Phases, AddUpToTheWallTime) {
  const double before = wall_seconds();
  const double sum = sum_of_phases();
  EXPECT_GE(sum, before - rounding);
  EXPECT_LE(sum, wall_seconds() + rounding);
}

TEST(Phases, InterruptThoseAroundThem) {
  const double start = wall_seconds();
  const double read = seconds_of(PhaseName::read), verify = seconds_of(PhaseName::verify);
  {
    const Phase outer(PhaseName::read);
    wait(10);
    const Phase inner(PhaseName::verify);
    wait(20);
  }
  const double spent_reading = seconds_of(PhaseName::read) - read;
  const double spent_verifying = seconds_of(PhaseName::verify) - verify;
  EXPECT_GE(spent_reading, 0.010);
  EXPECT_GE(spent_verifying, 0.020);
  EXPECT_LE(spent_reading + spent_verifying, wall_seconds() - start + rounding);
}

TEST(Phases, AreCountedSinceAnEarlierTime) {
  const double start = wall_seconds();
  const std::vector<PhaseTime> since = phase_times();
  {
    const Phase phase(PhaseName::source);
    wait(10);
  }
  const double sum = sum_of_phases(since);
  EXPECT_GE(sum, 0.010);
  EXPECT_LE(sum, wall_seconds() - start + rounding);
}

TEST(Phases, EndWithExceptions) {
  EXPECT_THROW(
      {
        const Phase phase(PhaseName::contract);
        throw std::runtime_error("in a phase");
      },
      std::runtime_error);
  const double before = seconds_of(PhaseName::contract);
  wait(5);
  EXPECT_EQ(seconds_of(PhaseName::contract), before);
}

TEST(Phases, AreThoseOfTheMainThread) {
  const double before = seconds_of(PhaseName::write);
  std::thread([] {
    const Phase phase(PhaseName::write);
    wait(5);
  }).join();
  EXPECT_EQ(seconds_of(PhaseName::write), before);
}

std::vector<std::string> regions;

TEST(Phases, AreRegionsOfTools) {
  regions.clear();
  Kokkos::Tools::Experimental::set_push_region_callback([](const char* name) { regions.emplace_back(name); });
  Kokkos::Tools::Experimental::set_pop_region_callback([] { regions.emplace_back("end"); });
  {
    const Phase outer(PhaseName::solve);
    LaunchTimer trial{kaon::Execution()};
    trial.stop();
    const Phase inner(PhaseName::setup);
  }
  Kokkos::Tools::Experimental::set_push_region_callback(nullptr);
  Kokkos::Tools::Experimental::set_pop_region_callback(nullptr);
  EXPECT_EQ(regions, (std::vector<std::string>{"solve", "tune", "end", "setup", "end", "end"}));
}

}  // namespace KAON_TEST_FILE
