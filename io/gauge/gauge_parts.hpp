// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/gauge_file.hpp>

#include <functional>
#include <memory>

namespace kaon::io {

/// `read_links` by all processes of a communicator: `links` are those of the part that `choose_part(extents)` assigns
/// to this process; the header, the report and what is thrown are the same for all. Collective.
HostGaugeFile read_parts(const Communicator& communicator, const std::filesystem::path& path,
                         const ReadOptions& options, const std::function<Part(const Coordinates&)>& choose_part);

/// `write_links` by all processes that hold a part, except for the name: the file is complete and on the disk, and
/// `OutputFile::commit` names it. Collective.
std::unique_ptr<OutputFile> prepare_parts(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                                          const WriteOptions& options, Checksum& checksum);

/// `write_links` by all processes that hold a part. Collective.
Checksum write_parts(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                     const WriteOptions& options);

}  // namespace kaon::io
