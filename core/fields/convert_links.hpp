// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon::detail {

/// out = in, restored from the storage of `in`, compressed as that of `out` says, and rounded. Returns the scale of
/// `out`. Throws `Error` where compressed links are wanted and a link is further than 1e-5 from SU(3), or from U(3) in
/// storages with a determinant, and where 16-bit links in full are wanted of links that are not finite.
template <class To, class From>
double convert_links(GaugeField<To>& out, const GaugeField<From>& in);

}  // namespace kaon::detail
