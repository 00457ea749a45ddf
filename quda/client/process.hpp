// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <functional>
#include <optional>
#include <string>

namespace kaon::quda {

/// The program's session of MPI and Kokkos, which outlives all fields; none before the first `State::start`.
std::optional<Session>& session();

/// Whether this is process 0. Before the session starts it is true everywhere.
bool is_first_process();
/// Writes the message to standard error and ends all processes with exit code 1.
[[noreturn]] void end_processes(const std::string& message);

/// Makes the communicator of a client when the session runs.
using ClientCommunicator = std::function<Communicator(const Session&)>;

/// Returns the maker for a copy of the handle behind an `MPI_Comm*`; null: all processes.
ClientCommunicator communicator_of(const void* mpi_communicator);

}  // namespace kaon::quda
