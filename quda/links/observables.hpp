// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"

namespace kaon::quda {

/// Measures the observables that the structure requests, on the smeared links if there are any, else on the resident
/// links.
/// Collective. Throws `Error` for what kaon does not measure.
void measure_observables(QudaGaugeObservableParam& given);

}  // namespace kaon::quda
