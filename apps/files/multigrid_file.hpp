// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/files/prepared_files.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <memory>
#include <string>

namespace kaon::apps {

// The file of --multigrid-file. Collective; `Failure`s are thrown by all processes.

/// The near-null vectors in the file; says where they belong to links of another plaquette.
std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Session& session, const std::string& file,
                                                                 const GaugeField<double>& links);

void write_near_null_vectors(const Session& session, const std::string& file, const SpinorField<float>& vectors,
                             const GaugeField<double>& links);

}  // namespace kaon::apps
