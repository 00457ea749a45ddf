// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil/hopping.hpp"
#include "operators/wilson/site_matrices.hpp"
#include "operators/wilson/wilson_stencil.hpp"

#include <kaon/operators/wilson.hpp>

namespace kaon::detail {

/// Throws `Error` unless xi_0 and nu are positive.
void require_anisotropy(const Anisotropy& anisotropy);

/// 1 + 3 nu/xi_0: what the diagonal holds beside the mass.
inline double hop_sum(const Anisotropy& anisotropy) { return 1.0 + 3.0 * anisotropy.spatial_weight(); }

/// Bytes of the two blocks of a clover term, with the scales of 16-bit numbers.
template <class T>
inline constexpr double clover_bytes = 72 * sizeof(T) + (std::is_same_v<T, half> ? 2 * sizeof(float) : 0);

}  // namespace kaon::detail
