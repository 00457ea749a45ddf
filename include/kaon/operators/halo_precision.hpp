// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon {

/// In what precision messages (half spinors, colour vectors) travel from process to process. They are rounded once on
/// their way, so that a lower one than the field's makes another operator, near the exact one: for iterations that a
/// residual of the exact one corrects (docs/precision.md). Nothing changes on lattices without partitioned directions.
enum class HaloPrecision {
  field,   ///< the field's own: exact
  single,  ///< at most single
  half     ///< 16 bits, with a scale for each message
};

}  // namespace kaon
