// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/output.hpp"

#include <kaon/io/gauge_file.hpp>

#include <filesystem>
#include <string>

namespace kaon::apps {

/// Reads and verifies a gauge file; what is wrong with it becomes an input `Failure`.
io::HostGaugeFile read_gauge_file(const std::string& option, const std::filesystem::path& path,
                                  const io::ReadOptions& options = {});

/// "8x8x8x16, NERSC archive, single precision, 2 rows".
std::string describe(const io::GaugeFileHeader& header);

/// Tells what was read: its description, plaquette, checksum and notes.
void report_gauge_file(const Session& session, const std::filesystem::path& path, const io::HostGaugeFile& file);

Json to_json(const std::filesystem::path& path, const io::HostGaugeFile& file);

}  // namespace kaon::apps
