// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/with_option.hpp"
#include "apps/files/prepared_files.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/multigrid/parameters.hpp>

#include <memory>
#include <string>

namespace kaon::apps {

// The file of --multigrid-file. Collective; `Failure`s are thrown by all processes.

/// The near-null vectors in the file; says where they belong to links of another plaquette.
std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Session& session, const std::string& file,
                                                                 const GaugeField<double>& links);

void write_near_null_vectors(const Session& session, const std::string& file, const SpinorField<float>& vectors,
                             const GaugeField<double>& links);

/// The solver of `make()`, which reads `parameters`: these have the near-null vectors of the file, if it is there.
template <class Make>
auto make_with_vectors(const Session& session, const std::string& file, const GaugeField<double>& links,
                       MultigridParameters& parameters, const Make& make) {
  if (file.empty() || !exists(session, file)) return make();
  if (!parameters.near_null_vectors) parameters.near_null_vectors = read_near_null_vectors(session, file, links);
  return with_option("--multigrid-file", make);  // which may have too few vectors, or such as span no space
}

/// Writes the near-null vectors of a solver to the file, unless it is there.
template <class Solver>
void keep_vectors(const Session& session, const std::string& file, const GaugeField<double>& links,
                  const Solver& solver) {
  if (!file.empty() && !exists(session, file)) {
    write_near_null_vectors(session, file, solver.near_null_vectors(), links);
  }
}

}  // namespace kaon::apps
