// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <string_view>

namespace kaon::detail {

/// Throws `Error` if an element of U U^dag - 1 is larger than 1e-5: the message begins with `purpose` and has the worst
/// link.
/// The same on all processes. Collective.
void require_unitary(const GaugeField<double>& links, std::string_view purpose);

/// Whether all links pass that test, on all processes. Collective.
bool are_unitary(const GaugeField<double>& links);

}  // namespace kaon::detail
