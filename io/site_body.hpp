// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/bytes.hpp"
#include "io/lime.hpp"
#include "io/part.hpp"

#include <kaon/io/checksum.hpp>

#include <complex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kaon::io {

// The numbers of a file's sites, x fastest, written and read by all processes of a part. All calls are collective.

/// The complex numbers of a site in a file.
struct SiteNumbers {
  std::vector<std::size_t> places{};  ///< of each of them in memory, from the first number of the site
  std::size_t stride = 0;             ///< numbers in memory from a site to the next one
  int bits = 64;                      ///< of a real number in the file
  ByteOrder order = ByteOrder::big;
  bool imaginary_first = false;  ///< of the two parts of a complex number in the file

  std::size_t bytes() const { return places.size() * 2 * static_cast<std::size_t>(bits / 8); }
};

/// Writes the values of this process' sites, lexicographic among them, to their places behind `offset`; returns the
/// checksum of all.
Checksum write_sites(OutputFile& file, std::uint64_t offset, const Part& part,
                     std::span<const std::complex<double>> values, const SiteNumbers& numbers,
                     ChecksumKind kind = ChecksumKind::scidac);

/// The part of `write_sites` that does not communicate, so that any thread may call it: returns the checksum of the
/// sites of this process.
Checksum write_own_sites(OutputFile& file, std::uint64_t offset, const Part& part,
                         std::span<const std::complex<double>> values, const SiteNumbers& numbers, ChecksumKind kind);

/// Reads the values of this process' sites; returns the checksum of all.
Checksum read_sites(std::span<std::complex<double>> values, const InputFile& file, std::uint64_t offset,
                    const Part& part, const SiteNumbers& numbers, ChecksumKind kind = ChecksumKind::scidac);

/// Stores the numbers of some sites of a file. By this process alone.
void decode_sites(std::span<std::complex<double>> values, std::span<const std::byte> bytes, const SiteNumbers& numbers);

/// Writes the binary record of a SciDAC field, and the record of its checksum, which it returns.
Checksum write_scidac_body(OutputFile& file, LimeWriter& lime, std::string_view type, const Part& part,
                           std::span<const std::complex<double>> values, const SiteNumbers& numbers);

/// Ends the binary record of a SciDAC field, whose sites are written, and writes the record of their checksum.
void finish_scidac_body(LimeWriter& lime, const Checksum& checksum);

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
