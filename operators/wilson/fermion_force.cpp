// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/force_parts.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/fermion_force.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>

namespace kaon {
namespace {

/// The clover term's part of a force.
struct CloverTerm {
  const GaugeField<double>& links;
  WilsonCloverParameters given;
  /// W <- W + w times the derivative of ln |det A| on a parity.
  std::function<void(FieldStrengthDerivative&, Parity, const CloverParameters&, double weight)> add_log_determinant;

  /// The coefficients of A by the field strength.
  CloverParameters coefficients() const {
    require(std::isfinite(given.csw),
            "the force of a clover operator with a given site term needs its c_sw: take add_hop_force and "
            "add_clover_products");
    return {.spatial = given.csw / given.anisotropy.xi0, .temporal = given.temporal_coefficient()};
  }
};

/// Empty for operators without.
std::optional<CloverTerm> clover_term(const EvenOddOperator<double>& dirac) {
  if (const auto* clover = dynamic_cast<const WilsonClover<double>*>(&dirac)) {
    return CloverTerm{
        clover->links(), clover->parameters(),
        [clover](FieldStrengthDerivative& derivative, Parity parity, const CloverParameters& c, double w) {
          add_log_determinant(derivative, clover->site_term_inverse(), parity, c, w);
        }};
  }
  if (const auto* twisted = dynamic_cast<const TwistedClover<double>*>(&dirac)) {
    return CloverTerm{
        twisted->links(), twisted->parameters().untwisted(),
        [twisted](FieldStrengthDerivative& derivative, Parity parity, const CloverParameters& c, double w) {
          add_log_norm_determinant(derivative, twisted->clover(), twisted->norm_inverse(), parity, c, w);
        }};
  }
  const auto* doublet = dynamic_cast<const TwistedDoublet<double>*>(&dirac);
  if (doublet != nullptr && doublet->clover() != nullptr) {
    return CloverTerm{
        doublet->links(), doublet->untwisted(),
        [doublet](FieldStrengthDerivative& derivative, Parity parity, const CloverParameters& c, double w) {
          // ln det A_2 = ln det(C^2 + mu^2 - epsilon^2), twice that of a flavour
          add_log_norm_determinant(derivative, *doublet->clover(), *doublet->norm_inverse(), parity, c, 2.0 * w);
        }};
  }
  require(dynamic_cast<const WilsonLike<double>*>(&dirac) != nullptr,
          "forces of staggered quarks are those of their links: take staggered_force or hisq_force");
  return std::nullopt;
}

/// -2 c_r N X_r
SpinorField<double> weighted_images(const EvenOddOperator<double>& dirac, const SpinorField<double>& solutions,
                                    std::span<const double> residues) {
  require(residues.size() == static_cast<std::size_t>(solutions.right_hand_sides()), [&] {
    return fmt::format("the force of {} solutions with {} residues: each solution needs one",
                       solutions.right_hand_sides(), residues.size());
  });
  blas::Reals factors;
  for (const double residue : residues) {
    require(std::isfinite(residue), [&] { return fmt::format("the residue {} of a force is not finite", residue); });
    factors.push_back(-2.0 * residue);
  }
  SpinorField<double> images(solutions.lattice(), solutions.parameters());
  if (solutions.subset() == Subset::full) {
    dirac.apply(images, solutions);
  } else {
    Schur<double>(dirac, {.form = SchurForm::asymmetric, .parity = parity_of(solutions.subset())})
        .apply(images, solutions);
  }
  blas::scale(images, factors);
  return images;
}

/// V <- V + the matrices of sum_r Re <Y_r, M X_r> - n ln |det A| on parity `left`, of the fields that `make` makes.
/// The coefficients of A are those of the operator unless they are given.
template <class Make>
void add_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const Make& make, Subset subset,
               double flavors, const CloverParameters* given = nullptr) {
  const std::optional<CloverTerm> clover = clover_term(dirac);
  require(flavors == 0.0 || subset != Subset::full, "solutions on all sites have no parity whose determinant is left");
  if (!clover) return add_hop_force(matrices, dirac, make());
  const CloverParameters coefficients = given != nullptr ? *given : clover->coefficients();
  FieldStrengthDerivative derivative(dirac.lattice());
  {
    const ForceFields fields = make();
    add_hop_force(matrices, dirac, fields);
    add_clover_products(derivative, fields, coefficients);
  }
  if (flavors != 0.0) {
    const Parity left = subset == Subset::even ? Parity::odd : Parity::even;
    clover->add_log_determinant(derivative, left, coefficients, -flavors);
  }
  add_field_strength_force(matrices, clover->links, derivative);
}

}  // namespace

ForceFields force_fields(const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                         const SpinorField<double>& y) {
  require(x.parameters() == y.parameters() && x.lattice() == dirac.lattice() && y.lattice() == dirac.lattice(),
          "the two fields of a force must have one shape, on the operator's lattice");
  const SpinorParameters shape = x.parameters().on(Subset::full);
  ForceFields full{SpinorField<double>(x.lattice(), shape), SpinorField<double>(x.lattice(), shape)};
  if (x.subset() == Subset::full) {
    blas::copy(full.x, x);
    blas::copy(full.y, y);
    return full;
  }
  const Parity parity = parity_of(x.subset());
  blas::copy(full.x.parity(parity), x);
  blas::copy(full.y.parity(parity), y);
  SpinorField<double> x_q = full.x.parity(opposite(parity)), y_q = full.y.parity(opposite(parity));
  for (const bool dagger : {false, true}) {
    SpinorField<double>& out = dagger ? y_q : x_q;
    dirac.hop(out, dagger ? y : x, {.term = SiteTerm::none, .dagger = dagger});
    dirac.apply_site_term(out, out, SiteTerm::inverse, dagger);
  }
  return full;
}

void add_fermion_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac,
                       const SpinorField<double>& solutions, std::span<const double> residues, double flavors) {
  const auto make = [&] { return force_fields(dirac, solutions, weighted_images(dirac, solutions, residues)); };
  add_force(matrices, dirac, make, solutions.subset(), flavors);
}

void add_product_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                       const SpinorField<double>& y, double flavors) {
  add_force(
      matrices, dirac, [&] { return force_fields(dirac, x, y); }, x.subset(), flavors);
}

void add_product_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
                       const SpinorField<double>& y, double flavors, const CloverParameters& coefficients) {
  add_force(
      matrices, dirac, [&] { return force_fields(dirac, x, y); }, x.subset(), flavors, &coefficients);
}

void add_determinant_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, Parity parity,
                           double flavors) {
  const std::optional<CloverTerm> clover = clover_term(dirac);
  if (!clover) return;
  FieldStrengthDerivative derivative(dirac.lattice());
  clover->add_log_determinant(derivative, parity, clover->coefficients(), -flavors);
  add_field_strength_force(matrices, clover->links, derivative);
}

}  // namespace kaon
