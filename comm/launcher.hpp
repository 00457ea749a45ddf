// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// Whether a session starts MPI: by the environment variable KAON_MPI (`on` or `1`, `off` or `0`), and if it is not
/// set, or empty, whether a launcher of parallel programs has left its variables in the environment. Throws `Error` for
/// another KAON_MPI.
bool is_launched();

/// Checks of a session of a kaon without MPI, where `is_launched`. Throws `Error` if KAON_MPI requests MPI. Warns
/// where a launcher has started several processes, each of which works alone: in the first of them, if the launcher
/// numbers them.
void warn_without_mpi();

}  // namespace kaon::detail
