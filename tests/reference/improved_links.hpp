// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge.hpp"
#include "staggered.hpp"

namespace kaon::reference {

/// Coefficients of the paths from x to x + mu, for links without staggered phases.
struct PathCoefficients {
  double one_link = 1.0;
  double three_staple = 0.0;  ///< nu mu -nu
  double five_staple = 0.0;   ///< nu rho mu -rho -nu
  double seven_staple = 0.0;  ///< nu rho sigma mu -sigma -rho -nu
  double lepage = 0.0;        ///< nu nu mu -nu -nu
};

/// asqtad's fat links. Source: K. Orginos, D. Toussaint and R. Sugar, Phys. Rev. D 60 (1999) 054503.
PathCoefficients asqtad_paths(double u0);

/// HISQ's first level, whose links are projected to U(3). Source: E. Follana et al., Phys. Rev. D 75 (2007) 054502.
PathCoefficients fat7_paths();

/// HISQ's second level.
PathCoefficients hisq_paths(double naik_epsilon);

/// The sum over all paths of each kind, path by path: {1, 6, 24, 48, 6} of them a link, in both senses of the
/// directions nu, rho and sigma, which differ from mu and from each other.
Links fat_links(const Links& links, const PathCoefficients& coefficients, const Coordinates& extents);

/// a^-1 from the cofactors.
ColorMatrix inverse(const ColorMatrix& a);

/// The unitary matrix v (v^dag v)^(-1/2) by Newton's iteration w <- (w + w^-dag)/2. Source: N. Higham, SIAM J. Sci.
/// Stat. Comput. 7 (1986) 1160.
ColorMatrix project_to_u3(const ColorMatrix& v);

/// `project_to_u3` of every link.
Links project_to_u3(const Links& links);

/// Links times eta_mu(x), and times -1 where `steps` of them from x on cross the edge of the lattice in time.
Links fold_phases(const Links& links, const Coordinates& extents, bool antiperiodic, int steps = 1);

/// f(U_mu(x)) of every link.
template <class Function>
Links transform_each_link(const Links& links, Function&& f) {
  Links result;
  result.reserve(links.size());
  for (auto element = links.begin(); element != links.end(); element += 9) {
    ColorMatrix u;
    std::copy_n(element, u.size(), u.begin());
    u = f(u);
    result.insert(result.end(), u.begin(), u.end());
  }
  return result;
}

}  // namespace kaon::reference
