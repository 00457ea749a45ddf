// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <memory>
#include <optional>
#include <string>

namespace kaon {

/// Two flavours over two heavier ones, |det M|^2 / |det M'|^2, whose operators differ in the twisted mass, in the mass
/// or in c_sw, by pseudofermions phi on the even sites:
///
///   S = <N'^dag phi, (N^dag N)^-1 N'^dag phi> - 2 ln |det A_o| + 2 ln |det A'_o|,
///
/// N = A_e - K_eo A_o^-1 K_oe and N' the asymmetric Schur complements. A doublet of twisted mass mu is such a ratio to
/// a larger mu', times `TwoFlavorAction` of mu': `two_flavor_terms` makes all of them. Each draw is a solve of N', each
/// force one of N. Domain wall quarks are such a ratio to Pauli-Villars fields, m' = 1, or a chain of ratios that ends
/// there; they have no term of a determinant.
///
/// Source: M. Hasenbusch, Phys. Lett. B 519 (2001) 177; of twisted masses C. Urbach, K. Jansen, A. Shindler and U.
/// Wenger, Comput. Phys. Commun. 174 (2006) 87.
class TwoFlavorRatioAction final : public FermionTerm {
 public:
  /// Without a clover term A is a number and no part of S. Throws `Error` for staggered quarks and for numbers that are
  /// not finite.
  TwoFlavorRatioAction(const FermionParameters& quarks, const FermionParameters& heavier,
                       const SolveOptions& solver = {});
  ~TwoFlavorRatioAction() override;

  std::string name() const override;
  /// Throws `Error` where a solve does not converge and where A or A' is singular at a site.
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

 private:
  friend std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const FermionParameters&, std::span<const double>,
                                                                   const SolveOptions&);
  using Solves = std::shared_ptr<detail::TwoFlavorSolves>;
  TwoFlavorRatioAction(const SolveOptions& solver, Solves below, Solves above);

  void begin(const GaugeField<double>& links) override;
  /// (N^dag N)^-1 b of one of them.
  SpinorField<double> solve(const Solves& of, const SpinorField<double>& b, double tolerance);
  /// - 2 ln |det A_o| + 2 ln |det A'_o|
  double determinant() const;

  SolveOptions solver_;
  Solves below_, above_;  // of N and of N', which other terms may share
};

}  // namespace kaon
