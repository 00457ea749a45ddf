// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/comm/session.hpp>

namespace kaon::quda {

/// The processes of an `MPI_Comm*`, or all where it is null.
Communicator communicator_of(const void* mpi_communicator, const Session& session);

}  // namespace kaon::quda
