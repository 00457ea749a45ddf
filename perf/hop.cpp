// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <algorithm>
#include <span>

namespace kaon::perf {
namespace {

enum class Action { wilson, clover, twisted_mass, twisted_clover, staggered, improved };

struct HopCase {
  const char* name;
  Action action;
  SiteTerm term;
  bool with_x;
};

constexpr HopCase hop_cases[] = {
    {"hop", Action::wilson, SiteTerm::none, false},                  // D in / 2
    {"hop_x", Action::wilson, SiteTerm::none, true},                 // x - D in / 2
    {"clover_hop", Action::clover, SiteTerm::inverse, false},        // A^-1 D in / 2
    {"clover_hop_x", Action::clover, SiteTerm::inverse, true},       // x - A^-1 D in / 2
    {"twist_hop", Action::twisted_mass, SiteTerm::inverse, false},   // A^-1 D in / 2
    {"twist_hop_x", Action::twisted_mass, SiteTerm::inverse, true},  // x - A^-1 D in / 2
    {"twisted_clover_hop", Action::twisted_clover, SiteTerm::inverse, false},
    {"twisted_clover_hop_x", Action::twisted_clover, SiteTerm::diagonal, true},  // A x - D in / 2
    {"staggered_hop", Action::staggered, SiteTerm::none, false},                 // -D in
    {"staggered_hop_x", Action::staggered, SiteTerm::none, true}};               // x + D in
constexpr HopCase improved_cases[] = {
    {"improved_staggered_hop", Action::improved, SiteTerm::none, false},    // -D in
    {"improved_staggered_hop_x", Action::improved, SiteTerm::none, true}};  // x + D in
/// Numbers of right-hand sides of improved staggered hops: fields of one spin need more of them for the same gain.
constexpr int improved_counts[] = {1, 4, 12};

template <class T>
const EvenOddOperator<T>& find_operator(Suite& suite, const Lattice& lattice, Action action, LinkStorage storage) {
  switch (action) {
    case Action::clover:
      return suite.problem.on<WilsonClover, T>(lattice, storage, suite.halo);
    case Action::twisted_mass:
      return suite.problem.on<TwistedMass, T>(lattice, storage, suite.halo);
    case Action::twisted_clover:
      return suite.problem.on<TwistedClover, T>(lattice, storage, suite.halo);
    case Action::staggered:
      return suite.problem.on<Staggered, T>(lattice, storage, suite.halo);
    case Action::improved:
      return suite.problem.on<ImprovedStaggered, T>(lattice, storage, suite.halo);
    case Action::wilson:
      break;
  }
  return suite.problem.on<Wilson, T>(lattice, storage, suite.halo);
}

template <class T>
void run_hop(benchmark::State& state, Suite& suite, const Lattice& given, const HopCase& which, LinkStorage storage,
             int count) {
  const Lattice lattice = which.action == Action::improved ? with_reach_3(given) : given;
  const EvenOddOperator<T>& dirac = find_operator<T>(suite, lattice, which.action, storage);
  SpinorParameters parameters = dirac.domain();
  parameters.right_hand_sides = count;
  parameters.subset = Subset::even;
  SpinorField<T> out(lattice, parameters), x(lattice, parameters);
  parameters.subset = Subset::odd;
  SpinorField<T> in(lattice, parameters);
  fill(in, 0);
  fill(x, 1);
  HopForm<T> form{.term = which.term};
  if (which.with_x) {
    form.x = &x;
    form.scale = -1.0;
  }
  measure(state, suite, hop_cost(dirac, which.term, which.with_x, count), [&] { dirac.hop(out, in, form); });
}

template <class T>
void register_cases(Suite& suite, const Lattice& lattice, std::span<const HopCase> cases,
                    std::span<const LinkStorage> storages, std::span<const int> counts = right_hand_side_counts) {
  for (const LinkStorage storage : storages) {
    for (const int count : counts) {
      for (const HopCase& which : cases) {
        add_benchmark(case_name(which.name, variant_name(precision_name<T>(), storage), count, lattice),
                      [&suite, &lattice, &which, storage, count](benchmark::State& state) {
                        run_hop<T>(state, suite, lattice, which, storage, count);
                      });
      }
    }
  }
}

template <class T>
void register_hop_precision(Suite& suite, const Lattice& lattice) {
  register_cases<T>(suite, lattice, hop_cases, link_storages());
  if (std::ranges::min(lattice.local_extents()) > 3) {
    // Storages of third links; fat links have 18 reals.
    register_cases<T>(suite, lattice, improved_cases,
                      built({LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                             LinkStorage::minimal_and_determinant, LinkStorage::minimal}),
                      improved_counts);
  }
}

}  // namespace

void register_hops(Suite& suite, const Lattice& lattice) {
  register_hop_precision<double>(suite, lattice);
  register_hop_precision<float>(suite, lattice);
  register_hop_precision<half>(suite, lattice);
}

}  // namespace kaon::perf
