// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/measure/correlator.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/sources.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kaon {

/// A function of the time from the source.
struct Correlator {
  std::string name;
  std::vector<double> values;
  std::vector<std::optional<double>> effective_masses{};  ///< of pions, between t and t + 1
  std::string group{};  ///< "flavor_correlators" for those of doublets by flavour; else empty
};

/// The correlators of the propagators of one quark from one source, t relative to it, those of noise divided by
/// `number_of_sources`:
///
/// - "pion": `pion_correlator` of the first propagator, with its `effective_mass`;
/// - of domain wall quarks "residual_mass", if there is a midpoint, and "axial_current", if it was measured;
/// - of doublets the sums of |S|^2 from one flavour to another, with the names of the propagators; "plus" and "minus"
///   of the combinations (0 + 1)/sqrt2 and (0 - 1)/sqrt2, which have the masses m - epsilon and m + epsilon without a
///   twist; and "plus_minus" of both.
std::vector<Correlator> quark_correlators(const QuarkPropagators<double>& quark, const SourceParameters& source);

/// "pion" of two quarks of different masses: `pion_correlator`, with the `oscillating_effective_mass` of staggered
/// quarks.
Correlator pion_of_pair(const QuarkPropagators<double>& one, const QuarkPropagators<double>& other,
                        const SourceParameters& source);

}  // namespace kaon
