// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_doublet.hpp>
#include <kaon/solvers/cg.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace kaon::perf {
namespace {

constexpr int slice_counts[] = {8, 12, 16, 24};

/// Operators whose sites have slices: Moebius quarks, and doublets without a clover term and with one.
enum class Quarks { domain_wall, doublet, clover_doublet };
constexpr std::string_view names[] = {"domain_wall", "doublet", "clover_doublet"};

/// An operator on the links of the problem.
template <class T>
std::unique_ptr<WilsonLike<T>> make_operator(Suite& suite, const Lattice& lattice, Quarks quarks, int slices,
                                             LinkStorage storage) {
  const GaugeField<double>& links = suite.problem.on<Wilson, double>(lattice, LinkStorage::full).links();
  if (quarks == Quarks::domain_wall) {
    const DomainWall<double> exact(links, {.mass = 0.01, .m5 = 1.8, .slices = slices, .b = 1.5, .c = 0.5});
    return std::make_unique<DomainWall<T>>(exact, storage, suite.halo);
  }
  TwistedDoubletParameters parameters{.mass = 0.1, .mu = 0.15, .epsilon = 0.1};
  if (quarks == Quarks::clover_doublet) parameters.csw = 1.0;
  return std::make_unique<TwistedDoublet<T>>(TwistedDoublet<double>(links, parameters), storage, suite.halo);
}

/// Fields on one parity.
template <class T>
struct SliceOperands {
  SliceOperands(Suite& suite, const Lattice& lattice, Quarks quarks, int slices, LinkStorage storage)
      : dirac(make_operator<T>(suite, lattice, quarks, slices, storage)),
        even{.subset = Subset::even, .slices = slices},
        odd{.subset = Subset::odd, .slices = slices},
        out(lattice, even),
        x(lattice, even),
        in(lattice, odd) {
    fill(in, 0);
    fill(x, 1);
  }
  std::unique_ptr<WilsonLike<T>> dirac;
  SpinorParameters even, odd;
  SpinorField<T> out, x, in;
};

std::string name_of(const std::string& what, const std::string& variant, int slices, const Lattice& lattice) {
  return what + "/" + variant + "/slices:" + std::to_string(slices) + "/" + to_string(lattice.extents());
}

/// Adds a benchmark that makes its operands when it runs, and then calls `run(state, operands)`.
template <class T, class Run>
void add(Suite& suite, const Lattice& lattice, Quarks quarks, const std::string& what, int slices, LinkStorage storage,
         const Run& run) {
  add_benchmark(name_of(what, variant_name(precision_name<T>(), storage), slices, lattice),
                [&suite, &lattice, quarks, slices, storage, run](benchmark::State& state) {
                  SliceOperands<T> operands(suite, lattice, quarks, slices, storage);
                  run(state, operands);
                });
}

template <class T>
void register_hops_on_slices(Suite& suite, const Lattice& lattice, Quarks quarks, int slices, LinkStorage storage) {
  const std::string hop = std::string(names[static_cast<int>(quarks)]) + "_hop";
  // K in, alike for all quarks
  if (quarks != Quarks::clover_doublet) {
    add<T>(suite, lattice, quarks, hop, slices, storage, [&suite](benchmark::State& state, SliceOperands<T>& f) {
      measure(state, suite, hop_cost(*f.dirac, SiteTerm::none, false, 1), [&] { f.dirac->hop(f.out, f.in, {}); });
    });
  }
  // A^-1 K in
  add<T>(suite, lattice, quarks, hop + "_inverse", slices, storage,
         [&suite](benchmark::State& state, SliceOperands<T>& f) {
           measure(state, suite, hop_cost(*f.dirac, SiteTerm::inverse, false, 1),
                   [&] { f.dirac->hop(f.out, f.in, {.term = SiteTerm::inverse}); });
         });
  // A x - K in
  add<T>(suite, lattice, quarks, hop + "_x", slices, storage, [&suite](benchmark::State& state, SliceOperands<T>& f) {
    measure(state, suite, hop_cost(*f.dirac, SiteTerm::diagonal, true, 1),
            [&] { f.dirac->hop(f.out, f.in, {.term = SiteTerm::diagonal, .scale = -1.0, .x = &f.x}); });
  });
}

/// N^dag N x = N^dag b from zero, N a Schur complement, by CG that iterates in S.
template <class S>
void run_solve(benchmark::State& state, Suite& suite, const Lattice& lattice, Quarks quarks, SchurForm form, int slices,
               LinkStorage storage) {
  const auto dirac = make_operator<double>(suite, lattice, quarks, slices, storage);
  const auto low = make_operator<S>(suite, lattice, quarks, slices, storage);
  const Schur<double> schur(*dirac, {form, Parity::even});
  const Schur<S> inner(*low, {form, Parity::even});
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

template <class S>
void register_solve(Suite& suite, const Lattice& lattice, Quarks quarks, int slices, const char* precisions) {
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const std::string what = std::string(names[static_cast<int>(quarks)]) + "_cgnr" +
                             (form == SchurForm::symmetric ? "_symmetric" : "_asymmetric");
    const LinkStorage storage = built({LinkStorage::full, LinkStorage::two_rows}).back();
    add_benchmark(name_of(what, variant_name(precisions, storage), slices, lattice),
                  [&suite, &lattice, quarks, form, slices, storage](benchmark::State& state) {
                    run_solve<S>(state, suite, lattice, quarks, form, slices, storage);
                  });
  }
}

template <class T>
void register_slices(Suite& suite, const Lattice& lattice) {
  for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows})) {
    for (const int slices : slice_counts) {
      register_hops_on_slices<T>(suite, lattice, Quarks::domain_wall, slices, storage);
    }
    for (const Quarks quarks : {Quarks::doublet, Quarks::clover_doublet}) {
      register_hops_on_slices<T>(suite, lattice, quarks, TwistedDoublet<T>::flavors, storage);
    }
  }
  // A'^-1 x
  for (const int slices : slice_counts) {
    add<T>(suite, lattice, Quarks::domain_wall, "slice_matrix", slices, LinkStorage::full,
           [&suite](benchmark::State& state, SliceOperands<T>& f) {
             measure(state, suite, {f.dirac->site_term_flops(), f.dirac->site_term_bytes()},
                     [&] { f.dirac->apply_site_term(f.out, f.x, SiteTerm::inverse, false); });
           });
  }
}

}  // namespace

void register_slices(Suite& suite, const Lattice& lattice) {
  register_slices<double>(suite, lattice);
  register_slices<float>(suite, lattice);
  register_slices<half>(suite, lattice);
}

void register_sliced_solves(Suite& suite, const Lattice& lattice) {
  const auto register_both = [&](Quarks quarks, int slices) {
    register_solve<float>(suite, lattice, quarks, slices, "double-single");
    register_solve<half>(suite, lattice, quarks, slices, "double-half");
  };
  for (const int slices : slice_counts) register_both(Quarks::domain_wall, slices);
  for (const Quarks quarks : {Quarks::doublet, Quarks::clover_doublet}) {
    register_both(quarks, TwistedDoublet<double>::flavors);
  }
}

}  // namespace kaon::perf
