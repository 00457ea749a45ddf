// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement_input.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kaon::detail {

/// The operators of the input's quarks, which several of its propagators may share.
struct QuarkOperators {
  std::vector<FermionParameters> parameters;  ///< all different
  std::vector<std::size_t> of_quarks;         ///< for each quark of the input, a place in `parameters`
};

QuarkOperators quark_operators(const MeasurementInput& input);

/// Returns whether a three-point function needs `current_fields` of a quark of the input.
bool has_current_fields(const MeasurementInput& input, std::size_t quark);

/// Propagators without currents that one solve returns.
struct QuarkSolve {
  SpatialMomentum momentum{};       ///< of the source
  std::vector<std::size_t> quarks;  ///< of the input
  std::vector<std::string> wanted;  ///< names of their propagators, all different, and `current_fields`
};

/// Returns the solves for the quarks of some operators, a solve for each momentum of the sources.
std::vector<QuarkSolve> quark_solves(const MeasurementInput& input, const QuarkOperators& operators,
                                     const std::vector<std::size_t>& places);

/// The number of right-hand sides of all solves for one source, of each operator.
std::vector<std::size_t> right_hand_sides_of_source(const MeasurementInput& input);

}  // namespace kaon::detail
