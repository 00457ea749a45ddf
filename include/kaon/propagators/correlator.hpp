// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

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
/// Sums are taken in double, in an order that depends on the lattice alone: the same digits for any lanes and threads.
/// Throws `Error` unless the field holds a propagator: both parities, and as many right-hand sides as components (12);
/// and for a direction or source site that the lattice does not have.
template <class T>
std::vector<double> pion_correlator(const SpinorField<T>& propagator, const CorrelatorParameters& parameters = {});

/// Effective mass from the cosh form: for each t the m >= 0 with
///
///   C(t) / C(t+1) = cosh(m (t - L/2)) / cosh(m (t + 1 - L/2)),
///
/// L the number of values given, C(L) = C(0). Where there is none (values that are not positive and finite, or that do
/// not fall towards L/2), the entry is empty. A correlator that is symmetric about L/2 has m(t) = m(L - 1 - t).
/// Throws `Error` for fewer than two values.
std::vector<std::optional<double>> effective_mass(std::span<const double> correlator);

extern template std::vector<double> pion_correlator(const SpinorField<double>&, const CorrelatorParameters&);
extern template std::vector<double> pion_correlator(const SpinorField<float>&, const CorrelatorParameters&);

}  // namespace kaon
