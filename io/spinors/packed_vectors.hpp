// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/checksum.hpp>

#include <complex>
#include <span>

namespace kaon::io {

// Staggered vectors on even sites as MILC packs them (1e11e121, pack_map_layouts of generic_ks/io_helpers_ks_eigen.c):
// a record of the sites with t < T/2, where even sites are in place and an odd site (x, y, z, t) has the numbers of the
// even site ((x + 1) mod X, y, z, t + T/2). T is a multiple of 4. Numbers are big endian. All calls are collective.

/// Whether vectors on a lattice of these extents can be packed: T/2 must be even.
bool can_be_packed(const Coordinates& extents);

/// Fills the even sites of this process' part with three numbers each; returns the checksum of the record.
Checksum read_packed(std::span<std::complex<double>> values, const InputFile& file, std::uint64_t offset,
                     const Part& part, int bits);

/// Writes the even sites to the place that was reserved at `offset`; returns the checksum.
Checksum write_packed(OutputFile& file, std::uint64_t offset, const Part& part,
                      std::span<const std::complex<double>> values, int bits);

}  // namespace kaon::io
