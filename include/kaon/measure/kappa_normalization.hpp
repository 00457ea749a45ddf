// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

namespace kaon {

// kaon's Wilson operators are M = (4 + m) + A - D/2. Codes and files that are normalised by kappa have
//   M_kappa = 1 - kappa D + 2 kappa A = 2 kappa M,  so that  M^-1 = 2 kappa M_kappa^-1.
// On an anisotropic lattice the diagonal of M_kappa is 1 only for kappa = 1 / (2 (m + 1 + 3 nu/xi_0)), which is not the
// kappa of `kappa_from_mass`: pass the kappa by which the other code divided.

/// S = 2 kappa S: a solution of M_kappa S = source becomes one of M S = source. Throws `Error` for kappa <= 0.
template <class T>
void from_kappa_normalization(SpinorField<T>& propagator, double kappa);

/// S = S / (2 kappa): undoes the function above.
template <class T>
void to_kappa_normalization(SpinorField<T>& propagator, double kappa);

}  // namespace kaon
