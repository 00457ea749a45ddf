// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/operator_options.hpp"
#include "capi/solver_options.hpp"
#include "core/base/parts.hpp"

#include <kaon/predict/predict.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace kaon::capi;

namespace {

void require_range(std::string_view name, double number, double lowest, double highest) {
  kaon::require(number >= lowest && number <= highest,
                [&] { return fmt::format("{} = {} does not lie between {} and {}", name, number, lowest, highest); });
}

/// The numbers that predictions read: the tolerance, and those of single methods.
kaon::SolveOptions numbers_of(const kaon_solver_options* given, double most) {
  const auto solver = options_or_defaults(given);
  kaon::SolveOptions options;
  copy_numbers(solver, options);
  kaon::require(options.tolerance > 0.0 && options.tolerance < 1.0,
                [&] { return fmt::format("tolerance = {} does not lie between 0 and 1", options.tolerance); });
  kaon::for_each_solver_number([&](const kaon::SolverOption& option, auto member) {
    if (option.method) require_range(option.name, options.*member, option.lowest, most);
  });
  return options;
}

/// The quarks, which have a mass exactly where iterations are counted.
kaon::FermionParameters physics_of(const kaon_operator_options& quarks, bool is_counted) {
  require_read(quarks);
  const kaon::FermionFamily& family = family_of(quarks);
  if (!family.is_predicted) throw Unsupported("solves for these quarks are not predicted");
  kaon::require(quarks.b_of_slices == nullptr && quarks.c_of_slices == nullptr,
                "b_of_slices and c_of_slices are not predicted: one number for all slices takes as long");
  const bool has_mass = !std::isnan(quarks.mass) || !std::isnan(quarks.kappa);
  kaon::require(has_mass == is_counted, is_counted ? "iterations are counted on links: set mass or kappa, too"
                                                   : "mass and kappa are for iterations that are counted on links");
  kaon_operator_options given = quarks;
  if (!has_mass) given.mass = 0.0;
  if (std::isnan(given.csw) && family.reads("csw")) given.csw = 0.0;
  if (std::isnan(given.u0) && family.reads("u0")) given.u0 = 1.0;
  return fermion_parameters(given);
}

kaon::PredictOptions options_of(const kaon_operator_options& quarks, const kaon_predict_options& given) {
  constexpr double most = 1000.0;  // steps and shifts that are timed
  kaon::PredictOptions options{.quark = {.physics = physics_of(quarks, given.links != nullptr),
                                         .precision = &needed(given.precision, "precision"),
                                         .shifts = given.shifts,
                                         .solver = numbers_of(given.solver, most)},
                               .extents = {given.extents[0], given.extents[1], given.extents[2], given.extents[3]},
                               .network = &needed(given.network, "network"),
                               .processes = {},
                               .cut = kaon::directions_of(given.cut != nullptr ? given.cut : "")};
  const kaon::PredictedQuark& quark = options.quark;
  const auto known = {"half", "single", "double"};
  kaon::require(std::ranges::find(known, quark.precision) != known.end(),
                [&] { return fmt::format("precision = '{}' is none of {}", quark.precision, fmt::join(known, ", ")); });
  require_range("shifts", given.shifts, 1.0, most);
  kaon::require(given.counts > 0, [&] { return fmt::format("counts = {} of numbers of processes", given.counts); });
  options.processes.assign(&needed(given.processes, "processes"), given.processes + given.counts);
  const bool has_extents = std::ranges::any_of(options.extents, [](int extent) { return extent != 0; });
  kaon::require(has_extents == (given.links == nullptr), "extents or links: set one of them");
  if (given.links != nullptr) {
    kaon::require(given.iterations == nullptr, "iterations are counted on the links: leave them NULL");
    options.links.emplace(in_precision<double>(given.links->links, "links").share());
  }
  if (given.memory != 0.0) options.memory = given.memory;
  return options;
}

}  // namespace

extern "C" {

void kaon_predict_options_init(kaon_predict_options* options) {
  if (options == nullptr) return;
  clear(options);
  options->network = "ndr";
  options->precision = "half";
  options->shifts = kaon::PredictedQuark{}.shifts;
}

kaon_status kaon_predict(const kaon_operator_options* quarks, const kaon_predict_options* options, const char** json) {
  const kaon_gauge* const links = options != nullptr && options->size == sizeof *options ? options->links : nullptr;
  return call(__func__, {Argument::optional({"links", links})}, [&] {
    needed(json, "json") = nullptr;
    const auto& physics = checked(needed(quarks, "quarks"));
    const auto& given = checked(needed(options, "options"));
    if (kaon::capi::session()->communicator().size() > 1) {
      throw Unsupported("one process measures for all: start it alone");
    }
    kaon::PredictOptions predicted = options_of(physics, given);
    const kaon::FermionFamily& family = predicted.quark.family();
    const std::vector<kaon::PredictedSolve> solves =
        kaon::solves_of(given.solvers != nullptr ? given.solvers : kaon::usual_solves(family));
    for (const kaon::PredictedSolve& solve : solves) {
      kaon::require(solve.suits(family), [&] {
        return fmt::format("solvers: times of {} are not predicted for these quarks", solve.word());
      });
    }
    for (std::size_t i = 0; given.iterations != nullptr && i < solves.size(); ++i) {
      if (given.iterations[i] > 0.0) predicted.iterations[solves[i]] = given.iterations[i];
    }
    if constexpr (kaon::detail::Parts::multigrid) {
      kaon::Predictor predictor(std::move(predicted));
      std::vector<kaon::Prediction> rows;
      for (const kaon::PredictedSolve solve : solves) {
        for (kaon::Prediction& row : predictor.predict(solve)) rows.push_back(std::move(row));
      }
      thread_local std::string text;
      text = predictor.json(rows);
      *json = text.c_str();
    } else {
      kaon::detail::refuse_part("multigrid");
    }
  });
}
}
