// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <string>

namespace kaon {

/// How this kaon was built: what belongs into the record of a computation.
struct BuildInfo {
  std::string version;          ///< of kaon
  std::string commit;           ///< of the source when it was configured, "-dirty" if changed; empty if unknown
  std::string compiler;         ///< name and version
  std::string kokkos;           ///< version
  std::string message_passing;  ///< library and version, or "none"
  std::string execution_space;  ///< where kernels run: "OpenMP", "Cuda"
  std::string memory_space;     ///< where fields live
  std::string instruction_set;  ///< widest vector instructions used on the host, such as "AVX-512"
  int double_lanes = 1;         ///< W of fields of `double`
  int float_lanes = 1;          ///< W of fields of `float`
};

BuildInfo build_info();

/// Resources of a run. Numbers are those of the calling process.
struct RunInfo {
  int processes = 1;
  std::string transport;    ///< how processes talk: `Communicator::name`
  int node_rank = 0;        ///< of this process among those on its node
  int node_processes = 1;   ///< processes on its node
  int cores = 1;            ///< that this process may use; two where one core runs two hardware threads
  int sharing_cores = 1;    ///< processes that may use the same cores as this one, which `Session` divides among them
  std::string device;       ///< name of the processor or GPU that runs the kernels
  int device_index = -1;    ///< which of the GPUs; -1 on the host
  int visible_devices = 0;  ///< GPUs that this process could use
  int host_threads = 1;     ///< threads of the host's execution space
};

/// Needs a `Session`.
RunInfo run_info(const Communicator& communicator);

}  // namespace kaon
