// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <optional>

namespace kaon::detail {

/// Largest absolute difference of any real or imaginary part between two gauge fields; infinity for NaN. Collective.
double largest_difference(const GaugeField<double>& a, const GaugeField<double>& b);

/// Whether these are the same links on one lattice. Collective.
bool are_same(const GaugeField<double>& kept, const GaugeField<double>& links);
/// Whether `kept` links exist, on the lattice of `links` and equal to these.
bool are_same(const std::optional<GaugeField<double>>& kept, const GaugeField<double>& links);

}  // namespace kaon::detail
