// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/gauge/momenta.hpp>

namespace kaon::detail {

/// `advance_links` without its checks, for trajectories, which look at the energy and the links in the end.
void drift_links(GaugeField<double>& links, const GaugeField<double>& momenta, const LinkStep& step);

}  // namespace kaon::detail
