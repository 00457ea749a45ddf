// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

namespace kaon::detail {

/// Switches tuning on or off as it is on the first process: whether kernels are timed must be the same on all.
/// Collective. Throws `Error` in all processes for a KAON_TUNE that has no meaning on the first.
void share_tuning_setting(const Communicator& communicator);

}  // namespace kaon::detail
