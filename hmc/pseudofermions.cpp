// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/pseudofermions.hpp"
#include "core/tuning/phases.hpp"
#include "solvers/adapters/forecast.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kaon {
namespace detail {

SpinorParameters even_sites(const EvenOddOperator<double>& dirac, std::size_t right_hand_sides) {
  return dirac.domain().on(Subset::even).with_right_hand_sides(static_cast<int>(right_hand_sides));
}

double log_determinant(const EvenOddOperator<double>& dirac) {
  if (const auto* clover = dynamic_cast<const WilsonClover<double>*>(&dirac)) {
    return log_determinants(clover->site_term()).odd;
  }
  if (const auto* clover = dynamic_cast<const TwistedClover<double>*>(&dirac)) {
    return -0.5 * log_determinants(clover->norm_inverse()).odd;
  }
  const auto* const doublet = dynamic_cast<const TwistedDoublet<double>*>(&dirac);
  if (doublet == nullptr || doublet->clover() == nullptr) return 0.0;
  return -log_determinants(*doublet->norm_inverse()).odd;
}

std::string describe(const FermionParameters& quarks) {
  const FermionFamily& family = family_of(quarks.action);
  std::string text = fmt::format("mass = {:.10g}", quarks.mass);
  if (family.reads("slices")) {
    text += fmt::format(", M5 = {:.10g}, {} slices, b = {:.10g}, c = {:.10g}", quarks.m5, quarks.slices, quarks.b,
                        quarks.c);
  }
  if (family.reads("mu")) text += fmt::format(", twisted mass = {:.10g}", quarks.mu);
  if (family.is_doublet()) text += fmt::format(", epsilon = {:.10g}", quarks.epsilon);
  if (family.reads("csw")) text += fmt::format(", c_sw = {:.10g}", quarks.csw);
  return text;
}

void require_usable(const SolveOptions& solver) {
  for (const double tolerance : {solver.tolerance, solver.force_tolerance}) {
    require(tolerance > 0.0 && tolerance < 1.0, [&] {
      return fmt::format("the tolerance {} of an action's solves does not lie between 0 and 1", tolerance);
    });
  }
  require(solver.max_iterations > 0,
          [&] { return fmt::format("the solves of an action need iterations, not {}", solver.max_iterations); });
}

void RationalSolves::solve(std::span<SpinorField<double>> x, const std::vector<double>& shifts,
                           const SpinorField<double>& psi, double tolerance) const {
  const Phase phase(PhaseName::solve);
  int most = 0;
  for (const SolveResult& result : make_shift_solver(dirac, matrix, shifts, tolerance, options)(x, psi, {})) {
    require_converged(result);
    most = std::max(most, result.iterations());
  }
  iterations += most;
}

SpinorField<double> RationalSolves::apply(const PartialFractions& r, const SpinorField<double>& psi) const {
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < r.shifts.size(); ++i) x.emplace_back(psi.lattice(), psi.parameters());
  solve(x, r.shifts, psi, options.tolerance);
  return sum_of(r, psi, x);
}

SpinorField<double> sum_of(const PartialFractions& r, const SpinorField<double>& psi,
                           std::span<const SpinorField<double>> x) {
  SpinorField<double> sum(psi.lattice(), psi.parameters());
  blas::axpy(sum, psi, r.constant);
  for (std::size_t i = 0; i < x.size(); ++i) blas::axpy(sum, x[i], r.residues[i]);
  return sum;
}

void ForecastHistory::restart(int most) {
  most_ = static_cast<std::size_t>(most);
  solutions_.clear();
}

void ForecastHistory::guess(SpinorField<double>& x, const SpinorField<double>& b, bool is_positive,
                            const Matrix& matrix) const {
  forecast(x, b, solutions_, is_positive ? ForecastNorm::error : ForecastNorm::residual, matrix);
}

void ForecastHistory::add(const SpinorField<double>& x) {
  if (most_ == 0) return;
  if (solutions_.size() == most_) solutions_.pop_back();
  solutions_.emplace(solutions_.begin(), x.lattice(), x.parameters());
  blas::copy(solutions_.front(), x);
}

}  // namespace detail

void FermionTerm::set_forecast(int solutions) {
  for (detail::ForecastHistory& history : earlier_) history.restart(solutions);
}

const SpinorField<double>& FermionTerm::pseudofermions() const {
  require(phi_.has_value(),
          [&] { return fmt::format("{}: there are no pseudofermions yet: draw them first", name()); });
  return *phi_;
}

const SpinorField<double>& FermionTerm::begin_after_draw(const GaugeField<double>& links) {
  const SpinorField<double>& phi = pseudofermions();
  require(phi.lattice() == links.lattice(), [&] {
    return fmt::format(
        "{}: the pseudofermions were drawn on a lattice {} and the links are on another one, {}: draw them "
        "on these links first",
        name(), to_string(phi.lattice().extents()), to_string(links.lattice().extents()));
  });
  begin(links);
  return phi;
}

}  // namespace kaon
