// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::io {

/// Which byte of a number comes first in a file: the least (little) or the most (big) significant one.
enum class ByteOrder { little, big };

/// "little endian" or "big endian".
constexpr const char* to_string(ByteOrder order) { return order == ByteOrder::little ? "little endian" : "big endian"; }

}  // namespace kaon::io
