// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge.hpp"

namespace kaon::reference {

/// A direction in which nothing is smeared and whose links do not enter: -1 for none.
inline constexpr int none_omitted = -1;

/// Weights of the loops of an action, with Luescher and Weisz's coefficients: c_0 of plaquettes, c_1 of rectangles.
/// Loops in planes with time have xi^2 times these.
struct LoopWeights {
  double plaquette = 1.0;
  double rectangle = 0.0;
  double anisotropy = 1.0;  ///< xi

  double of_plane(int mu, int nu) const { return mu == 3 || nu == 3 ? anisotropy * anisotropy : 1.0; }
};

/// sum_n a^n / n!, term by term.
ColorMatrix exponential(const ColorMatrix& a);

/// (a - a^dag)/2 without its trace: an element of the Lie algebra.
ColorMatrix traceless_antihermitian(const ColorMatrix& a);

/// The sum of all paths from x to x + mu which close plaquettes, and 2x1 rectangles, with U_mu(x)^dag, path by path.
/// Paths in time count xi^2 times; paths around links in time, which lie in space, once.
ColorMatrix staples(const Links& links, const Coordinates& x, int mu, const LoopWeights& weights, int omitted,
                    const Coordinates& extents);

/// One step U -> exp(rho TA(C U^dag)) U with the staples C. Source: hep-lat/0311018.
Links stout_links(const Links& links, double rho, const LoopWeights& weights, int omitted, const Coordinates& extents);

/// One level U_mu -> exp(TA(C_mu U_mu^dag)) U_mu with weights of the staples by direction: rho_munu = rho_mu, and 0
/// where rho_nu is 0.
Links stout_links(const Links& links, const std::array<double, 4>& rho, const Coordinates& extents);

/// U Sigma for the Sigma of hep-lat/0311018, equation (75), with the f_j and B_i of its equations (29) to (31) and (57)
/// to (73): the matrices of a force on the links of a level from those, V' = U' Sigma', on the links that the level
/// leads to.
Links stout_force(const Links& links, const std::array<double, 4>& rho, const Links& of_smeared,
                  const Coordinates& extents);

/// The nearest element of U(3), divided by the cube root of its determinant that is nearest to 1.
ColorMatrix project_to_su3(const ColorMatrix& v);

/// One step U -> P[(1 - alpha) U + alpha/(2 (D - 1)) C], D the number of directions that are smeared.
Links ape_links(const Links& links, double alpha, int omitted, const Coordinates& extents, double anisotropy = 1.0);

/// One step with alpha_1, alpha_2, alpha_3 of hep-lat/0103029, equations (3) to (5), link by link. Without the omitted
/// direction there are two levels, with alpha_2 and alpha_3.
Links hyp_links(const Links& links, const std::array<double, 3>& alpha, int omitted, const Coordinates& extents);

}  // namespace kaon::reference
