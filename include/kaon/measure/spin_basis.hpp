// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <array>
#include <complex>

namespace kaon {

/// Bases of spin space, distinguished by their gamma matrices. kaon's fields are in `degrand_rossi` everywhere; the
/// others are for numbers that come from, or go to, other codes. In 2x2 blocks, s_i the Pauli matrices:
enum class SpinBasis {
  /// g_x = [[0, i s_1], [-i s_1, 0]], g_y = [[0, -i s_2], [i s_2, 0]], g_z = [[0, i s_3], [-i s_3, 0]],
  /// g_t = [[0, 1], [1, 0]]; g_5 = diag(1, 1, -1, -1).
  degrand_rossi,
  /// Dirac-Pauli, non-relativistic: g_i = [[0, -i s_i], [i s_i, 0]], g_t = diag(1, 1, -1, -1); g_5 = -[[0, 1], [1, 0]].
  dirac_pauli,
  /// MILC's Wilson propagator files: g_i = [[0, s_i], [s_i, 0]], g_t = diag(1, 1, -1, -1); g_5 = [[0, -i], [i, 0]].
  milc,
  /// The chiral basis of tmLQCD and of QUDA's interface: g_i = [[0, -i s_i], [i s_i, 0]], g_t = -[[0, 1], [1, 0]];
  /// g_5 = diag(-1, -1, 1, 1).
  chiral,
  /// UKQCD, non-relativistic: g_i = [[0, i s_i], [-i s_i, 0]], g_t = diag(1, 1, -1, -1); g_5 = [[0, 1], [1, 0]].
  ukqcd,
};

/// A matrix on spin indices, [row][column].
using SpinMatrix = std::array<std::array<std::complex<double>, 4>, 4>;

/// From one basis to another: of numbers to kaon's unless `to` is set.
struct BasisChange {
  SpinBasis from = SpinBasis::degrand_rossi;
  SpinBasis to = SpinBasis::degrand_rossi;
};

/// The unitary V of psi_to = V psi_from, so that g_to = V g_from V^dag.
SpinMatrix basis_rotation(const BasisChange& change);

/// psi = V psi, every right-hand side and slice for itself. Throws `Error` unless the field has 4 spins.
template <class T>
void change_spinor_basis(SpinorField<T>& psi, const BasisChange& change);
/// S = V S V^dag, sink and source spins: right-hand side colours * s + c is the source of spin s and colour c. Throws
/// `Error` unless the field has 4 spins and as many right-hand sides as components.
template <class T>
void change_propagator_basis(SpinorField<T>& propagator, const BasisChange& change);

/// psi = gamma_5 psi, every right-hand side and slice for itself. Throws `Error` unless the field has 4 spins.
template <class T>
void apply_gamma5(SpinorField<T>& psi);
/// psi_s = gamma_5 psi_{L_s-1-s}: the Hermiticity of domain wall quarks, and gamma_5 tau_1 of a doublet. Throws as
/// `apply_gamma5`.
template <class T>
void apply_reflected_gamma5(SpinorField<T>& psi);

}  // namespace kaon
