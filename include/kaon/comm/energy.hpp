// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace kaon {

/// Energy that the hardware of all processes has taken since the meter was made: on GPUs the boards, by NVML; on hosts
/// the processor packages of each node, by Linux' powercap (RAPL), which only root may read on most systems. Energy of
/// other programs on the same hardware is counted too, memory and network are not.
///
///     const EnergyMeter meter(lattice.communicator());
///     solver.solve(x, b);
///     const std::optional<double> joules = meter.joules();
class EnergyMeter {
 public:
  /// `powercap`: the folder of the system's counters.
  explicit EnergyMeter(const Communicator& processes, const std::filesystem::path& powercap = "/sys/class/powercap");
  ~EnergyMeter();

  /// J, the same on all processes, which call it together when their kernels have ended. Empty if a process finds no
  /// counter, where the first process of a node, which reads those of hosts, is not among them, and after so long a
  /// time that the counter of a package, which restarts at 65 kJ to 262 kJ, could have done so more than once. A GPU
  /// renews its counter every 20 to 100 ms.
  std::optional<double> joules() const;

 private:
  struct Counters;
  std::unique_ptr<Counters> counters_;
  Communicator processes_;
};

}  // namespace kaon
