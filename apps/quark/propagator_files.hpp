// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/output.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagator_options.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/measure/propagate.hpp>

#include <cstddef>

namespace kaon::apps {

// Output files of `kaon propagator`. Collective.

/// Checks before long work that no output replaces an input or another output, and that all can be written.
void require_usable_files(const Session& session, const PropagatorPlan& plan);

/// Adds the report and the propagators of one mass, in the format of --output-format; `links` smear the sources that go
/// with them.
void add_files(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, const Json& report,
               const QuarkPropagators<double>& quark, const GaugeField<double>& links);

/// Adds the report about two masses.
void add_file_of_pair(PreparedFiles& files, const Session& session, const PropagatorPlan& plan, std::size_t first,
                      std::size_t second, const Json& report);

}  // namespace kaon::apps
