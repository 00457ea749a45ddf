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
class GalerkinMatrices {
 public:
  /// All zero.
  GalerkinMatrices(const Lattice& coarse, const SpinorParameters& shape) { fields_.provide(coarse, shape, 5); }

  /// X
  SpinorField<float>& x() { return fields_[0]; }
  const SpinorField<float>& x() const { return fields_[0]; }
  /// Y_{+mu}
  SpinorField<float>& y(std::size_t mu) { return fields_[1 + mu]; }
  std::span<const SpinorField<float>> y() const { return fields_.first(5).subspan(1); }

 private:
  KeptFields<float> fields_;
};

/// An operator whose hops have a common factor on the right, K = K' R. `galerkin` multiplies its columns by R once
/// instead of once for each direction.
class FactoredHops {
 public:
  virtual ~FactoredHops() = default;
  /// out = R in on all sites; `out` may be `in`.
  virtual void apply_factor(SpinorField<float>& out, const SpinorField<float>& in) const = 0;
  /// out = K'_{+mu} in, for `in` that `apply_factor` has multiplied; see `Coarsenable::hop_along`.
  virtual void hop_along_after_factor(SpinorField<float>& out, const SpinorField<float>& in, int mu) const = 0;

 protected:
  FactoredHops() = default;
  FactoredHops(const FactoredHops&) = default;
  FactoredHops& operator=(const FactoredHops&) = default;
};

/// The matrices of D_c for `fine`, whose K is gamma5-Hermitian, between the fields of `transfer`. Computes columns P
/// e_j, their hops along the four directions (`Coarsenable`, `FactoredHops`) and their site term, and restricts them.
/// Throws `Error` for operators that are not `Coarsenable`.
GalerkinMatrices galerkin(const EvenOddOperator<float>& fine, const Transfer& transfer);

}  // namespace kaon::detail
