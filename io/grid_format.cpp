// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/grid_format.hpp"

#include <fmt/format.h>

namespace kaon::io {
namespace {

/// Grid's FieldMetaData, whose members Grid reads by their names (Grid/parallelIO/MetaData.h).
std::string grid_format(const Coordinates& extents, int bits, const GridStatements& statements) {
  std::string dimensions, boundary;
  for (const int extent : extents) {
    dimensions += xml_element("elem", std::to_string(extent)) + "\n";
    boundary += xml_element("elem", "PERIODIC") + "\n";
  }
  const std::string date = scidac_date();
  return xml_around("FieldMetaData",
                    xml_lines({{"nd", std::to_string(extents.size())}}) +
                        fmt::format("<dimension>\n{}</dimension>\n<boundary>\n{}</boundary>\n", dimensions, boundary) +
                        xml_lines({{"data_start", "0"},
                                   {"hdr_version", "1.0"},
                                   {"storage_format", "1.0"},
                                   {"link_trace", fmt::format("{:.12f}", statements.link_trace)},
                                   {"plaquette", fmt::format("{:.12f}", statements.plaquette)},
                                   {"checksum", "0"},
                                   {"scidac_checksuma", "0"},
                                   {"scidac_checksumb", "0"},
                                   {"sequence_number", "0"},
                                   {"data_type", ""},
                                   {"ensemble_id", "kaon"},
                                   {"ensemble_label", statements.info},
                                   {"ildg_lfn", ""},
                                   {"creator", "kaon"},
                                   {"creator_hardware", ""},
                                   {"creation_date", date},
                                   {"archive_date", date},
                                   {"floating_point", fmt::format("IEEE{}BIG", bits)}}));
}

}  // namespace

void write_grid_records(LimeWriter& lime, const Coordinates& extents, const SciDacRecordInfo& info,
                        const GridStatements& statements) {
  const std::string empty = xml_document("emptyUserRecord", {{"dummy", "0"}});
  write_scidac_file_records(lime, extents, empty);
  lime.add("grid-format", grid_format(extents, info.precision == 'F' ? 32 : 64, statements), {.begins = true});
  lime.add("scidac-record-xml", empty);
  lime.add("scidac-private-record-xml", scidac_record_xml(info));
}

}  // namespace kaon::io
