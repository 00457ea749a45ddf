// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/operator.hpp"
#include "quda/solve/normal_matrix.hpp"
#include "quda/state/recent.hpp"
#include "quda/state/spinors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/twisted_doublet.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <fmt/format.h>

#include <numbers>

namespace kaon::quda {
namespace {

BoundaryAngles boundary_of(const LinkFactors& factors) {
  BoundaryAngles angles{};
  if (factors.antiperiodic) angles[3] = std::numbers::pi;
  return angles;
}

const ResidentLinks& wilson_links(State& state) {
  const ResidentLinks& resident = state.links(LinkKind::wilson);
  require(
      !resident.factors.staggered_phases,
      "the resident links were loaded with staggered phases (staggered_phase_applied = 1): load those of the Wilson "
      "operator without");
  return resident;
}

/// M5 of domain wall quarks for which the diagonal of D_W is QUDA's 4 + m5 at any anisotropy.
double height_of(double m5, double weight) {
  const double height = 3.0 * (weight - 1.0) + m5;
  require(height > 0.0, [&] {
    return fmt::format("m5 = {} with anisotropy = {:.6g}: 3 (1/anisotropy - 1) - m5 = {:.6g} must be positive", -m5,
                       1.0 / weight, height);
  });
  return height;
}

Quark<double> wilson_operator(const OperatorDescription& given, State& state) {
  const ResidentLinks& resident = wilson_links(state);
  const double weight = resident.factors.spatial;
  FermionParameters quark = given.quark;
  quark.anisotropy = {.xi0 = 1.0 / weight};
  quark.boundary = boundary_of(resident.factors);
  if (given.is_domain_wall()) {
    quark.m5 = height_of(quark.m5, weight);
  } else {
    quark.mass = 1.0 / (2.0 * given.kappa) - 1.0 - 3.0 * weight;
  }
  if (!given.family().reads("csw")) return make_quark(resident.links, quark);
  // The clover term is a client's, or that of its coefficient.
  const ResidentClover& clover = state.clover();
  require(clover.term.lattice() == resident.links.lattice(), "the resident clover term is on another lattice");
  const WilsonHopParameters hop{.anisotropy = quark.anisotropy, .boundary = quark.boundary};
  const CloverField<double> term = scaled(clover.term, 1.0 / (2.0 * given.kappa));
  if (given.family().is_doublet()) return TwistedDoublet<double>(resident.links, term, quark.mu, quark.epsilon, hop);
  if (!given.family().reads("mu")) return WilsonClover<double>(resident.links, term, hop);
  std::array<double, 2> rho{};
  rho[given.rho_parity == Parity::even ? 0 : 1] = given.rho;
  return TwistedClover<double>(resident.links, term, quark.mu, hop, rho);
}

Quark<double> staggered_operator(const OperatorDescription& given, State& state) {
  FermionParameters quark = given.quark;
  if (quark.action == FermionAction::staggered) {
    const ResidentLinks& resident = state.links(LinkKind::wilson);
    require(resident.factors.staggered_phases,
            "the resident links were loaded without staggered phases (staggered_phase_applied = 0): apply them with "
            "staggeredPhaseQuda, or as MILC does, and load the links with staggered_phase_applied = 1");
    quark.boundary = boundary_of(resident.factors);
    return make_quark(resident.links, quark);
  }
  const ResidentLinks& fat = state.links(LinkKind::fat);
  const ResidentLinks& lengthy = state.links(LinkKind::long_links);
  require(fat.factors.antiperiodic == lengthy.factors.antiperiodic,
          "fat and long links were loaded with different values of t_boundary");
  quark.boundary = boundary_of(fat.factors);
  return make_quark(links_from_long(fat.links.share(), lengthy.links), quark);
}

Quark<double> make_operator(const OperatorDescription& given, State& state) {
  return given.is_staggered() ? staggered_operator(given, state) : wilson_operator(given, state);
}

LinkStorage links_in_iterations(const OperatorDescription& given, State& state) {
  const ResidentLinks& links =
      state.links(given.quark.action == FermionAction::improved ? LinkKind::long_links : LinkKind::wilson);
  return links.sloppy;
}

}  // namespace

void multiply(SpinorField<double>& psi, double factor) {
  if (factor != 1.0) blas::scale(psi, blas::Reals(static_cast<std::size_t>(psi.right_hand_sides()), factor));
}

Operator::Operator(const OperatorDescription& description, State& state)
    : description_(description),
      dirac_(make_operator(description, state)),
      iteration_links_(links_in_iterations(description, state)) {
  if (description.is_domain_wall()) walls_ = walls_with_mass(dirac_.exact(), description.b_mass);
}

SpinorField<double> Operator::make_field(Subset subset, int right_hand_sides) const {
  SpinorParameters parameters = dirac_->domain();
  parameters.subset = subset;
  parameters.right_hand_sides = right_hand_sides;
  return SpinorField<double>(dirac_->lattice(), parameters);
}

void Operator::apply(SpinorField<double>& out, const SpinorField<double>& in, const MatrixDescription& matrix) const {
  if (!matrix.normal) return apply_factor(out, in, matrix, matrix.dagger);
  SpinorField<double> between = make_field(in.subset(), in.right_hand_sides());
  apply_factor(between, in, matrix, matrix.dagger);
  apply_factor(out, between, matrix, !matrix.dagger);
}

void Operator::apply_factor(SpinorField<double>& out, const SpinorField<double>& in, const MatrixDescription& matrix,
                            bool dagger) const {
  if (matrix.one_parity && description_.is_staggered()) {
    return dirac_->normal_system(matrix.parity)->apply(out, in);
  }
  const Ref<LinearOperator<double>> factor = factor_matrix(dirac_.exact(), matrix);
  is_adjoint(dagger) ? adjointable(*factor).apply_dagger(out, in) : factor->apply(out, in);
  multiply(out, scale_of(matrix, *this));
}

void Operator::hop(SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const {
  if (description_.is_staggered()) return dirac_->hop(out, in, {.scale = -1.0, .dagger = dagger});
  if (description_.quark.action == FermionAction::wilson || description_.is_domain_wall()) {
    return dirac_->hop(out, in, {.scale = 2.0, .dagger = dagger});
  }
  // (A/(2 kappa))^-1 D/2 = kappa A^-1 D
  dirac_->hop(out, in, {.term = SiteTerm::inverse, .scale = 1.0 / description_.kappa, .dagger = dagger});
}

void Operator::hop_behind_term(SpinorField<double>& out, const SpinorField<double>& in) const {
  SpinorField<double> divided(in.lattice(), in.parameters());
  site_term(divided, in, true, true);
  dirac_->hop(out, divided, {.scale = 2.0, .dagger = true});
}

void Operator::site_term(SpinorField<double>& out, const SpinorField<double>& in, bool inverse, bool dagger) const {
  dirac_->apply_site_term(out, in, inverse ? SiteTerm::inverse : SiteTerm::diagonal, dagger);
  const double factor = inverse ? 1.0 / scale() : scale();
  multiply(out, factor);
}

double Operator::scale() const {
  if (description_.has_coefficients_by_slice()) return 1.0;
  if (description_.is_domain_wall()) return 1.0 / (description_.quark.b * (4.0 - description_.quark.m5) + 1.0);
  return description_.is_staggered() ? 1.0 : 2.0 * description_.kappa;
}

void Operator::conjugate(SpinorField<double>& psi) const {
  if (description_.family().has_slices()) return apply_reflected_gamma5(psi);
  if (!description_.is_staggered()) return apply_gamma5(psi);
  SpinorField<double> odd = psi.parity(Parity::odd);
  multiply(odd, -1.0);
}

std::shared_ptr<const Operator> operator_of(const OperatorDescription& description) {
  State& resident = state();
  resident.require_running();
  return resident.derived<Recent<const Operator, 1>>().get(
      description.key(), [&] { return std::make_shared<const Operator>(description, resident); });
}

}  // namespace kaon::quda
