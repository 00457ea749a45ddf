// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_formulas.hpp"
#include "core/blas/solver_blas.hpp"

#include <algorithm>
#include <bit>

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
std::vector<double> run_block_of(const char* label, std::span<SpinorField<T>* const> fields,
                                 const Scalars& coefficients) {
  std::array<SpinorField<T>*, Op<N>::fields> z;
  std::copy(fields.begin(), fields.end(), z.begin());
  return detail::run_blas<Op<N>, T>(label, z, coefficients).wait();
}

/// The fields of the next pass over `left` of them: a power of two, so that few kernels are compiled.
template <class T>
std::size_t fields_of_pass(std::size_t left) {
  return std::min<std::size_t>(block_fields<T>, std::bit_floor(left));
}

/// Runs Op<n> for the power of two n <= N that is known only now.
template <template <int> class Op, int N, class T>
std::vector<double> run_block(const char* label, int n, std::span<SpinorField<T>* const> fields,
                              const Scalars& coefficients = {}) {
  if constexpr (N > 1) {
    if (n < N) return run_block<Op, N / 2, T>(label, n, fields, coefficients);
  }
  return run_block_of<Op, N, T>(label, fields, coefficients);
}

/// a_0, a_1, ... for each right-hand side
Scalars together(std::span<const Complexes> a) { return Scalars(std::vector<Scalars>(a.begin(), a.end())); }

/// first, v[begin], v[begin + 1], ...
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

}  // namespace

template <class T>
ProductsAndNorm block_inner_product(std::span<const SpinorField<T>> v, const SpinorField<T>& w) {
  ProductsAndNorm result;
  const auto right_hand_sides = static_cast<std::size_t>(w.right_hand_sides());
  for (std::size_t begin = 0, n = 0; begin < v.size(); begin += n) {
    n = fields_of_pass<T>(v.size() - begin);
    const std::vector<double> sums = run_block<ops::BlockInnerProduct, block_fields<T>, T>(
        "kaon::blas::block_inner_product", static_cast<int>(n), behind(*mutate(w), v.subspan(begin, n)));
    result.norm2.clear();
    for (std::size_t j = 0; j < n; ++j) result.products.emplace_back(right_hand_sides);
    for (std::size_t r = 0; r < right_hand_sides; ++r) {
      const double* of_r = sums.data() + r * (2 * n + 1);
      for (std::size_t j = 0; j < n; ++j) result.products[begin + j][r] = {of_r[2 * j], of_r[2 * j + 1]};
      result.norm2.push_back(of_r[2 * n]);
    }
  }
  if (v.empty()) result.norm2 = norm2(w);
  return result;
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
#define KAON_INSTANTIATE_BLOCK_BLAS(T)                                                                  \
  template ProductsAndNorm block_inner_product(std::span<const SpinorField<T>>, const SpinorField<T>&); \
  template void block_caxpy(SpinorField<T>&, std::span<const SpinorField<T>>, std::span<const Complexes>);
