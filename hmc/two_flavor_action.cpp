// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/link_difference.hpp"
#include "hmc/wilson_operator.hpp"
#include "propagators/shift_solver.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/fermion_force.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/propagators/spin_basis.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

constexpr Parity parity = Parity::even;
constexpr SchurParameters complement = detail::even_complement;

SpinorField<double> copy_of(const SpinorField<double>& field) {
  SpinorField<double> copy(field.lattice(), field.parameters());
  blas::copy(copy, field);
  return copy;
}

/// Re <x, y>
double product(const SpinorField<double>& x, const SpinorField<double>& y) {
  return blas::inner_product(x, y)[0].real();
}

}  // namespace

/// The operator on some links, and solves with it.
class TwoFlavorAction::Solves {
 public:
  Solves(const WilsonCloverParameters& quarks, const ActionSolverParameters& parameters)
      : quarks_(quarks), parameters_(parameters) {}

  /// What comes next is on these links.
  void begin(const GaugeField<double>& links) {
    if (links_ && links_->lattice() == links.lattice() && detail::largest_difference(*links_, links) == 0.0) return;
    links_.emplace(links.clone());
    dirac_.emplace(detail::wilson_operator(*links_, quarks_));
    if (solver_) solver_.emplace(solver_->updated(*dirac_));
  }
  const EvenOddOperator<double>& dirac() const { return **dirac_; }
  /// Null for Wilson's operator.
  const WilsonClover<double>* clover() const { return dynamic_cast<const WilsonClover<double>*>(&dirac()); }
  long iterations() const { return iterations_; }

  /// -2 ln det A on the odd sites
  double determinant() const { return clover() != nullptr ? -2.0 * log_determinants(clover()->site_term()).odd : 0.0; }
  /// Q psi + i mu psi, Q = gamma5 N: (Q + i mu)(Q - i mu) = N^dag N + mu^2.
  SpinorField<double> twisted(const SpinorField<double>& psi, double mu) const {
    SpinorField<double> out(psi.lattice(), psi.parameters());
    Schur<double>(dirac(), complement).apply(out, psi);
    apply_gamma5(out);
    if (mu != 0.0) blas::caxpy(out, psi, blas::Complexes{{0.0, mu}});
    return out;
  }
  /// (N^dag N + mu^2)^-1 b
  SpinorField<double> solve(double mu, const SpinorField<double>& b, double tolerance) {
    if (mu != 0.0) return solve_shifted(mu * mu, b, tolerance);
    SpinorField<double> y = copy_of(b);  // N^dag = gamma5 N gamma5
    apply_gamma5(y);
    y = solve_factor(y, tolerance);
    apply_gamma5(y);
    return solve_factor(y, tolerance);
  }

 private:
  SpinorField<double> solve_shifted(double shift, const SpinorField<double>& b, double tolerance) {
    const auto matrix = []<class T>(const Ref<EvenOddOperator<T>>& full) -> Ref<LinearOperator<T>> {
      return NormalOperator<T>(Schur<T>(full, complement));
    };
    const MultiMassParameters parameters{.max_iterations = parameters_.max_iterations, .inner = parameters_.inner};
    std::vector<SpinorField<double>> x;
    x.emplace_back(b.lattice(), b.parameters());
    count(detail::make_shift_solver(dirac_->in_precisions(), matrix, {shift}, tolerance, parameters)(x, b)[0]);
    return std::move(x[0]);
  }
  /// N^-1 b: the even sites of M^-1 (b, 0).
  SpinorField<double> solve_factor(const SpinorField<double>& b, double tolerance) {
    if (!solver_) {
      solver_.emplace(*dirac_, PropagatorSolverParameters{.tolerance = parameters_.tolerance,
                                                          .max_iterations = parameters_.max_iterations,
                                                          .method = parameters_.method,
                                                          .inner = parameters_.inner,
                                                          .on_fallback = [](const std::string&) {}});
    }
    SpinorField<double> source = dirac().make_field(1), solution = dirac().make_field(1);
    SpinorField<double> even = source.parity(parity);
    blas::copy(even, b);
    const double wanted[] = {tolerance * std::sqrt(blas::norm2(b)[0])};
    count(solver_->solve(solution, source, wanted));
    return copy_of(solution.parity(parity));
  }
  void count(const SolveResult& result) {
    require_converged(result);
    iterations_ += result.iterations();
  }

  WilsonCloverParameters quarks_;
  ActionSolverParameters parameters_;
  std::optional<GaugeField<double>> links_;  // a copy: operators in lower precisions are made of it later
  std::optional<AnyOperator<double>> dirac_;
  std::optional<PropagatorSolver<double>> solver_;
  long iterations_ = 0;
};

TwoFlavorAction::TwoFlavorAction(const WilsonCloverParameters& quarks, const TwoFlavorParameters& parameters)
    : quarks_(quarks), parameters_(parameters), solves_(std::make_unique<Solves>(quarks, parameters.solver)) {
  const auto& [mu, numerator, solver] = parameters;
  require(std::isfinite(quarks.mass) && std::isfinite(quarks.csw) && std::isfinite(quarks.temporal_coefficient()), [&] {
    return fmt::format("two flavours of quarks need finite numbers, not the mass {} and c_sw = {}", quarks.mass,
                       quarks.csw);
  });
  require(std::isfinite(mu) && mu >= 0.0,
          [&] { return fmt::format("mu = {} of two flavours: numbers from 0 on are possible", mu); });
  require(!numerator || (std::isfinite(*numerator) && *numerator > mu), [&] {
    return fmt::format("the ratio of determinants with mu = {} above and {} below: the upper one must be larger",
                       *numerator, mu);
  });
}

TwoFlavorAction::~TwoFlavorAction() = default;

std::string TwoFlavorAction::name() const {
  const std::string quarks = fmt::format("two flavours, mass = {}, c_sw = {}", quarks_.mass, quarks_.csw);
  if (parameters_.numerator_mu)
    return fmt::format("{}, mu = {} over {}", quarks, *parameters_.numerator_mu, parameters_.mu);
  return parameters_.mu == 0.0 ? quarks : fmt::format("{}, mu = {}", quarks, parameters_.mu);
}

double TwoFlavorAction::draw(const GaugeField<double>& links, const RandomKey& key) {
  solves_->begin(links);
  SpinorField<double> eta(links.lattice(), {.subset = Subset::even});
  set_gaussian(eta, key);
  const double norm2 = blas::norm2(eta)[0];
  phi_.emplace(solves_->twisted(eta, parameters_.mu));
  if (!parameters_.numerator_mu) return norm2 + solves_->determinant();
  // (Q + i mu')^-1 = (Q - i mu') (N^dag N + mu'^2)^-1
  const double above = *parameters_.numerator_mu;
  phi_.emplace(solves_->twisted(solves_->solve(above, *phi_, parameters_.solver.tolerance), -above));
  return norm2;
}

double TwoFlavorAction::value(const GaugeField<double>& links) {
  const SpinorField<double>& phi = pseudofermions();
  solves_->begin(links);
  const double inverse = product(phi, solves_->solve(parameters_.mu, phi, parameters_.solver.tolerance));
  if (!parameters_.numerator_mu) return inverse + solves_->determinant();
  return blas::norm2(phi)[0] + weight() * inverse;
}

void TwoFlavorAction::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const SpinorField<double>& phi = pseudofermions();
  solves_->begin(links);
  const SpinorField<double> x = solves_->solve(parameters_.mu, phi, parameters_.solver.force_tolerance);
  const double residues[] = {weight()};
  const WilsonClover<double>* clover = solves_->clover();
  if (clover == nullptr) {
    add_fermion_force(matrices, dynamic_cast<const Wilson<double>&>(solves_->dirac()), x, residues);
    return;
  }
  add_fermion_force(matrices, *clover, x, residues);
  if (!parameters_.numerator_mu) add_determinant_force(matrices, *clover, opposite(parity), 2.0);
}

double TwoFlavorAction::weight() const {
  if (!parameters_.numerator_mu) return 1.0;
  return (*parameters_.numerator_mu - parameters_.mu) * (*parameters_.numerator_mu + parameters_.mu);
}

long TwoFlavorAction::iterations() const { return solves_->iterations(); }

const SpinorField<double>& TwoFlavorAction::pseudofermions() const {
  require(phi_.has_value(), "two flavours have no pseudofermions yet: draw them first");
  return *phi_;
}

std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const WilsonCloverParameters& quarks,
                                                          std::span<const double> mu,
                                                          const ActionSolverParameters& solver) {
  std::vector<std::shared_ptr<ActionTerm>> terms;
  double below = 0.0;
  for (std::size_t k = mu.size(); k > 0; --k) {
    terms.push_back(std::make_shared<TwoFlavorAction>(
        quarks, TwoFlavorParameters{.mu = below, .numerator_mu = mu[k - 1], .solver = solver}));
    below = mu[k - 1];
  }
  terms.push_back(std::make_shared<TwoFlavorAction>(quarks, TwoFlavorParameters{.mu = below, .solver = solver}));
  return terms;
}

}  // namespace kaon
