// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/files/gauge_files.hpp"

#include <set>
#include <string>

namespace kaon::apps {

/// Options of the commands that read a gauge file, change its links, measure them and may write them.
struct ChangedLinksOptions {
  std::string file;
  GaugeInputOptions input;
  std::string output;  ///< empty: nothing is written
  GaugeOutputOptions format;
  bool as_json = false;
};

/// FILE, those of `GaugeInputOptions`, --output, --format, --precision and --json.
void add_changed_links_options(const Command& command, ChangedLinksOptions& options);

/// Throws `Failure` for values without meaning, and for --format and --precision among the options `named` where
/// nothing is written.
void check(const ChangedLinksOptions& options, const std::set<std::string>& named);

// The following functions are collective.

/// Reads the file, its links back in SU(3), which rounding of files leaves; reports it unless JSON is wanted. Throws
/// `Failure` where the output cannot be written, or would replace the input.
GaugeFile read_links_to_change(const Session& session, const ChangedLinksOptions& options);

/// Writes the links if --output is given, and reports the file unless JSON is wanted.
void write_changed_links(const Session& session, const ChangedLinksOptions& options, const GaugeField<double>& links);

/// Plaquette, energy density and topological charge.
struct Smoothness {
  double plaquette, energy, charge;
};
/// The energy density is that of planes in space + xi^2 times that of planes in time: in units of a_s^-4.
Smoothness measure_smoothness(const GaugeField<double>& links, double anisotropy = 1.0);
Json to_json(const Smoothness& found);

}  // namespace kaon::apps
