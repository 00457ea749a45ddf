// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/domain_wall/aggregate_columns.hpp"
#include "multigrid/transfer/aggregation.hpp"

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// Prolongator P and restrictor R = P^dag of fields with slices on one parity, or of fields on all coarse sites. The
/// columns of P are n vectors cut into aggregates, each with all slices, spins and colours, and made orthonormal there:
/// P^dag P = 1.
///
///   (P y)(x) = sum_j v_j(x) y_j(a),   (R f)_j(a) = sum_{x in a} v_j(x)^dag f(x),   a the aggregate of x
///
/// Fields on the coarse lattice are on all sites, with n components. P is in single precision, 8 n bytes for each
/// complex number of a fine field.
class SlicedTransfer {
 public:
  /// Right-hand sides that a call handles at a time: bounds the memory of fields in the order of P.
  static constexpr int most_columns = 16;

  /// P = 0 for n `vectors` of fields like those of `domain`. Throws `Error` for several slices on all sites, for an odd
  /// number of vectors, and for more vectors than an aggregate has components.
  SlicedTransfer(const Aggregation& aggregation, const SpinorParameters& domain, int vectors);

  const Aggregation& aggregation() const { return aggregation_; }
  int vectors() const { return vectors_; }
  /// Shape of the fields on the fine lattice, with one right-hand side.
  const SpinorParameters& fine_domain() const { return fine_domain_; }
  /// Shape of the fields on the coarse lattice.
  SpinorParameters coarse_domain() const { return {.spins = 2, .colors = vectors_ / 2}; }
  /// Bytes of P on this process.
  static double bytes(const Aggregation& aggregation, const SpinorParameters& domain, int vectors);

  /// Sets columns first, first + 1, ... of P from the right-hand sides of `vectors`.
  void set_columns(int first, const SpinorField<float>& vectors);
  /// Copies columns of P to vectors on the fine lattice, from column `first` on. With `colors`, a table of the
  /// aggregates in the kernels' memory, aggregates of other colours than `color` get zeros.
  void get_columns(SpinorField<float>& vectors, int first, const int* colors = nullptr, int color = 0) const;
  /// P = P R^-1, P^dag P = 1: Cholesky QR, twice, with sums in double. Returns the smallest part of a column that is
  /// orthogonal to the columns before it, of all aggregates: 0 if columns depend on each other, and P is of no use.
  /// Collective.
  double orthonormalize();

  /// coarse = P^dag fine (8 n flops and 8 n bytes a number, for each 4 right-hand sides)
  void restrict(SpinorField<float>& coarse, const SpinorField<float>& fine) const;
  /// fine = P coarse (the same)
  void prolong(SpinorField<float>& fine, const SpinorField<float>& coarse) const;

 private:
  void require_columns(int first, const SpinorField<float>& vectors) const;
  void require_fields(const SpinorField<float>& fine, const SpinorField<float>& coarse) const;
  /// Rows for `columns` right-hand sides, with any values.
  AggregateColumns workspace(int columns) const;
  template <bool to_rows>
  void copy(const AggregateColumns& rows, int first, const SpinorField<float>& field, const int* colors = nullptr,
            int color = 0) const;

  Aggregation aggregation_;
  SpinorParameters fine_domain_;
  int vectors_, aggregates_, rows_;
  Kokkos::View<float*, Memory> matrix_;
  AggregateColumns p_;
  mutable Kokkos::View<float*, Memory> workspace_;
};

}  // namespace kaon::detail
