// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/path_coefficients.hpp>

namespace kaon::detail {

/// `fat_links` without its checks, of links that are known to be unitary.
GaugeField<double> fat_links_of_unitary(const GaugeField<double>& links, const PathCoefficients& weights);

/// w = `project_to_u3(links)`; `w` may be `links`. Throws as that does.
void project_to_u3(GaugeField<double>& w, const GaugeField<double>& links);

/// sum += factor a, of fields of one lattice that have all reals.
void add_multiple(GaugeField<double>& sum, double factor, const GaugeField<double>& a);

}  // namespace kaon::detail
