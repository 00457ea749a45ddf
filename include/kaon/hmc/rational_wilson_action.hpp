// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/hmc/rational_approximation.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/solve_options.hpp>

#include <optional>
#include <string>
#include <vector>

namespace kaon {

struct RationalWilsonParameters {
  double flavors = 1.0;  ///< N, above 0 and below 2; of twisted doublets, their number
  /// All eigenvalues of N^dag N must lie in it, for domain wall quarks those of Pauli-Villars fields, too.
  /// `RationalWilsonAction::spectrum` finds the ends on a given field; leave room for others.
  SpectralRange range{1e-6, 50.0};
  RationalErrors errors{};
  SolveOptions solver{};  ///< its `method` is not used: all solves are multi-shift conjugate gradients
};

/// N flavours of Wilson, clover or domain wall quarks, or N twisted doublets, |det M|^N, by pseudofermions phi on the
/// even sites and rational functions of x = N^dag N, N = A_e - K_eo A_o^-1 K_oe the asymmetric Schur complement:
///
///   S = <phi, x^(-N/2) phi> - N ln det A_o.
///
/// A strange quark has N = 1; the sign of its determinant is used for positive. A twisted doublet of two masses, charm
/// and strange, has N = 1 as well, fields of both flavours, and det A_o = det(C^2 + mu^2 - epsilon^2). Domain wall
/// quarks are divided by as many Pauli-Villars fields, |det M|^N / |det M'|^N with the mass 1 of M', y = N'^dag N' and
///
///   S = <phi, y^(N/4) x^(-N/2) y^(N/4) phi>.
///
/// Source: M. A. Clark and A. D. Kennedy, Phys. Rev. Lett. 98 (2007) 051601.
class RationalWilsonAction final : public FermionTerm {
 public:
  /// A of Wilson quarks is a number and no part of S. Throws `Error` for other quarks, numbers that are not finite,
  /// other numbers of flavours, and ranges and errors that `minimax_power_within` refuses.
  explicit RationalWilsonAction(const FermionParameters& quarks, const RationalWilsonParameters& parameters = {});

  std::string name() const override;
  /// Throws `Error` where a solve does not converge, where A is singular at a site, and where `spectrum` is not inside
  /// the range, which it looks at each time.
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

  /// Estimates of the smallest eigenvalue of N^dag N, by three inverse iterations, and of the largest one, by 30
  /// Lanczos steps; with Pauli-Villars fields the wider ends of both. The spectrum reaches at least so far.
  SpectralRange spectrum(const GaugeField<double>& links);
  const RationalFunctions& functions() const { return functions_; }

 private:
  void begin(const GaugeField<double>& links) override;
  /// -N ln det A on the odd sites
  double determinant() const;
  SpectralRange spectrum(const Quark<double>& dirac);
  SpinorField<double> apply(const Quark<double>& dirac, const PartialFractions& r, const SpinorField<double>& psi);
  /// Fields with one right-hand side each, and all of them as one field.
  struct Solutions {
    SpinorField<double> all;
    std::vector<SpinorField<double>> each;
  };
  /// (N^dag N + b_i)^-1 psi for a force.
  Solutions solutions(const Quark<double>& dirac, const PartialFractions& r, const SpinorField<double>& psi);

  FermionParameters quarks_;
  RationalWilsonParameters parameters_;
  RationalFunctions functions_;
  /// Functions of y: `draw` is y^(-N/4), `value` and `force` are y^(N/4).
  std::optional<RationalFunctions> pauli_villars_functions_;
  std::optional<GaugeField<double>> links_;
  std::optional<Quark<double>> dirac_, pauli_villars_;
};

}  // namespace kaon
