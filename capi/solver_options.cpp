// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/solver_options.hpp"

#include <kaon/operators/improved_staggered.hpp>

#include <span>

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

LinkStorage storage_of(int link_reals) {
  for (const LinkStorage storage : {LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                                    LinkStorage::minimal_and_determinant, LinkStorage::minimal}) {
    if (reals(storage) == link_reals) return storage;
  }
  throw Error(fmt::format("link_reals = {}: links are stored in 18, 14, 12, 10 or 8 reals; 0: chosen", link_reals));
}

}  // namespace

KrylovMethod krylov_method(int given, bool staggered) {
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

bool is_staggered(const kaon_operator& dirac) {
  return std::visit([](const auto& in) { return in.dirac->domain().spins == 1; }, dirac.in);
}

PropagatorSolverParameters solver_parameters(const kaon_solver_options& given, const kaon_operator& dirac) {
  PropagatorSolverParameters parameters{.tolerance = given.tolerance,
                                        .max_iterations = given.max_iterations,
                                        .method = krylov_method(given.method, is_staggered(dirac)),
                                        .inner = choice<InnerPrecision>(given.inner, 3, "inner precision"),
                                        .multigrid = {.seed = given.seed}};
  if (given.link_reals != 0) {
    parameters.links = storage_of(given.link_reals);
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
