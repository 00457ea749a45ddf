// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/process.hpp"

#include <kaon/comm/mpi.hpp>

namespace kaon::quda {

ClientCommunicator communicator_of(const void* mpi_communicator) {
  if (mpi_communicator == nullptr) return [](const Session& session) { return session.communicator(); };
  return
      [handle = *static_cast<const MPI_Comm*>(mpi_communicator)](const Session&) { return make_communicator(handle); };
}

}  // namespace kaon::quda
