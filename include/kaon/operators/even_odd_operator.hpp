// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/linear_operator.hpp>

#include <cmath>
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
  blas::Reductions<T> reductions = {};         ///< inner products of y = out, x and w, in the same pass if possible
  blas::PendingReductions* reduced = nullptr;  ///< receives the pending reductions; null: none
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

  /// M^dag M on one parity, where it joins sites of one parity only: a Hermitian and positive system, for conjugate
  /// gradients. Null for operators that have none, which are all except staggered ones. Borrows this operator.
  virtual std::unique_ptr<EvenOddSystem<T>> normal_system(Parity parity) const;

  /// Whether the spectrum surrounds zero: then only Krylov methods on M^dag M converge.
  virtual bool is_indefinite() const { return false; }

  /// Whether CGNR takes fewer iterations on the asymmetric Schur complement (docs/decisions.md 40).
  virtual bool suits_asymmetric_form() const { return false; }

  /// M: out_p = A_p in_p - K_pq in_q on both parities.
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override { apply_hops(out, in, false); }

 protected:
  /// M in or M^dag in.
  void apply_hops(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const;
};

/// An operator that counts the work of each hop, for one right-hand side and with each operand once.
class CountedHops : public Counted {
 public:
  virtual double hop_flops(SiteTerm term, bool with_x) const = 0;
  virtual double hop_bytes(SiteTerm term, bool with_x) const = 0;
  virtual double site_term_flops() const = 0;
  virtual double site_term_bytes() const = 0;
  double flops() const override { return 2 * hop_flops(SiteTerm::diagonal, true); }
  double bytes() const override { return 2 * hop_bytes(SiteTerm::diagonal, true); }
};

/// Flops and bytes of a hop; 0 for an operator that does not count them.
template <class T>
double hop_flops_of(const EvenOddOperator<T>& dirac, SiteTerm term, bool with_x) {
  const auto* const counted = dynamic_cast<const CountedHops*>(&dirac);
  return counted != nullptr ? counted->hop_flops(term, with_x) : 0.0;
}
template <class T>
double hop_bytes_of(const EvenOddOperator<T>& dirac, SiteTerm term, bool with_x) {
  const auto* const counted = dynamic_cast<const CountedHops*>(&dirac);
  return counted != nullptr ? counted->hop_bytes(term, with_x) : 0.0;
}

/// An operator that can compute its hops for each direction: multigrid builds coarse operators from them. K is
/// gamma5-Hermitian, with two chiralities, the first and the second half of the spins.
template <class T>
class Coarsenable : public Ability {
 public:
  /// out = K_{+mu} in: the part of K that leads from x + mu to x, on one parity of `out` and the other of `in`, or,
  /// where the lattice has one parity, on all sites. Throws `Error` for fields that do not fit, and in half precision.
  virtual void hop_along(SpinorField<T>& out, const SpinorField<T>& in, int mu) const = 0;
};

/// An operator that can be cut into blocks, on which Schwarz methods solve.
template <class T>
class Blockable : public Ability {
 public:
  /// The operator without the hops between blocks of these extents (zeros: one block, this process's part of the
  /// lattice), on `lattice().isolated()`. Dirichlet boundaries; the site term is that of the whole operator. Throws
  /// `Error` unless blocks of even extents divide the local lattice.
  virtual std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const = 0;
};

/// The abilities of an operator. Throw `Error` for operators without it.
template <class T>
const Coarsenable<T>& coarsenable(const EvenOddOperator<T>& dirac);
template <class T>
const Blockable<T>& blockable(const EvenOddOperator<T>& dirac);
template <class T>
bool is_coarsenable(const EvenOddOperator<T>& dirac) {
  return dynamic_cast<const Coarsenable<T>*>(&dirac) != nullptr && dirac.domain().slices == 1;
}

/// A system on one parity that M x = b on all sites can be reduced to: this operator S times x_p is `prepare(b)`, and
/// `reconstruct` finds the other parity.
template <class T>
class EvenOddSystem : public LinearOperator<T> {
 public:
  /// M
  virtual const EvenOddOperator<T>& full() const = 0;
  /// p
  virtual Parity parity() const = 0;
  const Lattice& lattice() const override { return full().lattice(); }
  SpinorParameters domain() const override { return full().domain().on(subset_of(parity())); }
  /// The right-hand side of the system on p, from `b` on all sites.
  virtual void prepare(SpinorField<T>& source, const SpinorField<T>& b) const = 0;
  /// The other parity of `x` on all sites, whose parity p holds the solution; x_p does not change. `b` may be `x`.
  virtual void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const = 0;
  /// out = F r on p, where the residual of M x = b is F times that of the system, and zero on the other parity. `out`
  /// and `residual` are different fields.
  virtual void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const = 0;
  /// Estimates |x - M^-1 b| / |b - M x| from `error_per_residual`, the same ratio for this system; |b - M x| is `scale`
  /// times the norm of this system's residual. The estimate assumes that both parities of an error have about the same
  /// norm. 0 means unknown, for `error_per_residual` and, without another bound, for the result.
  virtual double full_error_per_residual(double error_per_residual, double scale) const {
    return std::sqrt(2.0) * error_per_residual / scale;
  }
};

}  // namespace kaon
