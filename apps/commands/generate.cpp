// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/ensemble.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/observables.hpp>

#include <optional>

namespace kaon::apps {
namespace {

struct GenerateOptions {
  EnsembleOptions run;
  std::optional<double> beta;
  int overrelaxation = 4;  ///< sweeps after each heatbath sweep
};

Exit generate(const Session& session, const GenerateOptions& options) {
  const EnsembleParameters& ensemble = options.run.ensemble;
  RunClock clock = run_clock(session, options.run);
  return run_ensemble(session, options.run,
                      {.noun = "update",
                       .nouns = "updates",
                       .count_option = "sweeps",
                       .progress = "",
                       .options = {{"beta", *options.beta}, {"overrelaxation", options.overrelaxation}},
                       .series = {"plaquettes"},
                       .describe =
                           [&](const Lattice&) {
                             say(session, "quenched SU(3), Wilson action, {} lattice, beta = {}\n",
                                 to_string(ensemble.extents), *options.beta);
                             say(session, "{} updates and {} before them to thermalize, from a {} start with seed {}\n",
                                 options.run.output.updates, ensemble.thermalization, ensemble.start, ensemble.seed);
                             say(session, "each is 1 heatbath and {} overrelaxation sweeps\n", options.overrelaxation);
                           },
                       .update = [&](GaugeField<double>& links, int number) -> EnsembleUpdate {
                         update(links, {.beta = *options.beta,
                                        .overrelaxation_sweeps = options.overrelaxation,
                                        .seed = ensemble.seed,
                                        .update = static_cast<std::uint32_t>(number)});
                         return {{plaquette(links).average}, ""};
                       },
                       .summarize = [](const EnsembleState&) {}},
                      clock);
}

void check_generate(GenerateOptions& options, const std::set<std::string>& named) {
  options.run.named = named;
  check(options.run);
}

void declare_generate(const Command& command, GenerateOptions& options) {
  Command group = command.in_group("Ensemble");
  add_lattice_options(group, options.run);
  group.add_option("--beta", options.beta, "Coupling of the Wilson action", not_negative())->required();
  group.add_option("--overrelaxation", options.overrelaxation, "Overrelaxation sweeps after each heatbath sweep",
                   not_negative());
  add_count_options(group, options.run, "sweeps", "Updates");
  add_run_options(group, options.run, "Updates");
}

const Subcommand generate_subcommand(60, "generate", "Generate quenched gauge fields with heatbath and overrelaxation",
                                     declare_generate, generate, check_generate);

}  // namespace
}  // namespace kaon::apps
