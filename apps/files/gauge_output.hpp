// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/options.hpp"

#include <kaon/io/gauge.hpp>

#include <filesystem>
#include <string>

namespace kaon::apps {

/// How gauge files are written.
struct GaugeOutputOptions {
  std::string format = "ildg";       ///< ildg, nersc (two rows) or nersc3x3
  std::string precision = "double";  ///< double or single
};

/// --format and --precision.
void add_gauge_output_options(const Command& command, GaugeOutputOptions& options);

/// "ildg in double precision".
std::string describe(const GaugeOutputOptions& options);

/// Writes a gauge file, by all processes. A failure leaves no file.
void write_gauge_file(const std::string& option, const std::filesystem::path& path, const GaugeField<double>& links,
                      const GaugeOutputOptions& options, int sequence_number = 0);

/// ".lime" or ".nersc".
std::string extension(const GaugeOutputOptions& options);

}  // namespace kaon::apps
