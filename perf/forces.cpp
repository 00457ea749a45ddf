// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/fermion_force.hpp>

#include <vector>

namespace kaon::perf {
namespace {

constexpr double hop_flops = 4.0 * 888.0, product_flops = 864.0;  ///< a site and right-hand side
constexpr double clover_flops = 864.0 + 41200.0;                  ///< a site
/// Numbers that move on a site for each right-hand side: fields are completed; in four directions two hops, which read
/// and write a spinor, and outer products of four; a field is turned by g5; products for the clover term.
constexpr double vector_reals = 48.0 + 4.0 * (2.0 * 48.0 + 4.0 * 24.0) + 48.0 + 48.0;
/// And once: links of two hops, matrices of V, W, and of the pass from W to V.
constexpr double matrix_reals = 4.0 * (2.0 * 18.0 + 2.0 * 18.0) + 2.0 * 108.0 + 72.0 + 108.0 + 2.0 * 72.0;

/// `add_fermion_force` of clover quarks by solutions on even sites.
void run_force(benchmark::State& state, Suite& suite, const Lattice& lattice, int count) {
  const auto& dirac = suite.problem.on<WilsonClover, double>(lattice, LinkStorage::full, suite.halo);
  SpinorField<double> solutions(lattice, {.subset = Subset::even, .right_hand_sides = count});
  fill(solutions, 0);
  const std::vector<double> residues(static_cast<std::size_t>(count), 1.0);
  GaugeField<double> matrices(lattice);
  const auto sites = static_cast<double>(lattice.volume());
  // N X_p, and from X_p and Y_p the other parity: two hops each.
  const Cost hops = schur_cost(dirac, count) + schur_cost(dirac, count);
  const Cost products{sites * (count * (hop_flops + product_flops) + clover_flops),
                      sites * (count * vector_reals + matrix_reals) * sizeof(double)};
  measure(state, suite, hops + products, [&] { add_fermion_force(matrices, dirac, solutions, residues); });
}

}  // namespace

void register_forces(Suite& suite, const Lattice& lattice) {
  for (const int count : right_hand_side_counts) {
    add_benchmark(case_name("clover_force", "double", count, lattice),
                  [&suite, &lattice, count](benchmark::State& state) { run_force(state, suite, lattice, count); });
  }
  add_benchmark(
      "determinant_force/double/" + to_string(lattice.extents()), [&suite, &lattice](benchmark::State& state) {
        const auto& dirac = suite.problem.on<WilsonClover, double>(lattice, LinkStorage::full, suite.halo);
        GaugeField<double> matrices(lattice);
        const auto sites = static_cast<double>(lattice.volume());
        // W is set to zero, changed on one parity and read; C^-1 on one parity, links and V.
        const Cost cost{sites * (0.5 * 648.0 + 41200.0), sites * (3.0 * 108.0 + 36.0 + 72.0 + 144.0) * sizeof(double)};
        measure(state, suite, cost, [&] { add_determinant_force(matrices, dirac, Parity::odd, 2.0); });
      });
}

}  // namespace kaon::perf
