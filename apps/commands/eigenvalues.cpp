// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/files/prepared_files.hpp"
#include "apps/quark/propagate.hpp"
#include "apps/quark/propagator_output.hpp"
#include "core/tuning/phases.hpp"
#include "io/spinors/spinor_parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <optional>
#include <string>

namespace kaon::apps {
namespace {

struct EigenvalueRun {
  PropagatorOptions given;
  EigenvectorParameters finding{.count = 10};
  std::string sites;                      ///< even, all; empty: even of staggered actions
  std::string output;                     ///< JSON; empty: none
  std::string vectors;                    ///< file of the eigenvectors; empty: none
  std::string vectors_format = "scidac";  ///< scidac, quda or milc-packed
  int bits = 64;                          ///< of its numbers

  PropagatorPlan plan{};
  bool even_sites = false;
  std::string matrix{};           ///< "4m^2 - D_eo D_oe on even sites"
  std::optional<double> shift{};  ///< the part of the eigenvalues of staggered quarks that the mass adds
};

/// Checks the options and sets what they mean.
void check_eigenvalues(EigenvalueRun& run, const std::set<std::string>& named) {
  run.given.quark.named = named;
  run.plan = check_operator(run.given);
  if (run.plan.quarks.size() > 1) {
    throw usage_error(fmt::format("--mass: {} masses are given: eigenvalues are those of one", run.plan.quarks.size()));
  }
  const double tolerance = run.finding.tolerance, mass = run.plan.quarks.front().mass;
  if (!(tolerance > 0.0 && tolerance < 1.0)) {
    throw usage_error(fmt::format("--tolerance: {} does not lie between 0 and 1", tolerance));
  }
  const std::string normal(run.plan.family().normal_matrix);
  if (run.sites == "all" && !normal.empty()) {
    throw usage_error("--sites: staggered actions have each eigenvalue twice on all sites: leave it out");
  }
  if (run.vectors_format != "scidac" && normal.empty()) {
    throw usage_error(fmt::format("--vectors-format: {} is for staggered actions", run.vectors_format));
  }
  if (run.bits != 32 && run.bits != 64) throw usage_error(fmt::format("--bits: {} is neither 64 nor 32", run.bits));
  if (run.vectors.empty()) refuse_named(named, {"--bits", "--vectors-format"}, "without --vectors");
  run.finding.seed = run.given.seed;
  run.even_sites = run.sites == "even" || !normal.empty();
  if (!normal.empty()) run.shift = 4.0 * mass * mass;
  run.matrix = run.shift        ? normal + " on even sites"
               : run.even_sites ? "S^dag S, S the symmetric Schur complement of M on even sites"
                                : "M^dag M";
}

Eigenvectors<double> find(const EigenvalueRun& run, const EvenOddOperator<double>& dirac) {
  const detail::Phase phase(detail::PhaseName::solve);
  try {
    if (!run.even_sites) return find_eigenvectors<double>(NormalOperator<double>(dirac), run.finding);
    if (const auto normal = dirac.normal_system(Parity::even)) return find_eigenvectors<double>(*normal, run.finding);
    return find_eigenvectors<double>(NormalOperator<double>(Schur<double>(dirac)), run.finding);
  } catch (const SolveError& error) {  // files of huge links
    if (run.given.fat.empty()) throw;
    throw input_error(fmt::format("--fat: {}", error.what()));
  } catch (const Error& error) {  // more than the lattice has
    throw usage_error(fmt::format("{}: {}", run.finding.basis ? "--basis" : "--count", error.what()));
  }
}

void report(const Session& session, const EigenvalueRun& run, const Eigenvectors<double>& found) {
  const std::optional<double>& shift = run.shift;
  say(session, "{:>6}  {:>20}  {:>12}{}\n", "number", "eigenvalue", "residual",
      shift ? fmt::format("  {:>20}", "without 4m^2") : "");
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    say(session, "{:>6}  {:>20.12e}  {:>12.3e}{}\n", i, found.values[i], found.residuals[i],
        shift ? fmt::format("  {:>20.12e}", found.values[i] - *shift) : "");
  }
  say(session, "{}, {} applications of the matrix\n", counted(found.restarts, "restart", "restarts"),
      found.applications);
}

void add_files(PreparedFiles& files, const Session& session, const EigenvalueRun& run, const GaugeInput& gauge,
               const Eigenvectors<double>& found, double seconds) {
  Json json{{"gauge", gauge.description},
            {"action", operator_json(run.plan)},
            {"matrix", run.matrix},
            {"tolerance", run.finding.tolerance}};
  if (found.converged && found.complete && !run.vectors.empty()) {
    io::SpinorFileInfo about{
        .info = to_text(json), .eigenvalues = found.values, .residuals = found.residuals, .milc_shift = run.shift};
    if (!gauge.smeared) about.plaquette = plaquette(gauge.links).average;
    const io::SpinorWriteOptions writing{
        .bits = run.bits, .quda = run.vectors_format == "quda", .milc_packed = run.vectors_format == "milc-packed"};
    files.add("--vectors",
              [&] { return io::prepare_spinor_fields<double>(run.vectors, found.vectors, about, writing); });
  }
  if (run.output.empty()) return;
  json.update({{"converged", found.converged},
               {"complete", found.complete},
               {"restarts", found.restarts},
               {"applications", found.applications},
               {"seconds", seconds},
               {"eigenvalues", found.values},
               {"residuals", found.residuals},
               {"provenance", provenance(session, gauge.links.lattice())}});
  files.add_json(session, "--output", run.output, json);
}

/// Checks before the search that the disk has space for the eigenvectors.
void require_space(const Session& session, const EigenvalueRun& run, const EvenOddOperator<double>& dirac) {
  const std::ptrdiff_t sites = dirac.lattice().volume() / (run.even_sites ? 2 : 1);
  const std::ptrdiff_t numbers = sites * dirac.domain().components_of_all_slices();
  if (run.finding.count > numbers) return;  // the search refuses that
  const auto bytes = static_cast<std::uint64_t>(run.finding.count * numbers * 2 * run.bits / 8);
  require_usable_files(session, {{"--vectors", run.vectors, false, bytes}});
}

Exit find_eigenvalues(const Session& session, const EigenvalueRun& run) {
  std::vector<NamedFile> named = inputs_of(run.given);
  named.insert(named.end(), {{"--output", run.output}, {"--vectors", run.vectors}});
  require_usable_files(session, named);
  const GaugeInput gauge = read_operator_links(session, run.plan);
  report_operator(session, run.plan);
  say(session, "matrix        {}\n", run.matrix);
  say(session, "tolerance     {:g} of the largest eigenvalue\n\n", run.finding.tolerance);
  const Quark<double> dirac = quarks_of(run.plan, gauge).front().quark;
  require_space(session, run, *dirac);
  const Kokkos::Timer timer;
  const Eigenvectors<double> found = find(run, *dirac);
  report(session, run, found);
  PreparedFiles files;
  add_files(files, session, run, gauge, found, timer.seconds());
  const char* line_break = "\n";
  files.commit([&](const std::string&, const std::filesystem::path& file) {
    say(session, "{}written       {}\n", std::exchange(line_break, ""), file.string());
  });
  if (found.converged && found.complete) return Exit::success;
  throw Failure(Exit::not_converged,
                fmt::format("--max-restarts: after {} restarts {}: raise it, --basis or --tolerance", found.restarts,
                            found.converged ? "it is not known whether one that belongs among them is missing"
                                            : "some eigenvectors miss the tolerance"));
}

void declare_eigenvalues(const Command& command, EigenvalueRun& options) {
  add_operator_options(command, options.given);
  Command group = command.in_group("Eigenvalues");
  group.add_option("--count", options.finding.count, "How many, from the smallest on", positive());
  group.add_choice("--sites", options.sites, {"all", "even"},
                   "Of M^dag M, or of the even-odd operator; default: even if staggered");
  group.add_option("--tolerance", options.finding.tolerance, "On |A v - lambda v| over the largest eigenvalue");
  group.add_option("--basis", options.finding.basis, "Fields in memory, more than --count + 1; default 2 --count + 16");
  group.add_option("--max-restarts", options.finding.max_restarts, "Restarts after which to give up", not_negative());
  group.add_option("--seed", options.given.seed, "Seed of the first vector and of --weak");
  group.add_option("--output", options.output, "Write eigenvalues and report to this JSON file")->type_name("FILE");
  group.add_option("--vectors", options.vectors, "Write the eigenvectors to this file")->type_name("FILE");
  group.add_option("--bits", options.bits, "Of a number in that file, 64 or 32");
  group.add_choice("--vectors-format", options.vectors_format, {"scidac", "quda", "milc-packed"},
                   "Of that file; quda and milc-packed: staggered actions");
}

const Subcommand eigenvalues_subcommand(90, "eigenvalues", "Smallest eigenvalues of a Dirac operator's normal matrix",
                                        declare_eigenvalues, find_eigenvalues, check_eigenvalues);

}  // namespace
}  // namespace kaon::apps
