// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kaon::io {

/// Statements of a file of spinor fields.
struct SpinorFileInfo {
  std::optional<double> plaquette{};  ///< of the links that the fields belong to
  std::string info{};                 ///< free text
  /// One for each field of eigenvectors; else empty.
  std::vector<double> eigenvalues{};
  std::vector<double> residuals{};  ///< |A v - lambda v|, likewise
  /// 4 m^2 in the eigenvalues 4 m^2 - D D of staggered quarks, which those of MILC do not have: makes the file one that
  /// MILC reads. Files do not state it.
  std::optional<double> milc_shift{};
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

/// Reads such a file: as many right-hand sides as it has records. Throws `Error` if it is truncated, too long, of
/// another content or other extents than the lattice, a checksum is wrong, or values are not finite. Collective.
SpinorFile read_spinors(const Lattice& lattice, const std::filesystem::path& path);

struct SpinorWriteOptions {
  int bits = 64;  ///< of a number, 32 or 64
  /// The format of QUDA's VectorIO: all fields in one record, in sequence at each site. The numbers
  /// of all of them are then in host memory, 16 bytes each.
  bool quda = false;
  /// MILC's packed format, half as long: eigenvectors of staggered quarks on even sites, in t a multiple of 4.
  bool milc_packed = false;
};

/// Fields of one right-hand side each, all of one shape and on the same sites.
template <class T>
struct SpinorFields {
  std::vector<SpinorField<T>> fields{};
  SpinorFileInfo info{};
  int bits = 64;      ///< of a number in the file
  bool quda = false;  ///< QUDA's own file, whose fields of 4 spins are in its UKQCD basis (`SpinBasis::ukqcd`)
};

/// Writes such fields as `write_spinors` does, those on one parity with zeros on the other sites, in the basis that
/// they have. Throws `Error` also for no fields, for several shapes, and for another number of eigenvalues or
/// residuals. Collective.
template <class T>
void write_spinor_fields(const std::filesystem::path& path, std::span<const SpinorField<T>> fields,
                         const SpinorFileInfo& info = {}, const SpinorWriteOptions& options = {});

/// Reads files of `write_spinors`, of `write_spinor_fields`, of MILC (eigenvectors of staggered quarks, on these sites
/// alone) and of QUDA (VectorIO, one file of full fields) as fields
/// on these sites. Throws `Error` as `read_spinors` does, and where a file has other numbers than zero on the other
/// sites. Collective.
template <class T>
SpinorFields<T> read_spinor_fields(const Lattice& lattice, const std::filesystem::path& path,
                                   Subset sites = Subset::full);

}  // namespace kaon::io
