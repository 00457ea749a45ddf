// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

namespace kaon::detail {

/// The system's words for `errno`, such as "No such file or directory".
inline std::string system_reason() { return std::strerror(errno); }

}  // namespace kaon::detail
