// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/two_flavor_solves.hpp"

#include "core/tuning/phases.hpp"
#include "core/tuning/tuning.hpp"
#include "hmc/pseudofermions.hpp"
#include "quarks/rung_solver.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/solvers/adapters.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

/// About the square root of the smallest eigenvalue of N^dag N + mu^2, as far as mu or a twisted mass bound it.
double gap_of(const FermionParameters& quarks, double mu) {
  return family_of(quarks.action).reads("mu") ? std::abs(quarks.mu) : mu;
}
/// From this value of `gap_of` on conjugate gradients in 16 bits take at most 1.2 times the iterations of single
/// precision (docs/measurements/solvers/force_precisions.json); for light quarks without mu 1.7 times. Domain wall
/// quarks have no gap here: their hops in 16 bits are not faster.
constexpr double smallest_gap_of_16_bits = 0.02;

}  // namespace

TwoFlavorSolves::TwoFlavorSolves(const FermionParameters& quarks, const SolveOptions& options)
    : quarks_(quarks), options_(options) {
  require_usable(options);
  if (!options_.on_fallback) options_.on_fallback = [](const std::string&) {};
  const FermionFamily& family = family_of(quarks.action);
  require(!family.is_doublet(),
          "a doublet of two masses has |det M| of both flavours by a rational function: take RationalWilsonAction");
  require(family.has_forces,
          [&] { return fmt::format("hybrid Monte Carlo has no forces of these quarks: {}", family.title); });
  require(!family.is_staggered(), "two flavours of staggered quarks are a rational function");
  require(std::isfinite(quarks.mass) && std::isfinite(quarks.mu) && std::isfinite(quarks.csw), [&] {
    return fmt::format("two flavours of quarks need finite numbers, not the mass {}, mu = {} and c_sw = {}",
                       quarks.mass, quarks.mu, quarks.csw);
  });
}

void TwoFlavorSolves::begin(const GaugeField<double>& links) {
  make_on(links_, links, [&](const GaugeField<double>& own) {
    dirac_.reset();  // and its memory
    dirac_.emplace(make_quark(own, quarks_).cached());
    if (solver_ && !(solver_->lattice() == own.lattice())) solver_.reset();
    if (solver_) return update_solver();
    upkeep_.reset();
    left_.reset();
  });
}

void TwoFlavorSolves::update_solver() {
  if (const auto report = solver_->multigrid_report(); report && !upkeep_) {
    upkeep_.emplace(options_.method == KrylovMethod::automatic, seconds_of_first(report->setup_seconds));
  }
  if (!upkeep_) return static_cast<void>(solver_.emplace(solver_->kept(*dirac_)));
  const Upkeep kind = upkeep_->next();
  const double tuning_before = tuning_seconds();
  const Kokkos::Timer timer;
  if (kind == Upkeep::leave) {
    // A trial ends with the levels from before it; after a second step in turn they are given up.
    left_ = solver_->multigrid_report() ? std::move(solver_) : std::nullopt;
    solver_.emplace(*dirac_, options_of_solver(KrylovMethod::bicgstab));
  } else if (kind == Upkeep::rebuild) {
    left_.reset();
    solver_.emplace(*dirac_, options_of_solver(KrylovMethod::multigrid));
  } else {
    if (left_) solver_ = std::exchange(left_, std::nullopt);
    solver_.emplace(kind == Upkeep::keep ? solver_->kept(*dirac_) : solver_->refreshed(*dirac_));
  }
  upkeep_->add_setup(kind, seconds_of_first(timer.seconds() - (tuning_seconds() - tuning_before)));
}

SolveOptions TwoFlavorSolves::options_of_solver(KrylovMethod method) const {
  SolveOptions options = options_;
  options.method = method;
  return options;
}

double TwoFlavorSolves::seconds_of_first(double seconds) const {
  dirac().lattice().communicator().broadcast(&seconds, sizeof seconds);
  return seconds;
}

double TwoFlavorSolves::determinant() const { return -2.0 * log_determinant(dirac()); }

SpinorField<double> TwoFlavorSolves::shifted(const SpinorField<double>& psi, double mu) const {
  SpinorField<double> out = image(psi);
  apply_gamma5(out);
  if (mu != 0.0) blas::caxpy(out, psi, blas::Complexes{{0.0, mu}});
  return out;
}

SpinorField<double> TwoFlavorSolves::image(const SpinorField<double>& psi) const {
  SpinorField<double> out(psi.lattice(), psi.parameters());
  Schur<double>(dirac(), even_complement).apply(out, psi);
  return out;
}

SpinorField<double> TwoFlavorSolves::adjoint(const SpinorField<double>& psi) const {
  SpinorField<double> out(psi.lattice(), psi.parameters());
  Schur<double>(dirac(), even_complement).apply_dagger(out, psi);
  return out;
}

SpinorField<double> TwoFlavorSolves::solve(double mu, const SpinorField<double>& b, double tolerance, long& iterations,
                                           Histories* earlier) {
  const auto history = [&](std::size_t k) { return earlier == nullptr ? nullptr : &(*earlier)[k]; };
  // On N^dag N alone conjugate gradients iterate once, and not for each factor.
  const bool is_normal = twisted() || dirac().is_indefinite() || options_.method == KrylovMethod::cgnr;
  if (mu != 0.0 || is_normal) return solve_normal(mu, b, tolerance, iterations, history(0));
  SpinorField<double> turned = blas::clone(b);  // N^dag = gamma5 N gamma5
  apply_gamma5(turned);
  SpinorField<double> first = solve_factor(turned, tolerance, iterations, history(0));
  apply_gamma5(first);
  return solve_factor(first, tolerance, iterations, history(1));
}

SpinorField<double> TwoFlavorSolves::solve_normal(double mu, const SpinorField<double>& b, double tolerance,
                                                  long& iterations, ForecastHistory* earlier) {
  const auto matrix_of = [mu]<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
    return Shifted<T>(normal_complement(full), mu * mu);
  };
  const Ref<LinearOperator<double>> matrix = matrix_of(dirac_->exact());
  SpinorField<double> x(b.lattice(), b.parameters());
  if (has_solutions(earlier)) {
    earlier->guess(x, b, true,
                   [&](SpinorField<double>& out, const SpinorField<double>& in) { matrix->apply(out, in); });
  }
  const Phase phase(PhaseName::solve);
  const std::vector<SolveRung> rungs = plan_shifts(*dirac_, options_, tolerance).rungs;
  const auto by = [&](const SolveRung& rung) { return rung_solver(*dirac_, rung, matrix, matrix_of); };
  const auto in_single = [&] { return by(rungs.front()); };
  const bool starts_lower = rungs.size() > 1 && gap_of(quarks_, mu) >= smallest_gap_of_16_bits;
  const Ref<Solver<double>> solver =
      starts_lower
          ? Ref<Solver<double>>(Fallback<double>(by(rungs.back()), in_single,
                                                 {.how = "in single precision", .on_fallback = options_.on_fallback}))
          : in_single();
  const SolveResult result = solver->solve(x, b, {.progress = Progress(options_.on_iteration)});
  require_converged(result);
  iterations += result.iterations();
  if (earlier != nullptr) earlier->add(x);
  return x;
}

SpinorField<double> TwoFlavorSolves::solve_factor(const SpinorField<double>& b, double tolerance, long& iterations,
                                                  ForecastHistory* earlier) {
  if (!solver_) solver_.emplace(*dirac_, options_of_solver(options_.method));
  SpinorField<double> source = dirac().make_field(1), solution = dirac().make_field(1);
  SpinorField<double> even = source.parity(even_complement.parity), found = solution.parity(even_complement.parity);
  blas::copy(even, b);
  const double norm = std::sqrt(blas::norm2(b)[0]);
  double left = norm;
  if (has_solutions(earlier)) {
    earlier->guess(found, b, false,
                   [&](SpinorField<double>& out, const SpinorField<double>& in) { blas::copy(out, image(in)); });
    if (upkeep_) {
      SpinorField<double> residual = image(found);
      left = std::sqrt(blas::xmy_norm2(residual, b)[0]);
    }
  }
  const SolveRequest request{.residual_norms = {tolerance * norm}};
  const SolveResult result = solver_->solve(solution, source, request);
  require_converged(result);
  iterations += result.iterations();
  if (upkeep_) upkeep_->add_solve(seconds_of_first(result.seconds), std::log10(left / (tolerance * norm)));
  if (earlier != nullptr) earlier->add(found);
  return blas::clone(found);
}

}  // namespace kaon::detail
