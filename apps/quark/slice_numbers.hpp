// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/quark/quark_options.hpp"

namespace kaon::apps {

/// Sets b and c of domain wall quarks: real numbers, or a complex number for each slice. Throws `Failure` for texts
/// that are not numbers, for other counts than one or L_s, and for numbers out of range.
void set_slice_numbers(const QuarkOptions& quark, FermionParameters& parameters);

}  // namespace kaon::apps
