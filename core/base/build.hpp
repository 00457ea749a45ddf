// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kaon::detail {

// How this kaon was built and what it runs on, as text.

std::string kaon_version();
/// Commit of the source when it was configured, "-dirty" if changed; empty if unknown.
std::string kaon_commit();
std::string compiler();
std::string kokkos_version();
/// Widest vector instructions used on the host.
std::string instruction_set();
/// Name of the processor or GPU that runs the kernels. Needs Kokkos to be started.
std::string device_name();

}  // namespace kaon::detail
