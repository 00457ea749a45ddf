// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/resident_memory.hpp"

#include <fstream>
#include <string>

namespace kaon::apps {

ResidentMemory resident_memory() {
  ResidentMemory memory;
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    for (const auto& [key, value] :
         {std::pair("RssFile:", &memory.program), {"RssAnon:", &memory.data}, {"VmHWM:", &memory.peak}}) {
      constexpr double kilobyte = 1024.0;
      if (line.starts_with(key)) *value = kilobyte * std::stod(line.substr(std::string(key).size()));
    }
  }
  return memory;
}

}  // namespace kaon::apps
