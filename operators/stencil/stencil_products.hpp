// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/site_sums.hpp"

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::detail {

/// Sets `form.products`, if they are wanted. A kernel that makes `out` has made the parts of their sums, which are
/// added up here; those whose squares may have left the range of `float`, in which the kernel makes them, are taken
/// from memory, as are all if the kernel made none (`sums` are not wanted).
template <class T>
void collect_products(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out, const SiteSums& sums);

}  // namespace kaon::detail
