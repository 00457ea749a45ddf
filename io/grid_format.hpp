// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/scidac.hpp"

#include <string>

namespace kaon::io {

/// Statements of Grid's record grid-format that are not those of the field.
struct GridStatements {
  double plaquette = 0.0;
  double link_trace = 0.0;
  std::string info{};  ///< free text, in Grid's `ensemble_label`
};

/// Writes the records of a file of one field before its body, ildg-binary-data, so that Grid's ScidacReader
/// (Grid/parallelIO/IldgIO.h of f617468e) reads the file: it wants grid-format, scidac-record-xml,
/// scidac-private-record-xml, the body and scidac-checksum in this order.
void write_grid_records(LimeWriter& lime, const Coordinates& extents, const SciDacRecordInfo& info,
                        const GridStatements& statements);

}  // namespace kaon::io
