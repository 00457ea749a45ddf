// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/two_flavor_solves.hpp"

#include "hmc/even_complement.hpp"
#include "hmc/link_difference.hpp"
#include "quarks/shift_solver.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kaon::detail {
namespace {

SpinorField<double> copy_of(const SpinorField<double>& field) {
  SpinorField<double> copy(field.lattice(), field.parameters());
  blas::copy(copy, field);
  return copy;
}

}  // namespace

void TwoFlavorSolves::begin(const GaugeField<double>& links) {
  if (are_same(links_, links)) return;
  // An exception below leaves no links behind for which the operators would be believed.
  links_.reset();
  dirac_.reset();
  GaugeField<double> own = links.clone();
  dirac_.emplace(make_quark(own, quarks_).cached());
  if (solver_ && !(solver_->lattice() == links.lattice())) solver_.reset();
  if (solver_) solver_.emplace(solver_->updated(*dirac_));
  links_.emplace(std::move(own));
}

void require_two_flavors(const FermionParameters& quarks) {
  require(!family_of(quarks.action).is_doublet(),
          "a doublet of two masses has |det M| of both flavours by a rational function: take RationalWilsonAction");
  require(family_of(quarks.action).has_forces, [&] {
    return fmt::format("hybrid Monte Carlo has no forces of these quarks: {}", family_of(quarks.action).title);
  });
  require(!family_of(quarks.action).is_staggered(), "two flavours of staggered quarks are a rational function");
  require(std::isfinite(quarks.mass) && std::isfinite(quarks.mu) && std::isfinite(quarks.csw), [&] {
    return fmt::format("two flavours of quarks need finite numbers, not the mass {}, mu = {} and c_sw = {}",
                       quarks.mass, quarks.mu, quarks.csw);
  });
}

bool TwoFlavorSolves::twisted() const {
  return quarks_.action == FermionAction::twisted_mass || quarks_.action == FermionAction::twisted_clover;
}

SpinorParameters TwoFlavorSolves::even_sites() const {
  SpinorParameters shape = dirac().domain();
  shape.subset = Subset::even;
  return shape;
}

double TwoFlavorSolves::determinant() const {
  if (const auto* clover = dynamic_cast<const WilsonClover<double>*>(&dirac())) {
    return -2.0 * log_determinants(clover->site_term()).odd;
  }
  if (const auto* clover = dynamic_cast<const TwistedClover<double>*>(&dirac())) {
    return log_determinants(clover->norm_inverse()).odd;
  }
  return 0.0;
}

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

TwoFlavorSolves::Solution TwoFlavorSolves::solve(double mu, const SpinorField<double>& b, double tolerance) {
  if (mu != 0.0 || twisted() || dirac().is_indefinite()) return solve_shifted(mu * mu, b, tolerance);
  SpinorField<double> turned = copy_of(b);  // N^dag = gamma5 N gamma5
  apply_gamma5(turned);
  Solution first = solve_factor(turned, tolerance);
  apply_gamma5(first.x);
  Solution second = solve_factor(first.x, tolerance);
  return {std::move(second.x), first.iterations + second.iterations};
}

TwoFlavorSolves::Solution TwoFlavorSolves::solve_shifted(double shift, const SpinorField<double>& b, double tolerance) {
  const auto matrix = []<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
    return NormalOperator<T>(Schur<T>(full, even_complement));
  };
  std::vector<SpinorField<double>> x;
  x.emplace_back(b.lattice(), b.parameters());
  const SolveResult result = make_shift_solver(*dirac_, matrix, {shift}, tolerance, options_)(x, b)[0];
  require_converged(result);
  return {std::move(x[0]), result.iterations()};
}

TwoFlavorSolves::Solution TwoFlavorSolves::solve_factor(const SpinorField<double>& b, double tolerance) {
  if (!solver_) {
    SolveOptions options = options_;
    if (!options.on_fallback) options.on_fallback = [](const std::string&) {};
    solver_.emplace(*dirac_, options);
  }
  SpinorField<double> source = dirac().make_field(1), solution = dirac().make_field(1);
  SpinorField<double> even = source.parity(even_complement.parity);
  blas::copy(even, b);
  const SolveRequest request{.residual_norms = {tolerance * std::sqrt(blas::norm2(b)[0])}};
  const SolveResult result = solver_->solve(solution, source, request);
  require_converged(result);
  return {copy_of(solution.parity(even_complement.parity)), result.iterations()};
}

}  // namespace kaon::detail
