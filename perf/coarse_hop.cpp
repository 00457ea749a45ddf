// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_hop.hpp"
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"
#include "perf/measure.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kaon::perf {
namespace {

using detail::CoarseOperator;
using detail::StoredPrecision;

/// Near-null vectors with n = 2 N components a site.
constexpr int vector_counts[] = {24, 32};
constexpr int counts[] = {1, 4, 12};

/// An operator of random matrices. `suite` caches the last one: benchmarks of the same operator follow one another.
const CoarseOperator<float>& find_coarse(Suite& suite, const Lattice& lattice, int vectors, StoredPrecision links) {
  const auto* last = static_cast<const CoarseOperator<float>*>(suite.coarse.get());
  if (last == nullptr || last->vectors() != vectors || last->link_precision() != links ||
      !(last->lattice() == lattice)) {
    suite.coarse.reset();
    const SpinorParameters shape{.spins = 2, .colors = vectors, .right_hand_sides = 2 * vectors};
    SpinorField<float> x(lattice, shape);
    fill(x, 0);
    std::vector<SpinorField<float>> y;
    for (std::uint32_t mu = 0; mu < 4; ++mu) fill(y.emplace_back(lattice, shape), 1 + mu);
    suite.coarse = std::make_shared<CoarseOperator<float>>(x, y, links);
  }
  return *static_cast<const CoarseOperator<float>*>(suite.coarse.get());
}

struct CoarseHopCase {
  const char* name;
  const char* links_name;
  StoredPrecision links;
  bool sites_only;  ///< nothing but sites is split among threads
};
constexpr CoarseHopCase coarse_hop_cases[] = {{"coarse_hop", "single", StoredPrecision::field, false},
                                              {"coarse_hop_sites_only", "single", StoredPrecision::field, true},
                                              {"coarse_hop", "half", StoredPrecision::half, false},
                                              {"coarse_hop_sites_only", "half", StoredPrecision::half, true}};

void run_coarse_hop(benchmark::State& state, Suite& suite, const Lattice& lattice, const CoarseHopCase& which,
                    int vectors, int count) {
  const CoarseOperator<float>& op = find_coarse(suite, lattice, vectors, which.links);
  SpinorParameters shape = op.domain();
  shape.right_hand_sides = count;
  shape.subset = Subset::even;
  SpinorField<float> out(lattice, shape), x(lattice, shape);
  shape.subset = lattice.parities() == 2 ? Subset::odd : Subset::even;
  SpinorField<float> in(lattice, shape);
  fill(in, 0);
  fill(x, 1);
  if (which.sites_only) detail::forced_coarse_shape() = detail::coarse_sites_only();
  measure(state, suite, hop_cost(op, SiteTerm::inverse, true, count),
          [&] { op.hop(out, in, {.term = SiteTerm::inverse, .scale = -1.0, .x = &x}); });
  detail::forced_coarse_shape().reset();
}

/// x + K in on even hypercubes, K the hops of A, or of X^-1 M, which smoothers use. The operators are on `lattice`,
/// whose sites hypercubes contain.
void run_hypercube_hop(benchmark::State& state, Suite& suite, const Lattice& lattice, bool roots,
                       StoredPrecision stored, int count) {
  suite.coarse.reset();
  GaugeField<float> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  const detail::HypercubeOperator<float> hypercubes(links, antiperiodic_in_time, 0.1, stored);
  const auto& op = roots ? hypercubes.matrix() : hypercubes.left_matrix();
  SpinorParameters shape = op.domain();
  shape.right_hand_sides = count;
  shape.subset = Subset::even;
  SpinorField<float> out(op.lattice(), shape), x(op.lattice(), shape);
  shape.subset = op.lattice().parities() == 2 ? Subset::odd : Subset::even;
  SpinorField<float> in(op.lattice(), shape);
  fill(in, 0);
  fill(x, 1);
  measure(state, suite, hop_cost(op, SiteTerm::inverse, true, count),
          [&] { op.hop(out, in, {.term = SiteTerm::inverse, .scale = -1.0, .x = &x}); });
}

}  // namespace

void register_hypercube_hops(Suite& suite, const Lattice& lattice) {
  for (const bool roots : {true, false}) {
    for (const auto& [stored, links] :
         {std::pair{StoredPrecision::half, "half"}, std::pair{StoredPrecision::field, "single"}}) {
      for (const int count : {1, 3, 12}) {
        add_benchmark(
            case_name("hypercube_hop", "single/links:" + std::string(links) + "/form:" + (roots ? "roots" : "left"),
                      count, lattice),
            [&suite, &lattice, roots, stored, count](benchmark::State& state) {
              run_hypercube_hop(state, suite, lattice, roots, stored, count);
            });
      }
    }
  }
}

void register_coarse_hops(Suite& suite, const Lattice& lattice) {
  for (const int vectors : vector_counts) {
    for (const CoarseHopCase& which : coarse_hop_cases) {
      if (which.sites_only && !on_device) continue;  // a host's threads always take whole sites
      for (const int count : counts) {
        if (which.sites_only && count > 1) continue;
        const std::string variant =
            "single/links:" + std::string(which.links_name) + "/n:" + std::to_string(2 * vectors);
        add_benchmark(case_name(which.name, variant, count, lattice),
                      [&suite, &lattice, &which, vectors, count](benchmark::State& state) {
                        run_coarse_hop(state, suite, lattice.coarsened({1, 1, 1, 1}), which, vectors, count);
                      });
      }
    }
  }
}

}  // namespace kaon::perf
