// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/solver_options.hpp"

#include <kaon/io/spinors.hpp>
#include <kaon/operators/improved_staggered.hpp>

#include <fmt/ranges.h>

#include <cstddef>
#include <iterator>
#include <span>
#include <string>

namespace kaon::capi {
namespace {

/// Such links have the weight 1 (`links_from_long`), and cannot be compressed.
bool has_third_links_in_no_group(const kaon_operator& dirac) {
  return std::visit(
      []<class T>(const kaon_operator::In<T>& in) {
        const auto* improved = dynamic_cast<const ImprovedStaggered<T>*>(&*in.dirac);
        return improved != nullptr && improved->parameters().third_weight == 1.0;
      },
      dirac.in);
}

LinkStorage storage_of(int links) {
  for (const LinkStorage storage : {LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                                    LinkStorage::minimal_and_determinant, LinkStorage::minimal}) {
    if (reals(storage) == links) return storage;
  }
  throw Error(fmt::format("links = {}: links are stored in 18, 14, 12, 10 or 8 reals; 0: chosen", links));
}

bool suits_asymmetric_form(const kaon_operator& dirac) {
  return std::visit([](const auto& in) { return in.dirac->suits_asymmetric_form(); }, dirac.in);
}

/// Calls body(name, field of kaon.h, member of C++) for each option that is a number.
template <class Body>
void for_each_number(const Body& body) {
  body("tolerance", &kaon_solver_options::tolerance, &PropagatorSolverParameters::tolerance);
  body("max_iterations", &kaon_solver_options::max_iterations, &PropagatorSolverParameters::max_iterations);
  body("reliable_delta", &kaon_solver_options::reliable_delta, &PropagatorSolverParameters::reliable_delta);
  body("schwarz_steps", &kaon_solver_options::schwarz_steps, &PropagatorSolverParameters::schwarz_steps);
}

}  // namespace

KrylovMethod krylov_method(int given, bool has_normal_system) {
  const auto number = choice<std::size_t>(given, std::ssize(krylov_methods), "method");
  const KrylovMethod method = krylov_methods[number].value;
  return method == KrylovMethod::cg && !has_normal_system ? KrylovMethod::cgnr : method;
}

bool has_normal_system(const kaon_operator& dirac) {
  return std::visit([](const auto& in) { return in.dirac->normal_system(Parity::even) != nullptr; }, dirac.in);
}

PropagatorSolverParameters solver_parameters(const kaon_solver_options& given, const kaon_operator& dirac) {
  PropagatorSolverParameters parameters{.method = krylov_method(given.method, has_normal_system(dirac)),
                                        .inner = choice<InnerPrecision>(given.inner, 3, "inner precision"),
                                        .multigrid = {.seed = given.seed}};
  for_each_number([&](const char*, auto field, auto member) { parameters.*member = given.*field; });
  const OperatorKind kind = std::visit([](const auto& in) { return kind_of(*in.dirac); }, dirac.in);
  if (const std::string refusal = detail::refusal_of(parameters.method, kind); !refusal.empty()) {
    throw Unsupported("method: " + refusal);
  }
  if (suits_asymmetric_form(dirac)) parameters.schur = SchurForm::asymmetric;
  require(
      given.schwarz_steps == PropagatorSolverParameters{}.schwarz_steps || parameters.method == KrylovMethod::gcr_dd,
      "schwarz_steps is set, but the method is not KAON_GCR_DD");
  if (given.links != 0) {
    parameters.links = storage_of(given.links);
  } else if (has_third_links_in_no_group(dirac)) {
    parameters.links = LinkStorage::full;
  }
  if (given.eigenvectors != nullptr) {
    using InDouble = kaon_eigenvectors::Shared<double>;
    require(std::holds_alternative<InDouble>(given.eigenvectors->found),
            "the eigenvectors are in single precision: find those of an operator in double");
    parameters.eigenvectors = std::get<InDouble>(given.eigenvectors->found);
  }
  if (given.on_iteration != nullptr) {
    parameters.on_iteration = [call = given.on_iteration, context = given.on_iteration_context](
                                  int iteration, std::span<const double> residuals) {
      return call(iteration, static_cast<int>(residuals.size()), residuals.data(), context) != 0;
    };
  }
  return parameters;
}

std::shared_ptr<const SpinorField<float>> read_near_null_vectors(const Lattice& lattice, const char* path) {
  return std::make_shared<const SpinorField<float>>(io::read_spinors(lattice, path).spinors);
}

kaon_report report_of(const SolveResult& result, std::size_t k) {
  const SolveResult::RightHandSide& side = result.right_hand_sides[k];
  kaon_report report{};
  report.converged = side.status == SolveStatus::converged ? 1 : 0;
  report.iterations = side.iterations;
  report.fallbacks = side.fallbacks;
  report.residual = side.true_residual;
  report.seconds = result.seconds;
  report.flops = result.flops;
  report.error = side.error;
  report.error_at_least = side.error_at_least ? 1 : 0;
  return report;
}

}  // namespace kaon::capi

extern "C" void kaon_solver_options_init(kaon_solver_options* options) {
  if (options == nullptr) return;
  const kaon::PropagatorSolverParameters defaults;
  *options = {};
  options->size = sizeof(kaon_solver_options);
  options->method = KAON_AUTO;
  options->outer = -1;
  options->inner = KAON_INNER_HALF;
  options->seed = defaults.multigrid.seed;
  kaon::capi::for_each_number([&](const char*, auto field, auto member) { options->*field = defaults.*member; });
}
