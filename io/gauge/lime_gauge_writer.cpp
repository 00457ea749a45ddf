// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_body.hpp"
#include "io/gauge/gauge_format_writers.hpp"
#include "io/scidac.hpp"
#include "io/xml.hpp"

#include <fmt/format.h>

namespace kaon::io {
namespace {

std::string ildg_format(const Coordinates& extents, int bits) {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?><ildgFormat xmlns="http://www.lqcd.org/ildg" )"
      R"(xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" )"
      R"(xsi:schemaLocation="http://www.lqcd.org/ildg/filefmt.xsd"><version>1.0</version><field>su3gauge</field>)"
      "<precision>{}</precision><lx>{}</lx><ly>{}</ly><lz>{}</lz><lt>{}</lt></ildgFormat>",
      bits, extents[0], extents[1], extents[2], extents[3]);
}

/// The plaquette is meaningless for smeared links, which are in no group.
std::string record_xml(const Measured& measured, const WriteOptions& options) {
  const std::string info = xml_element("info", options.info);
  if (!options.require_special_unitary) {
    return fmt::format("<kaonSmearedLinks><version>1.0</version>{}</kaonSmearedLinks>", info);
  }
  return fmt::format("<usqcdInfo><version>1.0</version><plaq>{:.12g}</plaq><linktr>{:.12g}</linktr>{}</usqcdInfo>",
                     measured.plaquette, measured.link_trace, info);
}

}  // namespace

Checksum write_lime(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                    const WriteOptions& options) {
  const bool is_ildg = options.format == GaugeFormat::ildg;
  LimeWriter lime(file);
  write_scidac_file_records(lime, part.extents,
                            xml_element("title", options.require_special_unitary ? "gauge configuration written by kaon"
                                                                                 : "smeared links written by kaon"));
  write_scidac_record_records(lime,
                              {.datatype = options.bits == 32 ? "USQCD_F3_ColorMatrix" : "USQCD_D3_ColorMatrix",
                               .precision = options.bits == 32 ? 'F' : 'D',
                               .colors = colors,
                               .typesize = 18 * options.bits / 8,
                               .datacount = 4},
                              record_xml(measured, options));
  if (is_ildg) {
    lime.add("ildg-format", ildg_format(part.extents, options.bits));
    lime.add("ildg-data-lfn", options.logical_file_name);
  }
  GaugeBody body{.extents = part.extents, .bits = options.bits, .checksum = ChecksumKind::scidac};
  lime.begin(is_ildg ? "ildg-binary-data" : "scidac-binary-data", body.bytes());
  body.offset = lime.reserve();
  const auto checksum = write_body(file, field, body, part);
  lime.end();
  write_scidac_checksum(lime, *checksum);
  return *checksum;
}

}  // namespace kaon::io
