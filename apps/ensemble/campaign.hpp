// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"
#include "apps/files/gauge_files.hpp"

#include <kaon/campaign/measurement_input.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace kaon::apps {

/// A campaign: one input and its configurations.
struct CampaignOptions {
  MeasurementInput input{};
  std::vector<std::filesystem::path> configurations{};  ///< of this job
  GaugeInputOptions gauge{};
  bool resume = false;
  bool overwrite = false;
};

/// Measures on one configuration after another. One that fails does not end the campaign: all failures are listed at
/// the end, with the exit code of the first.
Exit run_campaign(const Session& session, const CampaignOptions& options);

/// Says what a campaign will do, with its memory and disk, and which files it reads.
Exit describe_campaign(const Session& session, const CampaignOptions& options);

/// Says which configurations are done, being measured, failed and left.
Exit report_campaign(const Session& session, const CampaignOptions& options);

}  // namespace kaon::apps
