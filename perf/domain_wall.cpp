// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/cg.hpp>

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

/// N'^dag N' x = N'^dag b from zero, N' the asymmetric Schur complement, by CG that iterates in S.
template <class S>
void run_domain_wall_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, int slices,
                           LinkStorage storage) {
  const auto dirac = make_domain_wall<double>(suite, lattice, slices, storage);
  const DomainWall<S> low(*dirac, storage, suite.halo);
  const Schur<double> schur(*dirac, {SchurForm::asymmetric, Parity::even});
  const Schur<S> inner(low, {SchurForm::asymmetric, Parity::even});
  SpinorField<double> b = schur.make_field(1), x = schur.make_field(1);
  fill(b, 7);
  const auto solve = [&] {
    blas::set_zero(x);
    return Cgnr<double, S>(schur, inner, {.tolerance = solve_tolerance}).solve(x, b);
  };
  double seconds = 0.0;
  const SolveResult result = measure_solves(state, suite, solve, seconds);
  if (state.error_occurred()) return;
  report(state, suite, {result.flops, 2.0 * result.iterations() * inner.bytes()}, seconds);
  state.counters["krylov_iterations"] = result.iterations();
  state.counters["updates"] = result.reliable_updates;
  state.counters["true_residual"] = result.true_residual();
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

void register_domain_wall_solves(Suite& suite, const Lattice& lattice) {
  const auto add_solve = [&](const char* precisions, int slices, auto run) {
    add_benchmark(name_of("domain_wall_cgnr", variant_name(precisions, LinkStorage::two_rows), slices, lattice),
                  [&suite, &lattice, slices, run](benchmark::State& state) {
                    run(state, suite, lattice, slices, LinkStorage::two_rows);
                  });
  };
  for (const int slices : slice_counts) {
    add_solve("double-single", slices, run_domain_wall_solve<float>);
    add_solve("double-half", slices, run_domain_wall_solve<half>);
  }
}

}  // namespace kaon::perf
