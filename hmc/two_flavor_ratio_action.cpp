// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/hmc/two_flavor_ratio_action.hpp>

#include "hmc/describe.hpp"
#include "hmc/requirements.hpp"
#include "hmc/two_flavor_solves.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <fmt/format.h>

#include <utility>

namespace kaon {

TwoFlavorRatioAction::TwoFlavorRatioAction(const FermionParameters& quarks, const FermionParameters& heavier,
                                           const SolveOptions& solver)
    : TwoFlavorRatioAction(solver, std::make_shared<detail::TwoFlavorSolves>(quarks, solver),
                           std::make_shared<detail::TwoFlavorSolves>(heavier, solver)) {}

TwoFlavorRatioAction::TwoFlavorRatioAction(const SolveOptions& solver, Solves below, Solves above)
    : solver_(solver), below_(std::move(below)), above_(std::move(above)) {
  detail::require_usable(solver_);
  detail::require_two_flavors(below_->quarks());
  detail::require_two_flavors(above_->quarks());
}

TwoFlavorRatioAction::~TwoFlavorRatioAction() = default;

std::string TwoFlavorRatioAction::name() const {
  return fmt::format("two flavours, {}, divided by those of {}", detail::describe(below_->quarks()),
                     detail::describe(above_->quarks()));
}

void TwoFlavorRatioAction::begin(const GaugeField<double>& links) {
  below_->begin(links);
  above_->begin(links);
}

double TwoFlavorRatioAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  begin(links);
  SpinorField<double> eta(links.lattice(), below_->even_sites());
  set_gaussian(eta, key);
  // N'^-dag N^dag eta = N' (N'^dag N')^-1 N^dag eta
  phi_.emplace(above_->image(solve(above_, below_->adjoint(eta), solver_.tolerance)));
  return blas::norm2(eta)[0] + determinant();
}

double TwoFlavorRatioAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> chi = above_->adjoint(phi);
  return blas::inner_product(chi, solve(below_, chi, solver_.tolerance))[0].real() + determinant();
}

void TwoFlavorRatioAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> x = solve(below_, above_->adjoint(phi), solver_.force_tolerance);
  // dS = d<chi, (N^dag N)^-1 chi> at constant chi + 2 Re <phi, dN' X>
  const double residues[] = {1.0};
  add_fermion_force(matrices, below_->dirac(), x, residues, 2.0);
  SpinorField<double> twice(phi.lattice(), phi.parameters());
  blas::copy(twice, phi);
  blas::scale(twice, blas::Reals{2.0});
  add_product_force(matrices, above_->dirac(), x, twice, -2.0);
}

SpinorField<double> TwoFlavorRatioAction::solve(const Solves& of, const SpinorField<double>& b, double tolerance) {
  detail::TwoFlavorSolves::Solution solution = of->solve(0.0, b, tolerance);
  iterations_ += solution.iterations;
  return std::move(solution.x);
}

double TwoFlavorRatioAction::determinant() const { return below_->determinant() - above_->determinant(); }

}  // namespace kaon
