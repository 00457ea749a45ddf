// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <regex>
#include <string>

namespace kaon::test {

/// The bytes of a file without the times at which it was written: those of NERSC's header and of SciDAC's records.
inline std::string without_times(std::string bytes) {
  static const std::regex time("[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9:]{8} [0-9]{4} UTC");
  const std::string begin = "<date>", end = "</date>";
  for (std::size_t at = 0; (at = bytes.find(begin, at)) != bytes.npos; at += begin.size()) {
    const std::size_t length = bytes.find(end, at) - at - begin.size();
    bytes.replace(at + begin.size(), length, std::string(length, ' '));
  }
  const auto body = std::min({bytes.find("binary-data"), bytes.find("END_HEADER"), bytes.size()});
  return std::regex_replace(bytes.substr(0, body), time, "TIME") + bytes.substr(body);
}

}  // namespace kaon::test
