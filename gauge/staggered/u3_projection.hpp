// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon::detail {

/// w = `project_to_u3(links)`; `w` may be `links`. Throws as that does.
void project_to_u3(GaugeField<double>& w, const GaugeField<double>& links);

}  // namespace kaon::detail
