// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon::detail {

/// out = in, restored from the storage of `in`, compressed as that of `out` says, and rounded. Throws `Error` where
/// compressed or 16-bit links are wanted and a link is further than 1e-5 from SU(3).
template <class To, class From>
void convert_links(GaugeField<To>& out, const GaugeField<From>& in);

}  // namespace kaon::detail
