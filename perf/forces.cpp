// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/link_benchmarks.hpp"

#include <kaon/gauge/loop_action.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <memory>

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

/// Steps of the links' own: `call(field, links)` with another field of matrices.
template <class Call>
void add_field_benchmark(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved,
                         const Call& call) {
  add_made_benchmark(suite, lattice, what, flops, links_moved, [call](GaugeField<double>& links) {
    const auto field = std::make_shared<GaugeField<double>>(links.lattice());
    set_gaussian_momenta(*field, 1e-3, {.seed = 2});
    return [call, field, &links] { call(*field, links); };
  });
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
  // Links are read once, V is read and written; rectangles have two passes before for each direction, of three links.
  add_field_benchmark(suite, lattice, "loop_force", 11000.0, 12.0,
                      [](auto& matrices, const auto& links) { add_loop_force(matrices, links, 6.0); });
  add_field_benchmark(suite, lattice, "loop_force_of_rectangles", 50700.0, 104.0,
                      [](auto& matrices, const auto& links) { add_loop_force(matrices, links, 6.0, iwasaki_weights); });
  add_field_benchmark(suite, lattice, "kick_momenta", 4.0 * 60.0, 12.0,
                      [](auto& momenta, const auto& links) { kick_momenta(momenta, links, 1e-3); });
  add_field_benchmark(suite, lattice, "advance_links", 4.0 * 870.0, 12.0,
                      [](auto& momenta, auto& links) { advance_links(links, momenta, {.size = 1e-3}); });
}

}  // namespace kaon::perf
