// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

namespace kaon {

// These copy between 4-d fields and the flavours of a `TwistedDoublet`, which are slices: propagators of sources in
// each flavour. The fields have the same sites and right-hand sides. Throw `Error` for others, and for a flavour that
// is not 0 or 1.

/// psi = source in that flavour, 0 in the other.
template <class T>
void set_flavor(SpinorField<T>& psi, const SpinorField<T>& source, int flavor);

/// out = that flavour of psi.
template <class T>
void take_flavor(SpinorField<T>& out, const SpinorField<T>& psi, int flavor);

}  // namespace kaon
