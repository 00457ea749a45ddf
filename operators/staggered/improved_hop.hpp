// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/staggered/improved_stencil.hpp"
#include "operators/stencil/hopping.hpp"
#include "operators/stencil/site_term.hpp"

namespace kaon::detail {

template <class T>
using ImprovedStaggeredHop = Hopping<T, ImprovedStencil>;

}  // namespace kaon::detail
