// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/part.hpp"

#include <kaon/gauge/observables.hpp>
#include <kaon/io/gauge_file.hpp>

#include <complex>
#include <cstdint>
#include <optional>
#include <string>

namespace kaon::io {

// Statements about a field hold for the whole lattice; each process has a part of it. All except `describe`
// is collective.

/// A link that stands out, and by how much.
struct LinkFinding {
  std::uint64_t count = 0;  ///< of links like this
  std::ptrdiff_t site = 0;  ///< of the worst one, within the whole lattice
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

/// Largest deviation of links from SU(3) that readers allow in a file of so many bits.
constexpr double allowed_deviation(int bits) { return bits == 32 ? 1e-5 : 2e-6; }

/// Looks for links that hold NaN or infinity, or whose deviation from SU(3) is above `tolerance`.
LinkExamination examine(const Part& part, const HostLinks& field, double tolerance);

/// Do all time links of the last time slice have determinant -1, to `tolerance`: is an antiperiodic boundary condition
/// folded into them?
bool has_folded_antiperiodic_sign(const Part& part, const HostLinks& field, double tolerance);

/// Are all time links of the last time slice zero, and no links in direction x there?
bool has_open_boundary(const Part& part, const HostLinks& field);

/// Changes the sign of the time links of the last time slice.
void flip_last_time_links(const Part& part, HostLinks& field);

/// (1/3) Re Tr of the plaquettes, averaged; the digits do not depend on how the lattice is cut.
Plaquette plaquette(const Part& part, const HostLinks& field);

/// (1/3) Tr of the product of the links of a line in t, averaged over lines.
std::complex<double> polyakov_loop(const Part& part, const HostLinks& field);

/// (1/3) Re Tr U, averaged; the digits do not depend on how the lattice is cut.
double link_trace(const Part& part, const HostLinks& field);

/// "links that are not in SU(3): 12 of 2048, the worst in direction t at site (x, y, z, t) = (0, 1, 2, 3), where ...".
std::string describe(const LinkExamination& examination, const Coordinates& extents, double tolerance);

}  // namespace kaon::io
