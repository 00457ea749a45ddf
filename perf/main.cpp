// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The benchmarks: starts the session, measures the copy bandwidth and runs what was requested.
#include "perf/measure.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/gauge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaon::perf {
namespace {

Lattice make_lattice(const Communicator& processes, const Coordinates& extents, const Options& options,
                     const Execution& execution) {
  return Lattice(processes, {.extents = extents,
                             .process_grid = options.process_grid,
                             .partition = options.partition,
                             .execution = execution});
}

}  // namespace

Suite::Suite(const Communicator& processes, const Options& options, const GaugeField<double>* gauge)
    : communicator(processes),
      copy_mebibytes(options.copy_mebibytes),
      halo(options.halo),
      staggered_mass(options.staggered_mass),
      copy_bandwidth(perf::copy_bandwidth(processes, execution, options.copy_mebibytes)),
      problem(gauge, options.kappa) {
  if (gauge != nullptr) lattices.push_back(gauge->lattice());
  for (const Coordinates& extents : options.lattices) {
    lattices.push_back(make_lattice(processes, extents, options, execution));
  }
}

const ImprovedStaggered<double>& Suite::hisq() {
  if (!kept_hisq) {
    GaugeField<double> links(with_reach_3(problem.gauge().lattice()));
    links.from_host(problem.gauge().to_host());
    reunitarize(links);
    const ImprovedLinks improved = hisq_links(links);
    kept_hisq.emplace(improved.fat, improved.third,
                      ImprovedStaggeredParameters{.mass = staggered_mass, .third_weight = improved.third_weight});
  }
  return *kept_hisq;
}

namespace {

/// Context without which results are meaningless.
void describe_run(const Suite& suite) {
  const BuildInfo build = build_info();
  const RunInfo run = run_info(suite.communicator);
  benchmark::AddCustomContext("kaon", build.version);
  benchmark::AddCustomContext("commit", build.commit);
  benchmark::AddCustomContext("compiler", fmt::format("{}, {}", build.compiler, KAON_BUILD_TYPE));
  benchmark::AddCustomContext("instruction_set", build.instruction_set);
  benchmark::AddCustomContext("lanes", fmt::format("{} double, {} single", build.double_lanes, build.float_lanes));
  benchmark::AddCustomContext("kokkos", fmt::format("{} ({})", build.kokkos, KAON_KOKKOS_CONFIGURATION));
  benchmark::AddCustomContext("execution_space", build.execution_space);
  benchmark::AddCustomContext("device", run.device);
  benchmark::AddCustomContext("host_threads", std::to_string(run.host_threads));
  benchmark::AddCustomContext("processes", std::to_string(run.processes));
  benchmark::AddCustomContext("message_passing", build.message_passing);
  benchmark::AddCustomContext("halo", suite.halo == HaloPrecision::field    ? "field"
                                      : suite.halo == HaloPrecision::single ? "single"
                                                                            : "half");
  benchmark::AddCustomContext("copy_GB/s", fmt::format("{:.1f}", 1e-9 * suite.copy_bandwidth));
}

/// Shows what Google Benchmark's own reporter shows, on the first process alone, and notes failures.
class Reporter final : public benchmark::BenchmarkReporter {
 public:
  explicit Reporter(bool shows) : shows_(shows) {}

  bool ReportContext(const Context& context) override { return !shows_ || inner_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (shows_) inner_->ReportRuns(runs);
    any_failed_ = any_failed_ || std::ranges::any_of(runs, [](const Run& run) {
                    return run.run_type == Run::RT_Iteration && !run.counters.contains(counter::gigabytes);
                  });
  }
  void Finalize() override {
    if (shows_) inner_->Finalize();
  }
  /// True if a benchmark ended without a result.
  bool any_failed() const { return any_failed_; }

 private:
  bool shows_;
  bool any_failed_ = false;
  benchmark::BenchmarkReporter* inner_ = benchmark::CreateDefaultDisplayReporter();  // owned by Google Benchmark
};

/// The links of a file, if one is named.
std::optional<GaugeField<double>> read_gauge(const Communicator& communicator, const Options& options) {
  if (options.gauge.empty()) return std::nullopt;
  const Coordinates extents = io::inspect_gauge(options.gauge).extents;
  return io::read_gauge<double>(make_lattice(communicator, extents, options, {}), options.gauge,
                                {.ignore_stated_plaquette = options.ignore_stated_plaquette});
}

int run(const Session& session, int argc, char** argv) {
  const bool first = session.communicator().rank() == 0;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const Options options = take_options(arguments);
  if (!first) std::erase_if(arguments, [](const std::string& word) { return word.starts_with("--benchmark_out"); });
  std::vector<char*> rest{argv[0]};
  for (std::string& argument : arguments) rest.push_back(argument.data());
  int count = static_cast<int>(rest.size());
  rest.push_back(nullptr);
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;

  const std::optional<GaugeField<double>> gauge = read_gauge(session.communicator(), options);
  Suite suite(session.communicator(), options, gauge ? &*gauge : nullptr);
  describe_run(suite);
  for (const Lattice& lattice : suite.lattices) {
    register_hops(suite, lattice);
    register_domain_wall(suite, lattice);
    register_coarse_hops(suite, lattice);
    register_contractions(suite, lattice);
    register_halos(suite, lattice);
    register_links(suite, lattice);
    register_blas(suite, lattice);
    register_files(suite, lattice);
    register_iterations(suite, lattice);
    if (gauge && gauge->lattice() == lattice) {
      register_solves(suite, lattice);
      register_domain_wall_solves(suite, lattice);
      register_multigrid(suite, lattice);
    }
  }
  register_copy(suite);

  Reporter reporter(first);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return first && reporter.any_failed() ? 1 : 0;
}

}  // namespace
}  // namespace kaon::perf

int main(int argc, char** argv) {
  if (std::any_of(argv, argv + argc, [](std::string_view argument) { return argument == "--help"; })) {
    benchmark::Initialize(&argc, argv, kaon::perf::print_help);  // prints it and exits
  }
  return kaon::run_program(argc, argv,
                           [&](const kaon::Session& session) { return kaon::perf::run(session, argc, argv); });
}
