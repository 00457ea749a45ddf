// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>

namespace kaon {

/// The space of kernels: the backend that Kokkos was configured for (Cuda, else OpenMP or another host backend).
using Execution = Kokkos::DefaultExecutionSpace;
/// The memory of fields.
using Memory = Execution::memory_space;

/// True when fields live in the memory of a device that the host cannot read.
inline constexpr bool on_device = !Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible;

}  // namespace kaon
