// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

// Fields whose n right-hand sides are the columns of an n x n matrix at each site of one parity.

/// columns(a) = Y_{-mu}(a) = G5 Y_{+mu}(a-mu)^dag G5, from `forward` = Y_{+mu} on the parity of a-mu and its halos.
void backward_hops(SpinorField<float>& columns, const SpinorField<float>& forward, const CoarseSites& sites, int mu,
                   const CoarseHaloAccess& halo);

/// columns -= W + G5 W^dag G5 of `hops` = W.
void subtract_hops(SpinorField<float>& columns, const SpinorField<float>& hops);

/// Column k becomes the unit vector of component first + k, at each site. There may be fewer columns than n.
void set_units(SpinorField<float>& columns, int first);

}  // namespace kaon::detail
