// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/call.hpp"
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/state.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/hop_factors.hpp>
#include <kaon/gauge/staggered_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <algorithm>

namespace kaon::quda {
namespace {

/// Links nearer to SU(3) than this are stored without the factors that a client multiplied them by.
constexpr double largest_deviation = 1e-5;

const Lattice& lattice_of(const GaugeDescription& description) {
  const bool reaches_far = description.kind == Links::fat || description.kind == Links::long_links;
  return state().lattice(description.local_extents, reaches_far ? 3 : 1);
}

/// Multiplies links by the factors of a client, or divides them by these.
void multiply(GaugeField<double>& links, const LinkFactors& factors, bool divide) {
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

/// A client's links without its factors. Links that are not in SU(3) without them stay as they are.
ResidentLinks read_links(const GaugeDescription& description, void* pointer) {
  ResidentLinks resident{GaugeField<double>(lattice_of(description)), description.factors, description.sloppy,
                         description.single};
  copy_in(resident.links, description.view(pointer));
  multiply(resident.links, resident.factors, true);
  const bool thin = description.kind == Links::wilson || description.kind == Links::smeared;
  if (!thin || are_in_su3(resident.links)) return resident;
  resident.sloppy = LinkStorage::full;
  if (!resident.factors.staggered_phases) {
    copy_in(resident.links, description.view(pointer));
    resident.factors = {};
  }
  return resident;
}

void write_links(const GaugeDescription& description, void* pointer, const ResidentLinks& resident) {
  GaugeField<double> links = resident.links.clone();
  multiply(links, resident.factors, false);
  copy_out(description.view(pointer), links);
}

}  // namespace
}  // namespace kaon::quda

using kaon::quda::call;
using kaon::quda::Links;
using kaon::quda::state;

extern "C" {

void loadGaugeQuda(void* h_gauge, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    state().require_running();
    const kaon::quda::GaugeDescription description = kaon::quda::describe(given);
    if (h_gauge == nullptr && given.use_resident_gauge != 0) {
      const bool smeared = description.kind == Links::smeared;
      const kaon::quda::ResidentLinks& known = state().links(smeared ? Links::wilson : description.kind);
      kaon::quda::ResidentLinks resident{smeared ? known.links.clone() : known.links.share(), known.factors,
                                         description.sloppy, description.single};
      state().set_links(description.kind, std::move(resident));
      return;
    }
    state().set_links(description.kind, kaon::quda::read_links(description, h_gauge));
  });
}

void saveGaugeQuda(void* h_gauge, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    const kaon::quda::GaugeDescription description = kaon::quda::describe(given);
    kaon::quda::write_links(description, h_gauge, state().links(description.kind));
  });
}

void freeGaugeQuda() {
  call(__func__, [] {
    for (const Links kind : {Links::wilson, Links::fat, Links::long_links, Links::smeared}) state().free_links(kind);
  });
}

void freeUniqueGaugeQuda(QudaLinkType link_type) {
  call(__func__, [&] { state().free_links(kaon::quda::links_of(link_type)); });
}

void freeGaugeSmearedQuda() {
  call(__func__, [] { state().free_links(Links::smeared); });
}
void freeGaugeTwoLinkQuda() {}

void staggeredPhaseQuda(void* gauge_h, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    state().require_running();
    kaon::require(given.staggered_phase_type == QUDA_STAGGERED_PHASE_MILC, [&] {
      return fmt::format("staggered_phase_type = {} is not supported; supported: QUDA_STAGGERED_PHASE_MILC",
                         static_cast<long>(given.staggered_phase_type));
    });
    QudaGaugeParam unphased = given;
    unphased.staggered_phase_applied = 0;
    const kaon::quda::GaugeDescription description = kaon::quda::describe(unphased);
    kaon::GaugeField<double> links(kaon::quda::lattice_of(description));
    copy_in(links, description.view(gauge_h));
    kaon::fold_staggered_phases(links, {.antiperiodic = description.factors.antiperiodic});
    copy_out(description.view(gauge_h), links);
  });
}
}
