// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/communicator.hpp"

#include <kaon/comm/mpi.hpp>

namespace kaon::quda {

Communicator communicator_of(const void* mpi_communicator, const Session& session) {
  if (mpi_communicator == nullptr) return session.communicator();
  return make_communicator(*static_cast<const MPI_Comm*>(mpi_communicator));
}

}  // namespace kaon::quda
