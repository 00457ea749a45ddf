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

// Propagators of one spin in SciDAC files of colour vectors, one for each source colour, as USQCD defines them for
// staggered fermions (QIO's usqcdKSPropFile): records of sources, which are colour vectors, one complex field, or
// absent, stand between them. All calls are collective.

/// Holds the file colour vectors?
bool is_color_vector_file(const SciDacFile& contents);

/// The propagator that the three vectors of a file make. Throws `Error` for a file of other contents or damaged.
HostPropagatorFile read_color_vectors(const InputFile& file, const SciDacFile& contents, const Coordinates& extents,
                                      const std::function<Part(const Coordinates&)>& choose_part);

/// Writes pairs of source and propagator vectors (USQCD_ColorVector_Source_Sink_Pairs), as MILC writes and reads them.
void write_color_vector_pairs(OutputFile& file, const Part& part, const HostPropagator& propagator,
                              const HostPropagator& sources, const PropagatorWriteOptions& options);

// MILC's file of a staggered propagator before 2018, the "FM" format that it shares with Fermilab: nine i32 (magic
// 0x71626434, time, 4 bytes a number, 18 numbers a site, four extents, order of the sites, 0: x fastest), then float32,
// at each site [source colour][sink colour], all in the byte order that the magic shows. It has no checksum. All calls
// are collective.

/// Reads the only propagator of an HDF5 file. `check_extents` throws for other extents than wanted.
HostPropagatorFile read_hdf5_propagator(const InputFile& file,
                                        const std::function<void(const Coordinates&)>& check_extents,
                                        const std::function<Part(const Coordinates&)>& choose_part);

/// Writes one as PyQUDA or QDP++ does, by `options.format`.
void write_hdf5_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator,
                           const PropagatorWriteOptions& options);

/// Does the file start as one of MILC's propagators, of any kind?
bool is_milc_propagator(const InputFile& file);

/// Throws `Error` for a file of other contents, truncated or too long; `check_extents` throws for other extents than
/// wanted.
HostPropagatorFile read_milc_propagator(const InputFile& file,
                                        const std::function<void(const Coordinates&)>& check_extents,
                                        const std::function<Part(const Coordinates&)>& choose_part);

/// Writes one in 32 bits, little endian.
void write_milc_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator);

}  // namespace kaon::io
