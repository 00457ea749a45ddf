// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/domain_wall.hpp>

namespace kaon {

// Between fields in four dimensions, of one slice, and those of a domain wall operator. Both have all sites, and the
// same right-hand sides. Throw `Error` for others. P_+- = (1 +- g5)/2.

/// The source of D psi = eta_5 whose solution has the propagator from `source` on its walls:
///   eta_5 = (1 - c D_W) [P_+ source at s = 0, P_- source at s = L_s - 1, zero between],
/// arXiv:1411.7017, eq. (16) and (19).
template <class T>
void set_wall_source(SpinorField<T>& source_5d, const SpinorField<T>& source, const DomainWall<T>& dirac);

/// q = P_- psi_0 + P_+ psi_{L_s-1}: with D psi = eta_5, the propagator q = (D_ov(m)^-1 - 1)/(1 - m) source.
template <class T>
void take_walls(SpinorField<T>& q, const SpinorField<T>& psi);

/// q_mp = P_+ psi_{L_s/2-1} + P_- psi_{L_s/2}, whose correlator measures the residual mass. Throws `Error` for an odd
/// number of slices, too.
template <class T>
void take_midpoint(SpinorField<T>& q, const SpinorField<T>& psi);

extern template void set_wall_source(SpinorField<double>&, const SpinorField<double>&, const DomainWall<double>&);
extern template void set_wall_source(SpinorField<float>&, const SpinorField<float>&, const DomainWall<float>&);
extern template void take_walls(SpinorField<double>&, const SpinorField<double>&);
extern template void take_walls(SpinorField<float>&, const SpinorField<float>&);
extern template void take_midpoint(SpinorField<double>&, const SpinorField<double>&);
extern template void take_midpoint(SpinorField<float>&, const SpinorField<float>&);

}  // namespace kaon
