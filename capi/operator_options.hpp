// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/handles.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/quarks/families.hpp>

namespace kaon::capi {

/// The family that `action` names. Throws `Error` for a number that is none of `kaon_action`.
const FermionFamily& family_of(const kaon_operator_options& given);

/// Throws `Error` for options that are set, but that the action does not have.
void require_read(const kaon_operator_options& given);
/// Options of an operator that reads these alone.
void require_read(const kaon_operator_options& given, std::string_view reader,
                  const std::vector<std::string_view>& read);

/// The mass, given as such or as kappa. Throws `Error` unless one of them is.
double mass_of(const kaon_operator_options& given);

/// Throws `Error` for angles that are not finite.
BoundaryAngles boundary_of(const kaon_operator_options& given);

FermionParameters fermion_parameters(const kaon_operator_options& given);

/// Returns the links that improved staggered quarks have. Throws `Unsupported` for links in single precision.
ImprovedLinks improved_links(const kaon_gauge& thin, const FermionParameters& quarks);

/// Throws `Error` for numbers that are in none of their lists.
SchurParameters schur_parameters(const kaon_schur_options* options);
constexpr Parity other(Parity parity) { return parity == Parity::even ? Parity::odd : Parity::even; }

}  // namespace kaon::capi
