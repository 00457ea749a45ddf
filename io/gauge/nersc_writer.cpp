// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_body.hpp"
#include "io/gauge/gauge_format_writers.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace kaon::io {

Checksum write_nersc(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                     const WriteOptions& options) {
  const std::string date = fmt::format("{:%a %b %d %H:%M:%S %Y} UTC", fmt::gmtime(std::time(nullptr)));
  std::string header = fmt::format("BEGIN_HEADER\nHDR_VERSION = 1.0\nDATATYPE = {}\nSTORAGE_FORMAT = 1.0\n",
                                   options.rows == 2 ? "4D_SU3_GAUGE" : "4D_SU3_GAUGE_3x3");
  for (std::size_t mu = 0; mu < part.extents.size(); ++mu) {
    header += fmt::format("DIMENSION_{} = {}\n", mu + 1, part.extents[mu]);
  }
  header += fmt::format("LINK_TRACE = {:.12g}\nPLAQUETTE = {:.12g}\n", measured.link_trace, measured.plaquette);
  for (std::size_t mu = 0; mu < part.extents.size(); ++mu) header += fmt::format("BOUNDARY_{} = PERIODIC\n", mu + 1);
  header += "CHECKSUM = ";
  const std::uint64_t checksum_offset = header.size();
  header += fmt::format(
      "00000000\nENSEMBLE_ID = {}\nENSEMBLE_LABEL = {}\nSEQUENCE_NUMBER = {}\nCREATOR = kaon\nCREATION_DATE = {}\n"
      "ARCHIVE_DATE = {}\nFLOATING_POINT = IEEE{}{}\nEND_HEADER\n",
      options.ensemble_id, options.ensemble_label, options.sequence_number, date, date, options.bits,
      options.byte_order == ByteOrder::big ? "BIG" : "LITTLE");
  file.write(header);

  GaugeBody body{.extents = part.extents,
                 .bits = options.bits,
                 .rows = options.rows,
                 .byte_order = options.byte_order,
                 .checksum = ChecksumKind::nersc};
  body.offset = file.reserve(body.bytes());
  const auto checksum = write_body(file, field, body, part);
  file.rewrite(checksum_offset, to_string(*checksum));
  return *checksum;
}

}  // namespace kaon::io
