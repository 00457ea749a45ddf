// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/link_examination.hpp"
#include "io/collective.hpp"
#include "io/host_threads.hpp"
#include "su3.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

namespace kaon::io {
namespace {

/// How bad a link is; one whose deviation overflowed to NaN is as bad as can be.
double severity(const LinkFinding& link) {
  const double worst = std::max(link.deviation, link.determinant);
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

/// Adds links that are behind those of `finding` in the file.
void note(std::optional<LinkFinding>& finding, const std::optional<LinkFinding>& links) {
  if (!links) return;
  const std::uint64_t count = links->count + (finding ? finding->count : 0);
  if (!finding || severity(*links) > severity(*finding)) finding = links;
  finding->count = count;
}

/// The worst link of all processes, the first in the file of several, and how many there are in all.
void combine(const Communicator& communicator, std::optional<LinkFinding>& finding) {
  const double count = communicator.sum(finding ? static_cast<double>(finding->count) : 0.0);
  if (count == 0 || communicator.size() == 1) return;
  const double none = -1;
  const double worst = communicator.maximum(finding ? severity(*finding) : none);
  const bool is_worst = finding && severity(*finding) == worst;
  const double before_all = -std::numeric_limits<double>::infinity();
  const double first = communicator.maximum(is_worst ? -static_cast<double>(finding->site) : before_all);
  const bool is_owner = is_worst && static_cast<double>(-finding->site) == first;
  const double owner = communicator.maximum(is_owner ? communicator.rank() : none);
  LinkFinding all = finding.value_or(LinkFinding{});
  communicator.broadcast(&all, sizeof all, static_cast<int>(owner));
  all.count = static_cast<std::uint64_t>(count);
  finding = all;
}

/// First of the sites of the last time slice that the part holds, which are its last ones; none: its volume.
std::ptrdiff_t start_of_last_slice(const Part& part) {
  const auto volume = volume_of(part.local_extents);
  if (part.origin[3] + part.local_extents[3] != part.extents[3]) return volume;
  return volume - volume / std::max(part.local_extents[3], 1);
}

/// Is holds(site) true of all sites of the last time slice?
template <class Holds>
bool all_last_sites(const Part& part, const Holds& holds) {
  bool other = false;
  for (std::ptrdiff_t site = start_of_last_slice(part); site < volume_of(part.local_extents) && !other; ++site) {
    other = !holds(site);
  }
  return !part.communicator.any(other);
}

std::string place(const LinkFinding& link, const Coordinates& extents) {
  const Coordinates site = lexicographic_site(link.site, extents);
  return fmt::format("in direction {} at site (x, y, z, t) = ({}, {}, {}, {})", "xyzt"[link.mu], site[0], site[1],
                     site[2], site[3]);
}

/// The findings on some sites of a part, not those of other processes.
LinkExamination examine_sites(const Part& part, const HostLinks& field, double tolerance, std::size_t begin,
                              std::size_t end) {
  LinkExamination found;
  for (auto site = static_cast<std::ptrdiff_t>(begin); site < static_cast<std::ptrdiff_t>(end); ++site) {
    const std::ptrdiff_t global_site = part.global_index(site);
    for (int mu = 0; mu < directions; ++mu) {
      const Complex* u = field.link(site, mu);
      LinkFinding link{.count = 1, .site = global_site, .mu = mu};
      if (!is_finite(u)) {
        note(found.not_finite, link);
        continue;
      }
      link.deviation = unitarity_deviation(u);
      link.determinant = absolute(determinant(u) - 1.0);
      found.largest_deviation = std::max(found.largest_deviation, link.deviation);
      found.largest_determinant_deviation = std::max(found.largest_determinant_deviation, link.determinant);
      // Written so that numbers which overflowed count as bad.
      if (!(link.deviation <= tolerance && link.determinant <= tolerance)) note(found.not_special_unitary, link);
    }
  }
  return found;
}

}  // namespace

LinkExamination examine(const Part& part, const HostLinks& field, double tolerance) {
  const auto volume = static_cast<std::size_t>(volume_of(field.extents));
  LinkExamination found;
  for (const LinkExamination& piece : for_pieces_on_threads<LinkExamination>(
           volume, 1 << 12,
           [&](std::size_t begin, std::size_t end) { return examine_sites(part, field, tolerance, begin, end); })) {
    note(found.not_finite, piece.not_finite);
    note(found.not_special_unitary, piece.not_special_unitary);
    found.largest_deviation = std::max(found.largest_deviation, piece.largest_deviation);
    found.largest_determinant_deviation =
        std::max(found.largest_determinant_deviation, piece.largest_determinant_deviation);
  }
  combine(part.communicator, found.not_finite);
  combine(part.communicator, found.not_special_unitary);
  std::array<double, 2> largest{found.largest_deviation, found.largest_determinant_deviation};
  part.communicator.maximum(largest);
  found.largest_deviation = largest[0];
  found.largest_determinant_deviation = largest[1];
  return found;
}

bool has_folded_antiperiodic_sign(const Part& part, const HostLinks& field, double tolerance) {
  return all_last_sites(part, [&](auto site) { return std::abs(determinant(field.link(site, 3)) + 1.0) <= tolerance; });
}

bool has_open_boundary(const Part& part, const HostLinks& field) {
  const auto is_zero = [](const Complex* u) { return std::all_of(u, u + 9, [](Complex z) { return z == 0.0; }); };
  return all_last_sites(part, [&](auto site) { return is_zero(field.link(site, 3)) && !is_zero(field.link(site, 0)); });
}

void flip_last_time_links(const Part& part, HostLinks& field) {
  for (std::ptrdiff_t site = start_of_last_slice(part); site < volume_of(part.local_extents); ++site) {
    Complex* u = field.link(site, 3);
    for (int k = 0; k < 9; ++k) u[k] = -u[k];
  }
}

std::string describe(const LinkExamination& examination, const Coordinates& extents, double tolerance) {
  const auto links = 4 * volume_of(extents);
  std::string text;
  if (const auto& bad = examination.not_finite) {
    text = fmt::format("{} of {} links hold NaN or infinity, the first {}", bad->count, links, place(*bad, extents));
  }
  if (const auto& bad = examination.not_special_unitary) {
    text += fmt::format(
        "{}{} of {} links are not in SU(3), the worst {}, where the largest element of |U U^dag - 1| is {:.3g} and "
        "|det U - 1| is {:.3g} (allowed: {:.1g})",
        text.empty() ? "" : "; ", bad->count, links, place(*bad, extents), bad->deviation, bad->determinant, tolerance);
  }
  return text;
}

}  // namespace kaon::io
