// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/multi_shift_cg.hpp>

namespace kaon {

struct MixedMultiShiftParameters {
  double tolerance = 1e-10;       ///< on |b - (A + sigma_s) x_s| / |b| of every shift, in T
  double inner_tolerance = 1e-5;  ///< of the multi-shift solve in S
  int max_iterations = 10000;     ///< of each of these solves
  double reliable_delta = 0.1;    ///< of the solves that refine, see `SolverParameters`
};

/// Solves (A + sigma_s) x_s = b as `MultiShiftCg` does, in the precision T with work in S (Babich et al.,
/// arXiv:1109.2935, section 8.2): all shifts together in S, as far as it goes, and from there each by itself, by CG
/// with reliable updates, until its residual in T is small enough.
template <class T, class S>
class MixedMultiShiftCg {
 public:
  /// Borrows `matrix`, A in T, and `inner_matrix`, A in S, or owns them if they are temporaries: see `Ref`. Throws
  /// `Error` for what `MultiShiftCg` refuses and for operators that do not act on the same fields.
  MixedMultiShiftCg(Ref<LinearOperator<T>> matrix, Ref<LinearOperator<S>> inner_matrix, std::vector<double> shifts,
                    const MixedMultiShiftParameters& parameters);

  /// As `MultiShiftCg::solve`. `iterations` are those of the multi-shift solve and of the refinement; the status of a
  /// right-hand side is what ended its refinement, or the multi-shift solve where that is why refinement failed.
  std::vector<SolveResult> solve(std::span<SpinorField<T>> x, const SpinorField<T>& b) const;

  const std::vector<double>& shifts() const { return multi_shift_.shifts(); }

 private:
  /// Solves (A + sigma_s) x = b in T, starting from x.
  SolveResult refine(std::size_t s, SpinorField<T>& x, const SpinorField<T>& b) const;

  MultiShiftCg<S> multi_shift_;
  std::vector<Shifted<T>> systems_;
  std::vector<Shifted<S>> inner_systems_;
  MixedMultiShiftParameters parameters_;
};

extern template class MixedMultiShiftCg<double, float>;

}  // namespace kaon
