// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

namespace kaon::detail {

/// A kind of work that a program spends its wall time on.
enum class PhaseName {
  start,     ///< loading of a program, initialisation of MPI, devices and Kokkos
  read,      ///< files into memory, with their checksums
  verify,    ///< links of a file: SU(3), plaquette, link trace
  tune,      ///< trials of launch shapes (`tuning_seconds`), in whichever phase they are made
  setup,     ///< operators, multigrid
  source,    ///< sources, smearing of sources and sinks
  solve,     ///< solvers, without the setup that they start
  contract,  ///< correlators
  update,    ///< links: heatbath, trajectories, smearing, flow, gauge fixing
  write,     ///< files
  leave,     ///< the end of Kokkos and MPI
  other,
};

/// The word of a phase in reports.
const char* word_of(PhaseName name);

/// A phase as long as this object exists. A phase within another one interrupts it, so that the times of all phases add
/// up to the wall time. Waits for the device at both ends. Tools of Kokkos, and Nsight in CUDA builds, show the phase
/// as a region.
///
/// Threads other than the one that loaded kaon have no phases: the object does nothing there.
class Phase {
 public:
  explicit Phase(PhaseName name);
  ~Phase();
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  std::optional<PhaseName> enclosing_;  ///< none: not on the main thread
  bool is_region_ = false;
};

struct PhaseTime {
  PhaseName name;
  double seconds;
};

/// Counts from the start of this process, which the system knows to 0.01 s, and not only from when kaon was loaded: to
/// be called first in a program.
void count_from_start_of_process();
/// Counts all later time as `leave`: to be called when a program ends, where a `Phase` would outlive Kokkos.
void begin_to_leave();

/// Returns the times of this process since kaon was loaded, of all phases that had any. Their sum is `wall_seconds` of
/// the same moment. With an older result, `since`, the times since then.
std::vector<PhaseTime> phase_times(const std::vector<PhaseTime>& since = {});

/// Returns the seconds since kaon was loaded, which is at the start of a program.
double wall_seconds();

}  // namespace kaon::detail
