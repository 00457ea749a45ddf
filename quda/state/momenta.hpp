// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"

#include <kaon/core/gauge_field.hpp>

// Momenta between a client's arrays and kaon's fields. A client's are 10 reals a link, MILC's: P_01, P_02, P_12, the
// imaginary parts of P_00, P_11, P_22, and one that is not used.

namespace kaon::quda {

GaugeField<double> read_momenta(const QudaGaugeParam& given, const void* pointer);
/// Momenta that a force is added to: zeros (`overwrite_mom`), a copy of the resident ones or a client's.
GaugeField<double> momenta_to_change(const QudaGaugeParam& given, const void* pointer);
/// The last of the 10 reals becomes zero.
void write_momenta(const QudaGaugeParam& given, void* pointer, const GaugeField<double>& momenta);

}  // namespace kaon::quda
