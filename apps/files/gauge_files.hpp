// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/option_values.hpp"
#include "apps/cli/output.hpp"

#include "io/gauge/gauge_write.hpp"

#include <kaon/io/gauge.hpp>

#include <filesystem>
#include <memory>
#include <optional>
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

/// A gauge file in host memory: of each process the links of its sites.
struct HostGaugeFile {
  Lattice lattice;
  io::HostGaugeFile file;
};

/// Reads and verifies a gauge file on a lattice of all processes; what is wrong with it becomes an input `Failure`.
HostGaugeFile read_to_host(const Session& session, const std::string& option, const std::filesystem::path& path,
                           const GaugeInputOptions& options);
/// Reads and verifies a gauge file into a field.
GaugeFile read_gauge_file(const Session& session, const std::string& option, const std::filesystem::path& path,
                          const GaugeInputOptions& options);

/// Returns the extents that the header of a gauge file states; none if it cannot be read.
std::optional<Coordinates> extents_of_file(const Session& session, const std::filesystem::path& path,
                                           const GaugeInputOptions& options);

/// "8x8x8x16, NERSC archive, single precision, 2 rows".
std::string describe(const io::GaugeFileHeader& header);

/// Reports a file: its description, the process grid, plaquette, checksum and notes.
void report_gauge_file(const Session& session, const std::filesystem::path& path, const HostGaugeFile& gauge);
void report_gauge_file(const Session& session, const std::filesystem::path& path, const GaugeFile& file);

Json to_json(const std::filesystem::path& path, const io::GaugeFileHeader& header, const io::GaugeFileReport& report);

/// How gauge files are written.
struct GaugeOutputOptions {
  std::string format = "ildg";       ///< ildg, nersc (two rows), nersc3x3, scidac, grid, pyquda or qdpxx
  std::string precision = "double";  ///< double or single
};

/// --format and --precision.
void add_gauge_output_options(const Command& command, GaugeOutputOptions& options);

/// "ildg in double precision".
std::string describe(const GaugeOutputOptions& options);

/// Writes a gauge file, by all processes, and returns its checksum. A failure leaves no file.
io::Checksum write_gauge_file(const std::string& option, const std::filesystem::path& path,
                              const GaugeField<double>& links, const GaugeOutputOptions& options,
                              int sequence_number = 0);
io::Checksum write_gauge_file(const std::string& option, const std::filesystem::path& path, const HostGaugeFile& gauge,
                              const GaugeOutputOptions& options);

/// Starts to write a gauge file, which a thread completes (`io::GaugeWrite`).
std::unique_ptr<io::GaugeWrite> start_gauge_file(const std::string& option, const std::filesystem::path& path,
                                                 const Lattice& lattice, std::shared_ptr<const io::HostLinks> links,
                                                 const GaugeOutputOptions& options, int sequence_number = 0);

/// ".lime", ".nersc" or ".h5".
std::string extension(const GaugeOutputOptions& options);

}  // namespace kaon::apps
