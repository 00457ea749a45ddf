// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/krylov/block_recurrence.hpp"

#include <kaon/operators/normal.hpp>
#include <kaon/solvers/krylov.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace kaon {
namespace {

/// Iterations in a row, after which all residuals had to be recomputed and did not fall, that end a solve.
constexpr int most_futile = 6;

// Vectors read and written in an iteration beside an application of A:
//   D^dag Z                            2, 0
//   W = W T - Z M, W^dag W             2, 1
//   X += D M C, D = W T + D S^dag      3, 2   in all 7 read, 3 written
/// Block CG of the system, or of its normal equations with the adjoints of M, in T and in S.
template <class T, class S>
SolveResult block_conjugate_gradients(detail::SolveState<T, S>& state, const LinearOperator<S>& inner,
                                      const Adjointable<T>* adjoint) {
  using Recurrence = detail::BlockRecurrence<S>;
  SpinorField<S>& x = state.solution();
  const int n = x.right_hand_sides();
  const bool of_normal = adjoint != nullptr;
  // R in the precision of the solution. Block CG of M itself turns it into Q; of the normal equations M^dag R.
  const bool has_r = detail::SolveState<T, S>::mixed || of_normal;
  detail::Temporaries<S> fields(x.lattice(), x.parameters(), 3);
  SpinorField<S>&w = fields[0], &d = fields[1], &z = fields[2];
  std::optional<detail::Temporaries<T>> of_gradient;
  if (of_normal && state.mixed) of_gradient.emplace(x.lattice(), x.parameters(), 1);
  const auto w_or = [&](auto& field) -> SpinorField<T>& {
    if constexpr (std::is_same_v<T, S>) return w;
    return field();
  };
  const auto outer_residual = [&]() -> SpinorField<T>& { return state.residual_field(); };
  const auto outer_gradient = [&]() -> SpinorField<T>& { return (*of_gradient)[0]; };
  SpinorField<T>& r = has_r ? outer_residual() : w_or(outer_residual);
  SpinorField<T>& gradient = of_normal ? w_or(outer_gradient) : r;
  std::optional<NormalOperator<S>> normal;
  if (of_normal) normal.emplace(inner);
  const LinearOperator<S>& matrix = of_normal ? static_cast<const LinearOperator<S>&>(*normal) : inner;

  const int blocks = (n + detail::most_columns - 1) / detail::most_columns;
  std::vector<Recurrence> recurrences;
  for (int block = 0; block < blocks; ++block) {
    const int first = block * n / blocks, count = (block + 1) * n / blocks - first;
    recurrences.emplace_back(matrix, of_normal, first,
                             typename Recurrence::Fields{x.range(first, count), w.range(first, count),
                                                         d.range(first, count), z.range(first, count)});
  }
  blas::Reals norm2(static_cast<std::size_t>(n));
  bool fresh = false;     // the residuals are in r
  bool all_known = true;  // all of them are
  int futile = 0;
  double least = std::numeric_limits<double>::infinity();

  // The blocks restart from the true residuals of all columns when one of these restarts.
  const auto start = [&](int first, int count) {
    SpinorField<T> r_k = r.range(first, count);
    const blas::Reals of_k = state.exact_residual(r_k, first);
    std::copy(of_k.begin(), of_k.end(), norm2.begin() + first);
    fresh = true;
    all_known = count == n;
    for (Recurrence& block : recurrences) block.forget();
    return of_k;
  };
  const auto take_residuals = [&] {
    if (!all_known) norm2 = state.exact_residual(r, 0);
    if (of_normal) adjoint->apply_dagger(gradient, r);
    for (Recurrence& block : recurrences) {
      SpinorField<T> of_block = gradient.range(static_cast<int>(block.first()), static_cast<int>(block.columns()));
      block.take_residual(of_block, state);
    }
    fresh = false;
    all_known = true;
  };

  state.begin_lanczos(of_normal ? detail::ConjugateOf::normal : detail::ConjugateOf::matrix, [&] {
    double lowest = std::numeric_limits<double>::infinity();
    for (const Recurrence& block : recurrences) lowest = std::min(lowest, block.lowest());
    return lowest;
  });
  if (of_normal) state.replace_residuals();
  const auto iterate = [&]() -> const blas::Reals& {
    if (fresh) take_residuals();
    state.count_applications(of_normal ? 2 : 1);
    bool lost = false;
    std::vector<Recurrence*> advanced;
    for (Recurrence& block : recurrences) {
      if (block.advance(state, norm2)) {
        advanced.push_back(&block);
        lost = lost || block.is_lost();
        state.count_blas(18.0 * static_cast<double>(block.rank() * block.rank()) / static_cast<double>(n));
        continue;
      }
      for (std::size_t k = block.first(); k < block.first() + block.columns(); ++k) {
        if (!state.runs(k)) continue;
        if (block.is_finite()) state.break_down(k);
        if (!block.is_finite()) state.stop(k, SolveStatus::not_a_number);
      }
    }
    const bool replaced = state.update_due(norm2) || lost;
    for (Recurrence* block : advanced) block->finish(replaced);
    if (!replaced) return norm2;
    state.take_update(state.exact_residual(r, 0), norm2);
    fresh = true;
    if (lost) {
      const double largest = *std::ranges::max_element(norm2);
      futile = largest < 0.8 * least ? 0 : futile + 1;
      least = std::min(least, largest);
      for (std::size_t k = 0; futile >= most_futile && k < norm2.size(); ++k) {
        if (state.active(k)) state.stop(k, SolveStatus::stagnated);
      }
    }
    return norm2;
  };
  return state.run(start, iterate, z);
}

}  // namespace

template <class T, class S>
SolveResult BlockCg<T, S>::run(detail::SolveState<T, S>& state) const {
  return block_conjugate_gradients<T, S>(state, *this->inner_, nullptr);
}

template <class T, class S>
SolveResult BlockCgnr<T, S>::run(detail::SolveState<T, S>& state) const {
  detail::require_reliable_delta(this->parameters_.reliable_delta);
  return block_conjugate_gradients<T, S>(state, *this->inner_, adjoint_);
}

template class BlockCg<double>;
template class BlockCg<float>;
template class BlockCg<double, float>;
template class BlockCgnr<double>;
template class BlockCgnr<float>;
template class BlockCgnr<double, float>;

}  // namespace kaon
