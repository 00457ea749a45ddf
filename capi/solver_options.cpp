// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/solver_options.hpp"

#include <span>

namespace kaon::capi {
namespace {

KrylovMethod method_of(int given, bool staggered) {
  switch (choice<kaon_method>(given, 5, "method")) {
    case KAON_AUTO:
      return KrylovMethod::automatic;
    case KAON_CG:
      return staggered ? KrylovMethod::cg : KrylovMethod::cgnr;
    case KAON_BICGSTAB:
      return KrylovMethod::bicgstab;
    case KAON_GCR:
      return KrylovMethod::gcr_dd;
    case KAON_MULTIGRID:
      if (staggered) {
        throw Unsupported("multigrid is for Wilson-like operators: solve staggered ones by KAON_CG");
      }
      return KrylovMethod::multigrid;
  }
  return KrylovMethod::bicgstab;
}

}  // namespace

PropagatorSolverParameters solver_parameters(const kaon_solver_options& given, bool staggered) {
  PropagatorSolverParameters parameters{.tolerance = given.tolerance,
                                        .max_iterations = given.max_iterations,
                                        .method = method_of(given.method, staggered),
                                        .inner = choice<InnerPrecision>(given.inner, 3, "inner precision"),
                                        .multigrid = {.seed = given.seed}};
  if (given.link_reals != 0) {
    require(given.link_reals == 18 || given.link_reals == 12 || given.link_reals == 8, [&] {
      return fmt::format("link_reals = {}: links are stored in 18, 12 or 8 reals; 0: chosen", given.link_reals);
    });
    parameters.links = static_cast<LinkStorage>(given.link_reals);
  }
  if (given.on_iteration != nullptr) {
    parameters.on_iteration = [call = given.on_iteration, context = given.on_iteration_context](
                                  int iteration, std::span<const double> residuals) {
      call(iteration, static_cast<int>(residuals.size()), residuals.data(), context);
    };
  }
  return parameters;
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
  return report;
}

}  // namespace kaon::capi
