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
