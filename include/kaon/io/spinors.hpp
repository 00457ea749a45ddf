// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace kaon::io {

/// What a file of spinor fields says about them.
struct SpinorFileInfo {
  std::optional<double> plaquette{};  ///< of the links that the fields belong to
  std::string info{};                 ///< free text
};

/// A file of spinor fields, read and verified.
struct SpinorFile {
  SpinorField<float> spinors;
  SpinorFileInfo info;
};

/// Writes the right-hand sides of a field on all sites, near-null vectors say, as a SciDAC (LIME) file with a record
/// for each, in 32 bits, as QDP++ writes a LatticeFermion: big endian, per site [spin][colour], with scidac-checksum.
/// docs/formats.md has the details.
///
/// Under a temporary name, renamed when complete; nothing is left behind on failure. Throws `Error` for fields on one
/// parity, for values that are not finite and where the file cannot be written. Collective.
void write_spinors(const std::filesystem::path& path, const SpinorField<float>& spinors,
                   const SpinorFileInfo& info = {});

/// Reads such a file: as many right-hand sides as it has records. Throws `Error` where it is truncated, too long, of
/// another content or other extents than the lattice, a checksum is wrong, or values are not finite. Collective.
SpinorFile read_spinors(const Lattice& lattice, const std::filesystem::path& path);

}  // namespace kaon::io
