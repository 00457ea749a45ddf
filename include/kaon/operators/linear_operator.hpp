// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>
#include <kaon/core/spinor_field.hpp>

#include <cstddef>
#include <span>

namespace kaon {

/// A linear map between spinor fields of one shape: solvers see no other part of an operator.
///
/// Batched over right-hand sides: `out` and `in` have the same number of them, any number. `out` and `in` must not
/// overlap. Calls enqueue work on `lattice().execution()` and return.
template <class T>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;

  /// out = M in. Throws `Error` if a field does not have the shape of `domain()`.
  virtual void apply(SpinorField<T>& out, const SpinorField<T>& in) const = 0;

  /// y = M x and reductions of y, x and w. An operator may compute them while y is in registers, to save a pass over
  /// the vectors; they may then be those of y before it is rounded to its storage. Does not wait for the reductions.
  [[nodiscard]] virtual blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                                 const blas::Reductions<T>& reductions) const;

  virtual const Lattice& lattice() const = 0;
  /// Spins, colours and sites of the fields it acts on (the number of right-hand sides in it is meaningless).
  virtual SpinorParameters domain() const = 0;

  /// Returns a field of zeros that the operator can act on.
  SpinorField<T> make_field(int right_hand_sides) const {
    return SpinorField<T>(lattice(), domain().with_right_hand_sides(right_hand_sides));
  }
  /// Returns `count` such fields, which `fields` caches between calls.
  std::span<SpinorField<T>> keep_fields(detail::KeptFields<T>& fields, std::size_t count, int right_hand_sides) const {
    return fields.provide(lattice(), domain().with_right_hand_sides(right_hand_sides), count);
  }

 protected:
  LinearOperator() = default;
  LinearOperator(const LinearOperator&) = default;
  LinearOperator& operator=(const LinearOperator&) = default;

  /// Throws `Error` unless `out` and `in` fit `domain()` and each other and are different fields.
  void require_domain(const SpinorField<T>& out, const SpinorField<T>& in) const;
};

/// Base of abilities that only some operators have. An operator has an ability if it derives from its class. Callers
/// that need one refuse operators without it.
class Ability {
 public:
  virtual ~Ability() = default;

 protected:
  Ability() = default;
  Ability(const Ability&) = default;
  Ability& operator=(const Ability&) = default;
};

/// Has an adjoint: CGNR, CGNE and `NormalOperator` need one.
template <class T>
class Adjointable : public Ability {
 public:
  /// out = M^dag in, for fields as in `LinearOperator::apply`.
  virtual void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const = 0;
  /// `LinearOperator::apply_and_reduce` for y = M^dag x.
  [[nodiscard]] virtual blas::PendingReductions apply_dagger_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                                        const blas::Reductions<T>& reductions) const {
    apply_dagger(y, x);
    return blas::reduce(y, &x, reductions);
  }
};

/// Counts its work, for reports.
class Counted : public Ability {
 public:
  /// Floating-point operations of one application to one right-hand side, by the field's usual counts.
  virtual double flops() const = 0;
  /// Bytes that one application to one right-hand side must move at least, each operand once; 0 where only flops are
  /// counted.
  virtual double bytes() const { return 0.0; }
};

/// The adjoint of an operator. Throws `Error` for an operator without one.
template <class T>
const Adjointable<T>& adjointable(const LinearOperator<T>& matrix) {
  const auto* const adjoint = dynamic_cast<const Adjointable<T>*>(&matrix);
  require(adjoint != nullptr,
          "this operator has no adjoint, as solvers and preconditioners have none: take a method that applies the "
          "operator alone, or wrap the adjoint operator in a solver");
  return *adjoint;
}

/// Flops and bytes of an operator; 0 for an operator that does not count them.
template <class T>
double flops_of(const LinearOperator<T>& matrix) {
  const auto* const counted = dynamic_cast<const Counted*>(&matrix);
  return counted != nullptr ? counted->flops() : 0.0;
}
template <class T>
double bytes_of(const LinearOperator<T>& matrix) {
  const auto* const counted = dynamic_cast<const Counted*>(&matrix);
  return counted != nullptr ? counted->bytes() : 0.0;
}

}  // namespace kaon
