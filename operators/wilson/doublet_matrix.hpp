// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// A matrix on the two flavours of a site, tau3 and tau1 between them:
///   B = (C + i twist g5 tau3 + mix tau1) R,   C a clover field or the number `diagonal`, R a clover field or 1.
/// 120 flops a site and flavour, 648 with a clover field, 1200 with R.
template <class T>
struct DoubletMatrix {
  const CloverField<T>* clover;  ///< null: `diagonal`
  const CloverField<T>* norm_inverse;
  double diagonal, twist, mix;
};

/// out = B in + x_scale x on one parity, of fields with two slices; x may be null. `out` may be `in` or x.
template <class T>
void apply_doublet_matrix(SpinorField<T>& out, const SpinorField<T>& in, const DoubletMatrix<T>& matrix,
                          const SpinorField<T>* x, double x_scale);

}  // namespace kaon::detail
