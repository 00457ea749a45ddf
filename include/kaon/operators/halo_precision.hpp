// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon {

/// The precision of messages (half spinors, colour vectors) between processes. They are rounded once, when they are
/// packed, so that a precision below the field's makes another operator, near the exact one: for iterations that a
/// residual of the exact one corrects (docs/precision.md). Nothing changes on lattices without partitioned directions.
enum class HaloPrecision {
  field,   ///< the field's own: exact
  single,  ///< at most single
  half     ///< 16 bits, with a scale for each message
};

}  // namespace kaon
