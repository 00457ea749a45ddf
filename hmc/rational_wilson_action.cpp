// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/pseudofermions.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/hmc/rational_wilson_action.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon {
namespace {

RationalFunctions functions_of(const FermionParameters& quarks, const RationalWilsonParameters& parameters) {
  detail::require_usable(parameters.solver);
  const FermionFamily& family = family_of(quarks.action);
  require(
      family.has_forces && !family.is_staggered() && (!family.reads("mu") || family.is_doublet()),
      "a number of flavours by a rational function is for Wilson, clover and domain wall quarks and twisted doublets "
      "here");
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

/// The function of y = N'^dag N', if there are Pauli-Villars fields.
std::optional<RationalFunctions> pauli_villars_functions(const FermionParameters& quarks,
                                                         const RationalWilsonParameters& parameters) {
  if (!family_of(quarks.action).has_pauli_villars) return std::nullopt;
  const double exponent = 0.25 * parameters.flavors;
  const RationalApproximation root = minimax_power_within(exponent, parameters.range, parameters.errors.value);
  return RationalFunctions{
      .draw = root.inverse().partial_fractions(),
      .value = root.partial_fractions(),
      .force = minimax_power_within(exponent, parameters.range, parameters.errors.force).partial_fractions()};
}

/// The force of 2 Re <w, r(N^dag N) phi> at constant w and phi, with u_i = (N^dag N + b_i)^-1 w and v_i that of phi:
/// d(N^dag N + b_i)^-1 leads to -2 a_i Re [<N v_i, dN u_i> + <N u_i, dN v_i>].
void add_power_force(GaugeField<double>& matrices, const Quark<double>& dirac, const PartialFractions& r,
                     const SpinorField<double>& u, const SpinorField<double>& v) {
  blas::Reals factors;
  for (const double residue : r.residues) factors.push_back(-2.0 * residue);
  SpinorField<double> image(u.lattice(), u.parameters());
  const Schur<double> complement(*dirac, detail::even_complement);
  for (const bool turned : {false, true}) {
    complement.apply(image, turned ? u : v);
    blas::scale(image, factors);
    add_product_force(matrices, *dirac, turned ? v : u, image);
  }
}

}  // namespace

RationalWilsonAction::RationalWilsonAction(const FermionParameters& quarks, const RationalWilsonParameters& parameters)
    : quarks_(quarks),
      parameters_(parameters),
      functions_(functions_of(quarks, parameters)),
      pauli_villars_functions_(pauli_villars_functions(quarks, parameters)) {}

std::string RationalWilsonAction::name() const {
  const std::string one = family_of(quarks_.action).is_doublet() ? "doublet" : "flavour";
  const std::string count = parameters_.flavors == 1.0 ? "one " + one : fmt::format("{} {}s", parameters_.flavors, one);
  return fmt::format("{}, {}, rational{}", count, detail::describe(quarks_),
                     pauli_villars_functions_ ? ", divided by Pauli-Villars fields" : "");
}

void RationalWilsonAction::begin(const GaugeField<double>& links) {
  detail::make_on(links_, links, [&](const GaugeField<double>& own) {
    dirac_.emplace(make_quark(own, quarks_));
    if (!pauli_villars_functions_) return;
    FermionParameters heavier = quarks_;
    heavier.mass = pauli_villars_mass;
    pauli_villars_.emplace(make_quark(own, heavier));
  });
}

double RationalWilsonAction::determinant() const { return -parameters_.flavors * detail::log_determinant(**dirac_); }

SpinorField<double> RationalWilsonAction::apply(const Quark<double>& dirac, const PartialFractions& r,
                                                const SpinorField<double>& psi) {
  return detail::RationalSolves{dirac, parameters_.solver, iterations_}.apply(r, psi);
}

RationalWilsonAction::Solutions RationalWilsonAction::solutions(const Quark<double>& dirac, const PartialFractions& r,
                                                                const SpinorField<double>& psi) {
  Solutions x{SpinorField<double>(psi.lattice(), detail::even_sites(*dirac, r.shifts.size())), {}};
  for (std::size_t i = 0; i < r.shifts.size(); ++i) x.each.push_back(x.all.right_hand_side(i));
  detail::RationalSolves{dirac, parameters_.solver, iterations_}.solve(x.each, r.shifts, psi,
                                                                       parameters_.solver.force_tolerance);
  return x;
}

double RationalWilsonAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  const SpectralRange found = spectrum(links), allowed = parameters_.range;
  if (!(found.lower >= allowed.lower && found.upper <= allowed.upper)) {
    throw SolveError(
        fmt::format("{}: the eigenvalues of N^dag N reach from {:.6g} or below to {:.6g} or above, and the rational "
                    "functions are for [{:.6g}, {:.6g}]: widen the range",
                    name(), found.lower, found.upper, allowed.lower, allowed.upper));
  }
  SpinorField<double> eta(links.lattice(), detail::even_sites(**dirac_));
  set_gaussian(eta, key);
  phi_.emplace(apply(*dirac_, functions_.draw, eta));
  if (pauli_villars_) phi_.emplace(apply(*pauli_villars_, pauli_villars_functions_->draw, *phi_));
  return blas::norm2(eta)[0] + determinant();
}

double RationalWilsonAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const SpinorField<double> root =
      pauli_villars_ ? apply(*dirac_, functions_.value, apply(*pauli_villars_, pauli_villars_functions_->value, phi))
                     : apply(*dirac_, functions_.value, phi);
  return blas::norm2(root)[0] + determinant();
}

void RationalWilsonAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = begin_after_draw(links);
  const PartialFractions& f = functions_.force;
  if (!pauli_villars_) {
    return add_fermion_force(matrices, **dirac_, solutions(*dirac_, f, phi).all, f.residues, parameters_.flavors);
  }
  // S = <g, f(x) g> with g = r(y) phi: that at constant g, and 2 Re <f(x) g, dr(y) phi>
  const PartialFractions& r = pauli_villars_functions_->force;
  const Solutions v = solutions(*pauli_villars_, r, phi);
  const SpinorField<double> g = detail::sum_of(r, phi, v.each);
  const Solutions x = solutions(*dirac_, f, g);
  add_fermion_force(matrices, **dirac_, x.all, f.residues);
  const Solutions u = solutions(*pauli_villars_, r, detail::sum_of(f, g, x.each));
  add_power_force(matrices, *pauli_villars_, r, u.all, v.all);
}

SpectralRange RationalWilsonAction::spectrum(const GaugeField<double>& links) {
  begin(links);
  const SpectralRange own = spectrum(*dirac_);
  if (!pauli_villars_) return own;
  const SpectralRange other = spectrum(*pauli_villars_);
  return {.lower = std::min(own.lower, other.lower), .upper = std::max(own.upper, other.upper)};
}

SpectralRange RationalWilsonAction::spectrum(const Quark<double>& dirac) {
  const Ref<LinearOperator<double>> normal = detail::normal_complement(dirac.exact());
  std::vector<SpinorField<double>> x;
  x.emplace_back(dirac->lattice(), detail::even_sites(*dirac));
  SpinorField<double> b(dirac->lattice(), detail::even_sites(*dirac));
  set_gaussian(b, {.seed = 1});
  const double largest = detail::spectrum_ends(*normal, b).largest;
  // (N^dag N + b_1)^-1 makes the vectors of the smallest eigenvalues the largest.
  constexpr int inverse_iterations = 3;
  const auto solve = detail::make_shift_solver(dirac, detail::normal_complement, {functions_.value.shifts.front()},
                                               1e-3, parameters_.solver);
  double smallest = largest;
  for (int i = 0; i < inverse_iterations; ++i) {
    iterations_ += solve(x, b, {})[0].iterations();  // a solve that ends early makes an estimate that is worse
    const double norm = std::sqrt(blas::norm2(x[0])[0]);
    blas::set_zero(b);
    blas::axpy(b, x[0], 1.0 / norm);
    normal->apply(x[0], b);
    smallest = std::min(smallest, blas::inner_product(b, x[0])[0].real());
  }
  return {.lower = smallest, .upper = largest};
}

}  // namespace kaon
