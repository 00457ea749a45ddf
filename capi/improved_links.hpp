// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/gauge/improved_links.hpp>

namespace kaon::capi {

/// `smeared_links`. Throws `Unsupported` for links in single precision.
ImprovedLinks improved_links(const kaon_gauge& thin, const FermionParameters& quarks);

}  // namespace kaon::capi
