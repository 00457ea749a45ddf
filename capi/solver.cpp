// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"
#include "capi/solver_options.hpp"

#include <kaon/gauge/observables.hpp>
#include <kaon/io/spinors.hpp>
#include <kaon/measure/propagate.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace kaon::capi;

namespace {

/// The precision that a solver's fields have.
template <class T>
T field_precision(const kaon::Solver<T>&) {
  return T{};
}

/// The words between commas.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// Solves by body(solver), and fills in the reports.
template <class Body>
kaon_status solve(const char* function, Arguments arguments, const kaon_solver* solver,
                  kaon_report* each_right_hand_side, const Body& body) {
  return collective(function, arguments, [&](Call& call) {
    solver->links_as_made.require_unchanged();
    const kaon::SolveResult result = std::visit(body, solver->solver);
    for (std::size_t k = 0; each_right_hand_side != nullptr && k < result.right_hand_sides.size(); ++k) {
      each_right_hand_side[k] = report_of(result, k);
    }
    call.failure = result.stopped ? KAON_STOPPED : KAON_NOT_CONVERGED;
    kaon::require_converged(result);
  });
}

}  // namespace

extern "C" {

kaon_status kaon_solver_create(const kaon_operator* dirac, const kaon_solver_options* options, kaon_solver** solver) {
  const Arguments arguments{{"dirac", dirac}, {"options", options, or_defaults}, {"solver", solver}};
  return collective(__func__, arguments, [&](Call& call) {
    const kaon_operator& of = current(dirac);
    const kaon_solver_options& given = options_or_defaults(options);
    require_method(krylov_method(given.method), kind_of(of));
    const kaon::SolveOptions solving = solve_options(call, given, of);
    std::visit(
        [&](const auto& in) {
          const double average = kaon::plaquette(in.links).average;
          *solver = new kaon_solver{of.place, average, kaon::PropagatorSolver(in.dirac, solving), of.links_as_made};
        },
        of.in);
  });
}

kaon_status kaon_solver_solve(kaon_solver* solver, kaon_spinor* x, const kaon_spinor* b,
                              kaon_report* each_right_hand_side) {
  const Arguments arguments{{"solver", solver}, {"x", x}, {"b", b}, {"x_was_set", x != nullptr && x->changed}};
  return solve(__func__, arguments, solver, each_right_hand_side, [&]<class T>(const kaon::Solver<T>& by) {
    kaon::require(x != b, "x is b: give a field of its own");
    return by.solve(in_precision<T>(x->field, "x"), in_precision<T>(b->field, "b"));
  });
}

kaon_status kaon_solver_propagate(kaon_solver* solver, const kaon_spinor* eta, const char* names,
                                  kaon_spinor** propagators, int length, double* axial_current,
                                  kaon_report* each_right_hand_side) {
  const std::string_view named = names != nullptr ? names : "propagator";
  const bool ends_in_word = !named.empty() && !named.ends_with(',');
  const auto count = static_cast<int>(std::ranges::count(named, ',')) + (ends_in_word ? 1 : 0);
  const Arguments arguments{{"solver", solver}, {"eta", eta},
                            {"names", named},   {"propagators", propagators, count},
                            {"length", length}, Argument::optional({"axial_current", axial_current})};
  return solve(__func__, arguments, solver, each_right_hand_side, [&]<class T>(const kaon::Solver<T>& by) {
    const std::vector<std::string> wanted = words_of(named);
    const kaon::SpinorField<T>& source = in_precision<T>(eta->field, "eta");
    kaon::require(!wanted.empty(), "names is empty: name one propagator or more");
    const int times = source.lattice().extents()[3];
    kaon::require(axial_current == nullptr || length == times,
                  [&] { return fmt::format("length = {}: the axial current has {} values", length, times); });
    kaon::require(std::ranges::find(wanted, "axial_current") == wanted.end(),
                  "axial_current is not a field: give an array for its values");
    std::vector<std::string> all = wanted;
    if (axial_current != nullptr) all.emplace_back("axial_current");
    kaon::QuarkPropagators<T> found = kaon::propagate(by, source, all);
    if (axial_current != nullptr) std::ranges::copy(found.axial_current, axial_current);
    std::vector<std::unique_ptr<kaon_spinor>> made(wanted.size());
    for (kaon::Propagator<T>& each : found.propagators) {
      const auto place = static_cast<std::size_t>(std::ranges::find(wanted, each.name) - wanted.begin());
      made[place].reset(new kaon_spinor{eta->place, std::move(each.field)});
    }
    for (std::size_t n = 0; n < made.size(); ++n) propagators[n] = made[n].release();
    return std::move(found.solve);
  });
}

kaon_status kaon_solver_update(kaon_solver* solver, const kaon_operator* dirac) {
  return collective(__func__, {{"solver", solver}, {"dirac", dirac}}, [&](const Call& call) {
    const kaon_operator& next = current(dirac);
    std::visit(
        [&]<class By>(const By& by) {
          using T = decltype(field_precision(by));
          const auto& in = in_precision<T>(next.in, "dirac");
          By updated = by.updated(in.dirac);
          const double average = kaon::plaquette(in.links).average;
          solver->solver.template emplace<By>(std::move(updated));
          solver->plaquette = average;
        },
        solver->solver);
    solver->links_as_made = next.links_as_made;
    std::string& lines = solver->made_by.lines;
    lines.resize(std::min(lines.size(), lines.find("call = kaon_solver_update")));  // the last update alone counts
    call.describe(*solver);
  });
}

kaon_status kaon_solver_save(const kaon_solver* solver, const char* path) {
  return collective(__func__, {{"solver", solver}, {"path", path}}, [&](Call& call) {
    const kaon::SpinorField<float> vectors =
        std::visit([](const auto& by) { return kaon::SpinorField<float>(by.near_null_vectors()); }, solver->solver);
    call.failure = KAON_FILE;
    kaon::io::write_spinors(path, vectors, {.plaquette = solver->plaquette, .info = "near-null vectors of multigrid"});
  });
}

void kaon_solver_destroy(kaon_solver** solver) { destroy(solver); }
}
