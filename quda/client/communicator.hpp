// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <functional>

namespace kaon::quda {

/// Makes the communicator of a client when the session runs.
using ClientCommunicator = std::function<Communicator(const Session&)>;

/// Returns the maker for a copy of the handle behind an `MPI_Comm*`; null: all processes.
ClientCommunicator communicator_of(const void* mpi_communicator);

}  // namespace kaon::quda
