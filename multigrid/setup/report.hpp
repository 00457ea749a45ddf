// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/energy.hpp>
#include <kaon/core/lattice.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/multigrid/report.hpp>

#include <Kokkos_Timer.hpp>

#include <functional>
#include <string>
#include <vector>

namespace kaon::detail {

/// Reports on a setup from its start on: its seconds and energy, and sentences about its progress.
class SetupReporter {
 public:
  /// Borrows the report.
  SetupReporter(const Lattice& lattice, const MultigridParameters& parameters, MultigridReport& report)
      : lattice_(lattice), on_setup_(parameters.on_setup), report_(report), meter_(lattice.communicator()) {}

  void say(const std::string& progress) const {
    if (on_setup_) on_setup_(progress);
  }

  double seconds() const { return timer_.seconds(); }
  /// Runs a part of the setup, which contains no other part, and adds its seconds to the report.
  template <class Body>
  void time(const char* part, const Body& body) const {
    lattice_.execution().fence("kaon::multigrid part");
    const Kokkos::Timer timer;
    body();
    lattice_.execution().fence("kaon::multigrid part");
    add(part, timer.seconds());
  }
  /// Reports the whole setup; `rest` is the part that took what no other part has taken. Collective.
  void stop(const char* rest) const;

 private:
  void add(const char* part, double seconds) const;

  Lattice lattice_;
  std::function<void(const std::string& progress)> on_setup_;
  MultigridReport& report_;
  EnergyMeter meter_;
  Kokkos::Timer timer_;
};

/// Share of each level in the time of a cycle. seconds[l] is the time of the solver of level l with all levels below
/// it; on levels between the first and the last it applies the next solver `cycle_steps` times.
std::vector<double> shares_of_levels(const std::vector<double>& seconds, int cycle_steps);

}  // namespace kaon::detail
