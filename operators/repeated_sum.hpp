// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/covariant_sum.hpp>

namespace kaon::detail {

/// `steps` times psi <- `covariant_sum` of psi: halos of links are exchanged once. Throws `Error` as `covariant_sum`
/// does.
template <class T>
void repeat_covariant_sum(SpinorField<T>& psi, const GaugeField<T>& links, const CovariantSum& sum, int steps);

}  // namespace kaon::detail
