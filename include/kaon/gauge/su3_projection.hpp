// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// The links W det(W)^(-1/3) in SU(3), W the nearest links in U(3) (`project_to_u3`), with the cube root of the
/// determinant that is nearest to 1. For links near SU(3) these are the nearest in SU(3); links in it stay to rounding.
///
/// Collective. 15.5 kflop a site. Throws `Error` as `project_to_u3` does. Source: as QUDA's, whose Newton iteration has
/// this limit.
GaugeField<double> project_to_su3(const GaugeField<double>& links);

}  // namespace kaon
