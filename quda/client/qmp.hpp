// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

// The processes as QMP has arranged them, in clients that hold QMP (Chroma). libquda does not link it: its functions
// are found in the client at its start, or they are null.
namespace kaon::quda::qmp {

/// The grid of processes that the client has declared to QMP; none without QMP and before it is declared. Throws
/// `Error` for other dimensions than 4.
struct Grid {
  const int* extents;
  int (*rank_of)(const int* place, void*);  ///< a `QudaCommsMap`
};
std::optional<Grid> declared_grid();

/// The `MPI_Comm*` of QMP's processes; null without QMP.
const void* mpi_communicator();

}  // namespace kaon::quda::qmp
