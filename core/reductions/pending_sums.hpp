// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lattice/workspace.hpp"
#include "core/reductions/process_sums.hpp"
#include "core/reductions/scalar_function.hpp"

#include <kaon/core/lattice.hpp>

#include <array>
#include <memory>
#include <vector>

namespace kaon::detail {

/// True if kernels can add up over the processes of `lattice` what they add up over its sites. Collective.
bool kernels_sum_over_processes(const Lattice& lattice);

/// True if kernels can apply functions to sums over `lattice` for so many right-hand sides: they must be able to make
/// the sums, and the functions must fit into a kernel's arguments. Collective.
inline bool kernels_apply_functions(const Lattice& lattice, int right_hand_sides) {
  return right_hand_sides <= blas_batch && (lattice.communicator().size() == 1 || kernels_sum_over_processes(lattice));
}

/// Who applies a function to sums: the host after it has waited for them; kernels; or kernels, and the host never asks
/// for the sums.
enum class AppliedBy { host, kernels, kernels_unattended };

/// Sums over sites and processes that are being made, and the scalars that kernels compute from them.
///
/// On one process kernels make them, and on several processes where they can; elsewhere each process has its own when
/// its kernels are done, kernels apply no function, and `wait` adds them up.
class PendingSums {
 public:
  /// `sums` of each right-hand side, and so many `scalars` of a function. Collective.
  PendingSums(const Lattice& lattice, int right_hand_sides, int sums, int scalars, AppliedBy applied_by);
  /// Sums that are known already, [right-hand side][sum].
  PendingSums(const Lattice& lattice, int right_hand_sides, std::vector<double> known);

  /// The output of kernels: [right-hand side][sums, then scalars]; null on a device if the host never reads them.
  double* results() const { return results_; }
  /// Memory with which kernels add the sums up over processes.
  const ProcessSums& processes() const { return processes_; }
  int right_hand_sides() const { return right_hand_sides_; }
  const Lattice& lattice() const { return lattice_; }

  /// The sums, [right-hand side][sum]. Waits for them at the first call, which is collective.
  const std::vector<double>& wait();
  double sum(std::size_t right_hand_side, int k) const {
    return sums_[right_hand_side * static_cast<std::size_t>(count_) + static_cast<std::size_t>(k)];
  }
  const double* row(std::size_t right_hand_side) const {
    return sums_.data() + right_hand_side * static_cast<std::size_t>(count_);
  }
  /// The scalars: computed by kernels, or from `set_scalars` where the host computes them.
  blas::Scalars scalars() const { return scalars_ == nullptr ? of_host_ : ScalarState::share(scalars_); }
  Complex<double>* scalar_memory() const { return scalars_ == nullptr ? nullptr : scalars_->memory->data(); }
  /// For scalars that the host has computed from the sums.
  void set_scalars(blas::Scalars scalars) { of_host_ = std::move(scalars); }

 private:
  /// Kernels do nothing beyond this process.
  bool is_alone() const { return processes_.processes == 1 && processes_.cycles == 0; }

  Lattice lattice_;
  ProcessSums processes_;
  int right_hand_sides_, count_;
  std::size_t stride_ = 0;            // results of a right-hand side
  std::shared_ptr<ResultSlot> slot_;  // null: known, or unattended
  std::shared_ptr<ScalarState> scalars_;
  std::vector<double> sums_;
  double* results_ = nullptr;
  blas::Scalars of_host_;
};

/// The end of sums that a kernel makes for each right-hand side: over processes, for the host, and for a function.
template <class Function, int Sums>
struct SumOutput {
  static constexpr int numbers = Sums + 2 * Function::scalars;
  double* results = nullptr;
  ProcessSums processes;
  KernelFunction<Function> function;

  /// Called by all threads of a team that has the sums of a right-hand side on this process.
  KOKKOS_INLINE_FUNCTION void publish(const Team& team, int rhs, TeamSums<Sums> sums) const {
    static_assert(Sums <= ProcessSums::most_sums);
    volatile double* const of_rhs = results == nullptr ? nullptr : results + rhs * numbers;
    for (int k = team.team_rank(); k < Sums; k += team.team_size()) {
      sums[k] = processes.add(rhs, k, sums[k]);
      if (of_rhs != nullptr) of_rhs[k] = sums[k];
    }
    if constexpr (Function::scalars > 0) {
      if (function.computed == nullptr) return;
      team.team_barrier();
      if (team.team_rank() == 0) publish_scalars(rhs, sums, of_rhs);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION void publish_scalars(int rhs, TeamSums<Sums>& sums, volatile double* of_rhs) const {
    double all[Sums];
    for (int k = 0; k < Sums; ++k) all[k] = sums[k];
    Complex<double> s[Function::scalars];
    function.template apply<Sums>(rhs, all, s);
    if (of_rhs == nullptr) return;
    for (int k = 0; k < Function::scalars; ++k) {
      of_rhs[Sums + 2 * k] = s[k].re;
      of_rhs[Sums + 2 * k + 1] = s[k].im;
    }
  }
};

/// The output of `pending`, to whose sums kernels apply `function_of(k)` for each right-hand side k.
template <class Function, int Sums, class FunctionOf>
SumOutput<Function, Sums> sum_output(const PendingSums& pending, const FunctionOf& function_of,
                                     const blas::Scalars& earlier) {
  SumOutput<Function, Sums> output;
  output.results = pending.results();
  output.processes = pending.processes();
  if constexpr (Function::scalars > 0) {
    const int right_hand_sides = pending.right_hand_sides();
    output.function.computed = pending.scalar_memory();
    if (output.function.computed == nullptr) return output;
    for (int k = 0; k < right_hand_sides; ++k) output.function.function[k] = function_of(static_cast<std::size_t>(k));
    output.function.earlier = kernel_scalars<double, Function::earlier>(earlier, right_hand_sides, 0, right_hand_sides);
  }
  return output;
}

/// The function of a right-hand side that `FunctionOf` returns.
template <class FunctionOf>
using FunctionType = std::remove_cvref_t<decltype(std::declval<const FunctionOf&>()(std::size_t{}))>;

/// The host's result: `function` of the reductions `sums`. NaN where the function declines.
template <class Function>
std::array<Complex<double>, Function::scalars> apply_on_host(const Function& function, const double* sums,
                                                             const Complex<double>* earlier) {
  std::array<Complex<double>, Function::scalars> s{};
  if (!function(ReducedSums{sums}, earlier, s.data())) s.fill({declined, declined});
  return s;
}

/// Scalars of all right-hand sides. `sums_of(k)` points to the sums of right-hand side k. If earlier scalars are
/// NaN the function is not applied.
template <class FunctionOf, class SumsOf>
blas::Scalars scalars_on_host(const FunctionOf& function_of, const SumsOf& sums_of, std::size_t right_hand_sides,
                              const blas::Scalars& earlier) {
  using Function = FunctionType<FunctionOf>;
  auto state = std::make_shared<ScalarState>();
  state->right_hand_sides = static_cast<int>(right_hand_sides);
  state->count = Function::scalars;
  for (std::size_t k = 0; k < right_hand_sides; ++k) {
    Complex<double> e[std::max(Function::earlier, 1)];
    for (int j = 0; j < Function::earlier; ++j) e[j] = {earlier(k, j).real(), earlier(k, j).imag()};
    std::array<Complex<double>, Function::scalars> s;
    s.fill({declined, declined});
    if (Function::earlier == 0 || earlier.has(k)) s = apply_on_host(function_of(k), sums_of(k), e);
    for (const Complex<double>& value : s) state->values.emplace_back(value.re, value.im);
  }
  return ScalarState::share(std::move(state));
}

}  // namespace kaon::detail
