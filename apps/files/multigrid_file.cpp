// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/files/multigrid_file.hpp"

#include "apps/cli/output.hpp"
#include "apps/cli/signal_report.hpp"
#include "apps/cli/with_option.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/spinors.hpp>

#include <cmath>

namespace kaon::apps {
namespace {

/// Plaquettes that differ by more are of different links; files and sums over many processes have roundings.
constexpr double same_plaquette = 1e-10;

}  // namespace

std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Session& session, const std::string& file,
                                                                 const GaugeField<double>& links) {
  return with_option("--multigrid-file", [&] {
    io::SpinorFile read = io::read_spinors(links.lattice(), file);
    require(read.spinors.colors() == colors, [&] {
      return fmt::format("{} holds fields of {} spins and {} colours, not near-null vectors", file,
                         read.spinors.spins(), read.spinors.colors());
    });
    say(session, "near-null vectors {} of {}\n", read.spinors.right_hand_sides(), file);
    const double own = plaquette(links).average;
    if (read.info.plaquette && !(std::abs(*read.info.plaquette - own) <= same_plaquette)) {
      say(session,
          "warning       they belong to links of plaquette {:.10f}, not {:.10f}: improved where they must be\n",
          *read.info.plaquette, own);
    }
    return std::make_shared<const SpinorField<float>>(std::move(read.spinors));
  });
}

void write_near_null_vectors(const Session& session, const std::string& file, const SpinorField<float>& vectors,
                             const GaugeField<double>& links) {
  with_option("--multigrid-file", [&] {
    io::write_spinors(file, vectors, {.plaquette = plaquette(links).average, .info = "near-null vectors of multigrid"});
  });
  report_complete_file(file);
  say(session, "written       {}\n", file);
}

}  // namespace kaon::apps
