// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/hmc/rational_approximation.hpp>

#include <span>

namespace kaon {

/// Largest |ln r - ln f| of the approximations in S = <phi, f(A) phi>. The force's error may be larger: it changes what
/// the equations of motion conserve, but not the sampled distribution.
struct RationalErrors {
  double value = 1e-10;  ///< of `draw` and `value`
  double force = 1e-6;   ///< of `add_force`
};

/// The rational functions of pseudofermions phi with the action S = <phi, f(A) phi>.
struct RationalFunctions {
  PartialFractions draw;   ///< of f^(-1/2): phi = draw(A) eta, eta Gaussian
  PartialFractions value;  ///< of f^(1/2): S = |value(A) phi|^2; 1/draw, so that S = |eta|^2 after `draw`
  PartialFractions force;  ///< of f
};

/// The functions of f(x) = prod_i (x + s_i)^p_i. Throws `Error` as `minimax_powers_within`.
RationalFunctions rational_functions(std::span<const PowerFactor> factors, const SpectralRange& range,
                                     const RationalErrors& errors = {});

}  // namespace kaon
