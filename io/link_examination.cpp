// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/link_examination.hpp"
#include "su3.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kaon::io {
namespace {

void note(std::optional<LinkFinding>& finding, const LinkFinding& link) {
  const std::uint64_t count = finding ? finding->count + 1 : 1;
  if (!finding || std::max(link.deviation, link.determinant) > std::max(finding->deviation, finding->determinant)) {
    finding = link;
  }
  finding->count = count;
}

std::ptrdiff_t sites_of_a_slice(const HostLinks& field) {
  return volume_of(field.extents) / std::max(field.extents[3], 1);
}

std::string place(const LinkFinding& link, const HostLinks& field) {
  const Coordinates site = lexicographic_site(link.site, field.extents);
  return fmt::format("in direction {} at site (x, y, z, t) = ({}, {}, {}, {})", "xyzt"[link.mu], site[0], site[1],
                     site[2], site[3]);
}

}  // namespace

LinkExamination examine(const HostLinks& field, double tolerance) {
  LinkExamination found;
  for (std::ptrdiff_t site = 0; site < volume_of(field.extents); ++site) {
    for (int mu = 0; mu < directions; ++mu) {
      const Complex* u = field.link(site, mu);
      LinkFinding link{.site = site, .mu = mu};
      if (!is_finite(u)) {
        note(found.not_finite, link);
        continue;
      }
      link.deviation = unitarity_deviation(u);
      link.determinant = std::abs(determinant(u) - 1.0);
      found.largest_deviation = std::max(found.largest_deviation, link.deviation);
      found.largest_determinant_deviation = std::max(found.largest_determinant_deviation, link.determinant);
      // Written so that numbers which overflowed count as bad.
      if (!(link.deviation <= tolerance && link.determinant <= tolerance)) note(found.not_special_unitary, link);
    }
  }
  return found;
}

bool has_folded_antiperiodic_sign(const HostLinks& field, double tolerance) {
  const auto slice = sites_of_a_slice(field);
  for (std::ptrdiff_t site = volume_of(field.extents) - slice; site < volume_of(field.extents); ++site) {
    if (!(std::abs(determinant(field.link(site, 3)) + 1.0) <= tolerance)) return false;
  }
  return slice > 0;
}

void flip_last_time_links(HostLinks& field) {
  const auto slice = sites_of_a_slice(field);
  for (std::ptrdiff_t site = volume_of(field.extents) - slice; site < volume_of(field.extents); ++site) {
    Complex* u = field.link(site, 3);
    for (int k = 0; k < 9; ++k) u[k] = -u[k];
  }
}

std::string describe(const LinkExamination& examination, const HostLinks& field, double tolerance) {
  const auto links = 4 * volume_of(field.extents);
  std::string text;
  if (const auto& bad = examination.not_finite) {
    text = fmt::format("{} of {} links hold NaN or infinity, the first {}", bad->count, links, place(*bad, field));
  }
  if (const auto& bad = examination.not_special_unitary) {
    text += fmt::format(
        "{}{} of {} links are not in SU(3), the worst {}, where the largest element of |U U^dag - 1| is {:.3g} and "
        "|det U - 1| is {:.3g} (allowed: {:.1g})",
        text.empty() ? "" : "; ", bad->count, links, place(*bad, field), bad->deviation, bad->determinant, tolerance);
  }
  return text;
}

}  // namespace kaon::io
