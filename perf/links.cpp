// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/loop_action.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/staggered_force.hpp>
#include <kaon/gauge/stout_force.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kaon::perf {
namespace {

/// A benchmark of what `make(links)` returns, a function without arguments, on rough links: flops of a site, and links
/// that move there, each of 18 doubles, in all passes of a call.
template <class Make>
void add_made_benchmark(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved,
                        const Make& make) {
  add_benchmark(std::string(what) + "/double/" + to_string(lattice.extents()),
                [&suite, &lattice, make, flops, links_moved](benchmark::State& state) {
                  GaugeField<double> links(lattice);
                  set_weak(links, 0.2, {.seed = 1});
                  const auto sites = static_cast<double>(lattice.volume());
                  const Cost cost{sites * flops, sites * links_moved * 18.0 * sizeof(double)};
                  measure(state, suite, cost, make(links));
                });
}

/// Adds the benchmark of `call(links)`.
template <class Call>
void add_link_benchmark(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved,
                        const Call& call) {
  add_made_benchmark(suite, lattice, what, flops, links_moved,
                     [call](const GaugeField<double>& links) { return [call, &links] { call(links); }; });
}

// A pass of fat links reads U and what the pass before made of it, for each direction.
constexpr double fat_flops = 42048.0, fat_links_moved = 4.0 * (4 + 3 + 4 + 3 + 3 + 4 + 3 + 1);
constexpr double third_flops = 1584.0, third_links_moved = 2.0 * 4.0;
constexpr double projection_flops = 4.0 * 3640.0, projection_links_moved = 2.0 * 4.0;

// For each direction twice the first two passes, and sums along it and across it, which are read and written; outer
// products; three steps of third links, twice two fields; U G^dag.
constexpr double gradient_flops = 4.0 * (2.0 * 3.0 * 828.0 + 2.0 * 3.0 * 1836.0 + 2664.0 + 3.0 * 6696.0);
constexpr double gradient_links_moved =
    4.0 * ((4 + 3) + (4 + 4 + 3) + 2.0 * (4 + 3 + 3) + (4 + 1 + 3 + 3 + 2) + (4 + 1 + 4.0 * 3 + 2.0 * 3));
constexpr double rest_flops = 8.0 * 432.0 * 4.0 + 4.0 * 1260.0 + 4.0 * 198.0;
constexpr double rest_links_moved = (4 + 4 + 4.0 * 4) + 4.0 * 4 + 3.0 * 4;
constexpr double closing_of_v_flops = 4.0 * 4500.0, closing_of_v_links_moved = 3.0 * 4.0;

/// A force of twelve vectors.
template <class Force>
void add_force(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved,
               const Force& force) {
  add_made_benchmark(suite, lattice, what, flops, links_moved, [force](const GaugeField<double>& links) {
    auto vectors =
        std::make_shared<SpinorField<double>>(links.lattice(), SpinorParameters{.spins = 1, .right_hand_sides = 12});
    set_gaussian(*vectors, {.seed = 2});
    return [vectors, force, &links, residues = std::vector<double>(12, 0.1)] {
      force(links, StaggeredForceTerm{.vectors = *vectors, .residues = residues});
    };
  });
}

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

void register_links(Suite& suite, const Lattice& lattice) {
  add_link_benchmark(suite, lattice, "fat_links", fat_flops, fat_links_moved,
                     [](const GaugeField<double>& u) { fat_links(u, fat7_coefficients()); });
  add_link_benchmark(suite, lattice, "third_links", third_flops, third_links_moved,
                     [](const GaugeField<double>& u) { third_links(u); });
  add_link_benchmark(suite, lattice, "u3_projection", projection_flops, projection_links_moved,
                     [](const GaugeField<double>& u) { project_to_u3(u); });
  add_link_benchmark(suite, lattice, "asqtad_links", fat_flops + third_flops, fat_links_moved + third_links_moved,
                     [](const GaugeField<double>& u) { asqtad_links(u, 0.87); });
  add_link_benchmark(suite, lattice, "hisq_links", 2.0 * fat_flops + third_flops + projection_flops,
                     2.0 * fat_links_moved + third_links_moved + projection_links_moved,
                     [](const GaugeField<double>& u) { hisq_links(u); });
  add_force(suite, lattice, "asqtad_force", gradient_flops + rest_flops, gradient_links_moved + rest_links_moved,
            [](const GaugeField<double>& u, const StaggeredForceTerm& term) {
              staggered_force(u, asqtad_coefficients(0.87), term);
            });
  add_force(suite, lattice, "hisq_force",
            2.0 * gradient_flops + rest_flops + closing_of_v_flops + fat_flops + projection_flops,
            2.0 * gradient_links_moved + rest_links_moved + closing_of_v_links_moved + fat_links_moved +
                projection_links_moved,
            [](const GaugeField<double>& u, const StaggeredForceTerm& term) { hisq_force(u, std::span(&term, 1)); });
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
  // Through one level: links and matrices are read, Y is written beside the latter, and read with both; then they are
  // added.
  add_made_benchmark(suite, lattice, "stout_force", 4.0 * (5900.0 + 7650.0 + 36.0), 4.0 * (4 + 4 + 3),
                     [](const GaugeField<double>& links) {
                       const StoutSmearing smearing{.rho = {0.125, 0.125, 0.125, 0.125}};
                       const Lattice& lattice = links.lattice();
                       const auto matrices = std::make_shared<std::vector<GaugeField<double>>>();
                       for (int k = 0; k < 2; ++k) matrices->emplace_back(lattice);
                       set_gaussian_momenta(matrices->back(), 1e-3, {.seed = 2});
                       return [matrices, smearing, levels = stout_levels(links, smearing)] {
                         add_stout_force(matrices->front(), levels, smearing, matrices->back());
                       };
                     });
  add_field_benchmark(suite, lattice, "kick_momenta", 4.0 * 60.0, 12.0,
                      [](auto& momenta, const auto& links) { kick_momenta(momenta, links, 1e-3); });
  add_field_benchmark(suite, lattice, "advance_links", 4.0 * 870.0, 12.0,
                      [](auto& momenta, auto& links) { advance_links(links, momenta, {.size = 1e-3}); });
}

}  // namespace kaon::perf
