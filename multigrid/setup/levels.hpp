// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/multigrid/parameters.hpp>
#include <kaon/multigrid/report.hpp>
#include <kaon/operators/linear_operator.hpp>

namespace kaon::detail {

/// The levels of multigrid for an operator M, as `Multigrid` uses them.
class Levels {
 public:
  virtual ~Levels() = default;
  /// The matrix of the outer iterations: M, or the Schur complement of M on the even sites.
  virtual const LinearOperator<float>& matrix() const = 0;
  /// An approximation of the inverse of this matrix.
  virtual const LinearOperator<float>& cycle() const = 0;
  /// Whether the matrix is M. Then the cycle serves operators of other masses, too.
  virtual bool on_all_sites() const = 0;
  virtual const MultigridReport& report() const = 0;
  /// Near-null vectors of M, on all sites.
  virtual SpinorField<float> near_null_vectors() const = 0;

 protected:
  Levels() = default;
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;
};

}  // namespace kaon::detail
