// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "perf/options.hpp"
#include "perf/problem.hpp"
#include "perf/stopwatch.hpp"

#include <kaon/core/communicator.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon::perf {

/// The relative residual of whole solves.
inline constexpr double solve_tolerance = 1e-10;
/// Iterations of a solver that are timed, and those before them.
inline constexpr int warm_up_iterations = 2;
inline constexpr int timed_iterations = 20;

/// State that the benchmarks of one run share. They refer to it and to its lattices.
struct Suite {
  /// `gauge` may be null: see `Problem`. It must outlive the suite.
  Suite(const Communicator& processes, const Options& options, const GaugeField<double>* gauge);
  Suite(const Suite&) = delete;
  Suite& operator=(const Suite&) = delete;

  Stopwatch stopwatch() const { return {communicator, execution}; }
  /// HISQ quarks on the gauge field that was given, made on first use.
  const ImprovedStaggered<double>& hisq();

  Communicator communicator;
  Execution execution{};
  std::vector<Lattice> lattices;
  std::size_t copy_mebibytes;
  HaloPrecision halo;
  double staggered_mass;
  double copy_bandwidth;  ///< bytes read plus written in a second, by all processes
  Problem problem;
  std::optional<ImprovedStaggered<double>> kept_hisq;
  std::shared_ptr<void> coarse;                   ///< the coarse operator that was measured last
  std::vector<std::shared_ptr<const void>> kept;  ///< objects of benchmarks, which may hold memory of kernels
};

// Each adds its benchmarks, named <what>/<precision>/[links:<reals>/]rhs:<right-hand sides>/<extents>.
void register_hops(Suite& suite, const Lattice& lattice);
/// Hops of a Moebius operator and a matrix on slices: <what>/<precision>/links:<reals>/slices:<L_s>/<extents>.
void register_domain_wall(Suite& suite, const Lattice& lattice);
/// Even-odd solves with the same operators.
void register_domain_wall_solves(Suite& suite, const Lattice& lattice);
/// Hops of coarse operators of random matrices, on a coarse lattice of the same extents.
void register_coarse_hops(Suite& suite, const Lattice& lattice);
/// Mesons and baryons of propagators, with momenta: GB/s count one read of the propagators.
void register_contractions(Suite& suite, const Lattice& lattice);
/// Exchanges of halos, on partitioned lattices.
void register_halos(Suite& suite, const Lattice& lattice);
/// Links of improved staggered operators, forces and momenta: <what>/double/<extents>.
void register_links(Suite& suite, const Lattice& lattice);
void register_blas(Suite& suite, const Lattice& lattice);
/// Files in double precision, in the folder for temporary files: GB/s are those of the file. Copies of fields from
/// arrays of the host and back.
void register_files(Suite& suite, const Lattice& lattice);
/// Iterations of BiCGstab on clover quarks and of CG on the normal operator of improved staggered ones.
void register_iterations(Suite& suite, const Lattice& lattice);
/// Whole solves of clover and HISQ quarks on the gauge field that was given.
void register_solves(Suite& suite, const Lattice& lattice);
/// The setup of multigrid, and whole solves with it, on the gauge field that was given.
void register_multigrid(Suite& suite, const Lattice& lattice);
/// The copy once more, to show whether the machine is still as fast as at the start.
void register_copy(Suite& suite);

/// Registers `run(state)`, which sets its own time.
template <class Run>
auto* add_benchmark(const std::string& name, const Run& run) {
  return benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

inline std::string case_name(const char* what, const std::string& variant, int right_hand_sides,
                             const Lattice& lattice) {
  return std::string(what) + "/" + variant + "/rhs:" + std::to_string(right_hand_sides) + "/" +
         to_string(lattice.extents());
}
/// "single/links:12"
inline std::string variant_name(const char* precision, LinkStorage storage) {
  return std::string(precision) + "/links:" + std::to_string(reals(storage));
}

/// Storages of links that are measured.
inline std::vector<LinkStorage> link_storages() {
  return built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});
}
/// Numbers of right-hand sides that are measured.
inline constexpr int right_hand_side_counts[] = {1, 12};

}  // namespace kaon::perf
