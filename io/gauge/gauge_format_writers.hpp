// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/checksum.hpp>
#include <kaon/io/gauge_writer.hpp>

namespace kaon::io {

/// Statements of headers about the links that follow.
struct Measured {
  double plaquette = 0;
  double link_trace = 0;
};

// They return the checksum that the file states.

Checksum write_nersc(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                     const WriteOptions& options);
Checksum write_lime(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                    const WriteOptions& options);

}  // namespace kaon::io
