// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

namespace kaon::detail {

/// A kind of work that a program spends its wall time on.
enum class PhaseName {
  start,     ///< initialisation of MPI, devices and Kokkos
  read,      ///< files into memory, with their checksums
  verify,    ///< links of a file: SU(3), plaquette, link trace
  tune,      ///< trials of launch shapes (`tuning_seconds`), in whichever phase they are made
  setup,     ///< operators, multigrid
  source,    ///< sources, smearing of sources and sinks
  solve,     ///< solvers, without the setup that they start
  contract,  ///< correlators
  update,    ///< links: heatbath, trajectories, smearing, flow, gauge fixing
  write,     ///< files
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

/// Returns the times of this process since kaon was loaded, of all phases that had any. Their sum is `wall_seconds` of
/// the same moment. With an older result, `since`, the times since then.
std::vector<PhaseTime> phase_times(const std::vector<PhaseTime>& since = {});

/// Returns the seconds since kaon was loaded, which is at the start of a program.
double wall_seconds();

}  // namespace kaon::detail
