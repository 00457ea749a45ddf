// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/link_benchmarks.hpp"

#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>

#include <memory>

namespace kaon::perf {
namespace {

// A call copies the links and tests them for unitarity before its step. Kernels with a projection also test the result.
constexpr double copied = 2.0 * 4.0, examined = 4.0;
constexpr double stout_moved = copied + examined + 2.0 * 4.0;
constexpr double ape_moved = stout_moved + examined;
constexpr double hyp_moved = copied + 2.0 * examined + (4 + 12) + (4 + 12 + 12) + (4 + 12 + 4);
// Three stages, which read two P and write two. With rectangles each direction of a stage has three passes.
constexpr double wilson_moved = 3.0 * 2.0 * 4.0 + 4.0 * 4.0;
constexpr double symanzik_moved = 3.0 * 4.0 * (4 + 3 + 4 + 3 + 4 + 3 + 3 + 1) + 4.0 * 4.0;
constexpr double observables_moved = 4.0;

/// Steps of one flow, which continues from call to call.
void add_flow(Suite& suite, const Lattice& lattice, const char* what, double flops, double links_moved,
              const LoopWeights& weights) {
  add_made_benchmark(suite, lattice, what, flops, links_moved, [weights](const GaugeField<double>& links) {
    return [flow = std::make_shared<GradientFlow>(links, FlowParameters{.weights = weights})] { flow->advance(); };
  });
}

}  // namespace

void register_smearing(Suite& suite, const Lattice& lattice) {
  add_link_benchmark(suite, lattice, "stout_links", 14e3, stout_moved,
                     [](const GaugeField<double>& u) { stout_links(u, {}); });
  add_link_benchmark(suite, lattice, "ape_links", 27e3, ape_moved,
                     [](const GaugeField<double>& u) { ape_links(u, {}); });
  add_link_benchmark(suite, lattice, "hyp_links", 160e3, hyp_moved,
                     [](const GaugeField<double>& u) { hyp_links(u, {}); });
  add_flow(suite, lattice, "wilson_flow", 43e3, wilson_moved, wilson_weights);
  add_flow(suite, lattice, "symanzik_flow", 165e3, symanzik_moved, symanzik_weights);
  add_link_benchmark(suite, lattice, "clover_observables", 15.7e3, observables_moved,
                     [](const GaugeField<double>& u) { clover_observables(u); });
}

}  // namespace kaon::perf
