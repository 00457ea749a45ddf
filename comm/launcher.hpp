// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// Whether a session starts MPI: by the environment variable KAON_MPI (`on` or `1`, `off` or `0`), and where it is not
/// set, or empty, whether a launcher of parallel programs has left its variables in the environment. Throws `Error` for
/// another KAON_MPI.
bool is_launched();

}  // namespace kaon::detail
