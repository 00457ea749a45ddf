// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/hmc_plan.hpp"

#include "apps/cli/option_values.hpp"

#include <kaon/core/error.hpp>
#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace kaon::apps {
namespace {

/// One for each mass; with a heavier mass M those of lighter quarks are ratios det(m)/det(M), and others of M, at most
/// one flavour each, make up for it.
std::vector<StaggeredPseudofermion> staggered_pseudofermions(const HmcOptions& options, const HmcPlan& plan) {
  std::vector<StaggeredPseudofermion> pseudofermions;
  std::map<double, double> divided;  // flavours by Naik epsilon
  for (const QuarkPlan& quark : plan.quarks) {
    const double mass = quark.physics.mass;
    StaggeredPseudofermion whole{.quarks = {{mass, quark.flavors}}, .naik_epsilon = quark.physics.naik_epsilon};
    if (options.heavier_mass && mass < *options.heavier_mass) {
      whole.quarks.push_back({*options.heavier_mass, -quark.flavors});
      divided[quark.physics.naik_epsilon] += quark.flavors;
    }
    const std::vector<StaggeredPseudofermion> parts = split_pseudofermion(whole);
    pseudofermions.insert(pseudofermions.end(), parts.begin(), parts.end());
  }
  for (const auto& [epsilon, flavors] : divided) {
    const int count = static_cast<int>(std::ceil(flavors));
    for (int k = 0; k < count; ++k) {
      pseudofermions.push_back({.quarks = {{*options.heavier_mass, flavors / count}}, .naik_epsilon = epsilon});
    }
  }
  return pseudofermions;
}

std::vector<std::shared_ptr<ActionTerm>> quark_terms(const HmcOptions& options, const HmcPlan& plan) {
  SolveOptions solver = options.solver;
  solver.method = value_of(krylov_methods, options.method);
  std::vector<std::shared_ptr<ActionTerm>> terms;
  if (plan.is_rational()) {
    RationalStaggeredParameters parameters = staggered_parameters(plan.quarks[0].physics, solver);
    if (!options.eigenvalues.empty()) parameters.largest_eigenvalue = plan.range.upper;
    terms.push_back(std::make_shared<RationalStaggeredAction>(staggered_pseudofermions(options, plan), parameters));
    return terms;
  }
  for (const QuarkPlan& quark : plan.quarks) {
    if (quark.flavors == 2) {
      const auto ratios = two_flavor_terms(quark.physics, plan.mu, solver);
      terms.insert(terms.end(), ratios.begin(), ratios.end());
    } else if (quark.flavors == 1 && value_of(one_flavor_forms, options.one_flavor)) {
      ExactOneFlavorParameters parameters{.solver = solver};
      if (!options.eigenvalues.empty()) parameters.range = plan.range;
      terms.push_back(std::make_shared<ExactOneFlavorAction>(quark.physics, parameters));
    } else {
      terms.push_back(std::make_shared<RationalWilsonAction>(
          quark.physics,
          RationalWilsonParameters{.flavors = quark.flavors, .range = plan.range, .errors = {}, .solver = solver}));
    }
  }
  if (plan.heavy_doublet) {
    terms.push_back(std::make_shared<RationalWilsonAction>(
        *plan.heavy_doublet, RationalWilsonParameters{.range = plan.range, .errors = {}, .solver = solver}));
  }
  return terms;
}

}  // namespace

std::vector<TimeScale> time_scales(const HmcOptions& options, const HmcPlan& plan) {
  std::vector<TimeScale> scales;
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    scales.push_back({.terms = {}, .steps = plan.steps[k], .integrator = plan.integrators[k]});
  }
  try {
    auto terms = quark_terms(options, plan);
    if (plan.stout) terms = smeared_terms(terms, *plan.stout);
    for (std::size_t k = 0; k < terms.size(); ++k) scales[std::min(k, scales.size() - 2)].terms.push_back(terms[k]);
  } catch (const Error& error) {
    const char* option = !options.eigenvalues.empty() ? "--eigenvalues"
                         : !options.flavors.empty()   ? "--flavors"
                                                      : mass_option(options.quark);
    throw usage_error(fmt::format("{}: {}", option, error.what()));
  }
  scales.back().terms.push_back(std::make_shared<GaugeAction>(*options.beta, plan.gauge));
  return scales;
}

}  // namespace kaon::apps
