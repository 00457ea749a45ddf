// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/wilson/wilson_stencil.hpp"

#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/wilson.hpp>

namespace kaon::detail {

/// out(x) = K_{+mu} in(x) = (w_mu/2) (1 - g_mu) U_mu(x) in(x+mu), with the boundary phase:
/// `Coarsenable::hop_along`. T is double or float.
template <class T>
void apply_along(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in, int mu);

}  // namespace kaon::detail
