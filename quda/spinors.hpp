// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/description.hpp"

namespace kaon::quda {

/// Right-hand side k from a client's array, in kaon's basis. Throws `Error` for null pointers.
void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description);
/// The way back. `psi` keeps its values.
void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description);

}  // namespace kaon::quda
