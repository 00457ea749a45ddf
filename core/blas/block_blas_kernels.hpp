// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_operations.hpp"
#include "core/blas/solver_blas.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <typeinfo>

namespace kaon::blas {
namespace ops {

// In each: z the elements of the fields, c the coefficients, s the sums.

template <int N>
struct BlockInnerProduct : Shape<N + 1, (2u << N) - 1, 0, 0, 2 * N + 1> {  // <z_j, z0>, j = 1 .. N, and |z0|^2
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C*, S& s) {
    KAON_UNROLL
    for (int j = 0; j < N; ++j) add_product(s[2 * j], s[2 * j + 1], z[j + 1], z[0]);
    add_norm2(s[2 * N], z[0]);
  }
};
template <int N>
struct BlockCaxpy : Shape<N + 1, (2u << N) - 1, 0b1, N, 0> {  // z0 += sum_j a_j z_j
  template <class V, class C, class S>
  KOKKOS_FORCEINLINE_FUNCTION static void apply(Complex<V>* z, const C* c, S&) {
    KAON_UNROLL
    for (int j = 0; j < N; ++j) detail::multiply_add(z[0], lanes<V>(c[j]), z[j + 1]);
  }
};

}  // namespace ops

namespace {

/// Fields v_j of one pass at most. In 16 bits an object of up to 12 numbers of each field must fit into a GPU's
/// registers.
template <class T>
constexpr int block_fields = std::is_same_v<T, half> ? 2 : 8;

template <template <int> class Op, int N, class T>
detail::PendingSums run_block_of(const char* label, std::span<SpinorField<T>* const> fields,
                                 const Scalars& coefficients) {
  std::array<SpinorField<T>*, Op<N>::fields> z;
  std::copy(fields.begin(), fields.end(), z.begin());
  return detail::run_blas<Op<N>, T>(label, z, coefficients);
}

/// The fields of the next pass over `left` of them: a power of two, so that few kernels are compiled.
template <class T>
std::size_t fields_of_pass(std::size_t left) {
  return std::min<std::size_t>(block_fields<T>, std::bit_floor(left));
}

/// Runs Op<n> for the power of two n <= N that is known only now.
template <template <int> class Op, int N, class T>
detail::PendingSums run_block(const char* label, int n, std::span<SpinorField<T>* const> fields,
                              const Scalars& coefficients = {}) {
  if constexpr (N > 1) {
    if (n < N) return run_block<Op, N / 2, T>(label, n, fields, coefficients);
  }
  return run_block_of<Op, N, T>(label, fields, coefficients);
}

/// a_0, a_1, ... for each right-hand side
Scalars together(std::span<const Complexes> a) { return Scalars(std::vector<Scalars>(a.begin(), a.end())); }

/// first, v[begin], v[start + 1], ...
template <class T>
std::vector<SpinorField<T>*> behind(SpinorField<T>& first, std::span<const SpinorField<T>> v) {
  std::vector<SpinorField<T>*> fields{&first};
  for (const SpinorField<T>& field : v) fields.push_back(mutate(field));
  return fields;
}

void require_coefficients(std::size_t given, std::size_t fields) {
  require(given == fields,
          [&] { return fmt::format("the coefficients of {} fields were given for {} fields", given, fields); });
}

/// The lattice on which this process sums alone, where kernels do not sum over processes.
struct SummedAlone {
  Lattice lattice;

  static const Lattice& of(const Lattice& all) {
    if (detail::kernels_sum_over_processes(all)) return all;
    std::shared_ptr<void>& kept = all.workspace().kept(typeid(SummedAlone), 0);
    if (!kept) kept = std::make_shared<SummedAlone>(SummedAlone{all.isolated()});
    return static_cast<const SummedAlone*>(kept.get())->lattice;
  }
};

/// Passes over fields whose sums are waited for together, with one sum over processes.
template <class T>
class SummedPasses {
 public:
  explicit SummedPasses(const Lattice& lattice) : lattice_(lattice), alone_(SummedAlone::of(lattice)) {}

  /// Starts op(fields), which returns its sums, with the fields as views on a lattice of this process alone.
  template <class Op>
  void add(const Op& op, std::initializer_list<const SpinorField<T>*> first, std::span<const SpinorField<T>> v) {
    std::vector<SpinorField<T>> views;
    const auto take = [&](const SpinorField<T>& field) {
      detail::require_blas_fields(std::array{mutate(**first.begin()), mutate(field)});
      views.push_back(mutate(field)->on(alone_));
    };
    for (const SpinorField<T>* field : first) take(*field);
    for (const SpinorField<T>& field : v) take(field);
    std::vector<SpinorField<T>*> fields;
    for (SpinorField<T>& view : views) fields.push_back(&view);
    passes_.push_back(op(std::span<SpinorField<T>* const>(fields)));
  }
  /// The sums of all passes, [pass][right-hand side][sum].
  std::vector<std::vector<double>> wait() {
    std::vector<double> all;
    for (detail::PendingSums& pass : passes_) {
      const std::vector<double>& sums = pass.wait();
      all.insert(all.end(), sums.begin(), sums.end());
    }
    if (&alone_ != &lattice_) lattice_.communicator().sum(all);
    std::vector<std::vector<double>> result;
    auto next = all.begin();
    for (detail::PendingSums& pass : passes_) {
      const auto count = static_cast<std::ptrdiff_t>(pass.wait().size());
      result.emplace_back(next, next + count);
      next += count;
    }
    return result;
  }

 private:
  const Lattice &lattice_, &alone_;
  std::vector<detail::PendingSums> passes_;
};

/// With the products of `r`, unless it is null.
template <class T>
ProductsWithResidual products_of(std::span<const SpinorField<T>> v, const SpinorField<T>& w, const SpinorField<T>* r) {
  const auto right_hand_sides = static_cast<std::size_t>(w.right_hand_sides());
  SummedPasses<T> passes(w.lattice());
  std::vector<std::size_t> counts;  // fields of each pass
  for (std::size_t begin = 0, n = 0; begin < v.size(); begin += n) {
    counts.push_back(n = fields_of_pass<T>(v.size() - begin));
    passes.add(
        [&](std::span<SpinorField<T>* const> fields) {
          return run_block<ops::BlockInnerProduct, block_fields<T>, T>("kaon::blas::block_inner_product",
                                                                       static_cast<int>(n), fields);
        },
        {&w}, v.subspan(begin, n));
  }
  if (r != nullptr) {
    passes.add(
        [](std::span<SpinorField<T>* const> fields) {
          return detail::run_blas<ops::ProductsWithX, T>("kaon::blas::products", {fields[0], fields[1]});
        },
        {&w, r}, {});
  } else if (v.empty()) {
    passes.add(
        [](std::span<SpinorField<T>* const> fields) {
          return detail::run_blas<ops::Norm2, T>("kaon::blas::norm2", {fields[0]});
        },
        {&w}, {});
  }
  const std::vector<std::vector<double>> sums = passes.wait();

  ProductsWithResidual result;
  for (std::size_t pass = 0; pass < counts.size(); ++pass) {
    const std::size_t n = counts[pass], first = result.products.size();
    result.norm2.clear();
    for (std::size_t j = 0; j < n; ++j) result.products.emplace_back(right_hand_sides);
    for (std::size_t k = 0; k < right_hand_sides; ++k) {
      const double* of_k = sums[pass].data() + k * (2 * n + 1);
      for (std::size_t j = 0; j < n; ++j) result.products[first + j][k] = {of_k[2 * j], of_k[2 * j + 1]};
      result.norm2.push_back(of_k[2 * n]);
    }
  }
  if (r == nullptr && v.empty()) result.norm2 = sums.back();
  if (r == nullptr) return result;
  result.norm2.clear();
  for (std::size_t k = 0; k < right_hand_sides; ++k) {
    const double* of_k = sums.back().data() + 4 * k;  // |w|^2, <w, r>, |r|^2
    result.norm2.push_back(of_k[0]);
    result.residual_product.emplace_back(of_k[1], of_k[2]);
    result.residual_norm2.push_back(of_k[3]);
  }
  return result;
}

}  // namespace

template <class T>
ProductsAndNorm block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w) {
  return products_of<T>(v, w, nullptr);
}

template <class T>
ProductsWithResidual block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w,
                                         const SpinorField<T>& r) {
  return products_of(v, w, &r);
}

template <class T>
void block_caxpy(SpinorField<T>& y, std::span<const SpinorField<T>> v, std::span<const Complexes> a) {
  require_coefficients(a.size(), v.size());
  for (std::size_t begin = 0, n = 0; begin < v.size(); begin += n) {
    n = fields_of_pass<T>(v.size() - begin);
    run_block<ops::BlockCaxpy, block_fields<T>, T>("kaon::blas::block_caxpy", static_cast<int>(n),
                                                   behind(y, v.subspan(begin, n)), together(a.subspan(begin, n)));
  }
}

}  // namespace kaon::blas

/// Everything above for fields of T, in one translation unit.
#define KAON_INSTANTIATE_BLOCK_BLAS(T)                                                                      \
  template ProductsAndNorm block_inner_product(std::span<const SpinorField<T>>, const SpinorField<T>&);     \
  template ProductsWithResidual block_inner_product(std::span<const SpinorField<T>>, const SpinorField<T>&, \
                                                    const SpinorField<T>&);                                 \
  template void block_caxpy(SpinorField<T>&, std::span<const SpinorField<T>>, std::span<const Complexes>);
