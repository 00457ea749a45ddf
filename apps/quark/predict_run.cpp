// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/predict_run.hpp"

#include "apps/cli/option_values.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace kaon::apps {
namespace {

/// The family and the parameters of --action.
FermionParameters parse_physics(const QuarkOptions& given) {
  const FermionFamily& family = predicted_actions().family_of(given);
  const std::vector<double> masses = masses_of(given, family);
  if (masses.size() > 1) throw usage_error(fmt::format("{}: predictions are for one mass", mass_option(given)));
  FermionParameters physics = fermion_parameters(given, family);
  if (!masses.empty()) physics.mass = masses.front();
  if (!physics.b_of_slices.empty() || !physics.c_of_slices.empty()) {
    throw usage_error("--b, --c: one number for all slices is needed: others take as long");
  }
  require_possible(given, physics);
  return physics;
}

/// "bicgstab=450,gcr-dd=80"
std::map<PredictedSolve, double> parse_iterations(const std::string& text) {
  std::map<PredictedSolve, double> found;
  for (const std::string& word : split(text)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw usage_error(fmt::format("--iterations: '{}' has no =", word));
    const std::vector<double> number = parse_numbers("--iterations", word.substr(equals + 1));
    if (number.size() != 1 || number.front() <= 0.0) {
      throw usage_error(fmt::format("--iterations: '{}' has no positive number", word));
    }
    found[with_value_of("--iterations", [&] { return predicted_solve(word.substr(0, equals)); })] = number.front();
  }
  return found;
}

detail::Network parse_network(const std::string& text) {
  const detail::Network network = with_value_of("--network", [&] { return detail::parse_network(text, 1); });
  if (network.processes == 1) return network;
  throw usage_error(fmt::format("--network: sums run over each of --processes, not over {}", network.processes));
}

/// The links of --gauge replace --size and --iterations, and --tolerance is for iterations on them.
void check_links(const PredictRun& given) {
  if (given.size.empty() == given.gauge.empty()) throw usage_error("--size or --gauge: one of them must be given");
  const bool has_mass = given.quark.has("--mass") || given.quark.has("--kappa");
  if (given.gauge.empty() && has_mass) {
    throw usage_error(
        fmt::format("{}: iterations are counted on the links of --gauge alone", mass_option(given.quark)));
  }
  if (given.gauge.empty()) return refuse_named(given.quark.named, {"--tolerance"}, "without --gauge");
  if (!has_mass) throw usage_error("--gauge: needs --mass or --kappa");
  if (!given.iterations.empty()) throw usage_error("--iterations: they are counted on the links of --gauge");
}

/// Throws `Failure` if a number of solvers is out of range, or if no solve reads it.
void check_numbers(const PredictRun& given) {
  const PredictedQuark& quark = given.predict.quark;
  const auto require_few = [](std::string_view option, double number) {
    constexpr int most = 1000;
    if (number > most) throw usage_error(fmt::format("{}: {} is more than {}", option, number, most));
  };
  check_solver_numbers(quark.solver);
  for_each_solver_number([&](const SolverOption& option, auto member) {
    if (option.method) require_few(option.option, quark.solver.*member);
  });
  require_few("--shifts", quark.shifts);
  std::vector<KrylovMethod> methods;
  for (const PredictedSolve& solve : given.solves) methods.push_back(solve.method);
  refuse_unread_options(given.quark.named, methods, "with --solvers " + given.solvers);
  if (std::ranges::none_of(given.solves, &PredictedSolve::has_shifts)) {
    refuse_named(given.quark.named, {"--shifts"}, "without --solvers multi-shift");
  }
}

}  // namespace

const QuarkActions& predicted_actions() {
  static const QuarkActions actions([](const FermionFamily& family) { return family.is_predicted; });
  return actions;
}

void check(PredictRun& given) {
  PredictOptions& options = given.predict;
  if (!given.size.empty()) options.extents = parse_extents("--size", given.size);
  options.quark.physics = parse_physics(given.quark);
  check_links(given);
  options.processes = parse_counts("--processes", given.processes, "no number of processes");
  options.cut = with_value_of("--cut", [&] { return directions_of(given.cut); });
  options.iterations = parse_iterations(given.iterations);
  if (given.memory) options.memory = 1e9 * *given.memory;
  const FermionFamily& family = options.quark.family();
  if (given.solvers.empty()) given.solvers = usual_solves(family);
  given.solves = with_value_of("--solvers", [&] { return solves_of(given.solvers); });
  for (const PredictedSolve& solve : given.solves) {
    if (solve.suits(family)) continue;
    throw usage_error(
        fmt::format("--solvers: times of {} are not predicted for --action {}", solve.word(), given.quark.action));
  }
  check_numbers(given);
  for (const auto& [solve, number] : options.iterations) {
    if (std::ranges::count(given.solves, solve) > 0) continue;
    throw usage_error(fmt::format("--iterations: {} is none of --solvers {}", solve.word(), given.solvers));
  }
  given.network = parse_network(options.network);
}

}  // namespace kaon::apps
