// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagator_options.hpp"
#include "apps/quark/propagator_report.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/spinor_field.hpp>

#include <span>
#include <string>

namespace kaon::apps {

/// The file of the pion of masses number `first` and `second`: pion_m0.05_m0.02.json for pion.json; empty if none is
/// wanted.
std::string file_of_pair(const PropagatorPlan& plan, std::size_t first, std::size_t second);

/// Tells the pions of each two different masses, and adds their files to `files`.
void report_pairs(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
                  std::span<const SpinorField<double>> propagators, PreparedFiles& files);

}  // namespace kaon::apps
