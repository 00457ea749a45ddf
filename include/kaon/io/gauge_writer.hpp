// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/io/byte_order.hpp>
#include <kaon/io/checksum.hpp>
#include <kaon/io/gauge_file.hpp>
#include <kaon/io/host_links.hpp>

#include <filesystem>
#include <string>

namespace kaon::io {

struct WriteOptions {
  GaugeFormat format = GaugeFormat::ildg;        ///< nersc, ildg (a SciDAC file, too) or scidac
  int bits = 64;                                 ///< of a stored real number: 32 or 64
  int rows = 3;                                  ///< NERSC only: 3, or 2 (4D_SU3_GAUGE: the third row is left out)
  ByteOrder byte_order = ByteOrder::big;         ///< NERSC only; LIME files are always big endian
  std::string ensemble_id = "kaon";              ///< NERSC only
  std::string ensemble_label{};                  ///< NERSC only
  int sequence_number = 0;                       ///< NERSC only: number of the configuration
  std::string logical_file_name = "lfn://kaon";  ///< ILDG only: the name in the ILDG's catalogue
  std::string info{};                            ///< LIME only: free text, stored in the XML of the record
  /// Refuses links that are not in SU(3). Smeared links, fat or long, are not: they are written as SciDAC alone.
  bool require_special_unitary = true;
};

/// Writes a gauge field with its checksum, plaquette and link trace; returns the checksum.
///
/// The file is written under a temporary name in the same folder and renamed when it is complete and on the disk: a
/// file of that name is either replaced as a whole or not touched, and nothing is left behind on failure. Throws Error
/// for links that a reader would refuse (not finite, or not in SU(3) to 1e-5 in 32 and 2e-6 in 64 bits, unless that is
/// allowed), for formats that kaon only reads, and where the file cannot be written.
Checksum write_links(const std::filesystem::path& path, const HostLinks& field, const WriteOptions& options = {});

}  // namespace kaon::io
