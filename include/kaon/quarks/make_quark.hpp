// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/quark.hpp>
#include <kaon/quarks/families.hpp>

namespace kaon {

/// Makes the quark of a family that a program chooses when it runs; shares `links`. Throws `Error` for
/// parameters that the operator of this family refuses, and for families that were not built. T is `double` or `float`;
/// the links of asqtad and HISQ are made in double only.
///
///   const Quark<double> quark = make_quark(links, {.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0});
///   const PropagatorSolver solver(quark, {.tolerance = 1e-10});
template <class T>
Quark<T> make_quark(const GaugeField<T>& links, const FermionParameters& parameters);

/// Makes the links of asqtad or HISQ quarks. Throws `Error` for other families and where u0 of asqtad is not set.
ImprovedLinks smeared_links(const GaugeField<double>& thin, const FermionParameters& parameters);
/// Makes an improved staggered quark on fat and third links, of the mass and the boundary of `parameters`.
Quark<double> make_quark(const ImprovedLinks& links, const FermionParameters& parameters);

}  // namespace kaon
