// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace kaon::detail {

/// Number of hardware threads that this process may use.
int available_cores();

/// Which these are: strings of one length, equal where the sets are.
std::string core_mask();

/// A number that is the same for processes of one node, which share its running operating system.
std::uint64_t node_number();

}  // namespace kaon::detail
