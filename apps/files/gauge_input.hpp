// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/option_values.hpp"
#include "apps/cli/output.hpp"

#include <kaon/io/gauge.hpp>

#include <filesystem>
#include <string>

namespace kaon::apps {

using GaugeFile = io::GaugeFile<double>;

/// How all commands read a gauge file.
struct GaugeInputOptions {
  std::string extents{};  ///< of a file that does not state its own
  bool ignore_stated_plaquette = false;
  LayoutOptions layout{};
};

/// --size, --ignore-stated-plaquette and --grid.
void add_gauge_input_options(const Command& command, GaugeInputOptions& options,
                             const std::string& size_text = "Extents of a file that does not state its own");
void add_ignore_stated_plaquette(const Command& command, GaugeInputOptions& options);

/// Throws `Failure` for values without meaning, and for --ignore-stated-plaquette if no gauge file is read. `lacking`
/// names what is missing then.
void check(const GaugeInputOptions& options, bool reads_file = true, const std::string& lacking = "a gauge file");

/// Reads and verifies a gauge file on a lattice of all processes; what is wrong with it becomes an input `Failure`.
GaugeFile read_gauge_file(const Session& session, const std::string& option, const std::filesystem::path& path,
                          const GaugeInputOptions& options);

/// "8x8x8x16, NERSC archive, single precision, 2 rows".
std::string describe(const io::GaugeFileHeader& header);

/// Reports a file: its description, the process grid, plaquette, checksum and notes.
void report_gauge_file(const Session& session, const std::filesystem::path& path, const GaugeFile& file);

Json to_json(const std::filesystem::path& path, const GaugeFile& file);

}  // namespace kaon::apps
