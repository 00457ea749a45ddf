// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/propagator_file.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace kaon::io {

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

}  // namespace kaon::io
