// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"
#include "core/base/build.hpp"
#include "core/lanes/lanes.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/core/execution.hpp>

namespace kaon {

BuildInfo build_info() {
  return {.version = detail::kaon_version(),
          .commit = detail::kaon_commit(),
          .compiler = detail::compiler(),
          .kokkos = detail::kokkos_version(),
          .message_passing = detail::message_passing_library(),
          .execution_space = Execution::name(),
          .memory_space = Memory::name(),
          .instruction_set = detail::instruction_set(),
          .double_lanes = detail::native_lanes<double>,
          .float_lanes = detail::native_lanes<float>};
}

RunInfo run_info(const Communicator& communicator) {
  const detail::NodeShare& node = detail::node_share();
  return {.processes = communicator.size(),
          .transport = communicator.name(),
          .node_rank = node.rank,
          .node_processes = node.size,
          .cores = node.cores,
          .sharing_cores = node.sharing,
          .device = detail::device_name(),
          .device_index = on_device ? Kokkos::device_id() : -1,
          .visible_devices = on_device ? Kokkos::num_devices() : 0,
          .host_threads = static_cast<int>(Kokkos::DefaultHostExecutionSpace().concurrency())};
}

}  // namespace kaon
