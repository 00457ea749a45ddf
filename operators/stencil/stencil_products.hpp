// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/site_sums.hpp"

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

/// The reductions that `form` wants, if it wants any. A kernel that makes `out` has made their partial sums; those
/// whose squares may have left the range of `float`, in which the kernel makes them, are used from memory, as are all
/// if the kernel made none (`sums` are not wanted).
template <class T>
void collect_reductions(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out,
                        const SiteSums& sums);

}  // namespace kaon::detail
