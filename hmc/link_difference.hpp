// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <optional>

namespace kaon::detail {

/// The largest difference of a real number of two fields of links on one lattice; infinite where one is NaN.
/// Collective.
double largest_difference(const GaugeField<double>& a, const GaugeField<double>& b);

/// Whether `kept` links are there, on the lattice of `links` and equal to these.
bool are_same(const std::optional<GaugeField<double>>& kept, const GaugeField<double>& links);

}  // namespace kaon::detail
