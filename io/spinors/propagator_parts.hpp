// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/part.hpp"
#include "io/scidac.hpp"
#include "io/site_body.hpp"

#include <kaon/io/propagator_file.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace kaon::io {

/// The numbers of a site of a propagator in SciDAC, PyQUDA's and QDP++'s files: [sink spin][source spin][sink
/// colour][source colour], big endian.
SiteNumbers site_numbers(const HostPropagator& shape, int bits);

/// Throws `Error`, which starts with `failing`, unless there are as many values as the shape has.
void require_whole(const HostPropagator& propagator, std::string_view failing);

/// `read_propagator` by all processes of a communicator: the propagator is that of the part that `choose_part(extents)`
/// assigns to this process; all else, and what is thrown, is the same for all. Collective.
HostPropagatorFile read_propagator_parts(const Communicator& communicator, const std::filesystem::path& path,
                                         const PropagatorReadOptions& options,
                                         const std::function<Part(const Coordinates&)>& choose_part);

/// `write_propagator` by all processes that hold a part, except for the name: the file is complete and on the disk, and
/// `OutputFile::commit` names it. `sources` may be null. Collective.
std::unique_ptr<OutputFile> prepare_propagator_parts(const std::filesystem::path& path, const Part& part,
                                                     const HostPropagator& propagator, const HostPropagator* sources,
                                                     const PropagatorWriteOptions& options);

/// `write_propagator` by all processes that hold a part; `sources` may be null. Collective.
void write_propagator_parts(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
                            const HostPropagator* sources, const PropagatorWriteOptions& options);

/// The options with pairs in the place of the default format, which has no sources.
PropagatorWriteOptions with_sources(PropagatorWriteOptions options);

// Propagators in SciDAC files with a field for each column, that is for each source spin and colour: USQCD's
// usqcdPropFile of Dirac fermions and usqcdKSPropFile of staggered ones (QIO). Fields of sources, of the same type or
// one complex field, are between them or absent. All calls are collective.

/// Holds the file columns of a propagator?
bool is_column_file(const SciDacFile& contents);

/// Returns the propagator that the columns of a file make. Throws `Error` for a file of other contents or damaged.
HostPropagatorFile read_columns(const InputFile& file, const SciDacFile& contents, const Coordinates& extents,
                                const std::function<Part(const Coordinates&)>& choose_part);

/// Writes columns with their sources, or with one complex source, by `options.format`.
void write_columns(OutputFile& file, const Part& part, const HostPropagator& propagator, const HostPropagator& sources,
                   const PropagatorWriteOptions& options);

/// S = gamma5 S gamma5 of 4 spins.
void multiply_by_gamma5(HostPropagator& propagator);

/// NAME if the file is NAME.00 and holds the first column of a propagator of tmLQCD.
std::optional<std::filesystem::path> tmlqcd_name(const InputFile& file, const SciDacFile& contents);

/// Reads tmLQCD's files NAME.00 to NAME.11 (src/lib/io/spinor_write*.c of cfc9c118), each of one column or more, and
/// changes the basis from tmLQCD's. The values are those of M = (4 + m) + ..., as kaon's.
HostPropagatorFile read_tmlqcd_files(
    const Communicator& communicator, const std::filesystem::path& name,
    const std::function<Coordinates(const InputFile&, const Coordinates&)>& check_extents,
    const std::function<Part(const Coordinates&)>& choose_part);

// MILC's file of a staggered propagator before 2018, the "FM" format that it shares with Fermilab: nine i32 (magic
// 0x71626434, time, 4 bytes a number, 18 numbers a site, four extents, order of the sites, 0: x fastest), then float32,
// at each site [source colour][sink colour], all in the byte order that the magic shows. It has no checksum. All calls
// are collective.

/// Does the file start as one of MILC's propagators, of any kind?
bool is_milc_propagator(const InputFile& file);

/// Throws `Error` for a file of other contents, truncated or too long; `check_extents` throws for other extents than
/// wanted.
HostPropagatorFile read_milc_propagator(const InputFile& file,
                                        const std::function<void(const Coordinates&)>& check_extents,
                                        const std::function<Part(const Coordinates&)>& choose_part);

/// Writes one in 32 bits, little endian.
void write_milc_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator);

/// Reads the only propagator of an HDF5 file. `check_extents` throws for other extents than wanted.
HostPropagatorFile read_hdf5_propagator(const InputFile& file,
                                        const std::function<void(const Coordinates&)>& check_extents,
                                        const std::function<Part(const Coordinates&)>& choose_part);

/// Writes one as PyQUDA or QDP++ does, by `options.format`.
void write_hdf5_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator,
                           const PropagatorWriteOptions& options);

}  // namespace kaon::io
