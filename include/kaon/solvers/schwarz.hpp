// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/mr.hpp>

namespace kaon {

struct SchwarzParameters {
  /// Extents of a block; zeros: one block for each process, its part of the lattice. Even, and dividing that part.
  Coordinates block{};
  int steps = 10;      ///< of minimal residuals on the blocks
  double omega = 1.0;  ///< their relaxation, in (0, 2)
};

/// Additive Schwarz: an approximate inverse of a Schur complement that needs no communication at all,
///
///   out = sum_b R_b^T (S_b)^-1 R_b in,
///
/// R_b restricting to a block and S_b being the Schur complement of the operator with Dirichlet boundaries around it,
/// solved by a few steps of minimal residuals whose sums run over the process alone. A `Gcr` in 16 bits with this
/// preconditioner, within `InPrecision`, is the GCR-DD of Babich et al., arXiv:1109.2935, algorithm 1: see
/// docs/parallel.md.
template <class T>
class Schwarz final : public LinearOperator<T>, public Counted {
 public:
  /// Stores copies of the links; borrows `schur`, or owns it if it is a temporary: see `Ref`. Throws `Error` for
  /// operators that are not `Blockable`, for blocks that do not fit, and for what `Mr` refuses.
  Schwarz(Ref<Schur<T>> schur, const SchwarzParameters& parameters);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  const Lattice& lattice() const override { return schur_->lattice(); }
  SpinorParameters domain() const override { return schur_->domain(); }
  double flops() const override;
  double bytes() const override;

 private:
  Ref<Schur<T>> schur_;
  SchwarzParameters parameters_;
  Mr<T> smoother_;  // of the Schur complement on blocks
};

extern template class Schwarz<double>;
extern template class Schwarz<float>;
extern template class Schwarz<half>;

}  // namespace kaon
