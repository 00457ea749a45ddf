// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/action_terms.hpp"
#include "capi/operator_options.hpp"
#include "capi/solver_options.hpp"

#include <kaon/core/chain_mean.hpp>
#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/rational_staggered_action.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

using namespace kaon::capi;

struct kaon_hmc : MadeObject {
  kaon::HybridMonteCarloParameters parameters;
  std::vector<kaon::TimeScale> scales;
  SharedLinks smeared;                                 ///< of the terms
  std::optional<kaon::HybridMonteCarlo> trajectories;  ///< made of these when it is needed
};

namespace {

/// Adds a term, that of a call, to the last time scale.
void add(kaon_hmc& hmc, std::shared_ptr<kaon::ActionTerm> term, const Call& call) {
  kaon::require(!hmc.scales.empty(), "a term of the action needs a time scale: kaon_hmc_add_scale comes first");
  hmc.scales.back().terms.push_back(std::move(term));
  hmc.trajectories.reset();
  call.describe(hmc);
}

kaon::HybridMonteCarlo& trajectories(kaon_hmc& hmc) {
  if (!hmc.trajectories) hmc.trajectories.emplace(hmc.scales, hmc.parameters);
  return *hmc.trajectories;
}

/// Returns the options of a term's solves. Rational functions are solved by conjugate gradients for several shifts.
kaon::SolveOptions solver_of(const kaon_quark_term_options& given, const kaon::FermionFamily& family,
                             bool is_rational = false) {
  const kaon::KrylovMethod method = krylov_method(given.method);
  if (!kaon::entry_of(method).for_forces[family.kind]) {
    throw Unsupported("hybrid Monte Carlo does not solve by " + name_of(method));
  }
  if (!is_rational) require_method(method, family.kind);
  kaon::require(!is_rational || given.method == KAON_AUTO || given.method == KAON_CG || given.method == KAON_CGNR, [&] {
    return fmt::format("method = {} of a rational function, which is solved by conjugate gradients: KAON_AUTO, KAON_CG",
                       given.method);
  });
  return {.tolerance = given.tolerance,
          .force_tolerance = given.force_tolerance,
          .max_iterations = given.max_iterations,
          .method = method,
          .inner = choice<kaon::InnerPrecision>(given.inner, 3, "inner precision")};
}

double value_or(double given, double otherwise) { return std::isnan(given) ? otherwise : given; }

std::shared_ptr<kaon::ActionTerm> staggered_term(const kaon::FermionParameters& quarks,
                                                 const kaon_quark_term_options& given) {
  std::vector<kaon::StaggeredFlavors> factors{{quarks.mass, given.flavors}};
  if (!std::isnan(given.heavier_mass)) factors.push_back({given.heavier_mass, -given.flavors});
  auto parameters = kaon::staggered_parameters(quarks, solver_of(given, kaon::family_of(quarks.action), true));
  parameters.largest_eigenvalue = value_or(given.highest, parameters.largest_eigenvalue);
  return std::make_shared<kaon::RationalStaggeredAction>(
      kaon::split_pseudofermion({.quarks = factors, .naik_epsilon = quarks.naik_epsilon}), parameters);
}

std::shared_ptr<kaon::ActionTerm> term_on_links(const kaon_operator_options& quarks,
                                                const kaon_quark_term_options& given) {
  const kaon::FermionFamily& family = family_of(quarks);
  require_read(quarks);
  const bool is_split = given.mu != 0.0 || !std::isnan(given.numerator_mu);
  const bool is_staggered = family.is_staggered(), is_domain_wall = family.has_pauli_villars;
  kaon::require(!family.is_doublet() || given.flavors != 2.0,
                "flavors of twisted doublets is their number: 1 for quarks of two masses, and below 2");
  kaon::require(!is_split || (!is_staggered && !is_domain_wall && given.flavors == 2.0),
                "mu and numerator_mu are for two flavours of Wilson and clover quarks");
  kaon::require(is_staggered || (is_domain_wall && given.flavors == 2.0) || std::isnan(given.heavier_mass),
                "heavier_mass is for staggered quarks and for two flavours of domain wall quarks");
  kaon::require(
      std::isnan(given.lowest) || (!is_staggered && given.flavors != 2.0),
      "lowest is for other numbers of Wilson, clover and domain wall quarks than two, and for twisted doublets");
  kaon::require(quarks.b_of_slices == nullptr && quarks.c_of_slices == nullptr && std::isnan(quarks.lower_mass),
                "b_of_slices, c_of_slices and lower_mass are for operators: quarks of hybrid Monte Carlo have one b, "
                "one c and one mass for all slices");
  kaon::require(given.exact == 0 || (is_domain_wall && given.flavors == 1.0),
                "exact is for one flavour of domain wall quarks");
  kaon::require(std::isnan(given.highest) || is_staggered || given.flavors != 2.0,
                "highest is for rational functions, which two flavours of quarks that are not staggered do not have");
  const kaon::FermionParameters physics = fermion_parameters(quarks);
  if (is_staggered) return staggered_term(physics, given);
  const bool is_twisted_ratio = family.reads("mu") && !std::isnan(given.numerator_mu);
  if (given.flavors == 2.0 && (is_domain_wall || is_twisted_ratio)) {
    kaon::require(given.mu == 0.0, "mu of twisted quarks is in their own options: leave that of the term 0");
    const double number = is_domain_wall ? value_or(given.heavier_mass, kaon::pauli_villars_mass) : given.numerator_mu;
    return std::make_shared<kaon::TwoFlavorRatioAction>(physics, kaon::heavier_quarks(physics, number),
                                                        solver_of(given, family));
  }
  if (given.exact != 0) {
    const kaon::ExactOneFlavorParameters parameters{.range = {given.lowest, given.highest},
                                                    .solver = solver_of(given, family)};
    return std::make_shared<kaon::ExactOneFlavorAction>(physics, parameters);
  }
  if (given.flavors != 2.0) {
    kaon::RationalWilsonParameters parameters{.flavors = given.flavors, .solver = solver_of(given, family, true)};
    parameters.range = {value_or(given.lowest, parameters.range.lower),
                        value_or(given.highest, parameters.range.upper)};
    return std::make_shared<kaon::RationalWilsonAction>(physics, parameters);
  }
  kaon::TwoFlavorParameters parameters{.mu = given.mu, .solver = solver_of(given, family)};
  if (!std::isnan(given.numerator_mu)) parameters.numerator_mu = given.numerator_mu;
  return std::make_shared<kaon::TwoFlavorAction>(physics, parameters);
}

}  // namespace

std::shared_ptr<kaon::ActionTerm> kaon::capi::gauge_term(const kaon_gauge_action_options& given) {
  kaon::require(std::isnan(given.one_loop_u0) || given.rectangle == 0.0, [&] {
    return fmt::format("one_loop_u0 = {} and rectangle = {}: the action at one loop has its own rectangles",
                       given.one_loop_u0, given.rectangle);
  });
  if (!std::isnan(given.one_loop_u0)) {
    return std::make_shared<GaugeAction>(given.beta,
                                         one_loop_symanzik_weights(given.one_loop_u0, given.one_loop_flavors));
  }
  const LoopWeights weights{.plaquette = 1.0 - 8.0 * given.rectangle, .rectangle = given.rectangle};
  return std::make_shared<GaugeAction>(given.beta, weights);
}

std::shared_ptr<kaon::ActionTerm> kaon::capi::quark_term(const kaon_operator_options& quarks,
                                                         const kaon_quark_term_options& given, SharedLinks& shared) {
  StoutSmearing smearing{.rho = {}, .levels = given.stout_levels};
  std::ranges::copy(given.stout_rho, smearing.rho.begin());
  const bool is_smeared = given.stout_levels != 0;
  if (is_smeared) require_possible(smearing);
  kaon::require(is_smeared || smearing.rho == std::array<double, 4>{},
                "stout_rho without stout_levels, the number of levels of the smearing");
  auto term = term_on_links(quarks, given);
  if (!is_smeared) return term;
  auto links = std::ranges::find(shared, smearing, [](const auto& each) { return each->smearing(); });
  if (links == shared.end()) links = shared.insert(links, std::make_shared<SmearedLinks>(smearing));
  return std::make_shared<SmearedTerm>(term, *links);
}

extern "C" {

void kaon_hmc_options_init(kaon_hmc_options* options) {
  if (options == nullptr) return;
  const kaon::HybridMonteCarloParameters defaults;
  *options = {sizeof(kaon_hmc_options), defaults.length, defaults.seed, 0, 0};
}

kaon_status kaon_hmc_create(const kaon_hmc_options* options, kaon_hmc** hmc) {
  return call(__func__, {{"options", options, or_defaults}, {"hmc", hmc}}, [&] {
    const kaon_hmc_options& given = options_or_defaults(options);
    kaon::require(std::isfinite(given.length) && given.length > 0.0,
                  [&] { return fmt::format("a trajectory cannot have the length {}", given.length); });
    kaon::require(given.forecast >= 0, [&] {
      return fmt::format("forecast = {} earlier solutions: take 0 for none, or more", given.forecast);
    });
    *hmc = new kaon_hmc{
        Place{kaon::capi::session()},
        {.length = given.length, .seed = given.seed, .accept_all = given.accept_all != 0, .forecast = given.forecast},
        {},
        {},
        {}};
  });
}

kaon_status kaon_hmc_add_scale(kaon_hmc* hmc, int steps, kaon_integrator integrator) {
  return call(__func__, {{"hmc", hmc}, {"steps", steps}, {"integrator", integrator}}, [&](const Call& call) {
    kaon::require(steps >= 1, [&] { return fmt::format("{} steps of a time scale: at least one is needed", steps); });
    const auto of = choice<kaon::Integrator>(integrator, std::size(kaon::integrators), "integrator");
    hmc->scales.push_back({.terms = {}, .steps = steps, .integrator = of});
    hmc->trajectories.reset();
    call.describe(*hmc);
  });
}

void kaon_gauge_action_options_init(kaon_gauge_action_options* options) {
  if (options == nullptr) return;
  *options = {sizeof(kaon_gauge_action_options), std::numeric_limits<double>::quiet_NaN(), 0.0,
              std::numeric_limits<double>::quiet_NaN(), 0.0};
}

kaon_status kaon_hmc_add_gauge_action(kaon_hmc* hmc, const kaon_gauge_action_options* options) {
  return call(__func__, {{"hmc", hmc}, {"options", options}}, [&](const Call& call) {
    const auto& given = checked(*options);
    add(*hmc, gauge_term(given), call);
  });
}

void kaon_quark_term_options_init(kaon_quark_term_options* options) {
  if (options == nullptr) return;
  constexpr double unset = std::numeric_limits<double>::quiet_NaN();
  const kaon::SolveOptions solver;
  clear(options);
  options->flavors = 2.0;
  options->numerator_mu = options->heavier_mass = options->lowest = options->highest = unset;
  options->tolerance = solver.tolerance;
  options->force_tolerance = solver.force_tolerance;
  options->max_iterations = solver.max_iterations;
  options->method = KAON_AUTO;
  options->inner = KAON_INNER_HALF;
}

kaon_status kaon_hmc_add_quarks(kaon_hmc* hmc, const kaon_operator_options* quarks,
                                const kaon_quark_term_options* options) {
  const Arguments arguments{{"hmc", hmc}, {"quarks", quarks}, {"options", options, or_defaults}};
  return call(__func__, arguments, [&](const Call& call) {
    const auto& physics = checked(*quarks);
    const kaon_quark_term_options& given = options_or_defaults(options);
    add(*hmc, quark_term(physics, given, hmc->smeared), call);
  });
}

kaon_status kaon_hmc_trajectory(kaon_hmc* hmc, kaon_gauge* gauge, uint32_t number, kaon_trajectory_report* report) {
  return collective<kaon::TrajectoryError>(__func__, {{"hmc", hmc}, {"gauge", gauge}, {"number", number}}, [&] {
    auto& links = in_precision<double>(gauge->links, "gauge");
    const kaon::TrajectoryReport done = trajectories(*hmc).trajectory(links, number);
    if (done.accepted) gauge->changes.add();
    if (report == nullptr) return;
    *report = {done.delta_energy, done.accepted ? 1 : 0,
               done.plaquette,    static_cast<double>(done.iterations),
               done.seconds,      {}};
  });
}

kaon_status kaon_hmc_reverse(kaon_hmc* hmc, const kaon_gauge* gauge, uint32_t number, double* delta_energy,
                             double* links) {
  const Arguments arguments{
      {"hmc", hmc}, {"gauge", gauge}, {"number", number}, {"delta_energy", delta_energy}, {"links", links}};
  return collective<kaon::TrajectoryError>(__func__, arguments, [&] {
    const auto& of = in_precision<double>(gauge->links, "gauge");
    const kaon::Reversal back = trajectories(*hmc).reverse(of, number);
    *delta_energy = back.delta_energy;
    *links = back.links;
  });
}

void kaon_hmc_destroy(kaon_hmc** hmc) { destroy(hmc); }

kaon_status kaon_chain_mean(size_t count, const double* values, kaon_chain_report* report) {
  return guard(__func__, [&] {
    kaon_chain_report& out = needed(report, "report");
    kaon::require(count > 0, "a mean of 0 numbers: give at least one");
    const kaon::ChainMean mean = kaon::chain_mean({&needed(values, "values"), count});
    out = {mean.mean,    mean.error.value_or(std::numeric_limits<double>::quiet_NaN()),
           mean.tau_int, mean.tau_int_error,
           mean.window,  {}};
  });
}
}
