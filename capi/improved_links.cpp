// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/improved_links.hpp"

#include <kaon/gauge/link_phases.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using kaon::capi::collective;
using kaon::capi::needed;

namespace kaon::capi {

ImprovedLinks improved_links(const kaon_gauge& thin, const FermionParameters& quarks) {
  const auto* links = std::get_if<GaugeField<double>>(&thin.links);
  if (links == nullptr) throw Unsupported("links of asqtad and HISQ are made in double: give such links");
  return smeared_links(*links, quarks);
}

}  // namespace kaon::capi

extern "C" {

void kaon_link_smear_options_init(kaon_link_smear_options* options) {
  if (options == nullptr) return;
  *options = {sizeof(kaon_link_smear_options), KAON_HISQ, std::numeric_limits<double>::quiet_NaN(), 0.0};
}

kaon_status kaon_gauge_smear_links(const kaon_gauge* thin, const kaon_link_smear_options* options, kaon_gauge** fat,
                                   kaon_gauge** long_links) {
  const kaon::capi::Arguments arguments{
      {"thin", thin}, {"options", options, kaon_link_smear_options_init}, {"fat", fat}, {"long_links", long_links}};
  return collective(__func__, arguments, [&] {
    kaon_gauge*& fat_out = kaon::capi::result(fat, "fat");
    kaon_gauge*& long_out = kaon::capi::result(long_links, "long_links");
    kaon::require(fat != long_links, "fat and long_links are one pointer: give two");
    const kaon_gauge& on = needed(thin, "thin");
    const kaon_link_smear_options given =
        kaon::capi::options_or_defaults(options, kaon_link_smear_options_init, "kaon_link_smear_options");
    kaon::require(given.action == KAON_ASQTAD || given.action == KAON_HISQ, [&] {
      return fmt::format("action = {}: only asqtad ({}) and HISQ ({}) smear links", given.action,
                         static_cast<int>(KAON_ASQTAD), static_cast<int>(KAON_HISQ));
    });
    const bool asqtad = given.action == KAON_ASQTAD;
    kaon::capi::require_read(asqtad ? "KAON_ASQTAD" : "KAON_HISQ", {asqtad ? "u0" : "naik_epsilon"},
                             {{"u0", !std::isnan(given.u0)}, {"naik_epsilon", given.naik_epsilon != 0.0}});
    kaon::ImprovedLinks links =
        kaon::capi::improved_links(on, {.action = asqtad ? kaon::FermionAction::asqtad : kaon::FermionAction::hisq,
                                        .u0 = given.u0,
                                        .naik_epsilon = given.naik_epsilon});
    std::unique_ptr<kaon_gauge> long_ones(new kaon_gauge{on.place, kaon::long_links(links)});
    fat_out = new kaon_gauge{on.place, std::move(links.fat)};
    long_out = long_ones.release();
  });
}

kaon_status kaon_gauge_smear_hisq_links(const kaon_gauge* thin, int count, const double* naik_epsilons,
                                        kaon_gauge** fat, kaon_gauge** long_links) {
  const kaon::capi::Arguments arguments{{"thin", thin},
                                        {"count", count},
                                        {"naik_epsilons", naik_epsilons, count},
                                        {"fat", fat, count},
                                        {"long_links", long_links, count}};
  return collective(__func__, arguments, [&] {
    kaon::require(count > 0, [&] { return fmt::format("count = {} of Naik epsilons: at least 1 is needed", count); });
    const auto epsilons = static_cast<std::size_t>(count);
    needed(fat, "fat");
    needed(long_links, "long_links");
    kaon::require(fat + epsilons <= long_links || long_links + epsilons <= fat,
                  "fat and long_links overlap: give two arrays");
    const kaon_gauge& on = needed(thin, "thin");
    const std::span all(&needed(naik_epsilons, "naik_epsilons"), epsilons);
    const auto* links = std::get_if<kaon::GaugeField<double>>(&on.links);
    if (links == nullptr) throw kaon::capi::Unsupported("links of HISQ are made in double: give such links");
    std::vector<kaon::ImprovedLinks> made = kaon::hisq_links(*links, all);
    std::vector<std::unique_ptr<kaon_gauge>> handles;
    for (kaon::ImprovedLinks& of : made) {
      handles.emplace_back(new kaon_gauge{on.place, kaon::long_links(of)});
      handles.emplace_back(new kaon_gauge{on.place, std::move(of.fat)});
    }
    for (std::size_t i = 0; i < epsilons; ++i) {
      long_links[i] = handles[2 * i].release();
      fat[i] = handles[2 * i + 1].release();
    }
  });
}

kaon_status kaon_gauge_fold_phases(kaon_gauge* gauge, int antiperiodic, int steps) {
  return collective(__func__, {{"gauge", gauge}, {"antiperiodic", antiperiodic}, {"steps", steps}}, [&] {
    std::visit(
        [&](auto& links) { kaon::fold_staggered_phases(links, {.antiperiodic = antiperiodic != 0, .steps = steps}); },
        needed(gauge, "gauge").links);
    gauge->changes.add();
  });
}
}
