// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <array>
#include <complex>
#include <optional>
#include <span>
#include <vector>

namespace kaon {

struct CorrelatorParameters {
  Coordinates source_site{};  ///< only its coordinate in `direction` matters
  int direction = 3;          ///< 0..3: x, y, z, t
};

/// Pion correlator of a propagator from one source, in time or along another direction:
///
///   C(d) = sum_{x : x_mu = source_mu + d} sum_{spins, colours} |S(x; source)|^2,  d = 0 .. L_mu - 1, periodic.
///
/// Sums are computed in double, in an order that depends on the lattice alone: the same digits for any lanes and
/// threads. Throws `Error` unless the field holds a propagator: both parities, and as many right-hand sides as
/// components (12); and for a direction or source site that the lattice does not have.
template <class T>
std::vector<double> pion_correlator(const SpinorField<T>& propagator, const CorrelatorParameters& parameters = {});

/// Pion correlator of two propagators from one source, of quarks of different masses say:
///
///   C(d) = sum_{x : x_mu = source_mu + d} sum_{spins, colours} Re conj(S(x; source)) S'(x; source).
///
/// Sums and errors as above; throws `Error` for propagators on two lattices or of two shapes.
template <class T>
std::vector<double> pion_correlator(const SpinorField<T>& propagator, const SpinorField<T>& other,
                                    const CorrelatorParameters& parameters = {});

/// The factor of a direction in `momentum_products`, of the angle a.
enum class FourierFactor {
  exponential,  ///< exp(i a)
  cosine,       ///< cos a
  sine          ///< i sin a
};

struct MomentumParameters {
  Coordinates mode{};         ///< n, the momentum in units of 2 pi/L_mu
  Coordinates source_site{};  ///< y, where the phase is 1
  std::array<FourierFactor, 4> factors{};
};

/// Products of two fields with a momentum, summed over each time slice:
///
///   C(t) = sum_{x : x_t = t} prod_mu f_mu(2 pi n_mu (x_mu - y_mu)/L_mu) sum_{spins, colours, right-hand sides}
///          conj(psi(x)) phi(x),    t = 0 .. L_t - 1.
///
/// Sums as those of `pion_correlator`. Throws `Error` for fields on two lattices or of two shapes, for fields on one
/// parity and for sources outside the lattice.
template <class T>
std::vector<std::complex<double>> momentum_products(const SpinorField<T>& psi, const SpinorField<T>& phi,
                                                    const MomentumParameters& parameters);

/// Effective mass from the cosh form: for each t the m >= 0 with
///
///   C(t) / C(t+1) = cosh(m (t - L/2)) / cosh(m (t + 1 - L/2)),
///
/// L the number of values given, C(L) = C(0). If there is no such m (values that are not positive and finite, or that
/// do not fall towards L/2), the entry is empty. A correlator that is symmetric about L/2 has m(t) = m(L - 1 - t).
/// Throws `Error` for fewer than two values.
std::vector<std::optional<double>> effective_mass(std::span<const double> correlator);

/// Effective mass of a staggered correlator with its oscillating partner taken out: for each t the m of
///
///   C(t) = A cosh(m (t - L/2)) + (-1)^t B cosh(m' (t - L/2)),
///
/// from six values. With (E C)(t) = C(t+1) + C(t-1), a = 2 cosh m and b = 2 cosh m', C satisfies
///
///   E^2 C = (a - b) E C + a b C    at t and at t + 1,
///
/// two linear equations for a - b and a b. The entry is that between t and t + 1, t = 2 .. L - 3. No stencil crosses
/// the source at t = 0. An entry is empty where the form does not hold: unless a and b are both 2 or more, and the part
/// without the partner, E C + b C, is positive and does not rise towards L/2 (two states that do not oscillate have
/// b <= -2); and in the absence of any partner, which leaves one equation. Throws `Error` for fewer than two values.
std::vector<std::optional<double>> oscillating_effective_mass(std::span<const double> correlator);

/// The residual mass of domain wall quarks, m_res(t) = sum_x |q_mp|^2 / sum_x |q|^2 at distance t from the source, from
/// the correlators of `take_midpoint` and `take_walls`; NaN if one of them leaves the range of double. Throws `Error`
/// for correlators of different lengths.
std::vector<double> residual_mass(std::span<const double> midpoint, std::span<const double> walls);

}  // namespace kaon
