// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/transfer.hpp"

#include <kaon/core/kept_fields.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <cstddef>
#include <span>

namespace kaon::detail {

/// The matrices of D_c = R M P on the sites of the coarse lattice (docs/conventions.md, "Multigrid"), each as a field
/// with n right-hand sides: right-hand side c holds column c.
template <class T>
class GalerkinMatrices {
 public:
  /// All zero.
  GalerkinMatrices(const Lattice& coarse, const SpinorParameters& shape) { fields_.provide(coarse, shape, 5); }

  /// X
  SpinorField<T>& x() { return fields_[0]; }
  const SpinorField<T>& x() const { return fields_[0]; }
  /// Y_{+mu}
  SpinorField<T>& y(std::size_t mu) { return fields_[1 + mu]; }
  std::span<const SpinorField<T>> y() const { return fields_.first(5).subspan(1); }

 private:
  KeptFields<T> fields_;
};

/// D_c of `fine`, whose K is gamma5-Hermitian, between the fields of `transfer`. Column by column: P e_j, the hops
/// along the four directions (`Coarsenable::hop_along`) and the site term, restricted. Throws `Error` for operators
/// that are not `Coarsenable`.
template <class T>
GalerkinMatrices<T> galerkin(const EvenOddOperator<T>& fine, const Transfer<T>& transfer);

}  // namespace kaon::detail
