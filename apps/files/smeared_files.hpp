// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/option_values.hpp"
#include "apps/cli/output.hpp"
#include "apps/files/gauge_files.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/improved_links.hpp>

#include <filesystem>
#include <functional>
#include <string>

namespace kaon::apps {

// Files of fat and long links, with MILC's phases in them or without. Collective; `Failure`s are thrown by all
// processes.

/// Factors folded into the links of a file.
struct FoldedPhases {
  bool milc = true;          ///< MILC's phases eta, and
  bool antiperiodic = true;  ///< -1 where a link leads over the edge of the lattice in time; files of kaon: with `milc`

  friend bool operator==(const FoldedPhases&, const FoldedPhases&) = default;
};

/// "MILC's phases, antiperiodic in time", "no phases".
std::string describe(const FoldedPhases& phases);

/// Files of --fat and --long of `kaon smear-links`, and how they are written.
struct SmearedOutput {
  std::filesystem::path fat, long_links;
  FoldedPhases phases{};
  int bits = 64;
};

/// Writes fat and long links in SciDAC's format, with the phases folded in. `info` goes with them, and what is folded.
/// Both get their names (`PreparedFiles`), and then `named(file)` is called for each, or neither does.
void write_smeared_links(const SmearedOutput& files, const ImprovedLinks& links, const Json& info,
                         const std::function<void(const std::filesystem::path& file)>& named);

/// Values of --fat, --long and --phases.
struct SmearedFiles {
  std::string fat, long_links;
  std::string phases;        ///< milc or none; empty: as the files state or show it, and MILC's where they do not
  double time_boundary = 0;  ///< an angle: the boundary that goes with MILC's phases, unless the files state or show it
  GaugeInputOptions input{};
};

/// Fat and long links without phases, and their description for reports.
struct SmearedInput {
  ImprovedLinks links;
  Json description;
};

/// Reads both files and reports them.
SmearedInput read_smeared_links(const Session& session, const SmearedFiles& files);

}  // namespace kaon::apps
