// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kaon {

struct TwoFlavorParameters {
  double mu = 0.0;  ///< of the denominator
  /// mu' of the numerator: `TwoFlavorAction` is a ratio of determinants then.
  std::optional<double> numerator_mu{};
  /// `method` is that of systems without a shift: those with one have conjugate gradients. `multigrid` keeps its
  /// near-null vectors from step to step.
  /// `method` is that of systems without a shift: those with one have conjugate gradients. `multigrid` keeps its
  /// near-null vectors from step to step.
  SolveOptions solver{};
};

/// The mass of the Pauli-Villars fields that divide determinants of domain wall quarks.
inline constexpr double pauli_villars_mass = 1.0;

namespace detail {
class TwoFlavorSolves;
}

/// Two flavours of quarks, det(M)^2 of Wilson or clover quarks of one mass, or det(M(+m) M(-m)) of a doublet of twisted
/// mass m, by pseudofermions phi on the even sites:
///
///   S = <phi, (N^dag N + mu^2)^-1 phi> - 2 ln |det A_o|,   N = A_e - K_eo A_o^-1 K_oe the asymmetric Schur complement,
///
/// det(N^dag N + mu^2) |det A_o|^2 = exp(-S) after integration over phi. With a numerator
///
///   S = <phi, (N^dag N + mu'^2) (N^dag N + mu^2)^-1 phi>,
///
/// a factor det(N^dag N + mu^2) / det(N^dag N + mu'^2), whose force is smaller by (mu'^2 - mu^2): terms of falling mu,
/// down to 0, are det(M)^2 with forces that can be computed less often the more their solves cost. Twisted quarks have
/// mu = 0 alone, and ratios of their twisted masses: `TwoFlavorRatioAction`.
///
/// Source: M. Hasenbusch, Phys. Lett. B 519 (2001) 177; with a twist on one parity as in M. Luescher and S. Schaefer,
/// Comput. Phys. Commun. 184 (2013) 519.
class TwoFlavorAction final : public FermionTerm {
 public:
  /// Without a clover term A is a number and no part of S. Throws `Error` for staggered quarks, numbers that are not
  /// finite, a negative mu, mu' not above mu, and mu or mu' of twisted quarks.
  explicit TwoFlavorAction(const FermionParameters& quarks, const TwoFlavorParameters& parameters = {});
  ~TwoFlavorAction() override;

  std::string name() const override;
  /// Throws `Error` where a solve does not converge and where A is singular at a site.
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

 private:
  friend std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const FermionParameters&, std::span<const double>,
                                                                   const SolveOptions&);
  TwoFlavorAction(const FermionParameters& quarks, const TwoFlavorParameters& parameters,
                  std::shared_ptr<detail::TwoFlavorSolves> solves);

  void begin(const GaugeField<double>& links) override;
  /// (N^dag N + mu^2)^-1 b
  SpinorField<double> solve(double mu, const SpinorField<double>& b, double tolerance);
  /// Weight of phi^dag (N^dag N + mu^2)^-1 phi in S.
  double weight() const;

  FermionParameters quarks_;
  TwoFlavorParameters parameters_;
  std::shared_ptr<detail::TwoFlavorSolves> solves_;  // of all terms of these quarks
};

/// The terms of det(M)^2 for mu_1 > mu_2 > ... > 0: det(N^dag N + mu_1^2), the ratios of each mu to the next, and that
/// of 0 to the last; from the last to the first, for time scales from the first on. They share operators and solvers.
/// For twisted quarks the mu are twisted masses: |det M(mu_1)|^2, and the ratios |det M(mu_2)|^2 / |det M(mu_1)|^2, ...
/// down to that of the quarks, whose |mu| is below all (`TwoFlavorRatioAction`). For domain wall quarks the mu are
/// masses, and the first ratio is one to Pauli-Villars fields, of mass 1. No mu: one term. Throws `Error` unless the mu
/// fall.
std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const FermionParameters& quarks,
                                                          std::span<const double> mu = {},
                                                          const SolveOptions& solver = {});

}  // namespace kaon
