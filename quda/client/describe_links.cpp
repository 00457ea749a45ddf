// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"

#include <fmt/format.h>

// A client's arrays of links.

namespace kaon::quda {
namespace {

constexpr Known<QudaReconstructType, LinkStorage> storages[] = {
    KAON_KNOWN(QUDA_RECONSTRUCT_NO, LinkStorage::full),
    KAON_KNOWN(QUDA_RECONSTRUCT_12, LinkStorage::two_rows),
    KAON_KNOWN(QUDA_RECONSTRUCT_8, LinkStorage::minimal),
    KAON_KNOWN(QUDA_RECONSTRUCT_13, LinkStorage::two_rows_and_determinant),
    KAON_KNOWN(QUDA_RECONSTRUCT_9, LinkStorage::minimal_and_determinant),
};

constexpr Known<QudaLinkType, LinkKind> link_kinds[] = {
    KAON_KNOWN(QUDA_WILSON_LINKS, LinkKind::wilson),
    KAON_KNOWN(QUDA_ASQTAD_FAT_LINKS, LinkKind::fat),
    KAON_KNOWN(QUDA_ASQTAD_LONG_LINKS, LinkKind::long_links),
    KAON_KNOWN(QUDA_SMEARED_LINKS, LinkKind::smeared),
};

constexpr Known<QudaStaggeredPhase, PhaseConvention> conventions[] = {
    KAON_KNOWN(QUDA_STAGGERED_PHASE_MILC, PhaseConvention::milc),
    KAON_KNOWN(QUDA_STAGGERED_PHASE_CHROMA, PhaseConvention::chroma),
    KAON_KNOWN(QUDA_STAGGERED_PHASE_TIFR, PhaseConvention::tifr),
};

enum class LinkOrder { directions, sites, structures, planes, transposed };
constexpr Known<QudaGaugeFieldOrder, LinkOrder> link_orders[] = {
    KAON_KNOWN(QUDA_QDP_GAUGE_ORDER, LinkOrder::directions),
    KAON_KNOWN(QUDA_MILC_GAUGE_ORDER, LinkOrder::sites),
    KAON_KNOWN(QUDA_MILC_SITE_GAUGE_ORDER, LinkOrder::structures),
    KAON_KNOWN(QUDA_QDPJIT_GAUGE_ORDER, LinkOrder::planes),
    KAON_KNOWN(QUDA_CPS_WILSON_GAUGE_ORDER, LinkOrder::transposed),
};

constexpr Known<QudaTboundary, bool> are_antiperiodic[] = {
    KAON_KNOWN(QUDA_ANTI_PERIODIC_T, true),
    KAON_KNOWN(QUDA_PERIODIC_T, false),
};

/// The storage of links in the iterations: `full` if the client sets none.
LinkStorage storage_of(const QudaGaugeParam& given) {
  LinkStorage storage = LinkStorage::full;
  if (!is_unset(given.reconstruct)) storage = meaning_of(storages, given.reconstruct, "reconstruct");
  if (!is_unset(given.reconstruct_sloppy)) {
    storage = meaning_of(storages, given.reconstruct_sloppy, "reconstruct_sloppy");
  }
  return storage;
}

}  // namespace

LinkKind link_kind_of(QudaLinkType type) { return meaning_of(link_kinds, type, "type of links"); }
PhaseConvention convention_of(QudaStaggeredPhase type) { return meaning_of(conventions, type, "staggered_phase_type"); }

GaugeDescription describe(const QudaGaugeParam& given) {
  require_same_size(given, "QudaGaugeParam");
  GaugeDescription links;
  links.kind = link_kind_of(given.type);
  for (std::size_t mu = 0; mu < 4; ++mu) links.local_extents[mu] = needed(given.X[mu], "X");
  links.element = element_of(given.cpu_prec, "cpu_prec");
  require_location(given.location, "location");
  const double anisotropy = is_unset(given.anisotropy) ? 1.0 : finite(given.anisotropy, "anisotropy");
  const LinkOrder order = meaning_of(link_orders, given.gauge_order, "gauge_order");
  links.planes = order == LinkOrder::planes;
  links.one_array_per_direction = order == LinkOrder::directions || links.planes;
  links.transposed = order == LinkOrder::transposed;
  require(!links.transposed || anisotropy == 1.0, [&] {
    return fmt::format("gauge_order = QUDA_CPS_WILSON_GAUGE_ORDER with anisotropy = {}: it is supported for 1",
                       anisotropy);
  });
  if (order == LinkOrder::structures) {
    links.site_bytes = static_cast<std::ptrdiff_t>(given.site_size);
    links.offset_bytes = static_cast<std::ptrdiff_t>(given.gauge_offset);
    require(links.site_bytes > 0, "gauge_order = QUDA_MILC_SITE_GAUGE_ORDER, but site_size is not set");
  }
  const bool antiperiodic = meaning_or(false, are_antiperiodic, given.t_boundary, "t_boundary");
  const bool improved = links.kind == LinkKind::fat || links.kind == LinkKind::long_links;
  const bool phases = given.staggered_phase_applied != 0 || improved;
  if (phases) {
    const bool foreign = !improved && given.staggered_phase_type != QUDA_STAGGERED_PHASE_NO;
    links.factors = {.antiperiodic = antiperiodic,
                     .staggered_phases = true,
                     .convention = foreign ? meaning_or(PhaseConvention::milc, conventions, given.staggered_phase_type,
                                                        "staggered_phase_type")
                                           : PhaseConvention::milc,
                     .steps = links.kind == LinkKind::long_links ? 3 : 1};
  } else {
    links.factors = {.antiperiodic = antiperiodic, .spatial = 1.0 / anisotropy};
  }
  links.sloppy = storage_of(given);
  links.single = given.cuda_prec == QUDA_SINGLE_PRECISION;
  return links;
}

GaugeDescription describe_thin(QudaGaugeParam given) {
  for (QudaReconstructType* type : {&given.reconstruct, &given.reconstruct_sloppy}) {
    if (*type == QUDA_RECONSTRUCT_10) *type = QUDA_RECONSTRUCT_NO;  // of momenta
  }
  given.type = QUDA_WILSON_LINKS;
  return describe(given);
}

}  // namespace kaon::quda
