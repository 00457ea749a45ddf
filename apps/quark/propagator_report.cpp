// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/propagator_output.hpp"

#include "apps/cli/option_values.hpp"
#include "core/tuning/tuning.hpp"

#include <kaon/operators/dirichlet.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

namespace kaon::apps {
namespace {

std::string describe_system(const PropagatorPlan& plan) {
  const std::string& schur = plan.given.schur;
  if (schur.empty()) {
    return plan.given.solver == "multigrid" ? "on all sites" : "on the normal operator of the even sites";
  }
  return schur == "none" ? "without even-odd preconditioning" : "on the " + schur + " even-odd system";
}

std::string describe_source(const PropagatorPlan& plan) {
  const Coordinates& site = plan.site;
  if (plan.given.source == "wall-z2") return fmt::format("Z2 wall at t = {}, seed {}", site[3], plan.given.seed);
  const std::string wall = fmt::format("wall at t = {}", site[3]);
  if (plan.given.source == "wall") return wall;
  if (plan.given.source == "even-wall") return "even " + wall;
  if (plan.given.source == "corner-wall") return "corner " + wall;
  const std::string where = fmt::format("at {},{},{},{}", site[0], site[1], site[2], site[3]);
  if (plan.given.source == "point") return "point " + where;
  return fmt::format("gaussian {}, width {} in {}", where, plan.given.smearing_width,
                     counted(plan.given.smearing_steps, "step", "steps"));
}

/// The precisions of solutions and iterations: blocks iterate in single instead of 16 bits.
std::string describe_precision(const PropagatorPlan& plan) {
  const std::string& given = plan.given.precision;
  return plan.given.solver == "block-cg" && given == "double-half" ? "double-single" : given;
}

std::string describe_solver(const PropagatorPlan& plan) {
  return fmt::format("{} {}, {} precision, links in {} reals{}", plan.given.solver, describe_system(plan),
                     describe_precision(plan), plan.links,
                     plan.halo == HaloPrecision::field ? "" : ", halos at most in " + plan.given.halo);
}

/// ", and 0.1 s to tune kernels", which trials of the whole run so far have cost.
std::string describe_tuning() {
  const double seconds = detail::tuning_seconds();
  return seconds > 0.0 ? fmt::format(", and {} to tune kernels", describe_seconds(seconds)) : "";
}

/// The plan is that of one of several masses.
bool of_several(const PropagatorPlan& plan) { return plan.given.quark.mass.find(',') != std::string::npos; }

/// ">= 1.2e-03" where the error may be larger.
std::string error_of(const SolveResult::RightHandSide& side) {
  return side.error > 0.0 ? fmt::format("{}{:.1e}", side.error_at_least ? ">= " : "", side.error) : "-";
}

void report_pion(const Session& session, const Correlator& pion) {
  say(session, "\n{:>4}  {:>18}  {:>14}\n", "t", "pion C(t)", "effective mass");
  for (std::size_t t = 0; t < pion.values.size(); ++t) {
    const auto mass = t < pion.effective_masses.size() ? pion.effective_masses[t] : std::nullopt;
    say(session, "{:>4}  {:>18.10e}  {:>14}\n", t, pion.values[t], mass ? fmt::format("{:.6f}", *mass) : "-");
  }
}

Json source_json(const PropagatorPlan& plan) {
  Json source{{"kind", plan.given.source}, {"site", plan.site}};
  if (plan.given.source == "gaussian") {
    source["smearing_width"] = plan.given.smearing_width;
    source["smearing_steps"] = plan.given.smearing_steps;
  }
  if (plan.given.source == "wall-z2") source["seed"] = plan.given.seed;
  return source;
}

/// The largest of all right-hand sides after each iteration.
Json largest_residuals(const SolveResult& result) {
  Json residuals = Json::array();
  for (const std::vector<double>& of_iteration : result.history) {
    residuals.push_back(*std::max_element(of_iteration.begin(), of_iteration.end()));
  }
  return residuals;
}

Json solver_json(const PropagatorPlan& plan, const PropagatorOutcome& outcome) {
  const SolveResult& result = outcome.solve;
  Json sides = Json::array();
  for (const auto& side : result.right_hand_sides) {
    sides.push_back({{"status", to_string(side.status)},
                     {"iterations", side.iterations},
                     {"restarts", side.restarts},
                     {"fallbacks", side.fallbacks},
                     {"iterated_residual", side.iterated_residual},
                     {"true_residual", side.true_residual},
                     {"error", side.error > 0.0 ? Json(side.error) : Json()},
                     {"error_at_least", side.error_at_least}});
  }
  const std::string& eigenvectors = plan.given.eigenvectors;
  Json solver{{"name", plan.given.solver},
              {"eigenvectors", eigenvectors.empty() ? Json() : Json(eigenvectors)},
              {"schur", plan.given.schur.empty() ? Json() : Json(plan.given.schur)},
              {"precision", describe_precision(plan)},
              {"links", plan.links},
              {"halo", plan.given.halo},
              {"reliable_updates", result.reliable_updates},
              {"lanes", plan.given.lanes},
              {"converged", result.converged()},
              {"seconds", result.seconds},
              {"tuning_seconds", detail::tuning_seconds()},
              {"flops", result.flops},
              {"gflops", result.gflops()},
              {"joules", outcome.joules ? Json(*outcome.joules) : Json()},
              {"right_hand_sides", sides},
              {"residuals", largest_residuals(result)}};
  for_each_solver_number([&](const SolverOption& option, auto member) {
    std::string name(option.option.substr(2));  // "delta" of --delta
    std::ranges::replace(name, '-', '_');
    solver[name] = plan.given.numbers.*member;
  });
  return solver;
}

Json masses_json(const Correlator& pion) {
  Json masses = Json::array();
  for (const auto& mass : pion.effective_masses) masses.push_back(mass ? Json(*mass) : Json());
  return masses;
}

}  // namespace

void report_operator(const Session& session, const PropagatorPlan& plan) {
  say(session, "action        {}\n", describe_action(plan.quarks));
  say(session, "mass          {}\n", describe_masses(plan.quarks));
  const FermionParameters& quark = plan.quarks.front();
  if (quark.anisotropy != Anisotropy{}) {
    say(session, "anisotropy    xi0 = {}, nu = {}\n", quark.anisotropy.xi0, quark.anisotropy.nu);
  }
  say(session, "boundary      {}\n", describe(quark.boundary));
}

void report_plan(const Session& session, const PropagatorPlan& plan) {
  report_operator(session, plan);
  say(session, "source        {}, {} right-hand sides{}\n", describe_source(plan), 3 * plan.family().spins(),
      plan.family().file_suffixes.size() > 1 ? " in each flavour" : "");
  say(session, "solver        {}\n", describe_solver(plan));
  say(session, "tolerance     {:g} in at most {} iterations\n\n", plan.given.numbers.tolerance,
      plan.given.numbers.max_iterations);
}

void report_solve(const Session& session, const PropagatorPlan& plan, const SolveResult& result) {
  if (of_several(plan)) say(session, "\nmass {}", plan.quarks.front().mass);
  say(session, "\n{:>15}  {:>10}  {:>17}  {:>13}  {:>10}\n", "right-hand side", "iterations", "iterated residual",
      "true residual", "error of x");
  for (std::size_t k = 0; k < result.right_hand_sides.size(); ++k) {
    const auto& side = result.right_hand_sides[k];
    say(session, "{:>15}  {:>10}  {:>17.3e}  {:>13.3e}  {:>10}{}\n", k, side.iterations, side.iterated_residual,
        side.true_residual, error_of(side), side.status == SolveStatus::converged ? "" : "  " + to_string(side.status));
  }
  if (of_several(plan)) {
    say(session, "{}, {} for all masses with these links{}\n", plan.given.solver, describe_seconds(result.seconds),
        describe_tuning());
    return;
  }
  say(session, "{} in {}, {:.2f} Gflop/s{}\n", plan.given.solver, describe_seconds(result.seconds), result.gflops(),
      describe_tuning());
}

std::string explain_failure(const PropagatorPlan& plan, const SolveResult& result) {
  std::string reasons;
  int failed = 0;
  for (const auto& side : result.right_hand_sides) {
    if (side.status == SolveStatus::converged) continue;
    ++failed;
    const std::string reason = to_string(side.status);
    if (reasons.find(reason) == std::string::npos) reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  std::string advice;  // staggered fermions have one solver
  if (plan.family().kind == OperatorKind::definite) {
    advice = fmt::format(", or try --solver {}",
                         plan.given.solver.starts_with("cg") || plan.given.solver == "gcr-dd" ? "bicgstab" : "cgnr");
  }
  const std::string mass = of_several(plan) ? fmt::format("mass {}: ", plan.quarks.front().mass) : std::string();
  return fmt::format(
      "--tolerance: {}{} of {} right-hand sides did not reach {} ({}; largest true residual {:.2e} after {} "
      "iterations); "
      "no propagator is written. Raise --tolerance or --max-iterations{}",
      mass, failed, result.right_hand_sides.size(), plan.given.numbers.tolerance, reasons, result.true_residual(),
      result.iterations(), advice);
}

void report_correlators(const Session& session, const PropagatorPlan& plan,
                        const std::vector<Correlator>& correlators) {
  if (of_several(plan)) say(session, "\nmass {}", plan.quarks.front().mass);
  report_pion(session, correlators.front());
  say(session, "The effective mass in line t is that between t and t + 1, from the cosh form.\n");
  if (const auto found = std::ranges::find(correlators, "residual_mass", &Correlator::name);
      found != correlators.end()) {
    const std::size_t middle = found->values.size() / 2;
    const double mass = found->values[middle];
    say(session, "residual mass {} at t = {}\n", std::isnan(mass) ? "not known" : fmt::format("{:.6e}", mass), middle);
  }
  if (const std::string_view note = plan.family().pion_note; !note.empty()) say(session, "{}\n", note);
}

void report_pair(const Session& session, const PropagatorPlan& plan, std::size_t first, std::size_t second,
                 const Correlator& pion) {
  say(session, "\nmasses {} and {}", plan.quarks[first].mass, plan.quarks[second].mass);
  report_pion(session, pion);
  say(session,
      "The effective mass in line t is that between t and t + 1, from six values: a cosh and an oscillating one,\n"
      "(-1)^t cosh, which is taken out. There is none where the six values are not of this form.\n");
}

Json operator_json(const PropagatorPlan& plan) {
  const FermionParameters& quark = plan.quarks.front();
  Json action{{"name", plan.given.quark.action}, {"mass", quark.mass}};
  const auto put_slices = [&](const char* name, const std::vector<std::complex<double>>& of_slices) {
    if (!of_slices.empty()) action[name] = Json::array();
    for (const std::complex<double>& z : of_slices) action[name].push_back({z.real(), z.imag()});
  };
  for (const char* name :
       {"m5", "slices", "b", "c", "kappa", "mu", "epsilon", "u0", "naik_epsilon", "csw", "csw_temporal", "xi0", "nu"}) {
    if (!plan.family().reads(name)) continue;
    const FermionParameter& row = family_parameter(name);
    const double value = row.get(quark);
    if (row.integer) {
      action[std::string(row.option.substr(2))] = static_cast<int>(value);
    } else {
      action[name] = value;
    }
  }
  put_slices("b", quark.b_of_slices);
  put_slices("c", quark.c_of_slices);
  for (const double angle : quark.boundary) {
    action["boundary_angles"].push_back(angle == dirichlet ? Json("dirichlet") : Json(angle));
  }
  return action;
}

Json to_json(const Session& session, const PropagatorPlan& first, const PropagatorPlan& second, const GaugeInput& gauge,
             const Correlator& pion) {
  return {{"gauge", gauge.description},          {"actions", {operator_json(first), operator_json(second)}},
          {"source", source_json(first)},        {"pion_correlator", pion.values},
          {"effective_mass", masses_json(pion)}, {"provenance", provenance(session, gauge.links.lattice())}};
}

Json to_json(const Session& session, const PropagatorPlan& plan, const GaugeInput& gauge,
             const PropagatorOutcome& outcome) {
  const Correlator& pion = outcome.correlators.front();
  Json report{{"gauge", gauge.description},
              {"action", operator_json(plan)},
              {"source", source_json(plan)},
              {"solver", solver_json(plan, outcome)},
              {"pion_correlator", pion.values},
              {"effective_mass", masses_json(pion)},
              {"provenance", provenance(session, gauge.links.lattice())}};
  std::map<std::string, std::map<std::string, std::vector<double>>> groups;
  for (const Correlator& correlator : std::span(outcome.correlators).subspan(1)) {
    if (correlator.group.empty()) {
      report[correlator.name] = correlator.values;
    } else {
      groups[correlator.group][correlator.name] = correlator.values;
    }
  }
  for (const auto& [group, correlators] : groups) report[group] = correlators;
  return report;
}

}  // namespace kaon::apps
