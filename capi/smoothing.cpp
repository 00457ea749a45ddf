// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/operator_options.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>

using namespace kaon::capi;

kaon::ImprovedLinks kaon::capi::improved_links(const kaon_gauge& thin, const FermionParameters& quarks) {
  const auto* links = std::get_if<GaugeField<double>>(&thin.links);
  if (links == nullptr) throw Unsupported("links of asqtad and HISQ are made in double: give such links");
  return smeared_links(*links, quarks);
}

namespace {

/// Throws `Error` for coefficients that are set, but belong to another method.
void require_coefficients_of(std::string_view method, const std::vector<std::string_view>& read,
                             const kaon_smear_options& given) {
  const kaon_smear_options& defaults = kaon::capi::defaults<kaon_smear_options>();
  require_read(method, read,
               {{"rho", given.rho != defaults.rho},
                {"epsilon", given.epsilon != defaults.epsilon},
                {"alpha", given.alpha != defaults.alpha},
                {"alpha_1", given.alpha_1 != defaults.alpha_1},
                {"alpha_2", given.alpha_2 != defaults.alpha_2},
                {"alpha_3", given.alpha_3 != defaults.alpha_3},
                {"anisotropy", given.anisotropy != defaults.anisotropy}});
}

kaon::GaugeField<double> smeared(const kaon::GaugeField<double>& links, const kaon_smear_options& given) {
  const auto omitted = given.omitted == -1 ? std::nullopt : std::optional(given.omitted);
  switch (choice<kaon_smearing>(given.method, "method")) {
    case KAON_STOUT:
      require_coefficients_of("KAON_STOUT", {"rho", "epsilon", "anisotropy"}, given);
      return kaon::stout_links(links, {.rho = given.rho,
                                       .steps = given.steps,
                                       .omitted = omitted,
                                       .weights = kaon::over_improved_weights(given.epsilon),
                                       .anisotropy = given.anisotropy});
    case KAON_APE:
      require_coefficients_of("KAON_APE", {"alpha", "anisotropy"}, given);
      return kaon::ape_links(
          links, {.alpha = given.alpha, .steps = given.steps, .omitted = omitted, .anisotropy = given.anisotropy});
    case KAON_HYP:
      break;
  }
  require_coefficients_of("KAON_HYP", {"alpha_1", "alpha_2", "alpha_3"}, given);
  return kaon::hyp_links(links, {.alpha_1 = given.alpha_1,
                                 .alpha_2 = given.alpha_2,
                                 .alpha_3 = given.alpha_3,
                                 .steps = given.steps,
                                 .omitted = omitted});
}

}  // namespace

extern "C" {

void kaon_smear_options_init(kaon_smear_options* options) {
  if (options == nullptr) return;
  const kaon::HypParameters hyp;
  *options = {sizeof(kaon_smear_options),
              KAON_STOUT,
              1,
              -1,
              kaon::StoutParameters{}.rho,
              1.0,
              kaon::ApeParameters{}.alpha,
              hyp.alpha_1,
              hyp.alpha_2,
              hyp.alpha_3,
              1.0};
}

void kaon_flow_options_init(kaon_flow_options* options) {
  if (options != nullptr) {
    *options = {sizeof(kaon_flow_options), KAON_WILSON_FLOW, 1, kaon::FlowParameters{}.step, 1.0};
  }
}

void kaon_gauge_fix_options_init(kaon_gauge_fix_options* options) {
  if (options == nullptr) return;
  const kaon::GaugeFixingParameters defaults;
  *options = {sizeof(kaon_gauge_fix_options), KAON_LANDAU, defaults.max_iterations, defaults.tolerance,
              defaults.relaxation};
}

kaon_status kaon_gauge_energy(const kaon_gauge* gauge, double energy[3], double* charge) {
  return collective(__func__, {{"gauge", gauge}, {"energy", energy}, {"charge", charge}}, [&] {
    const kaon::CloverObservables found =
        std::visit([](const auto& links) { return kaon::clover_observables(links); }, gauge->links);
    energy[0] = found.energy;
    energy[1] = found.spatial_energy;
    energy[2] = found.temporal_energy;
    *charge = found.charge;
  });
}

kaon_status kaon_gauge_smear(const kaon_gauge* gauge, const kaon_smear_options* options, kaon_gauge** smeared_links) {
  const Arguments arguments{{"gauge", gauge}, {"options", options, or_defaults}, {"smeared", smeared_links}};
  return collective(__func__, arguments, [&] {
    const kaon_smear_options& given = options_or_defaults(options);
    *smeared_links = new kaon_gauge{gauge->place, smeared(in_precision<double>(gauge->links, "gauge"), given)};
  });
}

kaon_status kaon_gauge_flow(const kaon_gauge* gauge, const kaon_flow_options* options, kaon_gauge** flowed) {
  const Arguments arguments{{"gauge", gauge}, {"options", options, or_defaults}, {"flowed", flowed}};
  return collective(__func__, arguments, [&] {
    const kaon_flow_options& given = options_or_defaults(options);
    const bool wilson = choice<kaon_flow>(given.action, "action") == KAON_WILSON_FLOW;
    kaon::GradientFlow flow(in_precision<double>(gauge->links, "gauge"),
                            {.step = given.step,
                             .weights = wilson ? kaon::wilson_weights : kaon::symanzik_weights,
                             .anisotropy = given.anisotropy});
    flow.advance(given.steps);
    *flowed = new kaon_gauge{gauge->place, flow.links().share()};
  });
}

kaon_status kaon_gauge_fix(const kaon_gauge* gauge, const kaon_gauge_fix_options* options, kaon_gauge** fixed,
                           kaon_gauge_fix_report* report) {
  const Arguments arguments{{"gauge", gauge}, {"options", options, or_defaults}, {"fixed", fixed}};
  return collective(__func__, arguments, [&](Call& call) {
    const kaon_gauge_fix_options& given = options_or_defaults(options);
    const bool coulomb = choice<kaon_gauge_condition>(given.condition, "condition") == KAON_COULOMB;
    kaon::GaugeField<double> links = in_precision<double>(gauge->links, "gauge").clone();
    const kaon::GaugeFixingResult result =
        kaon::fix_gauge(links, {.condition = coulomb ? kaon::GaugeCondition::coulomb : kaon::GaugeCondition::landau,
                                .tolerance = given.tolerance,
                                .max_iterations = given.max_iterations,
                                .relaxation = given.relaxation});
    if (report != nullptr) {
      *report = {result.converged ? 1 : 0,     result.iterations,
                 result.quality.functional,    result.quality.theta,
                 result.quality.largest_theta, {}};
    }
    *fixed = new kaon_gauge{gauge->place, std::move(links)};
    call.failure = KAON_NOT_CONVERGED;
    kaon::require(result.converged, [&] {
      return fmt::format("theta is {:.3e} after {} iterations, above the tolerance {:.3e}",
                         result.quality.largest_theta, result.iterations, given.tolerance);
    });
  });
}

void kaon_link_smear_options_init(kaon_link_smear_options* options) {
  if (options == nullptr) return;
  *options = {sizeof(kaon_link_smear_options), KAON_HISQ, std::numeric_limits<double>::quiet_NaN(), 0.0};
}

kaon_status kaon_gauge_smear_links(const kaon_gauge* thin, const kaon_link_smear_options* options, kaon_gauge** fat,
                                   kaon_gauge** long_links) {
  const Arguments arguments{
      {"thin", thin}, {"options", options, or_defaults}, {"fat", fat}, {"long_links", long_links}};
  return collective(__func__, arguments, [&] {
    kaon::require(fat != long_links, "fat and long_links are one pointer: give two");
    const kaon_link_smear_options& given = options_or_defaults(options);
    kaon::require(given.action == KAON_ASQTAD || given.action == KAON_HISQ, [&] {
      return fmt::format("action = {}: only asqtad ({}) and HISQ ({}) smear links", given.action,
                         static_cast<int>(KAON_ASQTAD), static_cast<int>(KAON_HISQ));
    });
    const bool asqtad = given.action == KAON_ASQTAD;
    require_read(asqtad ? "KAON_ASQTAD" : "KAON_HISQ", {asqtad ? "u0" : "naik_epsilon"},
                 {{"u0", !std::isnan(given.u0)}, {"naik_epsilon", given.naik_epsilon != 0.0}});
    kaon::ImprovedLinks links =
        improved_links(*thin, {.action = asqtad ? kaon::FermionAction::asqtad : kaon::FermionAction::hisq,
                               .u0 = given.u0,
                               .naik_epsilon = given.naik_epsilon});
    std::unique_ptr<kaon_gauge> long_ones(new kaon_gauge{thin->place, kaon::long_links(links)});
    *fat = new kaon_gauge{thin->place, std::move(links.fat)};
    *long_links = long_ones.release();
  });
}

kaon_status kaon_gauge_smear_hisq_links(const kaon_gauge* thin, int count, const double* naik_epsilons,
                                        kaon_gauge** fat, kaon_gauge** long_links) {
  const Arguments arguments{{"thin", thin},
                            {"count", count},
                            {"naik_epsilons", naik_epsilons, count},
                            {"fat", fat, count},
                            {"long_links", long_links, count}};
  return collective(__func__, arguments, [&] {
    kaon::require(count > 0, [&] { return fmt::format("count = {} of Naik epsilons: at least 1 is needed", count); });
    const auto epsilons = static_cast<std::size_t>(count);
    kaon::require(fat + epsilons <= long_links || long_links + epsilons <= fat,
                  "fat and long_links overlap: give two arrays");
    const std::span all(naik_epsilons, epsilons);
    const auto* links = std::get_if<kaon::GaugeField<double>>(&thin->links);
    if (links == nullptr) throw Unsupported("links of HISQ are made in double: give such links");
    std::vector<kaon::ImprovedLinks> made = kaon::hisq_links(*links, all);
    std::vector<std::unique_ptr<kaon_gauge>> handles;
    for (kaon::ImprovedLinks& of : made) {
      handles.emplace_back(new kaon_gauge{thin->place, kaon::long_links(of)});
      handles.emplace_back(new kaon_gauge{thin->place, std::move(of.fat)});
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
        gauge->links);
    gauge->changes.add();
  });
}
}
