// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/solve_options.hpp>

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
  /// `method` is that of systems without a shift: systems with one are solved by conjugate gradients. `multigrid`
  /// reuses its levels from step to step, and measured seconds choose its setups (docs/multigrid.md).
  SolveOptions solver{};
};

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
/// mu = 0 alone, and ratios of their twisted masses: `TwoFlavorRatioAction`. A without a clover term is a number and no
/// part of S.
///
/// Source: M. Hasenbusch, Phys. Lett. B 519 (2001) 177; with a twist on one parity as in M. Luescher and S. Schaefer,
/// Comput. Phys. Commun. 184 (2013) 519.
class TwoFlavorAction final : public FermionTerm {
 public:
  /// Throws `Error` for staggered quarks, numbers that are not finite, a negative mu, mu' not above mu, and mu or mu'
  /// of twisted quarks.
  explicit TwoFlavorAction(const FermionParameters& quarks, const TwoFlavorParameters& parameters = {});
  /// Shares the operator and the solvers of other terms of the same quarks.
  TwoFlavorAction(const TwoFlavorParameters& parameters, std::shared_ptr<detail::TwoFlavorSolves> solves);
  ~TwoFlavorAction() override;

  std::string name() const override;
  /// Throws `Error` where a solve does not converge and where A is singular at a site.
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

 private:
  void begin(const GaugeField<double>& links) override;
  /// Weight of <phi, (N^dag N + mu^2)^-1 phi> in S.
  double weight() const;

  TwoFlavorParameters parameters_;
  std::shared_ptr<detail::TwoFlavorSolves> solves_;
};

/// Two flavours over two heavier ones, |det M|^2 / |det M'|^2, whose operators differ in the twisted mass, in the mass
/// or in c_sw:
///
///   S = <N'^dag phi, (N^dag N)^-1 N'^dag phi> - 2 ln |det A_o| + 2 ln |det A'_o|.
///
/// A doublet of twisted mass mu is such a ratio to a larger mu', times `TwoFlavorAction` of mu': `two_flavor_terms`
/// makes all of them. Each draw is a solve of N', each force one of N. Domain wall quarks are such a ratio to
/// Pauli-Villars fields, m' = 1, or a chain of ratios that ends there; they have no term of a determinant.
///
/// Source: as above; of twisted masses C. Urbach, K. Jansen, A. Shindler and U. Wenger, Comput. Phys. Commun. 174
/// (2006) 87.
class TwoFlavorRatioAction final : public FermionTerm {
 public:
  /// Throws `Error` for staggered quarks and for numbers that are not finite.
  TwoFlavorRatioAction(const FermionParameters& quarks, const FermionParameters& heavier,
                       const SolveOptions& solver = {});
  /// Shares the operators and the solvers of other terms of the same quarks.
  using Solves = std::shared_ptr<detail::TwoFlavorSolves>;
  TwoFlavorRatioAction(Solves below, Solves above);
  ~TwoFlavorRatioAction() override;

  std::string name() const override;
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

 private:
  void begin(const GaugeField<double>& links) override;
  /// - 2 ln |det A_o| + 2 ln |det A'_o|
  double determinant() const;

  Solves below_, above_;  // of N and of N'
};

/// Returns the heavier quarks of a `TwoFlavorRatioAction`: with this mass if they are domain wall quarks, otherwise
/// with this twisted mass. Throws `Error` for a number that is not larger than that of `quarks`.
FermionParameters heavier_quarks(const FermionParameters& quarks, double number);

/// The terms of det(M)^2 for mu_1 > mu_2 > ... > 0: det(N^dag N + mu_1^2), the ratios of each mu to the next, and that
/// of 0 to the last; from the last to the first, for time scales from the first on. They share operators and solvers.
/// For twisted quarks the mu are twisted masses: |det M(mu_1)|^2, and the ratios |det M(mu_2)|^2 / |det M(mu_1)|^2, ...
/// down to that of the quarks, whose |mu| is below all. For domain wall quarks the mu are masses, and the first ratio
/// is one to Pauli-Villars fields. No mu: one term. Throws `Error` unless the mu fall.
std::vector<std::shared_ptr<ActionTerm>> two_flavor_terms(const FermionParameters& quarks,
                                                          std::span<const double> mu = {},
                                                          const SolveOptions& solver = {});

}  // namespace kaon
