// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_operator.hpp"
#include "perf/measure.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kaon::perf {
namespace {

using detail::CoarseOperator;

/// Near-null vectors with n = 2 N components a site.
constexpr int vector_counts[] = {24, 32};
constexpr int counts[] = {1, 4, 12};

/// An operator of random matrices. `suite` caches the last one: benchmarks of the same operator follow one another.
const CoarseOperator& find_coarse(Suite& suite, const Lattice& lattice, int vectors, MultigridPrecision links) {
  const auto* last = static_cast<const CoarseOperator*>(suite.coarse.get());
  if (last == nullptr || last->vectors() != vectors || last->link_precision() != links ||
      !(last->lattice() == lattice)) {
    suite.coarse.reset();
    const SpinorParameters shape{.spins = 2, .colors = vectors, .right_hand_sides = 2 * vectors};
    SpinorField<float> x(lattice, shape);
    fill(x, 0);
    std::vector<SpinorField<float>> y;
    for (std::uint32_t mu = 0; mu < 4; ++mu) fill(y.emplace_back(lattice, shape), 1 + mu);
    suite.coarse = std::make_shared<CoarseOperator>(x, y, links);
  }
  return *static_cast<const CoarseOperator*>(suite.coarse.get());
}

void run_coarse_hop(benchmark::State& state, Suite& suite, const Lattice& lattice, MultigridPrecision links,
                    int vectors, int count) {
  const CoarseOperator& op = find_coarse(suite, lattice, vectors, links);
  SpinorParameters shape = op.domain();
  shape.right_hand_sides = count;
  shape.subset = Subset::even;
  SpinorField<float> out(lattice, shape), x(lattice, shape);
  shape.subset = lattice.parities() == 2 ? Subset::odd : Subset::even;
  SpinorField<float> in(lattice, shape);
  fill(in, 0);
  fill(x, 1);
  measure(state, suite, hop_cost(op, SiteTerm::inverse, true, count),
          [&] { op.hop(out, in, {.term = SiteTerm::inverse, .scale = -1.0, .x = &x}); });
}

}  // namespace

void register_coarse_hops(Suite& suite, const Lattice& lattice) {
  for (const int vectors : vector_counts) {
    for (const auto& [name, links] :
         {std::pair("single", MultigridPrecision::single), std::pair("half", MultigridPrecision::half)}) {
      for (const int count : counts) {
        const std::string variant = "single/links:" + std::string(name) + "/n:" + std::to_string(2 * vectors);
        add_benchmark(case_name("coarse_hop", variant, count, lattice),
                      [&suite, &lattice, links, vectors, count](benchmark::State& state) {
                        run_coarse_hop(state, suite, lattice.coarsened({1, 1, 1, 1}), links, vectors, count);
                      });
      }
    }
  }
}

}  // namespace kaon::perf
