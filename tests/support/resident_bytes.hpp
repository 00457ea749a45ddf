// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <fstream>

namespace kaon::test {

/// Memory of this process in bytes (Linux), or 0.
inline long resident_bytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0, resident = 0;
  if (!(file >> pages >> resident)) return 0;
  return resident * 4096;
}

}  // namespace kaon::test
