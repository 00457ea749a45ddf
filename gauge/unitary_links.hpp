// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <string_view>

namespace kaon::detail {

/// Throws `Error` if an element of U U^dag - 1 is larger than 1e-5: the message starts with `purpose` and has the worst
/// link.
/// Throws on all processes alike. Collective.
void require_unitary(const GaugeField<double>& links, std::string_view purpose);

/// Throws `Error` also if |det U - 1| is larger than 1e-5. For what ends in `reunitarize`, which would make other links
/// of those that are in U(3) only.
void require_su3(const GaugeField<double>& links, std::string_view purpose);

/// Whether all links are unitary as `require_unitary` demands, on all processes. Collective.
bool are_unitary(const GaugeField<double>& links);

/// Whether links that were unitary in this sense still are after they were multiplied by unitary matrices, which may
/// triple an element's deviation. Collective.
bool have_stayed_unitary(const GaugeField<double>& links);

}  // namespace kaon::detail
