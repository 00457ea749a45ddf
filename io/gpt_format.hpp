// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/scidac.hpp"

namespace kaon::io {

/// Statements of gpt-format, the record in which gpt describes the body of its LIME files.
struct GptFormat {
  Coordinates extents{};
  SciDacRecordInfo info;
};

/// Throws `Error` for fields that are not four-dimensional, or have one parity.
GptFormat gpt_format(const Xml& xml);

}  // namespace kaon::io
