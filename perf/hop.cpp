// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

namespace kaon::perf {
namespace {

struct HopCase {
  const char* name;
  bool clover;
  SiteTerm term;
  bool with_x;
};

constexpr HopCase hop_cases[] = {{"hop", false, SiteTerm::none, false},             // D in / 2
                                 {"hop_x", false, SiteTerm::none, true},            // x - D in / 2
                                 {"clover_hop", true, SiteTerm::inverse, false},    // A^-1 D in / 2
                                 {"clover_hop_x", true, SiteTerm::inverse, true}};  // x - A^-1 D in / 2

template <class T>
void run_hop(benchmark::State& state, Suite& suite, const Lattice& lattice, const HopCase& which, LinkStorage storage,
             int count) {
  const Operators<T>& operators = suite.problem.on<T>(lattice, storage, suite.halo);
  const EvenOddOperator<T>* dirac = &operators.wilson;
  if (which.clover) dirac = &operators.clover;
  SpinorField<T> out(lattice, {.subset = Subset::even, .right_hand_sides = count});
  SpinorField<T> x(lattice, {.subset = Subset::even, .right_hand_sides = count});
  SpinorField<T> in(lattice, {.subset = Subset::odd, .right_hand_sides = count});
  fill(in, 0);
  fill(x, 1);
  HopForm<T> form{.term = which.term};
  if (which.with_x) {
    form.x = &x;
    form.scale = -1.0;
  }
  measure(state, suite, hop_cost(*dirac, which.term, which.with_x, count), [&] { dirac->hop(out, in, form); });
}

template <class T>
void register_precision(Suite& suite, const Lattice& lattice) {
  for (const LinkStorage storage : link_storages) {
    for (const int count : right_hand_side_counts) {
      for (const HopCase& which : hop_cases) {
        add_benchmark(case_name(which.name, variant_name(precision_name<T>(), storage), count, lattice),
                      [&suite, &lattice, &which, storage, count](benchmark::State& state) {
                        run_hop<T>(state, suite, lattice, which, storage, count);
                      });
      }
    }
  }
}

}  // namespace

void register_hops(Suite& suite, const Lattice& lattice) {
  register_precision<double>(suite, lattice);
  register_precision<float>(suite, lattice);
  register_precision<half>(suite, lattice);
}

}  // namespace kaon::perf
