// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/domain_wall/sliced_transfer.hpp"

#include <kaon/core/kept_fields.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <vector>

namespace kaon::detail {

/// z = an approximation of A^-1 r for a Hermitian positive operator A, by a polynomial and the coarse lattice
/// ("A-DEF2", J. M. Tang, R. Nabben, C. Vuik and Y. A. Erlangga, J. Sci. Comput. 39 (2009) 340):
///
///   z = S r,  z = z + P A_c^-1 P^dag (r - A z),
///
/// S the polynomial that leaves least of the eigenvalues in an interval: Richardson's method whose weights are the
/// inverse roots of a Chebyshev polynomial. It applies A once for each root.
class NormalCycle final : public LinearOperator<float>, public Counted {
 public:
  /// Borrows its operators; `coarse` approximates A_c^-1.
  NormalCycle(const LinearOperator<float>& normal, const SlicedTransfer& transfer, const LinearOperator<float>& coarse,
              std::vector<double> weights)
      : normal_(normal), transfer_(transfer), coarse_(coarse), weights_(std::move(weights)) {}

  void apply(SpinorField<float>& z, const SpinorField<float>& r) const override;
  const Lattice& lattice() const override { return normal_.lattice(); }
  SpinorParameters domain() const override { return normal_.domain(); }
  double flops() const override;

 private:
  const LinearOperator<float>& normal_;
  const SlicedTransfer& transfer_;
  const LinearOperator<float>& coarse_;
  std::vector<double> weights_;
  mutable KeptFields<float> fields_, coarse_fields_;
};

/// The inverse roots of the Chebyshev polynomial of a degree on [lowest, highest].
std::vector<double> chebyshev_weights(int degree, double lowest, double highest);

/// Replaces each right-hand side b of a field by x of norm 1 after some iterations of conjugate gradients for A x = b
/// from zero: low modes of A remain. `matrix` is A, Hermitian and positive.
void iterate_towards_inverse(const LinearOperator<float>& matrix, SpinorField<float>& field, int iterations);

}  // namespace kaon::detail
