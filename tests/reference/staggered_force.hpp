// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "improved_links.hpp"

#include <functional>

namespace kaon::reference {

/// Vectors of a staggered action, its residue and its Naik epsilon.
struct ForceTerm {
  ColorField vector;
  double residue = 1.0;
  double naik_epsilon = 0.0;
};

/// sum_x eps(x) Re X(x)^dag (D X)(x), eps = 1 on even sites and -1 on odd ones: where the force of X starts.
double bilinear(const StaggeredOperator& d, const ColorField& x);

/// sum_r residue_r `bilinear` on links with the paths of one level; third links have the weight `third_weight`.
double one_level_action(const Links& links, const PathCoefficients& paths, double third_weight,
                        const std::vector<ForceTerm>& terms, const Coordinates& extents, bool antiperiodic = true);

/// The action of HISQ quarks.
double hisq_action(const Links& links, const std::vector<ForceTerm>& terms, const Coordinates& extents,
                   bool antiperiodic = true);

/// P as traceless anti-Hermitian matrices of normal numbers, on all links.
Links random_momenta(const Coordinates& extents, std::mt19937_64& generator);

/// dS(exp(h P) U)/dh at h = 0 by differences of the fourth order.
double derivative_along(const std::function<double(const Links&)>& action, const Links& links, const Links& momenta);

/// sum_{x, mu} Re tr(P F), which is that derivative where F = dP/dt is the force.
double work(const Links& momenta, const Links& force);

}  // namespace kaon::reference
