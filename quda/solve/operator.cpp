// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/operator.hpp"
#include "quda/solve/normal_matrix.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/even_odd_operator.hpp>
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

/// M on the client's links.
Quark<double> make_operator(const OperatorDescription& given, State& state) {
  const Conventions& conventions = given.conventions();
  const ResidentLinks& resident = state.links(conventions.links);
  require(
      conventions.phases || !resident.factors.staggered_phases,
      "the resident links were loaded with staggered phases (staggered_phase_applied = 1): load those of the Wilson "
      "operator without");
  require(!conventions.phases || resident.factors.staggered_phases,
          "the resident links were loaded without staggered phases (staggered_phase_applied = 0): apply them with "
          "staggeredPhaseQuda, or as MILC does, and load the links with staggered_phase_applied = 1");
  const double weight = resident.factors.spatial;
  FermionParameters quark = given.quark;
  quark.anisotropy = {.xi0 = 1.0 / weight};
  quark.boundary = boundary_of(resident.factors);
  if (conventions.set_weighted != nullptr) conventions.set_weighted(quark, given.kappa, weight);
  if (conventions.long_links) {
    const ResidentLinks& lengthy = state.links(*conventions.long_links);
    require(resident.factors.antiperiodic == lengthy.factors.antiperiodic,
            "fat and long links were loaded with different values of t_boundary");
    return make_quark(links_from_long(resident.links.share(), lengthy.links), quark);
  }
  if (conventions.make_with_clover == nullptr) return make_quark(resident.links, quark);
  // The clover term is a client's, or that of its coefficient.
  const ResidentClover& clover = state.resident_clover();
  require(clover.term.lattice() == resident.links.lattice(), "the resident clover term is on another lattice");
  return conventions.make_with_clover(resident.links, scaled(clover.term, 1.0 / (2.0 * given.kappa)), quark, given.rho);
}

LinkStorage links_in_iterations(const OperatorDescription& given, State& state) {
  const Conventions& conventions = given.conventions();
  return state.links(conventions.long_links.value_or(conventions.links)).sloppy;
}

}  // namespace

void multiply(SpinorField<double>& psi, double factor) {
  if (factor != 1.0) blas::scale(psi, factor);
}

Operator::Operator(const OperatorDescription& description, State& state)
    : description_(description),
      dirac_(make_operator(description, state)),
      iteration_links_(links_in_iterations(description, state)) {
  walls_ = walls_with_mass(dirac_.exact(), description.b_mass);
}

SpinorField<double> Operator::make_field(Subset subset, int right_hand_sides) const {
  return SpinorField<double>(dirac_->lattice(), dirac_->domain().on(subset).with_right_hand_sides(right_hand_sides));
}

void Operator::apply(SpinorField<double>& out, const SpinorField<double>& in, const MatrixDescription& matrix) const {
  if (!matrix.normal) return apply_factor(out, in, matrix, matrix.dagger);
  SpinorField<double> between = make_field(in.subset(), in.right_hand_sides());
  apply_factor(between, in, matrix, matrix.dagger);
  apply_factor(out, between, matrix, !matrix.dagger);
}

void Operator::apply_factor(SpinorField<double>& out, const SpinorField<double>& in, const MatrixDescription& matrix,
                            bool dagger) const {
  if (matrix.one_parity && description_.conventions().hermitian_on_one_parity) {
    return dirac_->normal_system(matrix.parity)->apply(out, in);
  }
  const Ref<LinearOperator<double>> factor = factor_matrix(dirac_.exact(), matrix);
  is_adjoint(dagger) ? adjointable(*factor).apply_dagger(out, in) : factor->apply(out, in);
  multiply(out, scale_of(matrix, *this));
}

void Operator::hop(SpinorField<double>& out, const SpinorField<double>& in, bool dagger) const {
  HopForm<double> form = description_.conventions().hop(description_);
  form.dagger = dagger;
  dirac_->hop(out, in, form);
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

std::shared_ptr<const Operator> operator_of(const OperatorDescription& description) {
  State& resident = state();
  resident.require_running();
  return resident.derived<Recent<const Operator, 1>>().get(
      description.key(), [&] { return std::make_shared<const Operator>(description, resident); });
}

}  // namespace kaon::quda
