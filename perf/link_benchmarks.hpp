// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "perf/measure.hpp"

#include <kaon/gauge/initial_links.hpp>

#include <string>

namespace kaon::perf {

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

}  // namespace kaon::perf
