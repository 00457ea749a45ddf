// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

#include "propagator.hpp"

/// Minimal readers of other codes' files, independent of kaon's own: they trust the extents that the caller states and
/// check nothing but sizes and magic numbers.
namespace kaon::reference {

/// MILC version 5 gauge field: 96-byte header, then float32 in the machine's byte order. Throws std::runtime_error
/// where magic number, extents or size are not as expected.
Links read_milc(const std::filesystem::path& path, const Coordinates& extents);

/// MILC Wilson propagator: 36-byte header, then float32 [t][z][y][x][source spin][source colour][sink spin][sink
/// colour], returned as it is: in MILC's spin basis.
Propagator read_unrotated_milc_propagator(const std::filesystem::path& path, const Coordinates& extents);

/// The first record "scidac-binary-data" of a LIME file as big-endian float32. Throws std::runtime_error if there is
/// none with so many complex numbers.
std::vector<Complex> read_scidac_single(const std::filesystem::path& path, std::size_t numbers);

/// Whether this build can read HDF5.
bool has_hdf5();

/// HDF5 data set [t][z][y][x] whose elements are arrays [sink spin][source spin] of arrays [sink colour][source colour]
/// of compounds {r, i} of float64. Throws std::runtime_error if it is missing, differs in shape, or this build has
/// no HDF5.
Propagator read_hdf5_propagator(const std::filesystem::path& path, const std::string& data_set,
                                const Coordinates& extents);

}  // namespace kaon::reference
