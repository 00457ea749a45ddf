// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <mpi.h>

// For applications that use MPI themselves. Not part of a kaon that was built without it, nor of kaon/kaon.hpp.

namespace kaon {

/// The processes of an application's communicator, for lattices that only some of the processes share.
///
/// kaon works on a duplicate of its own, so that messages cannot meet, and frees it with the last copy of the result.
/// Collective on `processes`. Throws `Error` before MPI is started and for MPI_COMM_NULL. `Session` is still needed,
/// and a failure still ends all processes of the run. An application that calls MPI itself starts it itself, before the
/// session: a session starts it only for programs of a launcher (see `Session`).
///
///     MPI_Comm half;
///     MPI_Comm_split(MPI_COMM_WORLD, color, 0, &half);
///     const kaon::Lattice lattice(kaon::make_communicator(half), {.extents = {8, 8, 8, 16}});
Communicator make_communicator(MPI_Comm processes);

}  // namespace kaon
