// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/bytes.hpp"
#include "io/collective.hpp"
#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/checksum.hpp>

#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace kaon::io {

// The binary record of a SciDAC field: sites with x fastest, of some complex numbers each, written and read by all
// processes of a part. All calls are collective.

/// Calls encode(bytes, site) for the sites of this process, lexicographic among them, and writes the bytes to their
/// places behind `offset`; returns the checksum of all.
template <class Encode>
Checksum write_sites(OutputFile& file, std::uint64_t offset, const Part& part, std::size_t site_bytes,
                     const Encode& encode) {
  Checksum checksum{.kind = ChecksumKind::scidac};
  together(part.communicator, [&] {
    std::size_t site = 0;
    std::vector<std::byte> piece;
    for_each_run(part, items_at_once(site_bytes), [&](const Run& run) {
      piece.resize(run.count * site_bytes);
      for (std::uint64_t k = 0; k < run.count; ++k) encode(&piece[k * site_bytes], site++);
      checksum.add(run.first, piece, site_bytes, ByteOrder::big);
      file.write_own(offset + run.first * site_bytes, piece);
    });
  });
  return combine(part.communicator, checksum);
}

/// Reads the bytes of this process' sites and calls decode(site, bytes) for them; returns the checksum of all.
template <class Decode>
Checksum read_sites(const InputFile& file, std::uint64_t offset, const Part& part, std::size_t site_bytes,
                    const Decode& decode) {
  Checksum checksum{.kind = ChecksumKind::scidac};
  together(file.communicator(), [&] {
    std::size_t site = 0;
    std::vector<std::byte> piece;
    for_each_run(part, items_at_once(site_bytes), [&](const Run& run) {
      piece.resize(run.count * site_bytes);
      file.read_own(piece, offset + run.first * site_bytes);
      checksum.add(run.first, piece, site_bytes, ByteOrder::big);
      for (std::uint64_t k = 0; k < run.count; ++k) decode(site++, &piece[k * site_bytes]);
    });
  });
  return combine(file.communicator(), checksum);
}

/// Throws `Error` where some of the values of all processes cannot be stored in so many bits.
void require_storable(const std::filesystem::path& path, const Communicator& communicator,
                      std::span<const std::complex<double>> values, int bits);

/// Throws `Error` where some of the values of all processes, which were read from `path`, are too large for T.
template <class T>
void require_representable(const std::filesystem::path& path, const Communicator& communicator,
                           std::span<const std::complex<double>> values);

/// Throws `Error` where values that were read are not finite, or the checksum is not the stated one, if any.
void require_undamaged(const InputFile& file, std::span<const std::complex<double>> values, const Checksum& checksum,
                       const std::optional<Checksum>& stated);

}  // namespace kaon::io
