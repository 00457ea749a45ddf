// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/ensemble/campaign.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace kaon::apps {

/// The last event of a configuration in the log of its campaign.
struct LoggedConfiguration {
  std::string state;        ///< "measuring", "measured" or "failed"
  std::size_t source = 0;   ///< "measuring": its number, from 0 on
  std::size_t sources = 0;  ///< 0: it has not come to a source
  int iterations = 0;       ///< "measured": of all solves
  double seconds = 0.0;     ///< "measured": wall time
  double joules = 0.0;      ///< "measured"; 0: the hardware does not measure it
  double memory = 0.0;      ///< "measured": bytes of all processes; 0: it is that of devices, or not known
  Coordinates extents{};    ///< "measured": of the lattice; 0: not known
  int exit_code = 0;        ///< "failed"
  std::string reason;       ///< "failed"
};

struct LoggedCampaign {
  std::map<std::string, LoggedConfiguration> configurations;  ///< by name: their last events with this input
  std::set<std::string> by_others;                            ///< names of those that another input has measured last
};

/// Mean costs of the configurations that a campaign has measured, and the most memory.
struct MeanCost {
  std::size_t configurations = 0;
  double seconds = 0.0;
  double joules = 0.0;
  double memory = 0.0;
};

/// The log of a campaign: the file campaign.jsonl in the output folder, a line of JSON for each event. All runs of a
/// campaign append to it. The log serves reports alone: one that cannot be written or read changes no result. The first
/// process writes and reads it; the others have an empty log.
class CampaignLog {
 public:
  CampaignLog(const Session& session, const CampaignOptions& options);

  LoggedCampaign read() const;

  void begin(const std::string& name) const;
  void begin_source(const std::string& name, std::size_t source, std::size_t sources) const;
  /// `phases` are the seconds of the configuration's phases, with "total".
  void measured(const std::string& name, const Coordinates& extents, int iterations, const Json& phases,
                std::optional<double> joules, double memory) const;
  void failed(const std::string& name, Exit code, const std::string& reason) const;

 private:
  void append(const std::string& name, const char* state, const Json& content) const;

  bool is_first_;  // process
  std::filesystem::path file_;
  std::string input_;  // its checksum
};

/// The costs on a lattice of these extents: records of other lattices do not count.
MeanCost mean_cost(const LoggedCampaign& log, const Coordinates& extents);

}  // namespace kaon::apps
