// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

namespace kaon {

/// `make_communicator` (kaon/comm/mpi.hpp) for the integer that is for a communicator in Fortran,
/// MPI_Comm_c2f(comm): for callers that cannot name MPI's types. Throws `Error` in a kaon that was built without MPI,
/// too.
Communicator make_communicator_of_fortran(int processes);

}  // namespace kaon
