// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/linear_operator.hpp>

#include <memory>

namespace kaon {

/// The site-diagonal matrix that a hop is fused with.
enum class SiteTerm {
  none,      ///< out = a x + c K in
  diagonal,  ///< out = A x + c K in
  inverse    ///< out = a x + c A^-1 K in
};

/// The formula that `EvenOddOperator::hop` computes.
template <class T>
struct HopForm {
  SiteTerm term = SiteTerm::none;
  double scale = 1.0;                          ///< c
  const SpinorField<T>* x = nullptr;           ///< on the parity of `out`; none means zero; may be `out` itself
  double x_scale = 1.0;                        ///< a
  bool dagger = false;                         ///< K^dag, A^dag instead of K, A
  blas::Reductions<T> reductions = {};         ///< of y = out, x and w, taken in the same pass where that can be
  blas::PendingReductions* reduced = nullptr;  ///< they are under way in this object then; null: none are taken
};

template <class T>
class EvenOddSystem;

/// M = A - K on a full lattice, A acting on single sites and K joining sites of opposite parity: all that even-odd
/// preconditioning needs. For Wilson fermions A = 4 + m (+ clover) and K = D/2. On coarse lattices of one parity K
/// joins sites of that one.
template <class T>
class EvenOddOperator : public LinearOperator<T> {
 public:
  /// out = [form] for `out` on one parity and `in` on the other, in one pass. Throws `Error` for other fields.
  virtual void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const = 0;
  /// out = A in (`SiteTerm::diagonal`) or A^-1 in (`SiteTerm::inverse`), on one parity. `out` may be `in`.
  /// Throws `Error` for fields on all sites and for fields that do not fit.
  virtual void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const = 0;

  /// out = K_{+mu} in: the part of K that leads from x + mu to x, on one parity of `out` and the other of `in`, or,
  /// where the lattice has one parity, on all sites. Multigrid builds coarse operators of it. Throws `Error` for fields
  /// that do not fit, and where the operator has no such part: staggered ones, and all in half precision.
  virtual void hop_along(SpinorField<T>& out, const SpinorField<T>& in, int mu) const;

  /// The operator without the hops between blocks of these extents (zeros: one block, this process's part of the
  /// lattice), on `lattice().isolated()`: what Schwarz methods solve with. Dirichlet boundaries; the site term is that
  /// of the whole operator. Throws `Error` unless blocks of even extents divide the local lattice.
  virtual std::unique_ptr<EvenOddOperator> on_blocks(const Coordinates& block) const = 0;

  /// M^dag M on one parity, where it joins sites of one parity only: a Hermitian and positive system, for conjugate
  /// gradients. Null for operators that have none, which are all but staggered ones. Borrows this operator.
  virtual std::unique_ptr<EvenOddSystem<T>> normal_system(Parity parity) const;

  /// Flops of `hop` and of `apply_site_term` to one right-hand side.
  virtual double hop_flops(SiteTerm term, bool with_x) const = 0;
  virtual double site_term_flops() const = 0;
  /// Bytes of `hop` for one right-hand side, each operand once.
  virtual double hop_bytes(SiteTerm term, bool with_x) const = 0;
  virtual double site_term_bytes() const = 0;

  // M and M^dag: out_p = A_p in_p - K_pq in_q on both parities.
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override;
  double flops() const override { return 2 * hop_flops(SiteTerm::diagonal, true); }
  double bytes() const override { return 2 * hop_bytes(SiteTerm::diagonal, true); }

 private:
  void apply_full(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const;
};

extern template class EvenOddOperator<double>;
extern template class EvenOddOperator<float>;
extern template class EvenOddOperator<half>;

}  // namespace kaon
