// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/link_difference.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/hmc/smeared_term.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kaon {

namespace {

/// "0.125", or the numbers of x, y, z and t.
std::string describe(const std::array<double, 4>& rho) {
  const bool is_isotropic = std::ranges::count(rho, rho[0]) == 4;
  return is_isotropic ? fmt::format("{:.10g}", rho[0]) : fmt::format("{:.10g}", fmt::join(rho, ", "));
}

void warn_unless_stable(const StoutSmearing& smearing, const Communicator& communicator) {
  if (is_stable(smearing) || communicator.rank() != 0) return;
  detail::tell(
      MessageKind::warning,
      fmt::format("stout smearing with rho = {} is unstable: short waves of the links grow from level to level; "
                  "rho up to {:.3g} in each direction is stable",
                  describe(smearing.rho), smearing.omitted() ? 1.0 / 6.0 : 1.0 / 8.0));
}

}  // namespace

SmearedLinks::SmearedLinks(const StoutSmearing& smearing) : smearing_(smearing) { require_possible(smearing); }

const GaugeField<double>& SmearedLinks::smear(const GaugeField<double>& links) {
  if (levels_.empty()) warn_unless_stable(smearing_, links.lattice().communicator());
  if (levels_.empty() || !detail::are_same(levels_.front(), links)) {
    levels_.clear();  // frees their memory, and an exception leaves no others behind
    levels_ = stout_levels(links, smearing_);
  }
  return levels_.back();
}

void SmearedLinks::add_force(GaugeField<double>& matrices, GaugeField<double>& of_smeared) const {
  require(!levels_.empty(), "there are no smeared links yet for a force: smear links first");
  add_stout_force(matrices, levels_, smearing_, of_smeared);
}

SmearedTerm::SmearedTerm(std::shared_ptr<ActionTerm> term, std::shared_ptr<SmearedLinks> links)
    : term_(std::move(term)), links_(std::move(links)) {}

std::string SmearedTerm::name() const {
  const auto& [rho, levels] = links_->smearing();
  return fmt::format("{}, on stout links (rho = {}, {} level{})", term_->name(), describe(rho), levels,
                     levels == 1 ? "" : "s");
}

double SmearedTerm::draw(const GaugeField<double>& links, const RandomKey& key) {
  return term_->draw(links_->smear(links), key);
}

double SmearedTerm::value(const GaugeField<double>& links) { return term_->value(links_->smear(links)); }

void SmearedTerm::add_force(GaugeField<double>& matrices, const GaugeField<double>& links) {
  const GaugeField<double>& smeared = links_->smear(links);
  GaugeField<double> of_smeared(smeared.lattice());
  term_->add_force(of_smeared, smeared);
  links_->add_force(matrices, of_smeared);
}

std::vector<std::shared_ptr<ActionTerm>> smeared_terms(const std::vector<std::shared_ptr<ActionTerm>>& terms,
                                                       const StoutSmearing& smearing) {
  const auto links = std::make_shared<SmearedLinks>(smearing);
  std::vector<std::shared_ptr<ActionTerm>> smeared;
  for (const auto& term : terms) smeared.push_back(std::make_shared<SmearedTerm>(term, links));
  return smeared;
}

}  // namespace kaon
