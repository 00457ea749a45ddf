// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// The unitary links W = V (V^dag V)^(-1/2), the nearest to V: with the singular value decomposition V = A s B^dag,
/// W = A B^dag. Their determinant has any phase: W is in U(3).
///
/// The decomposition is a one-sided Jacobi iteration with a fixed number of sweeps. Collective. 14.6 kflop a site.
/// Throws `Error` for compressed links, and for a link that is not finite or has a singular value below 1e-14 of their
/// sum or below 1e-30; the message has the first such link. Source: E. Follana et al., Phys. Rev. D 75 (2007) 054502;
/// J. Demmel and K. Veselic, SIAM J. Matrix Anal. Appl. 13 (1992) 1204.
GaugeField<double> project_to_u3(const GaugeField<double>& links);

}  // namespace kaon
