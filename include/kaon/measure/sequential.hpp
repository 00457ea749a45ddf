// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/measure/contractions.hpp>
#include <kaon/operators/boundary.hpp>

#include <complex>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

namespace kaon {

// Three-point functions < O_sink(p', t_s) J(q, t) O_source^dag > by sequential propagators. With S the propagator of
// `set_sources`, eta a source of this file and Q the solution for it, M Q = eta:
//
// - through the sink: `set_meson_sequential_source` or `set_baryon_sequential_source`. All currents, their momenta and
//   times, and all gamma matrices of a meson's source, follow from W = `meson_spin_sums(S, Q)`. They need quarks with
//   S(x; y) = g5 S(y; x)^dag g5, which twisted masses do not have.
// - through a current: `set_current_sequential_source`. Q is then S with the current in it: all sinks and their momenta
//   follow, as two-point functions with Q instead of S.
//
// With smeared sinks, smear the propagators before these calls, and the source that they return before the solve.

/// The slice and the momentum of a sequential source.
struct SequentialParameters {
  Coordinates source_site{};    ///< x0, where phases are 1 and times are 0
  std::optional<int> time = 0;  ///< distance of the slice from x0, 0 to T - 1; of currents also none: all slices
  SpatialMomentum momentum{};   ///< p' of a sink, q of a current
  /// Baryons: the angle of the quarks' boundary in time, as `BaryonParameters::time_boundary`. Sinks beyond it have its
  /// three phases taken out.
  double time_boundary = std::numbers::pi;
};

/// The sequential source through the sink of a meson qbar' Gamma q,
///
///   eta(x) = delta(t, t_s) exp(i p'.(x - x0)) g5 Gamma^dag g5 S'(x),
///
/// with S' the propagator of the antiquark q'. The current acts on the quark: with W = `meson_spin_sums(S, Q)` and
/// channels {J, Gamma_source},
///
///   `meson_correlators`:  -sum_x sum_y exp(-i p'.(x - x0) - i q.(y - x0)) tr[Gamma S(x; y) J S(y) Gamma' g5 S'(x)^dag
///   g5],
///
/// Gamma' = g_t Gamma_source^dag g_t: the source has the momentum p' + q. Collective.
///
/// Throws `Error` unless both are propagators of 4 spins on one lattice, for `eta` that is `antiquark`, and for a
/// source or time outside the lattice.
template <class T>
void set_meson_sequential_source(SpinorField<T>& eta, const SpinorField<T>& antiquark, const SpinMatrix& sink,
                                 const SequentialParameters& parameters);

/// The sequential source through the sink of a baryon, with the current on all its quarks of number `quark`. With
/// C = sum_{s s'} P_{s' s} B_{s s'}(x) of `baryon_spin_sums`, which is a function of the propagators S_n(x),
///
///   eta(x)_{alpha a, beta b} = delta(t, t_s) exp(i p'.(x - x0)) g5_alpha [ dC / dS_quark(x)_{alpha a, beta b} ]^*.
///
/// `sequential_currents` of W = `meson_spin_sums(S_quark, Q)` with B = 1 are then the three-point functions. All Wick
/// contractions: on host and device, a sum of products of two matrices of colours. Collective. Throws `Error` as
/// `baryon_spin_sums` and `set_meson_sequential_source` do, and for a quark that the baryon does not have.
template <class T>
void set_baryon_sequential_source(SpinorField<T>& eta, const BaryonOperator& sink, const BaryonOperator& source,
                                  std::span<const SpinorField<T>* const> quarks, int quark, const SpinMatrix& projector,
                                  const SequentialParameters& parameters);

/// The sequential source through a current at all times or at one,
///
///   eta(x) = exp(-i q.(x - x0)) J S(x).
///
/// Throws `Error` as `set_meson_sequential_source` does.
template <class T>
void set_current_sequential_source(SpinorField<T>& eta, const SpinorField<T>& propagator, const SpinMatrix& current,
                                   const SequentialParameters& parameters);

/// psi(x) <- exp(i p.(x - x0)) psi(x), of all components and right-hand sides: a source with the momentum p. Throws
/// `Error` for a source outside the lattice.
template <class T>
void multiply_plane_wave(SpinorField<T>& psi, const Coordinates& source_site, const SpatialMomentum& momentum);

/// The matrix B of the functions below for the source of a meson: -g_t Gamma_source^dag g_t g5. B is 1 for
/// baryons.
SpinMatrix sequential_meson_source(const SpinMatrix& source);

/// sum_y exp(-i q.(y - x0)) tr[ J S(y) B Q(y)^dag g5 ] for currents qbar J q of any matrices of spins, from W:
/// [momentum][current][t]. For mesons it is `meson_correlators` of the channels {J, Gamma_source}.
std::vector<std::complex<double>> sequential_currents(const SpatialSums& w, std::span<const SpinMatrix> currents,
                                                      const SpinMatrix& source);

/// Open-spin sums of currents with one link, of the propagators S and Q and (U Q)(x) = U_mu(x) Q(x + mu) with the
/// phases of the boundary:
///
///   forward:  `meson_spin_sums(U S, Q)`, the current from x + mu to x,
///   backward: `meson_spin_sums(S, U Q)`, from x to x + mu.
struct LinkSpinSums {
  int direction = 0;  ///< mu
  Coordinates extents{};
  std::vector<SpatialMomentum> momenta{};
  SpatialSums forward{};
  SpatialSums backward{};
};

/// `links` are those of the hops of the quark, and `boundary` is its boundary. For S and Q of several slices, which are
/// chi of domain wall quarks (`set_current_fields`), the sums are over S_s and Q_{L_s-1-s}, s = 0 .. L_s - 1.
/// Collective. Throws `Error` as `covariant_shift` and `meson_spin_sums` do, and for unequal numbers of slices.
template <class T>
LinkSpinSums link_spin_sums(const SpinorField<T>& propagator, const SpinorField<T>& sequential,
                            const GaugeField<T>& links, const BoundaryAngles& boundary, int direction,
                            const ContractionParameters& parameters);

/// The conserved vector current of Wilson, clover and domain wall quarks on the links from x to x + mu, with phases of
/// x,
///
///   V_mu(x) = (w/2) [ qbar(x+mu) (1 + g_mu) U_mu(x)^dag q(x) - qbar(x) (1 - g_mu) U_mu(x) q(x+mu) ],
///
/// [momentum][t], with B as above. w is the weight of the direction, `Anisotropy::spatial_weight` in space and 1 in
/// time. Domain wall quarks have the sum of this over slices, q = chi_s and qbar = (g5 chi'_{L_s-1-s})^dag, and w is
/// (b + c) times the weight (Shamir: hep-lat/9405004; Moebius: arXiv:1411.5728). The divergence vanishes except at
/// source and sink: sum_x V_4 is the charge at any time between them, to the accuracy of the solves.
std::vector<std::complex<double>> conserved_current(const LinkSpinSums& sums, const SpinMatrix& source,
                                                    double weight = 1.0);

/// Currents qbar J D_mu q with the derivative (1/2)(D_right - D_left), symmetric to both sides,
///
///   D_right q(x) = (1/2) [ U_mu(x) q(x+mu) - U_mu(x-mu)^dag q(x-mu) ],   D_left on qbar alike: [momentum][current][t].
std::vector<std::complex<double>> derivative_currents(const LinkSpinSums& sums, std::span<const SpinMatrix> currents,
                                                      const SpinMatrix& source);

}  // namespace kaon
