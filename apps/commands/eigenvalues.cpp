// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagate.hpp"
#include "apps/quark/propagator_output.hpp"
#include "io/spinors/spinor_parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/eigenvectors.hpp>
#include <kaon/solvers/solver.hpp>

#include <optional>
#include <string>
#include <utility>

namespace kaon::apps {
namespace {

struct EigenvalueOptions {
  PropagatorOptions physics;
  EigenvectorParameters finding{.count = 10};
  std::string sites;    ///< even, all; empty: even of staggered actions
  std::string output;   ///< JSON; empty: none
  std::string vectors;  ///< file of the eigenvectors; empty: none
  int bits = 64;        ///< of its numbers
};

struct EigenvaluePlan {
  PropagatorPlan physics;
  EigenvalueOptions given;
  bool even_sites;
  std::string matrix;  ///< "4m^2 - D_eo D_oe on even sites"

  /// Staggered quarks: the part of the eigenvalues that the mass adds.
  std::optional<double> shift() const {
    if (physics.family().normal_matrix.empty()) return {};
    return 4.0 * physics.quarks.front().mass * physics.quarks.front().mass;
  }
};

EigenvaluePlan check(const EigenvalueOptions& options) {
  PropagatorPlan physics = check_operator(options.physics);
  if (physics.quarks.size() > 1) {
    throw usage_error(fmt::format("--mass: {} masses are given: eigenvalues are those of one", physics.quarks.size()));
  }
  const std::string normal(physics.family().normal_matrix);
  const double tolerance = options.finding.tolerance;
  if (!(tolerance > 0.0 && tolerance < 1.0)) {
    throw usage_error(fmt::format("--tolerance: {} does not lie between 0 and 1", tolerance));
  }
  if (options.sites == "all" && !normal.empty()) {
    throw usage_error("--sites: staggered actions have each eigenvalue twice on all sites: leave it out");
  }
  if (options.bits != 32 && options.bits != 64) {
    throw usage_error(fmt::format("--bits: {} is neither 64 nor 32", options.bits));
  }
  if (options.vectors.empty()) refuse_named(options.physics.quark.named, {"--bits"}, "without --vectors");
  const bool even = options.sites == "even" || !normal.empty();
  const std::string matrix = !normal.empty() ? normal + " on even sites"
                             : even          ? "S^dag S, S the symmetric Schur complement of M on even sites"
                                             : "M^dag M";
  return {std::move(physics), options, even, matrix};
}

Eigenvectors<double> find(const EigenvaluePlan& plan, const EvenOddOperator<double>& dirac) {
  EigenvectorParameters parameters = plan.given.finding;
  parameters.seed = plan.given.physics.seed;
  try {
    if (!plan.even_sites) return find_eigenvectors<double>(NormalOperator<double>(dirac), parameters);
    if (const auto normal = dirac.normal_system(Parity::even)) return find_eigenvectors<double>(*normal, parameters);
    return find_eigenvectors<double>(NormalOperator<double>(Schur<double>(dirac)), parameters);
  } catch (const SolveError& error) {  // files of huge links
    if (plan.physics.given.fat.empty()) throw;
    throw input_error(fmt::format("--fat: {}", error.what()));
  } catch (const Error& error) {  // more than the lattice has
    const bool given_basis = plan.given.physics.quark.has("--basis");
    throw usage_error(fmt::format("{}: {}", given_basis ? "--basis" : "--count", error.what()));
  }
}

void report(const Session& session, const EigenvaluePlan& plan, const Eigenvectors<double>& found) {
  const std::optional<double> shift = plan.shift();
  say(session, "{:>6}  {:>20}  {:>12}{}\n", "number", "eigenvalue", "residual",
      shift ? fmt::format("  {:>20}", "without 4m^2") : "");
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    say(session, "{:>6}  {:>20.12e}  {:>12.3e}{}\n", i, found.values[i], found.residuals[i],
        shift ? fmt::format("  {:>20.12e}", found.values[i] - *shift) : "");
  }
  say(session, "{} restarts, {} applications of the matrix\n", found.restarts, found.applications);
}

void add_files(PreparedFiles& files, const Session& session, const EigenvaluePlan& plan, const GaugeInput& gauge,
               const Eigenvectors<double>& found, double seconds) {
  const EigenvalueOptions& given = plan.given;
  Json json{{"gauge", gauge.description},
            {"action", operator_json(plan.physics)},
            {"matrix", plan.matrix},
            {"tolerance", given.finding.tolerance}};
  if (found.converged && found.complete && !given.vectors.empty()) {
    io::SpinorFileInfo about{.info = to_text(json), .eigenvalues = found.values, .residuals = found.residuals};
    if (!gauge.smeared) about.plaquette = plaquette(gauge.links).average;
    files.add("--vectors", [&] {
      return io::prepare_spinor_fields<double>(given.vectors, found.vectors, about, {.bits = given.bits});
    });
  }
  if (given.output.empty()) return;
  json.update({{"converged", found.converged},
               {"complete", found.complete},
               {"restarts", found.restarts},
               {"applications", found.applications},
               {"seconds", seconds},
               {"eigenvalues", found.values},
               {"residuals", found.residuals},
               {"provenance", provenance(session, gauge.links.lattice())}});
  files.add_json(session, "--output", given.output, json);
}

Exit find_eigenvalues(const Session& session, const EigenvaluePlan& plan) {
  const EigenvalueOptions& given = plan.given;
  std::vector<NamedFile> named = inputs_of(given.physics);
  named.insert(named.end(), {{"--output", given.output}, {"--vectors", given.vectors}});
  require_usable_files(session, named);
  const GaugeInput gauge = read_operator_links(session, plan.physics);
  report_operator(session, plan.physics);
  say(session, "matrix        {}\n", plan.matrix);
  say(session, "tolerance     {:g} of the largest eigenvalue\n\n", given.finding.tolerance);
  const Quark<double> dirac = quarks_of(plan.physics, gauge).front().quark;
  const Kokkos::Timer timer;
  const Eigenvectors<double> found = find(plan, *dirac);
  report(session, plan, found);
  PreparedFiles files;
  add_files(files, session, plan, gauge, found, timer.seconds());
  files.commit([&](const std::string&, const std::filesystem::path& file) {
    say(session, "\nwritten       {}\n", file.string());
  });
  if (found.converged && found.complete) return Exit::success;
  const char* const what = found.converged ? "it is not known whether one that belongs among them is missing"
                                           : "some eigenvectors miss the tolerance";
  throw Failure(
      Exit::not_converged,
      fmt::format("--max-restarts: after {} restarts {}: raise it, --basis or --tolerance", found.restarts, what));
}

std::function<Action()> declare_eigenvalues(const Command& command) {
  auto options = std::make_shared<EigenvalueOptions>();
  add_operator_options(command, options->physics);
  Command group = command.in_group("Eigenvalues");
  group.add_option("--count", options->finding.count, "How many, from the smallest on", positive());
  group
      .add_option("--sites", options->sites, "Of M^dag M, or of the even-odd operator; default: even if staggered",
                  one_of({"all", "even"}))
      ->type_name("all|even");
  group.add_option("--tolerance", options->finding.tolerance, "On |A v - lambda v| over the largest eigenvalue");
  group.add_option("--basis", options->finding.basis,
                   "Fields in memory, more than --count + 1; default 2 --count + 16");
  group.add_option("--max-restarts", options->finding.max_restarts, "Restarts after which to give up", not_negative());
  group.add_option("--seed", options->physics.seed, "Seed of the first vector and of --weak");
  group.add_option("--output", options->output, "Write eigenvalues and report to this JSON file")->type_name("FILE");
  group.add_option("--vectors", options->vectors, "Write the eigenvectors to this file")->type_name("FILE");
  group.add_option("--bits", options->bits, "Of a number in that file, 64 or 32");
  return [options, command]() -> Action {
    options->physics.quark.named = command.named_options();
    const EigenvaluePlan plan = check(*options);
    return [plan](const Session& session) { return find_eigenvalues(session, plan); };
  };
}

const Subcommand eigenvalues_subcommand(90, "eigenvalues", "Smallest eigenvalues of a Dirac operator's normal matrix",
                                        declare_eigenvalues);

}  // namespace
}  // namespace kaon::apps
