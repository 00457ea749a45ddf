// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/even_complement.hpp"
#include "hmc/link_difference.hpp"
#include "hmc/rational_solves.hpp"
#include "hmc/requirements.hpp"
#include "solvers/largest_eigenvalue.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/operators/fermion_force.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/twisted_doublet.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

SpinorParameters even_sites(const AnyOperator<double>& dirac, std::size_t right_hand_sides = 1) {
  SpinorParameters shape = dirac->domain();
  shape.subset = Subset::even;
  shape.right_hand_sides = static_cast<int>(right_hand_sides);
  return shape;
}

bool is_doublet(const FermionParameters& quarks) { return family_of(quarks.action).reads("epsilon"); }

/// N^dag N
constexpr auto normal_complement = []<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
  return NormalOperator<T>(Schur<T>(full, detail::even_complement));
};

RationalFunctions functions_of(const FermionParameters& quarks, const RationalWilsonParameters& parameters) {
  detail::require_usable(parameters.solver);
  require(quarks.action == FermionAction::wilson || quarks.action == FermionAction::wilson_clover || is_doublet(quarks),
          "a number of flavours by a rational function is for Wilson and clover quarks and twisted doublets here");
  require(std::isfinite(quarks.mass) && std::isfinite(quarks.csw) && std::isfinite(quarks.mu) &&
              std::isfinite(quarks.epsilon),
          [&] {
            return fmt::format("quarks need finite numbers, not the mass {}, c_sw = {}, mu = {} and epsilon = {}",
                               quarks.mass, quarks.csw, quarks.mu, quarks.epsilon);
          });
  require(parameters.flavors > 0.0 && parameters.flavors < 2.0, [&] {
    return fmt::format("{} flavours by a rational function: more than 0 and fewer than 2 are possible",
                       parameters.flavors);
  });
  const PowerFactor factor[] = {{-0.5 * parameters.flavors}};
  return rational_functions(factor, parameters.range, parameters.errors);
}

detail::ShiftSolver shifts_solver(const AnyOperator<double>& dirac, const std::vector<double>& shifts, double tolerance,
                                  const ActionSolverParameters& parameters) {
  return detail::make_shift_solver(dirac.in_precisions(), normal_complement, shifts, tolerance,
                                   detail::shift_parameters(parameters));
}

}  // namespace

RationalWilsonAction::RationalWilsonAction(const FermionParameters& quarks, const RationalWilsonParameters& parameters)
    : quarks_(quarks), parameters_(parameters), functions_(functions_of(quarks, parameters)) {}

std::string RationalWilsonAction::name() const {
  std::string text = fmt::format("mass = {:.10g}", quarks_.mass);
  if (is_doublet(quarks_)) {
    text += fmt::format(", twisted mass = {:.10g}, epsilon = {:.10g}", quarks_.mu, quarks_.epsilon);
  }
  if (family_of(quarks_.action).reads("csw")) text += fmt::format(", c_sw = {:.10g}", quarks_.csw);
  const std::string what = is_doublet(quarks_) ? "doublet" : "flavour";
  const std::string count =
      parameters_.flavors == 1.0 ? "one " + what : fmt::format("{} {}s", parameters_.flavors, what);
  return fmt::format("{}, {}, rational", count, text);
}

void RationalWilsonAction::begin(const GaugeField<double>& links) {
  if (detail::are_same(links_, links)) return;
  links_.reset();  // until there is an operator
  GaugeField<double> own = links.clone();
  dirac_.emplace(own, quarks_);
  links_.emplace(std::move(own));
}

double RationalWilsonAction::determinant() const {
  if (const auto* clover = dynamic_cast<const WilsonClover<double>*>(&**dirac_)) {
    return -parameters_.flavors * log_determinants(clover->site_term()).odd;
  }
  if (const auto* doublet = dynamic_cast<const TwistedDoublet<double>*>(&**dirac_)) {
    if (doublet->clover() != nullptr) return parameters_.flavors * log_determinants(*doublet->norm_inverse()).odd;
  }
  return 0.0;
}

SpinorField<double> RationalWilsonAction::apply(const PartialFractions& r, const SpinorField<double>& psi) {
  const ActionSolverParameters& solver = parameters_.solver;
  return detail::apply_rational(r, shifts_solver(*dirac_, r.shifts, solver.tolerance, solver), psi, iterations_);
}

double RationalWilsonAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  const SpectralRange found = spectrum(links), allowed = parameters_.range;
  if (!(found.lower >= allowed.lower && found.upper <= allowed.upper)) {
    throw SolveError(
        fmt::format("{}: the eigenvalues of N^dag N reach from {:.6g} or below to {:.6g} or above, and the rational "
                    "functions are for [{:.6g}, {:.6g}]: widen the range",
                    name(), found.lower, found.upper, allowed.lower, allowed.upper));
  }
  SpinorField<double> eta(links.lattice(), even_sites(*dirac_));
  set_gaussian(eta, key);
  phi_.emplace(apply(functions_.draw, eta));
  return blas::norm2(eta)[0] + determinant();
}

double RationalWilsonAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  return blas::norm2(apply(functions_.value, phi))[0] + determinant();
}

void RationalWilsonAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const PartialFractions& r = functions_.force;
  SpinorField<double> solutions(links.lattice(), even_sites(*dirac_, r.shifts.size()));
  std::vector<SpinorField<double>> x;
  for (std::size_t i = 0; i < r.shifts.size(); ++i) x.push_back(solutions.right_hand_side(i));
  const ActionSolverParameters& solver = parameters_.solver;
  iterations_ += detail::solve_shifts(x, shifts_solver(*dirac_, r.shifts, solver.force_tolerance, solver), phi);
  add_fermion_force(matrices, **dirac_, solutions, r.residues, parameters_.flavors);
}

SpectralRange RationalWilsonAction::spectrum(const GaugeField<double>& links) {
  begin(links);
  const Ref<LinearOperator<double>> normal = normal_complement(dirac_->in_precisions().exact);
  std::vector<SpinorField<double>> x;
  x.emplace_back(links.lattice(), even_sites(*dirac_));
  SpinorField<double> b(links.lattice(), even_sites(*dirac_));
  set_gaussian(b, {.seed = 1});
  const double largest = detail::largest_eigenvalue(*normal, b);
  // (N^dag N + b_1)^-1 makes the vectors of the smallest eigenvalues the largest.
  constexpr int inverse_iterations = 3;
  const auto solve = shifts_solver(*dirac_, {functions_.value.shifts.front()}, 1e-3, parameters_.solver);
  double smallest = largest;
  for (int i = 0; i < inverse_iterations; ++i) {
    iterations_ += solve(x, b)[0].iterations();  // a solve that ends early makes an estimate that is worse
    const double norm = std::sqrt(blas::norm2(x[0])[0]);
    blas::set_zero(b);
    blas::axpy(b, x[0], blas::Reals{1.0 / norm});
    normal->apply(x[0], b);
    smallest = std::min(smallest, blas::inner_product(b, x[0])[0].real());
  }
  return {.lower = smallest, .upper = largest};
}

}  // namespace kaon
