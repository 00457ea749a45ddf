// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/output_file.hpp"
#include "io/part.hpp"

#include <kaon/io/gauge_writer.hpp>

namespace kaon::io {

/// What headers state about the links that follow.
struct Measured {
  double plaquette = 0;
  double link_trace = 0;
};

void write_nersc(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                 const WriteOptions& options);
void write_lime(OutputFile& file, const Part& part, const HostLinks& field, const Measured& measured,
                const WriteOptions& options);

}  // namespace kaon::io
