// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/gathered_field.hpp"
#include "multigrid/dense/dense_elimination.hpp"
#include "multigrid/dense/dense_matrix.hpp"

#include <kaon/core/execution.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <memory>
#include <type_traits>

namespace kaon::detail {

/// out = S^-1 in by one product with a dense matrix, for the last level of multigrid.
///
/// S is any operator on a coarse lattice whose fields have d complex numbers, d up to some thousands. An application
/// has no sums over sites and no chain of kernels. It reads 2 d^2 reals from memory once for up to eight right-hand
/// sides (`dense_product.hpp`). Right-hand sides do not influence each other.
///
/// If processes share the lattice, each stores the rows of S^-1 of its own sites. An application then starts with one
/// message from every process to every other, with all right-hand sides (`GatheredField`).
class ExactInverse final : public LinearOperator<float>, public Counted {
 public:
  /// The largest d: S^-1 takes 512 MiB, and its inversion twice as much in double on each process.
  static constexpr int largest_dimension = 8192;

  /// Bytes of S^-1 and of its inversion on one process.
  static constexpr double setup_bytes(double d) { return d * d * 2.0 * (sizeof(float) + sizeof(double)); }

  /// True if S lives on a coarse lattice and d is at most `most` and `largest_dimension`.
  static bool fits(const LinearOperator<float>& matrix, int most = largest_dimension);

  /// Inverts S and does not refer to it afterwards. Collective. Throws `Error` unless S `fits`, but not for a singular
  /// S.
  ///
  /// Applies S to all unit vectors, 16 at a time (on GPUs 64), and inverts in double: 8 d^3 flops. Hosts take 0.3 s for
  /// d = 1024 on two cores with AVX-512, and processes share the work (`DenseMatrix`). Each GPU does all of it
  /// (`DenseElimination`).
  explicit ExactInverse(const LinearOperator<float>& matrix);

  /// Throws `Error` if S is singular. The host waits for the gathered input if processes share the lattice, and does
  /// not wait on one process.
  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override;

  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return domain_; }
  double flops() const override;
  double bytes() const override;

  /// d, of all processes.
  int dimension() const { return dimension_; }
  /// True on all processes if S is not finite, or singular to double precision, or if S^-1 has numbers beyond the range
  /// of single precision.
  bool is_singular() const { return matrix_.size() == 0; }
  /// |S z - s| / |s| of z = S^-1 s with Gaussian noise s, measured when the inverse was computed. Infinity if S is
  /// singular.
  double error() const { return error_; }

 private:
  using Dense = std::conditional_t<on_device, DenseElimination, DenseMatrix>;

  /// Shape of fields of S.
  SpinorParameters shape_of(int right_hand_sides) const;
  /// Computes all columns of S.
  void take_columns(Dense& dense, const LinearOperator<float>& matrix) const;
  /// Stores rows of the inverse in the order of the kernels; returns false if a number does not fit single precision.
  bool keep(const Dense& inverse);
  double measured_error(const LinearOperator<float>& matrix) const;
  /// The gathered field for this number of right-hand sides.
  GatheredField& gathered(int right_hand_sides) const;

  Lattice lattice_;
  SpinorParameters domain_;
  int dimension_;
  // Complex numbers of a right-hand side on this process: numbers first_row_ and on of all, in the order of ranks.
  int rows_, first_row_;
  int lanes_;  // of fields
  Kokkos::View<float*, Memory> matrix_;
  double error_;
  mutable std::unique_ptr<GatheredField> gathered_;
};

}  // namespace kaon::detail
