// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/quark_operators.hpp"

#include "campaign/gammas.hpp"
#include "campaign/staggered_mesons.hpp"

#include <kaon/measure/propagate.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace kaon::detail {
namespace {

/// Quarks of the input have one boundary.
bool are_equal(const FermionParameters& one, const FermionParameters& other) {
  return one.action == other.action && std::ranges::all_of(family_parameters, [&](const FermionParameter& row) {
           const double a = row.get(one), b = row.get(other);
           return a == b || (std::isnan(a) && std::isnan(b));
         });
}

}  // namespace

QuarkOperators quark_operators(const MeasurementInput& input) {
  QuarkOperators all;
  for (const MeasuredQuark& quark : input.quarks) {
    const auto found = std::ranges::find_if(
        all.parameters, [&](const FermionParameters& known) { return are_equal(known, quark.parameters); });
    all.of_quarks.push_back(static_cast<std::size_t>(found - all.parameters.begin()));
    if (found == all.parameters.end()) all.parameters.push_back(quark.parameters);
  }
  return all;
}

bool has_current_fields(const MeasurementInput& input, std::size_t quark) {
  if (!family_of(input.quarks[quark].parameters.action).reads("slices")) return false;
  return std::ranges::any_of(input.hadrons, [&](const MeasuredHadron& hadron) {
    if (!hadron.three_point || hadron.quarks[static_cast<std::size_t>(hadron.three_point->quark)] != quark)
      return false;
    return std::ranges::any_of(
        hadron.channels, [](const std::string& channel) { return current_of(channel).kind == CurrentKind::conserved; });
  });
}

std::vector<QuarkSolve> quark_solves(const MeasurementInput& input, const QuarkOperators& operators,
                                     const std::vector<std::size_t>& places) {
  std::vector<QuarkSolve> solves;
  for (std::size_t k = 0; k < input.quarks.size(); ++k) {
    const MeasuredQuark& quark = input.quarks[k];
    if (quark.current || std::ranges::find(places, operators.of_quarks[k]) == places.end()) continue;
    auto solve = std::ranges::find(solves, quark.momentum, &QuarkSolve::momentum);
    if (solve == solves.end()) solve = solves.insert(solves.end(), {quark.momentum, {}, {}});
    solve->quarks.push_back(k);
    const auto add = [&](const std::string& name) {
      if (std::ranges::find(solve->wanted, name) == solve->wanted.end()) solve->wanted.push_back(name);
    };
    add(quark.propagator);
    if (has_current_fields(input, k)) add(std::string(current_fields));
  }
  return solves;
}

std::vector<std::size_t> right_hand_sides_of_source(const MeasurementInput& input) {
  const QuarkOperators operators = quark_operators(input);
  std::vector<std::size_t> counts(operators.parameters.size());
  const auto add_solve = [&](std::size_t quark) {
    const int spins = family_of(input.quarks[quark].parameters.action).spins();
    counts[operators.of_quarks[quark]] += static_cast<std::size_t>(colors * spins);
  };
  std::set<std::tuple<std::size_t, SpatialMomentum, bool>> known;
  for (std::size_t k = 0; k < input.quarks.size(); ++k) {
    const MeasuredQuark& quark = input.quarks[k];
    const bool from_second_flavor = quark.propagator.starts_with('1');
    if (quark.current || known.insert({operators.of_quarks[k], quark.momentum, from_second_flavor}).second)
      add_solve(k);
  }
  std::set<std::pair<std::size_t, std::string>> from_operators;
  for (const MeasuredHadron& hadron : input.hadrons) {
    if (hadron.three_point) {
      const std::size_t quark = hadron.quarks[static_cast<std::size_t>(hadron.three_point->quark)];
      for (std::size_t n = 0; n < hadron.sinks.size(); ++n) add_solve(quark);
    }
    if (hadron.kind != "meson") continue;
    for (const std::string& channel : hadron.channels) {
      const std::size_t quark = hadron.quarks.front();
      if (is_spin_taste(channel) && from_operators.emplace(quark, channel).second) add_solve(quark);
    }
  }
  return counts;
}

}  // namespace kaon::detail
