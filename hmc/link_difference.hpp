// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <optional>
#include <utility>

namespace kaon::detail {

/// Largest absolute difference of any real or imaginary part between two gauge fields; infinity for NaN. Collective.
double largest_difference(const GaugeField<double>& a, const GaugeField<double>& b);

/// Whether these are the same links on one lattice. Collective.
bool are_same(const GaugeField<double>& kept, const GaugeField<double>& links);
/// Calls make(own) with a copy of `links`, which `kept` holds from then on, unless these are its links already. After
/// an exception `kept` has no links, so that what was made on others is not used. Collective.
template <class Make>
void make_on(std::optional<GaugeField<double>>& kept, const GaugeField<double>& links, const Make& make) {
  if (kept && are_same(*kept, links)) return;
  kept.reset();
  GaugeField<double> own = links.clone();
  make(own);
  kept.emplace(std::move(own));
}

}  // namespace kaon::detail
