// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// Makes the right-hand sides b_j of a field on a coarse lattice orthonormal as whole fields, in their order: b_j
/// becomes (b_j - sum_{i<j} <b_i, b_j> b_i) / norm. By Cholesky's decomposition,
///
///   G = B^dag B,  G = R^dag R,  B <- B R^-1
///
/// in double. A b_j whose pivot is small beside the rounding of G is only projected. If pivots are small, all steps are
/// repeated. A b_j that is zero remains zero. Flops: 8 N^2 for each complex number of b_j. Waits for G.
void orthonormalize(SpinorField<float>& b);

}  // namespace kaon::detail
