// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <string>

namespace kaon::perf {
namespace {

constexpr int slice_counts[] = {8, 12, 16, 24};
/// Right-hand sides of a propagator, and the slices of the quarks that they are solved for in `register_columns`.
constexpr int columns = 12, slices_of_columns = 12;

/// A Moebius operator on the links of the problem.
template <class T>
DomainWall<T> make_operator(Suite& suite, const Lattice& lattice, int slices, LinkStorage storage) {
  const GaugeField<double>& links = suite.problem.on<Wilson, double>(lattice, LinkStorage::full).links();
  const DomainWall<double> exact(links, {.mass = 0.01, .m5 = 1.8, .slices = slices, .b = 1.5, .c = 0.5});
  return DomainWall<T>(exact, storage, suite.halo);
}

/// An operator, and fields on one parity.
template <class T>
struct SliceOperands {
  SliceOperands(Suite& suite, const Lattice& lattice, int slices, LinkStorage storage)
      : dirac(make_operator<T>(suite, lattice, slices, storage)),
        out(lattice, {.subset = Subset::even, .slices = slices}),
        x(lattice, {.subset = Subset::even, .slices = slices}),
        in(lattice, {.subset = Subset::odd, .slices = slices}) {
    fill(in, 0);
    fill(x, 1);
  }
  DomainWall<T> dirac;
  SpinorField<T> out, x, in;
};

/// Adds a benchmark named `what`, which calls `run(state, suite, lattice, slices, storage)`.
template <class Run>
void add_sliced(Suite& suite, const Lattice& lattice, const char* what, const char* precision, int slices,
                LinkStorage storage, const Run& run) {
  add_benchmark(std::string(what) + "/" + variant_name(precision, storage) + "/slices:" + std::to_string(slices) + "/" +
                    to_string(lattice.extents()),
                [&suite, &lattice, slices, storage, run](benchmark::State& state) {
                  run(state, suite, lattice, slices, storage);
                });
}

/// Adds a hop: K in, A^-1 K in or, with the diagonal term, A x - K in.
template <class T>
void add_hop(Suite& suite, const Lattice& lattice, const char* what, int slices, LinkStorage storage, SiteTerm term) {
  add_sliced(suite, lattice, what, precision_name<T>(), slices, storage,
             [term](benchmark::State& state, Suite& shared, const Lattice& on, int count, LinkStorage stored) {
               SliceOperands<T> f(shared, on, count, stored);
               HopForm<T> form{.term = term};
               const bool with_x = term == SiteTerm::diagonal;
               if (with_x) {
                 form.x = &f.x;
                 form.scale = -1.0;
               }
               measure(state, shared, hop_cost(f.dirac, term, with_x, 1), [&] { f.dirac.hop(f.out, f.in, form); });
             });
}

template <class T>
void register_sliced_hops(Suite& suite, const Lattice& lattice) {
  for (const int slices : slice_counts) {
    for (const LinkStorage storage : built({LinkStorage::full, LinkStorage::two_rows})) {
      add_hop<T>(suite, lattice, "domain_wall_hop", slices, storage, SiteTerm::none);
      add_hop<T>(suite, lattice, "domain_wall_hop_inverse", slices, storage, SiteTerm::inverse);
      add_hop<T>(suite, lattice, "domain_wall_hop_x", slices, storage, SiteTerm::diagonal);
    }
    // A'^-1 x
    add_sliced(suite, lattice, "slice_matrix", precision_name<T>(), slices, LinkStorage::full,
               [](benchmark::State& state, Suite& shared, const Lattice& on, int count, LinkStorage storage) {
                 SliceOperands<T> f(shared, on, count, storage);
                 measure(state, shared, {f.dirac.site_term_flops(), f.dirac.site_term_bytes()},
                         [&] { f.dirac.apply_site_term(f.out, f.x, SiteTerm::inverse, false); });
               });
  }
}

/// N^dag N x = N^dag b from zero, N a Schur complement, by CG that iterates in S.
template <class S>
void register_sliced_solve(Suite& suite, const Lattice& lattice, const char* what, const char* precisions,
                           SchurForm form) {
  for (const int slices : slice_counts) {
    add_sliced(suite, lattice, what, precisions, slices, built({LinkStorage::full, LinkStorage::two_rows}).back(),
               [form](benchmark::State& state, Suite& shared, const Lattice& on, int count, LinkStorage storage) {
                 const auto dirac = make_operator<double>(shared, on, count, storage);
                 const auto low = make_operator<S>(shared, on, count, storage);
                 const Schur<double> schur(dirac, {form, Parity::even});
                 const Schur<S> inner(low, {form, Parity::even});
                 SpinorField<double> b = schur.make_field(1), x = schur.make_field(1);
                 fill(b, 7);
                 measure_solves(state, shared, 2.0 * inner.bytes(), [&] {
                   blas::set_zero(x);
                   return Cgnr<double, S>(schur, inner, {.tolerance = solve_tolerance}).solve(x, b);
                 });
               });
  }
}

/// N^dag N x = N^dag b for 12 right-hand sides, N the asymmetric Schur complement, by `Krylov` that iterates in single.
template <template <class, class> class Krylov>
void register_columns(Suite& suite, const Lattice& lattice, const char* what) {
  add_sliced(suite, lattice, what, "double-single", slices_of_columns,
             built({LinkStorage::full, LinkStorage::two_rows}).back(),
             [](benchmark::State& state, Suite& shared, const Lattice& on, int slices, LinkStorage storage) {
               const auto dirac = make_operator<double>(shared, on, slices, storage);
               const auto low = make_operator<float>(shared, on, slices, storage);
               const Schur<double> schur(dirac, {SchurForm::asymmetric, Parity::even});
               const Schur<float> inner(low, {SchurForm::asymmetric, Parity::even});
               SpinorField<double> b = schur.make_field(columns), x = schur.make_field(columns);
               fill(b, 7);
               measure_solves(state, shared, 2.0 * inner.bytes(), [&] {
                 blas::set_zero(x);
                 return Krylov<double, float>(schur, inner, {.tolerance = solve_tolerance}).solve(x, b);
               });
             });
}

}  // namespace

void register_domain_wall(Suite& suite, const Lattice& lattice) {
  register_sliced_hops<double>(suite, lattice);
  register_sliced_hops<float>(suite, lattice);
  register_sliced_hops<half>(suite, lattice);
}

void register_domain_wall_solves(Suite& suite, const Lattice& lattice) {
  for (const auto& [form, what] : {std::pair{SchurForm::symmetric, "domain_wall_cgnr_symmetric"},
                                   std::pair{SchurForm::asymmetric, "domain_wall_cgnr_asymmetric"}}) {
    register_sliced_solve<float>(suite, lattice, what, "double-single", form);
    register_sliced_solve<half>(suite, lattice, what, "double-half", form);
  }
  register_columns<Cgnr>(suite, lattice, "domain_wall_cgnr_columns");
  register_columns<BlockCgnr>(suite, lattice, "domain_wall_block_cg_columns");
}

}  // namespace kaon::perf
