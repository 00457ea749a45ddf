// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/part.hpp"
#include "io/site_body.hpp"

#include <kaon/io/checksum.hpp>

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kaon::io {

// Fields of complex numbers in HDF5 files (HDF5 1.10 and later). The library reads and writes what describes a data
// set; the numbers of contiguous data sets are read and written as those of other formats are, by all threads of all
// processes. All calls are collective.

/// Returns whether the file starts as HDF5 files do.
bool is_hdf5(const InputFile& file);

/// A data set [t][z][y][x][inner...] of complex numbers. Trailing indices may be arrays in its type, as QDP++ writes
/// them. A number is a compound of two reals named {r, i}, {re, im} or {real, imag}, or HDF5 2's own complex type.
struct Hdf5Field {
  std::string path{};
  Coordinates extents{};
  std::vector<int> inner{};
  int bits = 64;
  ByteOrder order = ByteOrder::little;
  std::optional<std::uint64_t> offset{};  ///< of the numbers in the file, if they are contiguous
  std::optional<Checksum> checksum{};     ///< PyQUDA's attributes sum29 and sum31
  /// The texts of the attributes Annotation (of the group), file_xml and record_xml, if the data set has them.
  std::vector<std::pair<std::string, std::string>> texts{};
};

/// Returns all such data sets of a file, by their paths in order. Throws `Error` for a file that HDF5 refuses, and in
/// builds without HDF5. A child of process 0 reads them, since HDF5 crashes on some damaged files (`ChildProcess`).
std::vector<Hdf5Field> hdf5_fields(const InputFile& file);

/// "/LatticeColorMatrix/X [8][4][4][4][3][3], ..."
std::string describe(std::span<const Hdf5Field> fields);

/// Reads the values of this process' sites as `read_sites` does, whose `numbers` have bits and order of the field.
/// Numbers in chunks are read by the library, in a child of each process. Returns PyQUDA's checksum of all.
Checksum read_hdf5_sites(std::span<std::complex<double>> values, const InputFile& file, const Hdf5Field& field,
                         const Part& part, const SiteNumbers& numbers);

/// A data set to write, little endian: [t][z][y][x][inner...] of a type of arrays, the outermost first, of {r, i}.
struct NewHdf5Field {
  std::string path{};
  std::vector<int> inner{};
  std::vector<std::vector<int>> arrays{};
};

struct Hdf5Attribute {
  std::string path{};
  std::string name{};
  std::string text{};
};

/// Makes an HDF5 file with these data sets of `bits` and returns the places of their numbers.
std::vector<std::uint64_t> make_hdf5(OutputFile& file, const Coordinates& extents, int bits,
                                     std::span<const NewHdf5Field> fields);

void add_hdf5_attributes(OutputFile& file, std::span<const Hdf5Attribute> attributes);

}  // namespace kaon::io
