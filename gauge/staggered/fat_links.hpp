// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/path_coefficients.hpp>

namespace kaon::detail {

/// `fat_links` without its checks, of links that are known to be unitary.
GaugeField<double> fat_links_of_unitary(const GaugeField<double>& links, const PathCoefficients& weights);

/// sum += factor a, of fields of one lattice that have all reals.
void add_multiple(GaugeField<double>& sum, double factor, const GaugeField<double>& a);

}  // namespace kaon::detail
