// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>

namespace kaon {

/// U = 1.
template <class T>
void set_unit(GaugeField<T>& links);

/// Every link independent and distributed by Haar's measure: infinite coupling.
template <class T>
void set_random(GaugeField<T>& links, const RandomKey& key);

/// U = 1 + `noise` N brought back to SU(3) by the rule of `reunitarize`, N complex normal numbers with variance 1 in
/// the real and in the imaginary part. Throws `Error` for noise above 1e150.
template <class T>
void set_weak(GaugeField<T>& links, double noise, const RandomKey& key);

}  // namespace kaon
