// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::apps {

/// Bytes of this process in the memory of the host; zeros where the system does not say them.
struct ResidentMemory {
  double program = 0.0;  ///< pages of files, which are those of the program and its libraries
  double data = 0.0;     ///< all others
  double peak = 0.0;     ///< of both together, since the start
};

ResidentMemory resident_memory();

}  // namespace kaon::apps
