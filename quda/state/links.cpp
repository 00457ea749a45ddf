// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/state/links.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/hop_factors.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kaon::quda {
namespace {

/// Links nearer to SU(3) than this are stored without the factors that a client multiplied them by.
constexpr double largest_deviation = 1e-5;

/// Multiplies links by the factors of a client, or divides them by these.
void multiply_factors(GaugeField<double>& links, const LinkFactors& factors, bool divide) {
  if (factors.staggered_phases) {
    fold_staggered_phases(links, {.antiperiodic = factors.antiperiodic, .steps = factors.steps});
  } else if (factors.antiperiodic || factors.spatial != 1.0) {
    multiply_hop_factors(
        links, {.antiperiodic = factors.antiperiodic, .spatial = divide ? 1.0 / factors.spatial : factors.spatial});
  }
}

bool are_in_su3(const GaugeField<double>& links) {
  const UnitarityDeviation deviation = deviation_from_su3(links);
  return std::max(deviation.unitarity.deviation, deviation.determinant.deviation) < largest_deviation;
}

bool is_thin(LinkKind kind) { return kind == LinkKind::wilson || kind == LinkKind::smeared; }

}  // namespace

const Lattice& lattice_of(const GaugeDescription& description) {
  const bool reaches_far = description.kind == LinkKind::fat || description.kind == LinkKind::long_links;
  return state().lattice(description.local_extents, reaches_far ? 3 : 1);
}

ResidentLinks read_without_factors(const GaugeDescription& description, void* pointer) {
  ResidentLinks resident{GaugeField<double>(lattice_of(description)), description.factors, description.sloppy,
                         description.single};
  copy_in(resident.links, description.view(pointer));
  multiply_factors(resident.links, resident.factors, true);
  return resident;
}

LinkStorage iteration_storage(const GaugeDescription& description, const GaugeField<double>& links) {
  return !is_thin(description.kind) || are_in_su3(links) ? description.sloppy : LinkStorage::full;
}

ResidentLinks read_links(const GaugeDescription& description, void* pointer) {
  ResidentLinks resident = read_without_factors(description, pointer);
  if (!is_thin(description.kind) || are_in_su3(resident.links)) return resident;
  resident.sloppy = LinkStorage::full;
  if (!resident.factors.staggered_phases) {
    copy_in(resident.links, description.view(pointer));
    resident.factors = {};
  }
  return resident;
}

ResidentLinks resident_of(const GaugeDescription& description, GaugeField<double> links) {
  multiply_factors(links, description.factors, true);
  const LinkStorage sloppy = iteration_storage(description, links);
  return {std::move(links), description.factors, sloppy, description.single};
}

void require_sites(const GaugeDescription& description, const GaugeField<double>& links) {
  const Coordinates &given = description.local_extents, &there = links.lattice().local_extents();
  require(given == there, [&] {
    return fmt::format("X = {} {} {} {} is not that of the resident links, {} {} {} {}", given[0], given[1], given[2],
                       given[3], there[0], there[1], there[2], there[3]);
  });
}

ResidentLinks shared(const ResidentLinks& links) {
  return {links.links.share(), links.factors, links.sloppy, links.single};
}

void write_links(const GaugeDescription& description, void* pointer, const ResidentLinks& links) {
  require_sites(description, links.links);
  copy_out(description.view(pointer), with_factors(links));
}

GaugeField<double> with_factors(const ResidentLinks& resident) {
  const LinkFactors& factors = resident.factors;
  if (!factors.staggered_phases && !factors.antiperiodic && factors.spatial == 1.0) return resident.links.share();
  GaugeField<double> links = resident.links.clone();
  multiply_factors(links, factors, false);
  return links;
}

}  // namespace kaon::quda
