// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/basis_matrices.hpp"

#include <kaon/core/spinor_field.hpp>

#include <limits>

namespace kaon::detail {

/// Result of block QR, over all processes.
struct BlockQrResult {
  double smallest_pivot;  ///< smallest |v_j - its projection on v_1 .. v_(j-1)| / |v_j|
  int replaced;           ///< vectors that noise has replaced in an aggregate and chirality
};

/// A vector with a pivot below this number is linearly dependent: noise replaces it.
inline constexpr double smallest_independent_pivot = 32.0 * std::numeric_limits<float>::epsilon();

/// Copies the vectors, the right-hand sides of a field on all sites, to the columns of `basis`.
void take_vectors(const BasisMatrices<float>& basis, const Aggregation& aggregation, const SpinorField<float>& vectors);

/// B = V R in each aggregate and chirality, V^dag V = 1, R upper triangular with a positive diagonal; V replaces B.
/// Throws `Error` on all processes if that fails. Collective.
BlockQrResult block_qr(const BasisMatrices<float>& basis, const Aggregation& aggregation);

}  // namespace kaon::detail
