// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/hmc/rational_approximation.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <optional>
#include <string>

namespace kaon {

struct ExactOneFlavorParameters {
  /// All eigenvalues of the matrix of S must lie in it; an end that is not set is 1/2 or 4/m^2. A function of it draws
  /// pseudofermions, and is no part of S.
  SpectralRange range{not_set, not_set};
  double error = 1e-10;  ///< largest |ln r - ln f| of that function
  SolveOptions solver{};
};

/// One flavour of domain wall quarks over Pauli-Villars fields, det M(m) / det M(1), by pseudofermions phi of four
/// dimensions on all sites and without a rational function in the action or its force:
///
///   S = |phi|^2 - <phi, P_- v_-^T H(m, m)^-1 v_- P_- phi> + <phi, P_+ v_+^T H(m, 1)^-1 v_+ P_+ phi>,
///
/// H(a, b) = R M with a as the mass of the upper chirality and b as that of the lower one, Hermitian. H(1, 1) - H(m, m)
/// = v_+ v_+^T P_+ - v_- v_-^T P_- is of rank one for each chirality, so that S is <phi, X phi> with det X = det H(1,
/// 1) / det H(m, m). With k = -c/b and g(m) = m / (1 + m k^L_s)
///
///   v_+(s) = w k^(L_s-1-s) / b,   v_-(s) = w k^s / b,   w^2 = (b + c) (g(1) - g(m)).
///
/// The poles of X^(-1/2) that a draw solves for are H with masses between m and 1 for one chirality. Two solves for a
/// value or a force, two for each pole of a draw. Source: Y.-C. Chen and T.-W. Chiu, Phys. Lett. B 738 (2014) 55; C.
/// Jung, C. Kelly, R. D. Mawhinney and D. J. Murphy, arXiv:1706.05843, whose shifts of H are these masses.
class ExactOneFlavorAction final : public FermionTerm {
 public:
  /// Throws `Error` for other quarks than domain wall ones, a mass that does not lie between 0 and 1, b + c that is not
  /// positive, and ranges and errors that `minimax_power_within` refuses.
  explicit ExactOneFlavorAction(const FermionParameters& quarks, const ExactOneFlavorParameters& parameters = {});

  std::string name() const override;
  /// Throws `Error` where a solve does not converge, and where S is not |eta|^2 of the noise: eigenvalues lie outside
  /// the range then.
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

  /// X phi at these links, phi of one slice on all sites. Throws `Error` where a solve does not converge.
  SpinorField<double> apply(const GaugeField<double>& links, const SpinorField<double>& phi);

 private:
  /// M with a mass for each chirality, and how it is solved.
  struct System {
    Quark<double> dirac;
    PropagatorSolver<double> solver;
  };

  void begin(const GaugeField<double>& links) override;
  System system(const GaugeField<double>& links, double upper_mass, double lower_mass) const;
  /// w k^n / b
  double weight(int n) const;
  /// The mass whose g is (1 - t) g(m) + t g(1).
  double mass_between(double t) const;
  /// H^-1 v P phi of the upper or the lower chirality.
  SpinorField<double> solve(const System& system, const SpinorField<double>& phi, bool upper, double tolerance,
                            detail::ForecastHistory* earlier = nullptr);
  /// v^T P chi
  SpinorField<double> contracted(const SpinorField<double>& chi, bool upper) const;

  FermionParameters quarks_;
  ExactOneFlavorParameters parameters_;
  PartialFractions root_;  // X^(-1/2)
  std::optional<GaugeField<double>> links_;
  std::optional<System> light_, mixed_;  // H(m, m) and H(m, 1)
};

}  // namespace kaon
