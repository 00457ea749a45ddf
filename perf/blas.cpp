// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "perf/measure.hpp"

namespace kaon::perf {
namespace {

/// Operands on one parity, as in an even-odd solve. The coefficients bound their values.
template <class T>
struct Operands {
  Operands(const Lattice& lattice, int count)
      : shape{.subset = Subset::even, .right_hand_sides = count},
        a(lattice, shape),
        b(lattice, shape),
        c(lattice, shape),
        d(lattice, shape),
        e(lattice, shape),
        real(static_cast<std::size_t>(count), 1e-4),
        complex(static_cast<std::size_t>(count), {1e-4, -1e-4}) {
    std::uint32_t stream = 0;
    for (SpinorField<T>* field : {&a, &b, &c, &d, &e}) fill(*field, stream++);
  }

  SpinorParameters shape;
  SpinorField<T> a, b, c, d, e;
  blas::Reals real;
  blas::Complexes complex;
};

template <class T>
struct BlasCase {
  const char* name;
  int vectors;   // read and written
  double flops;  // for each real of a vector
  void (*call)(Operands<T>&);
};

template <class T>
constexpr BlasCase<T> blas_cases[] = {
    {"copy", 2, 0, [](Operands<T>& f) { blas::copy(f.a, f.b); }},
    {"axpy", 3, 2, [](Operands<T>& f) { blas::axpy(f.a, f.b, f.real); }},
    {"norm2", 1, 2, [](Operands<T>& f) { benchmark::DoNotOptimize(blas::norm2(f.a)); }},
    {"inner_product", 2, 4, [](Operands<T>& f) { benchmark::DoNotOptimize(blas::inner_product(f.a, f.b)); }},
    {"axpy_norm2", 3, 4, [](Operands<T>& f) { benchmark::DoNotOptimize(blas::axpy_norm2(f.a, f.b, f.real)); }},
    {"cg_update", 5, 4,
     [](Operands<T>& f) {
       blas::cg_update(f.a, f.b, f.c, {f.real, f.real});
     }},
    {"bicgstab_update_xr", 7, 18,
     [](Operands<T>& f) {
       benchmark::DoNotOptimize(blas::bicgstab_update_xr(f.a, f.b, f.c, f.d, f.e, {f.complex, f.complex}));
     }},
    {"bicgstab_update", 8, 20,
     [](Operands<T>& f) {
       blas::bicgstab_update(f.a, f.b, f.c, f.d, f.e, {f.complex, f.complex, f.complex});
     }},
    {"bicgstab_update_p", 4, 8, [](Operands<T>& f) {
       blas::bicgstab_update_p(f.a, f.b, f.c, {f.complex, f.complex});
     }}};

template <class T>
void run_blas(benchmark::State& state, Suite& suite, const Lattice& lattice, const BlasCase<T>& which, int count) {
  Operands<T> operands(lattice, count);
  const double reals = 0.5 * static_cast<double>(lattice.volume()) * 2.0 * operands.a.components() * count;
  const Cost cost{which.flops * reals, which.vectors * count * vector_bytes(operands.a)};
  measure(state, suite, cost, [&] { which.call(operands); });
}

template <class T>
void register_blas_precision(Suite& suite, const Lattice& lattice) {
  for (const int count : right_hand_side_counts) {
    for (const BlasCase<T>& which : blas_cases<T>) {
      add_benchmark(case_name(which.name, precision_name<T>(), count, lattice),
                    [&suite, &lattice, &which, count](benchmark::State& state) {
                      run_blas<T>(state, suite, lattice, which, count);
                    });
    }
  }
}

}  // namespace

void register_blas(Suite& suite, const Lattice& lattice) {
  register_blas_precision<double>(suite, lattice);
  register_blas_precision<float>(suite, lattice);
  register_blas_precision<half>(suite, lattice);
}

}  // namespace kaon::perf
