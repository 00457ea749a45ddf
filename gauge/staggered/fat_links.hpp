// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/path_coefficients.hpp>

#include <optional>

namespace kaon::detail {

/// `fat_links` without its checks, of links that are known to be unitary.
GaugeField<double> fat_links_of_unitary(const GaugeField<double>& links, const PathCoefficients& weights);

/// w = `project_to_u3(links)`; `w` may be `links`. Throws as that does.
void project_to_u3(GaugeField<double>& w, const GaugeField<double>& links);

/// sum += factor a, of fields of one lattice that have all reals.
void add_multiple(GaugeField<double>& sum, double factor, const GaugeField<double>& a);

/// The largest |(U U^dag - 1)_ij| of U = L / w, w > 0 with sum |L_ij|^2 = 3 n w^2 over the n links L; 0 where all links
/// are zero. Collective.
double distance_from_multiple_of_unitary(const GaugeField<double>& links);

/// Signs that are folded into long links, each if it can be seen.
struct FoldedSigns {
  std::optional<bool> milc;          ///< MILC's staggered phases are, or no phases are
  std::optional<bool> antiperiodic;  ///< -1 where a link leads over the edge in time is, or is not
};

/// Finds them by det L / |det L|, averaged over links. It is one number times the sign for long links of links in
/// SU(3), as asqtad's are, and about that for HISQ's. Collective.
FoldedSigns signs_in_long_links(const GaugeField<double>& links);

}  // namespace kaon::detail
