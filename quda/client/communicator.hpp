// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

#include <functional>

namespace kaon::quda {

/// Makes the processes of a client's, once the session runs.
using ClientCommunicator = std::function<Communicator(const Session&)>;

/// Of the handle that an `MPI_Comm*` leads to, which is copied; null: all processes.
ClientCommunicator communicator_of(const void* mpi_communicator);

}  // namespace kaon::quda
