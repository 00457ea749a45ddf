// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/option_values.hpp"
#include "apps/output.hpp"

#include <kaon/io/gauge.hpp>

#include <filesystem>
#include <string>

namespace kaon::apps {

using GaugeFile = io::GaugeFile<double>;

/// Reads and verifies a gauge file on a lattice of all processes; what is wrong with it becomes an input `Failure`.
GaugeFile read_gauge_file(const Session& session, const std::string& option, const std::filesystem::path& path,
                          const LayoutOptions& layout, const io::ReadOptions& options = {});

/// "8x8x8x16, NERSC archive, single precision, 2 rows".
std::string describe(const io::GaugeFileHeader& header);

/// Tells what was read: its description, the process grid, plaquette, checksum and notes.
void report_gauge_file(const Session& session, const std::filesystem::path& path, const GaugeFile& file);

Json to_json(const std::filesystem::path& path, const GaugeFile& file);

}  // namespace kaon::apps
