// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/exact_inverse.hpp"
#include "perf/measure.hpp"

#include <memory>
#include <vector>

namespace kaon::perf {
namespace {

/// S = 2: what is in the matrix does not matter for the time.
template <class T>
class Double final : public LinearOperator<T> {
 public:
  explicit Double(const Lattice& lattice) : lattice_(lattice) {}
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override {
    blas::copy(out, in);
    blas::axpy(out, in, blas::Reals(static_cast<std::size_t>(in.right_hand_sides()), 1.0));
  }
  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {.spins = 2, .colors = 32, .subset = Subset::even}; }

 private:
  Lattice lattice_;
};

/// Coarse lattices of this process alone on which fields of 32 near-null vectors have 1024 and 4096 complex numbers,
/// and the inverse that was requested last.
template <class T>
class Inverses {
 public:
  explicit Inverses(const Execution& execution) {
    for (const Coordinates& extents : {Coordinates{2, 2, 2, 4}, Coordinates{4, 4, 4, 2}}) {
      lattices_.emplace_back(LatticeParameters{.extents = extents, .lanes = Lanes::components, .execution = execution});
    }
  }
  const std::vector<Lattice>& lattices() const { return lattices_; }
  const detail::ExactInverse<T>& on(const Lattice& lattice) {
    if (!last_ || !(last_->lattice() == lattice)) last_ = std::make_unique<detail::ExactInverse<T>>(Double<T>(lattice));
    return *last_;
  }

 private:
  std::vector<Lattice> lattices_;
  std::unique_ptr<const detail::ExactInverse<T>> last_;
};

template <class T>
void run_product(benchmark::State& state, Suite& suite, const detail::ExactInverse<T>& inverse, int count) {
  SpinorField<T> out = inverse.make_field(count), in = inverse.make_field(count);
  fill(in, 0);
  const double vectors = 2.0 * vector_bytes(in);
  const Cost cost{count * inverse.flops(), inverse.bytes() - vectors + count * vectors};
  measure(state, suite, cost, [&] { inverse.apply(out, in); });
}

template <class T>
void run_setup(benchmark::State& state, Suite& suite, const Lattice& lattice) {
  const Double<T> matrix(lattice);
  const double d = detail::ExactInverse<T>(matrix).dimension();
  measure(state, suite, {8.0 * d * d * d, 0.0}, [&] { const detail::ExactInverse<T> inverse(matrix); });
}

template <class T>
void register_inverse_precision(Suite& suite) {
  const auto kept = std::make_shared<Inverses<T>>(suite.execution);
  suite.kept.push_back(kept);
  Inverses<T>& inverses = *kept;
  for (const Lattice& lattice : inverses.lattices()) {
    for (const int count : right_hand_side_counts) {
      add_benchmark(case_name("exact_inverse", precision_name<T>(), count, lattice),
                    [&suite, &inverses, &lattice, count](benchmark::State& state) {
                      run_product<T>(state, suite, inverses.on(lattice), count);
                    });
    }
  }
  const Lattice& smallest = inverses.lattices().front();
  add_benchmark(case_name("exact_inverse_setup", precision_name<T>(), 1, smallest),
                [&suite, &smallest](benchmark::State& state) { run_setup<T>(state, suite, smallest); });
}

}  // namespace

void register_exact_inverses(Suite& suite) {
  register_inverse_precision<double>(suite);
  register_inverse_precision<float>(suite);
}

}  // namespace kaon::perf
