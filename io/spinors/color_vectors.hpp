// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/part.hpp"
#include "io/scidac.hpp"

#include <kaon/io/propagator_file.hpp>

#include <functional>

namespace kaon::io {

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

}  // namespace kaon::io
