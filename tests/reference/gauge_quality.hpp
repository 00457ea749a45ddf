// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "su3.hpp"

namespace kaon::reference {

struct GaugeQuality {
  double functional;  ///< 1/(3 D V) sum_x sum_{mu < D} Re tr U_mu(x)
  double theta;       ///< 1/(3 V) sum_x tr Delta(x)^2
};

/// Delta(x) = sum_{mu < D} [A_mu(x) - A_mu(x-mu)], A = (U - U^dag)/(2 i) - its trace, link by link.
GaugeQuality gauge_quality(const Links& links, int dimensions, const Coordinates& extents);

}  // namespace kaon::reference
