// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>

#include <memory>
#include <string>

namespace kaon::perf {
namespace {

constexpr int slice_counts[] = {8, 12, 16, 24};

/// A Moebius operator on rough links.
template <class T>
std::unique_ptr<DomainWall<T>> make_domain_wall(Suite& suite, const Lattice& lattice, int slices, LinkStorage storage) {
  const Wilson<double>& wilson = suite.problem.on<Wilson, double>(lattice, LinkStorage::full);
  const DomainWall<double> exact(wilson.links(), {.mass = 0.01, .m5 = 1.8, .slices = slices, .b = 1.5, .c = 0.5});
  return std::make_unique<DomainWall<T>>(exact, storage, suite.halo);
}

/// Fields on one parity.
template <class T>
struct SliceOperands {
  SliceOperands(Suite& suite, const Lattice& lattice, int slices, LinkStorage storage)
      : dirac(make_domain_wall<T>(suite, lattice, slices, storage)),
        even{.subset = Subset::even, .slices = slices},
        odd{.subset = Subset::odd, .slices = slices},
        out(lattice, even),
        x(lattice, even),
        in(lattice, odd) {
    fill(in, 0);
    fill(x, 1);
  }
  std::unique_ptr<DomainWall<T>> dirac;
  SpinorParameters even, odd;
  SpinorField<T> out, x, in;
};

std::string name_of(const char* what, const std::string& variant, int slices, const Lattice& lattice) {
  return std::string(what) + "/" + variant + "/slices:" + std::to_string(slices) + "/" + to_string(lattice.extents());
}

/// Adds a benchmark that makes its operands when it runs, and then calls `run(state, operands)`.
template <class T, class Run>
void add(Suite& suite, const Lattice& lattice, const char* what, int slices, LinkStorage storage, const Run& run) {
  add_benchmark(name_of(what, variant_name(precision_name<T>(), storage), slices, lattice),
                [&suite, &lattice, slices, storage, run](benchmark::State& state) {
                  SliceOperands<T> operands(suite, lattice, slices, storage);
                  run(state, operands);
                });
}

template <class T>
void register_hops_on_slices(Suite& suite, const Lattice& lattice, int slices, LinkStorage storage) {
  // K in
  add<T>(suite, lattice, "domain_wall_hop", slices, storage, [&suite](benchmark::State& state, SliceOperands<T>& f) {
    measure(state, suite, hop_cost(*f.dirac, SiteTerm::none, false, 1), [&] { f.dirac->hop(f.out, f.in, {}); });
  });
  // A'^-1 K in
  add<T>(suite, lattice, "domain_wall_hop_inverse", slices, storage,
         [&suite](benchmark::State& state, SliceOperands<T>& f) {
           measure(state, suite, hop_cost(*f.dirac, SiteTerm::inverse, false, 1),
                   [&] { f.dirac->hop(f.out, f.in, {.term = SiteTerm::inverse}); });
         });
  // A' x - K in
  add<T>(suite, lattice, "domain_wall_hop_x", slices, storage, [&suite](benchmark::State& state, SliceOperands<T>& f) {
    measure(state, suite, hop_cost(*f.dirac, SiteTerm::diagonal, true, 1),
            [&] { f.dirac->hop(f.out, f.in, {.term = SiteTerm::diagonal, .scale = -1.0, .x = &f.x}); });
  });
}

template <class T>
void register_slices(Suite& suite, const Lattice& lattice) {
  for (const int slices : slice_counts) {
    for (const LinkStorage storage : {LinkStorage::full, LinkStorage::two_rows}) {
      register_hops_on_slices<T>(suite, lattice, slices, storage);
    }
    // A'^-1 x
    add<T>(suite, lattice, "slice_matrix", slices, LinkStorage::full,
           [&suite](benchmark::State& state, SliceOperands<T>& f) {
             measure(state, suite, {f.dirac->site_term_flops(), f.dirac->site_term_bytes()},
                     [&] { f.dirac->apply_site_term(f.out, f.x, SiteTerm::inverse, false); });
           });
  }
}

}  // namespace

void register_domain_wall(Suite& suite, const Lattice& lattice) {
  register_slices<double>(suite, lattice);
  register_slices<float>(suite, lattice);
  register_slices<half>(suite, lattice);
}

}  // namespace kaon::perf
