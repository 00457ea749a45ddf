// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/io/host_links.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace kaon::io {

/// A link that stands out, and by how much.
struct LinkFinding {
  std::uint64_t count = 0;  ///< of links like this
  std::ptrdiff_t site = 0;  ///< of the worst one
  int mu = 0;               ///< of the worst one
  double deviation = 0;     ///< max_ij |U U^dag - 1|_ij
  double determinant = 0;   ///< |det U - 1|
};

/// Every link of a field looked at once.
struct LinkExamination {
  std::optional<LinkFinding> not_finite;
  std::optional<LinkFinding> not_special_unitary;  ///< beyond the tolerance
  double largest_deviation = 0;
  double largest_determinant_deviation = 0;
};

/// Looks for links that hold NaN or infinity, or whose deviation from SU(3) is above `tolerance`.
LinkExamination examine(const HostLinks& field, double tolerance);

/// Do all time links of the last time slice have determinant -1, to `tolerance`: is an antiperiodic boundary condition
/// folded into them?
bool has_folded_antiperiodic_sign(const HostLinks& field, double tolerance);

/// Changes the sign of the time links of the last time slice.
void flip_last_time_links(HostLinks& field);

/// "links that are not in SU(3): 12 of 2048, the worst in direction t at site (x, y, z, t) = (0, 1, 2, 3), where ...".
std::string describe(const LinkExamination& examination, const HostLinks& field, double tolerance);

}  // namespace kaon::io
