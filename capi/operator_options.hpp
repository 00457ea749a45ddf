// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

namespace kaon::capi {

/// The mass, given as such or as kappa. Throws `Error` unless one of them is.
double mass_of(const kaon_operator_options& given);

/// Throws `Error` for angles that are not finite.
BoundaryAngles boundary_of(const kaon_operator_options& given);

/// Whether it is so in time, and periodic in space. Throws `Error` for other boundaries than this one and the periodic
/// one.
bool is_antiperiodic_in_time(const kaon_operator_options& given);

/// Throws `Error` on all processes of the lattice unless all were given the same options. Collective.
void require_same(const Lattice& lattice, const kaon_operator_options& given);

/// Of an operator of thin links.
FermionParameters fermion_parameters(const kaon_operator_options& given);

}  // namespace kaon::capi
