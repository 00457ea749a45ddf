// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"
#include "apps/files/changed_links.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/gauge/smeared_links.hpp>

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kaon::apps {
namespace {

struct SmearingOptions {
  ChangedLinksOptions links;
  std::string method;
  int steps = 1;
  std::string directions = "all";
  std::optional<double> rho, epsilon, alpha, alpha_1, alpha_2, alpha_3, anisotropy;
};

void check_smear(SmearingOptions& options, const std::set<std::string>& named) {
  check(options.links, named);
  const auto refuse_others = [&](std::initializer_list<const char*> coefficients, const char* method) {
    if (options.method != method) refuse_named(named, coefficients, "with --method " + options.method, method);
  };
  refuse_others({"--rho", "--epsilon"}, "stout");
  refuse_others({"--alpha"}, "ape");
  refuse_others({"--alpha1", "--alpha2", "--alpha3"}, "hyp");
  for (const auto& [name, value] : {std::pair("--rho", options.rho), std::pair("--epsilon", options.epsilon),
                                    std::pair("--alpha", options.alpha), std::pair("--alpha1", options.alpha_1),
                                    std::pair("--alpha2", options.alpha_2), std::pair("--alpha3", options.alpha_3)}) {
    require_finite(name, value.value_or(0.0));
  }
  const bool in_space = options.directions == "space";
  if (in_space) refuse_named(named, {"--alpha1"}, "with --directions space, where two levels are left");
  if (options.method == "hyp" || in_space) {
    refuse_named(named, {"--anisotropy"},
                 fmt::format("with {}: it is the weight of staples in time",
                             options.method == "hyp" ? "--method hyp" : "--directions space"));
  }
}

/// The smeared links, and the words and numbers of the method.
struct Smeared {
  GaugeField<double> links;
  std::string words;
  Json parameters;
};

Smeared smeared_links(const GaugeField<double>& links, const SmearingOptions& options) {
  const int steps = options.steps;
  const std::optional<int> omitted = options.directions == "space" ? std::optional(3) : std::nullopt;
  std::string words;
  Json json;
  const auto take = [&](const char* name, const std::optional<double>& given, double& number, const char* phrase) {
    number = given.value_or(number);
    json[name] = number;
    words += fmt::format(fmt::runtime(phrase), number);
  };
  if (options.method == "stout") {
    StoutParameters parameters{.steps = steps, .omitted = omitted};
    take("rho", options.rho, parameters.rho, "stout, rho = {}");
    if (double epsilon = 0.0; options.epsilon) {
      take("epsilon", options.epsilon, epsilon, ", over-improved with epsilon = {}");
      parameters.weights = over_improved_weights(epsilon);
    }
    if (options.anisotropy) take("anisotropy", options.anisotropy, parameters.anisotropy, ", anisotropy {}");
    return {stout_links(links, parameters), words, json};
  }
  if (options.method == "ape") {
    ApeParameters parameters{.steps = steps, .omitted = omitted};
    take("alpha", options.alpha, parameters.alpha, "APE, alpha = {}");
    if (options.anisotropy) take("anisotropy", options.anisotropy, parameters.anisotropy, ", anisotropy {}");
    return {ape_links(links, parameters), words, json};
  }
  HypParameters parameters{.steps = steps, .omitted = omitted};
  take("alpha2", options.alpha_2, parameters.alpha_2, "alpha2 = {}");
  take("alpha3", options.alpha_3, parameters.alpha_3, ", alpha3 = {}");
  if (!omitted) {
    parameters.alpha_1 = options.alpha_1.value_or(parameters.alpha_1);
    json["alpha1"] = parameters.alpha_1;
    words = fmt::format("alpha1 = {}, {}", parameters.alpha_1, words);
  }
  return {hyp_links(links, parameters), "HYP, " + words, json};
}

Exit smear(const Session& session, const SmearingOptions& options) {
  const bool as_text = !options.links.as_json;
  const GaugeFile file = read_links_to_change(session, options.links);
  const double xi = options.anisotropy.value_or(1.0);
  const Smoothness before = measure_smoothness(file.links, xi);
  const Smeared smeared = with_value_of("--method", [&] {
    const detail::Phase phase(detail::PhaseName::update);
    return smeared_links(file.links, options);
  });
  const Smoothness after = measure_smoothness(smeared.links, xi);
  if (as_text) {
    say(session, "smearing      {}, {} in {}\n\n", smeared.words, counted(options.steps, "step", "steps"),
        options.directions == "space" ? "space" : "all directions");
    say(session, "{:>14}  {:>12}  {:>14}  {:>12}\n", "", "plaquette", "E", "Q");
    const auto line = [&](const char* when, const Smoothness& found) {
      say(session, "{:<14}  {:>12.8f}  {:>14.8e}  {:>12.6f}\n", when, found.plaquette, found.energy, found.charge);
    };
    line("before", before);
    line("after", after);
    if (!options.links.output.empty()) say(session, "\n");
  }
  write_changed_links(session, options.links, smeared.links);
  if (as_text) return Exit::success;
  Json result{{"gauge", to_json(options.links.file, file.header, file.report)},
              {"method", options.method},
              {"steps", options.steps},
              {"directions", options.directions}};
  result.update(smeared.parameters);
  result["before"] = to_json(before);
  result["after"] = to_json(after);
  result["provenance"] = provenance(session, file.links.lattice());
  say_json(session, result);
  return Exit::success;
}

void declare_smear(const Command& command, SmearingOptions& options) {
  add_changed_links_options(command, options.links);
  command.add_choice("--method", options.method, {"stout", "ape", "hyp"}, "How")->required();
  command.add_option("--steps", options.steps, "Their number", not_negative());
  command.add_choice("--directions", options.directions, {"all", "space"}, "In which links are smeared");
  command.add_option("--rho", options.rho, "Of stout; default 0.1");
  command.add_option("--epsilon", options.epsilon, "Of stout: over-improved, with rectangles");
  command.add_option("--alpha", options.alpha, "Of ape: weight of the staples; default 0.5");
  command.add_option("--anisotropy", options.anisotropy, "Of stout and ape: a_s/a_t; default 1", positive());
  command.add_option("--alpha1", options.alpha_1, "Of hyp, last level; default 0.75");
  command.add_option("--alpha2", options.alpha_2, "Of hyp, level before; default 0.6");
  command.add_option("--alpha3", options.alpha_3, "Of hyp, first level; default 0.3");
}

const Subcommand smear_subcommand(110, "smear", "Stout, APE and HYP smearing of the links of a gauge field",
                                  declare_smear, smear, check_smear);

}  // namespace
}  // namespace kaon::apps
