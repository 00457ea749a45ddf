// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/call.hpp"
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/resident_links.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/staggered_phases.hpp>

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
      kaon::quda::ResidentLinks resident =
          kaon::quda::shared(state().links(smeared ? Links::wilson : description.kind));
      if (smeared) resident.links = resident.links.clone();
      resident.sloppy = description.sloppy;
      resident.single = description.single;
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
    for (const Links kind : {Links::wilson, Links::fat, Links::long_links, Links::smeared, Links::of_two_links})
      state().free_links(kind);
  });
}

void freeUniqueGaugeQuda(QudaLinkType link_type) {
  call(__func__, [&] { state().free_links(kaon::quda::links_of(link_type)); });
}

void freeGaugeSmearedQuda() {
  call(__func__, [] { state().free_links(Links::smeared); });
}
void freeGaugeTwoLinkQuda() {
  call(__func__, [] { state().free_links(Links::of_two_links); });
}

void staggeredPhaseQuda(void* gauge_h, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    state().require_running();
    QudaGaugeParam unphased = given;
    unphased.staggered_phase_applied = 0;
    const kaon::quda::GaugeDescription description = kaon::quda::describe(unphased);
    kaon::GaugeField<double> links(kaon::quda::lattice_of(description));
    copy_in(links, description.view(gauge_h));
    kaon::fold_staggered_phases(links, {.antiperiodic = description.factors.antiperiodic,
                                        .convention = kaon::quda::convention_of(given.staggered_phase_type)});
    copy_out(description.view(gauge_h), links);
  });
}
}
