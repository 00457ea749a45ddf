// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// The direction without smearing and staples, if there is one: 0 to 3, or this.
inline constexpr int none_omitted = -1;

}  // namespace kaon::detail
