// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <array>
#include <span>

namespace kaon {

/// The signs eta_mu(x) of a code; all have the same plaquettes, and their operators differ by signs of the fields.
enum class PhaseConvention {
  milc,    ///< (-1)^t, (-1)^(t+x), (-1)^(t+x+y), 1
  chroma,  ///< -1, -(-1)^x, -(-1)^(x+y), -(-1)^(x+y+z)
  tifr     ///< -(-1)^(y+z+t), (-1)^(z+t), -(-1)^t, 1
};

/// Which signs a code folds into its links.
struct StaggeredPhases {
  bool antiperiodic = true;  ///< in time: the sign -1 of links that cross the edge of the lattice
  int steps = 1;             ///< of a link: 1, or 3 for third (long) links
  PhaseConvention convention = PhaseConvention::milc;
};

/// Multiplies links by staggered phases, MILC's unless another convention is requested, eta_x = (-1)^t, eta_y =
/// (-1)^(t+x), eta_z = (-1)^(t+x+y), eta_t = 1, and by -1 where a link leads over the edge of the lattice in time.
///
/// Links of MILC and QUDA hold these signs; kaon's do not, as operators apply phases and boundary conditions. The call
/// changes one into the other, both ways, and is its own inverse to the last bit:
///
///   fold_staggered_phases(from_milc);                // plain links
///   ImprovedLinks ours = asqtad_links(from_milc, u0);
///   fold_staggered_phases(ours.fat);                 // MILC's fat links
///   fold_staggered_phases(ours.third, {.steps = 3});  // MILC's long links, without their weight
///
/// Throws `Error` for compressed links, and for steps that are not positive and odd.
template <class T>
void fold_staggered_phases(GaugeField<T>& links, const StaggeredPhases& phases = {});

// Electric charges: links in U(3) = SU(3) x U(1), to be made before links are fattened. `asqtad_links`, `hisq_links`
// and their operators accept such links like those in SU(3).

/// U_mu(x) <- exp(i angles[mu]) U_mu(x): a constant field, or a twist in every link. Throws `Error` for compressed
/// links and angles that are not finite.
template <class T>
void multiply_phases(GaugeField<T>& links, const std::array<double, 4>& angles);

/// U_mu(x) <- exp(i charge A_mu(x)) U_mu(x). `field` holds A on the sites of this process, [t][z][y][x][mu]. Throws
/// `Error` for compressed links, and on all processes if one has a wrong number of values, or one that is not finite by
/// itself or times the charge. Source: A. Bazavov et al., Phys. Rev. D 99 (2019) 034503.
template <class T>
void multiply_phases(GaugeField<T>& links, double charge, std::span<const double> field);

/// Numbers that a code multiplies its links by, where kaon's Wilson operators have parameters.
struct HopFactors {
  bool antiperiodic = false;  ///< in time: -1 on temporal links that cross the edge of the lattice
  double spatial = 1.0;       ///< on links in space: nu/xi_0 on anisotropic lattices
};

/// U_i(x) <- spatial U_i(x) for i = x, y, z; U_t(x) <- -U_t(x) on the last time slice where `antiperiodic`. Its inverse
/// is the call with 1/spatial. Throws `Error` for compressed links and a factor that is not finite.
template <class T>
void multiply_hop_factors(GaugeField<T>& links, const HopFactors& factors);

}  // namespace kaon
