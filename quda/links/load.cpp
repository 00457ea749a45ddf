// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/link_phases.hpp>

#include <fmt/format.h>

#include <numbers>
#include <utility>

namespace kaon::quda {
namespace {

/// Multiplies links by staggered phases and the sign at the edge in time, which adds or removes these.
void multiply_by_phases(void* pointer, const QudaGaugeParam& given) {
  const bool is_resident = given.use_resident_gauge != 0;
  QudaGaugeParam after = given;
  after.staggered_phase_applied =
      is_resident ? !state().links(LinkKind::wilson).factors.staggered_phases : given.staggered_phase_applied == 0;
  const GaugeDescription description = describe_thin(after);
  GaugeField<double> links =
      is_resident ? with_factors(state().links(LinkKind::wilson)).clone() : GaugeField<double>(lattice_of(description));
  if (!is_resident) copy_in(links, description.view(pointer));
  fold_staggered_phases(links, {.antiperiodic = given.t_boundary == QUDA_ANTI_PERIODIC_T,
                                .convention = convention_of(given.staggered_phase_type)});
  // exp(i pi i_mu/L_t) on links in time, in with the phases and out with them, as in QUDA.
  if (given.i_mu != 0.0) {
    const double angle = std::numbers::pi * given.i_mu / links.lattice().extents()[3];
    multiply_phases(links, {0.0, 0.0, 0.0, description.factors.staggered_phases ? angle : -angle});
  }
  if (given.return_result_gauge != 0) {
    require_sites(description, links);
    copy_out(description.view(pointer), links);
  }
  if (!is_resident && given.make_resident_gauge == 0) return;
  GaugeDescription stored = description;
  if (!description.factors.staggered_phases) stored.factors = {};  // the sign has gone with the phases
  state().set_links(LinkKind::wilson, resident_of(stored, std::move(links)));
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void loadGaugeQuda(void* h_gauge, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    state().require_running();
    const GaugeDescription description = describe(given);
    if (given.use_resident_gauge != 0) {  // QUDA ignores h_gauge here, too
      const bool smeared = description.kind == LinkKind::smeared;
      ResidentLinks resident = shared(state().links(smeared ? LinkKind::wilson : description.kind));
      if (smeared) resident.links = resident.links.clone();
      resident.sloppy = iteration_storage(description, resident.links);
      resident.single = description.single;
      state().set_links(description.kind, std::move(resident));
      return;
    }
    state().set_links(description.kind, read_links(description, h_gauge));
  });
}

void saveGaugeQuda(void* h_gauge, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    const GaugeDescription description = describe(given);
    write_links(description, h_gauge, state().links(description.kind));
  });
}

void freeGaugeQuda() {
  call(__func__, [] {
    for (const LinkKind kind :
         {LinkKind::wilson, LinkKind::fat, LinkKind::long_links, LinkKind::smeared, LinkKind::two_links})
      state().free_links(kind);
  });
}

void freeUniqueGaugeQuda(QudaLinkType link_type) {
  call(__func__,
       [&] { state().free_links(link_type == QUDA_TWOLINK_LINKS ? LinkKind::two_links : link_kind_of(link_type)); });
}

void freeGaugeSmearedQuda() {
  call(__func__, [] { state().free_links(LinkKind::smeared); });
}
void freeGaugeTwoLinkQuda() {
  call(__func__, [] { state().free_links(LinkKind::two_links); });
}

void staggeredPhaseQuda(void* gauge_h, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    state().require_running();
    multiply_by_phases(gauge_h, given);
  });
}
}
