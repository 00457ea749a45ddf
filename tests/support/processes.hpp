// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

namespace kaon::test {

/// All processes of the test program.
const Communicator& processes();

}  // namespace kaon::test
