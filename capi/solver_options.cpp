// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/solver_options.hpp"

#include <kaon/io/spinors.hpp>
#include <kaon/operators/staggered.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

/// Calls body(field of kaon.h, member of C++) for each option that is a number.
template <class Body>
void for_each_number(const Body& body) {
  body(&kaon_solver_options::tolerance, &SolveOptions::tolerance);
  body(&kaon_solver_options::max_iterations, &SolveOptions::max_iterations);
  body(&kaon_solver_options::reliable_delta, &SolveOptions::reliable_delta);
  body(&kaon_solver_options::schwarz_steps, &SolveOptions::schwarz_steps);
}

}  // namespace

void copy_numbers(const kaon_solver_options& from, SolveOptions& to) {
  for_each_number([&](auto field, auto member) { to.*member = from.*field; });
}

KrylovMethod krylov_method(int given) {
  return krylov_methods[choice<std::size_t>(given, std::ssize(krylov_methods), "method")].value;
}

void require_method(KrylovMethod method, OperatorKind kind) {
  if (const std::string refusal = detail::refusal_of(method, kind); !refusal.empty()) {
    throw Unsupported("method: " + refusal);
  }
}

std::string name_of(KrylovMethod method) {
  const auto place = std::ranges::find(krylov_methods, method, &SolvingMethod::value) - krylov_methods.begin();
  return names_of<kaon_method>[static_cast<std::size_t>(place)];
}

OperatorKind kind_of(const kaon_operator& dirac) {
  return std::visit([](const auto& in) { return kaon::kind_of(*in.dirac); }, dirac.in);
}

SolveOptions solve_options(Call& call, const kaon_solver_options& given, const kaon_operator& dirac) {
  SolveOptions options{.method = krylov_method(given.method),
                       .inner = choice<InnerPrecision>(given.inner, 3, "inner precision"),
                       .multigrid = {.seed = given.seed}};
  copy_numbers(given, options);
  require(given.outer >= -1 && given.outer <= 1,
          [&] { return fmt::format("outer precision = {} is none of -1, 0 and 1", given.outer); });
  require(given.outer != KAON_DOUBLE || std::holds_alternative<kaon_operator::In<double>>(dirac.in),
          "a solution in double needs an operator in double: make it of links in double");
  if (given.outer == KAON_SINGLE) options.outer = OuterPrecision::single;
  if (suits_asymmetric_form(dirac)) options.schur = SchurForm::asymmetric;
  for_each_solver_number([&](const SolverOption& option, auto member) {
    if (option.reads(options.method) || options.*member == SolveOptions{}.*member) return;
    throw Error(fmt::format("{} is set, but the method is not {}", option.name, name_of(*option.method)));
  });
  if (given.links != 0) {
    options.links = storage_of(given.links);
  } else if (has_third_links_in_no_group(dirac)) {
    options.links = LinkStorage::full;
  }
  if (given.eigenvectors != nullptr) {
    using InDouble = kaon_eigenvectors::Shared<double>;
    require(std::holds_alternative<InDouble>(given.eigenvectors->found),
            "the eigenvectors are in single precision: find those of an operator in double");
    options.eigenvectors = std::get<InDouble>(given.eigenvectors->found);
  }
  if (given.on_iteration != nullptr) {
    options.on_iteration = [call = given.on_iteration, context = given.on_iteration_context](
                               int iteration, std::span<const double> residuals) {
      return call(iteration, static_cast<int>(residuals.size()), residuals.data(), context) != 0;
    };
  }
  require(given.near_null_file == nullptr || options.method == KrylovMethod::multigrid,
          "near_null_file is set, but the method is not multigrid");
  if (given.near_null_file != nullptr) {
    call.failure = KAON_FILE;
    options.multigrid.near_null_vectors =
        std::make_shared<const SpinorField<float>>(io::read_spinors(lattice_of(dirac), given.near_null_file).spinors);
    call.failure = KAON_INVALID;
  }
  return options;
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
  const kaon::SolveOptions defaults;
  kaon::capi::clear(options);
  options->method = KAON_AUTO;
  options->outer = -1;
  options->inner = KAON_INNER_HALF;
  options->seed = defaults.multigrid.seed;
  kaon::capi::for_each_number([&](auto field, auto member) { options->*field = defaults.*member; });
}
