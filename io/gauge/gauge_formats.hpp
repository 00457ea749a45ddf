// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/gauge/gauge_body.hpp"
#include "io/output_file.hpp"

#include <kaon/io/gauge_file.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::io {

using kaon::to_string;  // of coordinates, beside those of this namespace

/// The parsed header of a gauge file: its statements, and the place of its links. Equal on all processes of the file.
struct ParsedGauge {
  GaugeFileHeader header;
  GaugeBody body;
  std::vector<std::string> notes;
};

// Each parser returns nothing where the file is not of its format (judged by its first bytes), several readings where
// the header alone does not decide, and throws where the file is of its format but wrong in extents or length. They
// decide by what `InputFile::read` returns, alike on all processes: all are collective.

std::vector<ParsedGauge> parse_nersc(const InputFile& file, const ReadOptions& options);
std::vector<ParsedGauge> parse_lime(const InputFile& file, const ReadOptions& options);
std::vector<ParsedGauge> parse_milc(const InputFile& file, const ReadOptions& options);
/// Gauge fields of PyQUDA and QDP++ in HDF5.
std::vector<ParsedGauge> parse_hdf5(const InputFile& file, const ReadOptions& options);
/// openQCD and DD-alphaAMG raw files, whose headers differ only in the order of the extents.
std::vector<ParsedGauge> parse_raw(const InputFile& file, const ReadOptions& options);

/// Statements of headers about the links that follow.
struct Measured {
  double plaquette = 0;
  double link_trace = 0;
};

/// The places of the links in a file whose header is written.
struct StartedBody {
  struct Piece {
    std::uint64_t offset = 0;
    SiteNumbers numbers{};
  };
  std::vector<Piece> pieces{};
  ChecksumKind kind{};
  /// Writes the checksums of the pieces, which are written. Collective.
  std::function<void(const std::vector<Checksum>&)> finish{};
};

// Writers of headers. Collective.

StartedBody start_nersc(OutputFile& file, const Part& part, const Measured& measured, const WriteOptions& options);
StartedBody start_lime(OutputFile& file, const Part& part, const Measured& measured, const WriteOptions& options);
StartedBody start_hdf5(OutputFile& file, const Part& part, const Measured& measured, const WriteOptions& options);

/// A gauge file that has its header, and the place for its links.
struct StartedGauge {
  std::unique_ptr<OutputFile> file;
  StartedBody body;
};

/// Writes the links of this process; returns the checksums of its pieces. May be called by any thread.
std::vector<Checksum> write_own_links(const StartedGauge& started, const Part& part, const HostLinks& field);

/// Completes a file whose links are written, by the checksums of this process; returns the whole checksum. Collective.
Checksum finish_gauge(const StartedGauge& started, const Communicator& communicator, std::vector<Checksum> checksums);

/// Makes the file of `write_links` after all of its checks. Collective.
StartedGauge start_gauge(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                         const WriteOptions& options);

/// Throws unless extents are those of a lattice: even, at least 2, for at most 2^40 sites; and, where the caller asked
/// for some, the same.
void check_extents(const InputFile& file, const Coordinates& extents, const ReadOptions& options);

/// A header and body that agree on what both hold.
ParsedGauge parsed_gauge(GaugeFormat format, const Coordinates& extents, int bits, ByteOrder byte_order);

/// The decimal number that `text` is; throws if it is none, start the error with `source`, "PLAQUETTE in the
/// NERSC header". The rounding is half a unit of the last digit printed, but at most 1e-5: trailing zeros may have been
/// left out.
StatedNumber stated_number(const InputFile& file, const std::string& source, std::string_view text);

}  // namespace kaon::io
