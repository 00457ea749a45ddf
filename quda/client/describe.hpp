// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/client/interface.hpp"

#include <kaon/gauge/link_phases.hpp>

// The only readers of a client's structures. Each throws `Error`, naming the member, for values that are not set or not
// supported.

namespace kaon::quda {

GaugeDescription describe(const QudaGaugeParam& given);
/// Links of calls that ignore `type` and act on thin links.
GaugeDescription describe_thin(QudaGaugeParam given);
OperatorDescription describe_operator(const QudaInvertParam& given);
/// Throws `Error` for a `clover_rho`, which QUDA adds to A and not to A^-1.
void require_no_clover_rho(const QudaInvertParam& given);
/// Whether `dslash_type` is the covariant derivative or the Laplace operator.
bool is_covariant(const QudaInvertParam& given);
CovariantDescription describe_covariant(const QudaInvertParam& given);
/// QUDA's covariant derivative: 0 to 3 forward in x to t, 4 to 7 backward.
CovariantSum describe_shift(int direction, const char* name);
SpinorDescription describe_spinors(const QudaInvertParam& given);
/// Spinors of calls that act equally on all spins: they ignore the operator and the basis.
SpinorDescription describe_plain_spinors(QudaInvertParam given);
/// Spinors of calls that know no operator but act on spins.
SpinorDescription describe_four_spins(QudaInvertParam given);
/// 4, or 1 where the operator of `dslash_type` acts on fields without spin.
int spins_of(const QudaInvertParam& given);
/// The matrix that `MatQuda` applies and `invertQuda` inverts.
MatrixDescription describe_matrix(const QudaInvertParam& given);
/// Throws `Error` for an operator whose even and odd sites are those of x + y + z + t + s.
void require_parity_of_four_dimensions(const QudaInvertParam& given);
SolveDescription describe_solve(const QudaInvertParam& given);
/// The eigenvectors that `eigensolveQuda` finds.
EigenDescription describe_eigenvectors(const QudaEigParam& given);
LinkKind link_kind_of(QudaLinkType type);
PhaseConvention convention_of(QudaStaggeredPhase type);
/// Throws `Error` for a location that is not set, and for a device in a build for hosts. The address of an array
/// decides where it lies, as in QUDA: clients also name the host for arrays on the device.
void require_location(QudaFieldLocation location, const char* name);
ArrayElement element_of(QudaPrecision precision, const char* name);

}  // namespace kaon::quda
