// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/stout_force.hpp>
#include <kaon/hmc/action_term.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kaon {

/// Stout-smeared links of the links that hybrid Monte Carlo moves, for terms which share them.
class SmearedLinks {
 public:
  /// Throws `Error` as `require_possible`.
  explicit SmearedLinks(const StoutSmearing& smearing);

  const StoutSmearing& smearing() const { return smearing_; }
  /// U^(n) of U. Caches all levels, until it is called with other links. The first call warns of a smearing that is not
  /// stable. Collective. Throws `Error` as `stout_levels`.
  const GaugeField<double>& smear(const GaugeField<double>& links);
  /// V <- V + the matrices of a force with those of `of_smeared`, which are used up, on the U^(n) of the last call
  /// (`add_stout_force`). Collective.
  void add_force(GaugeField<double>& matrices, GaugeField<double>& of_smeared) const;

 private:
  StoutSmearing smearing_;
  std::vector<GaugeField<double>> levels_;
};

/// A term of the action whose links are smeared: S(U) = S'(U^(n)), with the force of S' chained through all levels.
/// Quarks of any family, with all their operators, determinants and solves: on smeared links everything is as on thin
/// ones. Source: C. Morningstar and M. Peardon, hep-lat/0311018.
class SmearedTerm final : public ActionTerm {
 public:
  SmearedTerm(std::shared_ptr<ActionTerm> term, std::shared_ptr<SmearedLinks> links);

  std::string name() const override;
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;
  void set_forecast(int solutions) override { term_->set_forecast(solutions); }
  long iterations() const override { return term_->iterations(); }

 private:
  std::shared_ptr<ActionTerm> term_;
  std::shared_ptr<SmearedLinks> links_;
};

/// The terms on links that are smeared once for all of them.
std::vector<std::shared_ptr<ActionTerm>> smeared_terms(const std::vector<std::shared_ptr<ActionTerm>>& terms,
                                                       const StoutSmearing& smearing);

}  // namespace kaon
