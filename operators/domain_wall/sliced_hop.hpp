// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/domain_wall/slice_matrix.hpp"
#include "operators/wilson/wilson_hop.hpp"

#include <functional>

namespace kaon::detail {

/// out = [form], some other way.
template <class T>
using HopApart = std::function<void(SpinorField<T>& out, const HopForm<T>& form)>;

/// out = [form] on GPUs, with `matrix` as A or A^-1 (its adjoint for a form with `dagger`), by one kernel: a team has
/// all slices of its sites, and the matrix acts in the team's memory. `out` may be x. Teams with sites at the edges of
/// processes follow the others, after the halos. Takes the kernel or `apart`, a hop and the matrix after it, whichever
/// is faster; `apart` alone for matrices of complex numbers, for halos in another precision than the field's and for
/// more slices than a team has threads for.
template <class T>
void hop_through_slices(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form, const SliceMatrix<T>& matrix, const HopApart<T>& apart);

}  // namespace kaon::detail
