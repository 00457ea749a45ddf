// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"
#include "capi/operator_options.hpp"
#include "capi/solver_options.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/quarks/multi_mass_solver.hpp>
#include <kaon/quarks/normal_shift_solver.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

using namespace kaon::capi;

struct kaon_multi_solver : MadeObject {
  std::vector<double> values;
  std::variant<kaon::MultiMassSolver, kaon::NormalShiftSolver> solver;
  std::optional<kaon::Parity> parity;  ///< of the systems, unless they are those of all sites
  LinksAsMade links_as_made;
};

namespace {

bool is_staggered(const kaon_operator& dirac) { return kind_of(dirac) == kaon::OperatorKind::staggered; }

kaon::SolveOptions options_of(Call& call, const kaon_solver_options& given, const kaon_operator& dirac, bool masses) {
  kaon::require(
      given.method == KAON_AUTO || given.method == KAON_CG || (masses && given.method == KAON_MULTIGRID), [&] {
        return fmt::format("method = {}: several systems are solved by conjugate gradients, KAON_AUTO or KAON_CG{}",
                           name_of(krylov_method(given.method)), masses ? ", and by KAON_MULTIGRID" : "");
      });
  kaon::require(given.outer == -1 || given.outer == KAON_DOUBLE, [&] {
    return fmt::format("outer precision = {}: several systems are solved in double, -1 or KAON_DOUBLE", given.outer);
  });
  return solve_options(call, given, dirac);
}

/// The fields of handles, none of which is given twice.
std::vector<kaon::SpinorField<double>> fields_of(std::size_t count, kaon_spinor* const* x, const kaon_spinor& b) {
  std::vector<kaon::SpinorField<double>> fields;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("x[{}]", i);
    kaon_spinor& handle = needed(x[i], name.c_str());
    kaon::require(&handle != &b, [&] { return name + " is b: give a field of its own"; });
    for (std::size_t j = 0; j < i; ++j) {
      kaon::require(x[j] != x[i], [&] { return fmt::format("{} is x[{}]: give fields of their own", name, j); });
    }
    auto& field = in_precision<double>(handle.field, name.c_str());
    fields.push_back(field.range(0, field.right_hand_sides()));
  }
  return fields;
}

/// Solves on the sites of one parity, and sets the solutions on the others to zero.
std::vector<kaon::SolveResult> solve_on(kaon::Parity parity, const kaon::NormalShiftSolver& solver,
                                        std::vector<kaon::SpinorField<double>>& fields,
                                        const kaon::SpinorField<double>& b) {
  std::vector<kaon::SpinorField<double>> parts;
  for (kaon::SpinorField<double>& field : fields) parts.push_back(field.parity(parity));
  std::vector<kaon::SolveResult> results = solver.solve(parts, b.parity(parity));
  for (kaon::SpinorField<double>& field : fields) kaon::blas::set_zero(field.parity(other(parity)));
  return results;
}

/// Common arguments of the functions that create a solver.
struct Request {
  const kaon_operator& of;
  std::vector<double> values;
  kaon::SolveOptions solving;
  const kaon::Quark<double>& dirac;
};

Request request_of(Call& call, const kaon_operator* dirac, int count, const double* values,
                   const kaon_solver_options* options, bool masses = false) {
  const kaon_operator& of = current(dirac);
  kaon::require(count > 0, [&] { return fmt::format("count = {} of systems: at least 1 is needed", count); });
  const kaon_solver_options& given = options_or_defaults(options);
  const auto& in = in_precision<double>(of.in, "the operator");
  const std::vector<double> all(values, values + count);
  return {of, all, options_of(call, given, of, masses), in.dirac};
}

}  // namespace

extern "C" {

kaon_status kaon_multi_solver_create(const kaon_operator* dirac, kaon_systems systems, int count, const double* values,
                                     const kaon_solver_options* options, kaon_multi_solver** solver) {
  const Arguments arguments{{"dirac", dirac},
                            {"systems", systems},
                            {"count", count},
                            {"values", values, count},
                            {"options", options, or_defaults},
                            {"solver", solver}};
  return collective(__func__, arguments, [&](Call& call) {
    const bool masses = choice<kaon_systems>(systems, "systems") == KAON_MASSES;
    const auto [of, all, solving, full] = request_of(call, dirac, count, values, options, masses);
    if (masses && !is_staggered(of)) {
      throw Unsupported("only staggered operators are solved for several masses at once");
    }
    if (masses) {
      *solver = new kaon_multi_solver{of.place, all, kaon::MultiMassSolver(full, all, solving), {}, of.links_as_made};
    } else {
      *solver = new kaon_multi_solver{of.place, all, kaon::NormalShiftSolver(full, all, solving), {}, of.links_as_made};
    }
  });
}

kaon_status kaon_multi_solver_create_schur(const kaon_operator* dirac, const kaon_schur_options* schur, int count,
                                           const double* shifts, const kaon_solver_options* options,
                                           kaon_multi_solver** solver) {
  const Arguments arguments{{"dirac", dirac},          {"schur", schur, or_defaults},     {"count", count},
                            {"shifts", shifts, count}, {"options", options, or_defaults}, {"solver", solver}};
  return collective(__func__, arguments, [&](Call& call) {
    const kaon::SchurParameters complement = schur_parameters(schur);
    const auto [of, all, solving, full] = request_of(call, dirac, count, shifts, options);
    if (is_staggered(of)) {
      throw Unsupported("staggered operators are solved for several masses, by kaon_multi_solver_create");
    }
    *solver = new kaon_multi_solver{of.place, all, kaon::NormalShiftSolver(full, complement, all, solving),
                                    complement.parity, of.links_as_made};
  });
}

kaon_status kaon_multi_solver_solve(kaon_multi_solver* solver, kaon_spinor* const* x, const kaon_spinor* b,
                                    kaon_report* reports) {
  const int systems = solver != nullptr ? static_cast<int>(solver->values.size()) : 0;
  return collective(__func__, {{"solver", solver}, {"x", x, systems}, {"b", b}}, [&](Call& call) {
    solver->links_as_made.require_unchanged();
    std::vector<kaon::SpinorField<double>> fields = fields_of(solver->values.size(), x, *b);
    const auto& field = in_precision<double>(b->field, "b");
    const std::vector<kaon::SolveResult> results =
        solver->parity ? solve_on(*solver->parity, std::get<kaon::NormalShiftSolver>(solver->solver), fields, field)
                       : std::visit([&](const auto& chosen) { return chosen.solve(fields, field); }, solver->solver);
    for (std::size_t i = 0; reports != nullptr && i < results.size(); ++i) {
      const std::size_t sides = results[i].right_hand_sides.size();
      for (std::size_t k = 0; k < sides; ++k) reports[i * sides + k] = report_of(results[i], k);
    }
    const bool stopped = std::any_of(results.begin(), results.end(), [](const auto& result) { return result.stopped; });
    call.failure = stopped ? KAON_STOPPED : KAON_NOT_CONVERGED;
    for (std::size_t i = 0; i < results.size(); ++i) {
      kaon::require(results[i].converged(), [&] {
        return fmt::format("the system of {} {} {}: |b - A x| / |b| = {:.3e} after {} iterations",
                           std::holds_alternative<kaon::MultiMassSolver>(solver->solver) ? "mass" : "shift",
                           solver->values[i], stopped ? "was stopped by on_iteration" : "missed the tolerance",
                           results[i].true_residual(), results[i].iterations());
      });
    }
  });
}

void kaon_multi_solver_destroy(kaon_multi_solver** solver) { destroy(solver); }
}
