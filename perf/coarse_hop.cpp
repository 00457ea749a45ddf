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

using detail::CoarseLinkPrecision;
using detail::CoarseOperator;

/// Near-null vectors with n = 2 N components a site.
constexpr int vector_counts[] = {24, 32};
constexpr int counts[] = {1, 4, 12};

/// An operator of random matrices. `suite` caches the last one: benchmarks of the same operator follow one another.
const CoarseOperator<float>& find_coarse(Suite& suite, const Lattice& lattice, int vectors, CoarseLinkPrecision links) {
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
  CoarseLinkPrecision links;
  bool sites_only;  ///< nothing but sites is split among threads
};
constexpr CoarseHopCase coarse_hop_cases[] = {{"coarse_hop", "single", CoarseLinkPrecision::single, false},
                                              {"coarse_hop_sites_only", "single", CoarseLinkPrecision::single, true},
                                              {"coarse_hop", "half", CoarseLinkPrecision::half, false},
                                              {"coarse_hop_sites_only", "half", CoarseLinkPrecision::half, true}};

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

/// A on hypercubes with dense links and from fat links, and X^-1 M, which smoothers take.
enum class HypercubeForm { dense, roots, left };

/// x + K in, of even hypercubes. The operators live on `lattice`, of sites; the last one is cached.
void run_hypercube_hop(benchmark::State& state, Suite& suite, const Lattice& lattice, HypercubeForm form,
                       CoarseLinkPrecision stored, int count) {
  using Factors = detail::HypercubeOperator<float>;
  suite.coarse.reset();
  constexpr double mass = 0.1;
  GaugeField<float> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  std::optional<Factors> factors;
  if (form == HypercubeForm::dense) {
    suite.coarse = std::make_shared<CoarseOperator<float>>(
        detail::dense_hypercube_operator(links, antiperiodic_in_time, mass, stored));
  } else {
    factors.emplace(links, antiperiodic_in_time, mass, stored);
  }
  const auto run = [&](const auto& op) {
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
  };
  if (form == HypercubeForm::dense) {
    run(*static_cast<const CoarseOperator<float>*>(suite.coarse.get()));
  } else {
    run(form == HypercubeForm::roots ? factors->matrix() : factors->left_matrix());
  }
  suite.coarse.reset();
}

}  // namespace

void register_hypercube_hops(Suite& suite, const Lattice& lattice) {
  for (const auto& [form, name] : {std::pair{HypercubeForm::dense, "dense"}, std::pair{HypercubeForm::roots, "roots"},
                                   std::pair{HypercubeForm::left, "left"}}) {
    for (const auto& [stored, links] :
         {std::pair{CoarseLinkPrecision::half, "half"}, std::pair{CoarseLinkPrecision::single, "single"}}) {
      for (const int count : {1, 3, 12}) {
        add_benchmark(
            case_name("hypercube_hop", "single/links:" + std::string(links) + "/form:" + name, count, lattice),
            [&suite, &lattice, form, stored, count](benchmark::State& state) {
              run_hypercube_hop(state, suite, lattice, form, stored, count);
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
