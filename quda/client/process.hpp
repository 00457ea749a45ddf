// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <optional>
#include <string>

namespace kaon::quda {

/// The program's session of MPI and Kokkos, which outlives all fields; none before the first `State::start`.
std::optional<Session>& session();

/// Whether this is process 0. Before the session starts it is true everywhere.
bool is_first_process();
/// Writes the message to standard error and ends all processes with exit code 1.
[[noreturn]] void end_processes(const std::string& message);

}  // namespace kaon::quda
