// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The benchmarks: starts the session, measures the copy bandwidth, runs what was requested and prints a table.
#include "perf/copy_bandwidth.hpp"
#include "perf/memory.hpp"
#include "perf/suite.hpp"
#include "perf/table.hpp"

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/io/gauge.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string_view>

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

/// One process writes files.
void drop_output_files(int& argc, char** argv) {
  char** const end = std::remove_if(argv + 1, argv + argc, [](const char* argument) {
    return std::string_view(argument).starts_with("--benchmark_out");
  });
  argc = static_cast<int>(end - argv);
  *end = nullptr;
}

/// The links of a file, if one is named.
std::optional<GaugeField<double>> read_gauge(const Communicator& communicator, const Options& options) {
  if (options.gauge.empty()) return std::nullopt;
  const Coordinates extents = io::inspect_gauge(options.gauge).extents;
  return io::read_gauge<double>(make_lattice(communicator, extents, options, {}), options.gauge,
                                {.ignore_stated_plaquette = options.ignore_stated_plaquette});
}

int run(const Session& session, int argc, char** argv) {
  Memory::watch();
  const bool first = session.communicator().rank() == 0;
  const Options options = take_options(argc, argv);
  if (!first) drop_output_files(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  const std::optional<GaugeField<double>> gauge = read_gauge(session.communicator(), options);
  Suite suite(session.communicator(), options, gauge ? &*gauge : nullptr);
  describe_run(suite);
  for (const Lattice& lattice : suite.lattices) {
    register_hops(suite, lattice);
    register_slices(suite, lattice);
    register_coarse_hops(suite, lattice);
    register_hypercube_hops(suite, lattice);
    register_halos(suite, lattice);
    register_improved_links(suite, lattice);
    register_smearing(suite, lattice);
    register_forces(suite, lattice);
    register_blas(suite, lattice);
    register_solvers(suite, lattice);
    register_staggered_cg(suite, lattice);
    register_multi_shift(suite, lattice);
    register_transfers(suite, lattice);
    if (gauge && gauge->lattice() == lattice) {
      register_solves(suite, lattice);
      register_sliced_solves(suite, lattice);
      register_multigrid(suite, lattice);
      register_staggered_solves(suite, lattice);
    }
  }
  register_exact_inverses(suite);
  register_copy(suite);

  if (!first) {
    SilentReporter silent;
    benchmark::RunSpecifiedBenchmarks(&silent);
    return 0;
  }
  TableReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const std::string table = reporter.table();
  // On standard error beside the other formats, so that these remain what they are.
  if (!table.empty()) fmt::print(stderr, "\ncopy bandwidth {:.1f} GB/s\n\n{}", 1e-9 * suite.copy_bandwidth, table);
  return reporter.any_failed() ? 1 : 0;
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
