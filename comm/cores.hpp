// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace kaon::detail {

/// Number of hardware threads that this process may use.
int available_cores();

/// Which these are: strings of one length, equal where the sets are.
std::string core_mask();

}  // namespace kaon::detail
