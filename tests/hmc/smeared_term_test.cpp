// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/message.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/hmc/gauge_action.hpp>
#include <kaon/hmc/hybrid_monte_carlo.hpp>
#include <kaon/hmc/smeared_term.hpp>
#include <kaon/hmc/two_flavor_action.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Terms = std::vector<std::shared_ptr<ActionTerm>>;

constexpr StoutSmearing two_levels{.rho = {0.125, 0.125, 0.125, 0.125}, .levels = 2};

/// Clover quarks with a ratio of determinants.
Terms clover_terms() {
  const double above[] = {0.5};
  return two_flavor_terms({.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.2}, above, exact);
}

TEST(SmearedTerm, IsTheTermOnSmearedLinks) {
  const GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  const GaugeField<double> smeared = stout_links(links, {.rho = 0.125, .steps = 2});
  const Terms thin = clover_terms(), chained = smeared_terms(clover_terms(), two_levels);
  for (std::size_t k = 0; k < thin.size(); ++k) {
    const RandomKey key{.seed = 3, .stream = static_cast<std::uint32_t>(k)};
    EXPECT_EQ(chained[k]->draw(links, key), thin[k]->draw(smeared, key));
    EXPECT_EQ(chained[k]->value(links), thin[k]->value(smeared));
    EXPECT_EQ(chained[k]->iterations(), thin[k]->iterations());
    EXPECT_EQ(chained[k]->name(), thin[k]->name() + ", on stout links (rho = 0.125, 2 levels)");
  }
  EXPECT_EQ(smeared_terms(clover_terms(), {.rho = {0.1, 0.1, 0.1, 0.0}})[1]->name(),
            thin[1]->name() + ", on stout links (rho = 0.1, 0.1, 0.1, 0, 1 level)");
}

// The links differ by rounding.
TEST(SmearedTerm, IsThatOfThinLinksWithoutSmearing) {
  const GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  const Terms thin = clover_terms();
  const Terms chained = smeared_terms(clover_terms(), {.rho = {1e-20, 1e-20, 1e-20, 1e-20}, .levels = 3});
  for (std::size_t k = 0; k < thin.size(); ++k) {
    GaugeField<double> found(links.lattice()), wanted(links.lattice());
    for (const auto& [term, momenta] : {std::pair(chained[k], &found), std::pair(thin[k], &wanted)}) {
      GaugeField<double> matrices(links.lattice());
      term->draw(links, {.seed = 3});
      term->add_force(matrices, links);
      kick_momenta(*momenta, matrices, 1.0);
    }
    EXPECT_NEAR(chained[k]->value(links) / thin[k]->value(links), 1.0, 1e-13);
    EXPECT_LT(reference::relative_difference(found.to_host(), wanted.to_host()), 1e-10) << thin[k]->name();
  }
}

// All of Morningstar and Peardon's denominators are 0 there.
TEST(SmearedTerm, HasAForceOnUnitLinks) {
  GaugeField<double> links = unit_links<double>(Lattice({.extents = {4, 4, 4, 4}}));
  for (const auto& term : smeared_terms(clover_terms(), two_levels)) {
    term->draw(links, {.seed = 3});
    expect_force_is_derivative(*term, links, 1e-9);
  }
}

// dH falls as h^4 by an integrator with force gradients.
TEST(SmearedTerm, KeepsTheOrderOfForceGradients) {
  const GaugeField<double> start = rough_links(Lattice({.extents = extents}));
  std::vector<double> changes;
  for (const int steps : {3, 6}) {
    Terms terms = smeared_terms(clover_terms(), two_levels);
    terms.push_back(std::make_shared<GaugeAction>(5.6));
    HybridMonteCarlo hmc({{.terms = terms, .steps = steps, .integrator = Integrator::badab}},
                         {.length = 0.6, .seed = 3});
    GaugeField<double> links = start.clone();
    changes.push_back(hmc.trajectory(links, 1).delta_energy);
  }
  EXPECT_NEAR(changes[0] / changes[1], 16.0, 4.0);
}

TEST(SmearedTerm, WarnsOnceOfUnstableSmearing) {
  std::vector<std::string> warnings;
  const MessageHandler before =
      set_message_handler([&](MessageKind, const std::string& text) { warnings.push_back(text); });
  GaugeField<double> links = rough_links(Lattice({.extents = {4, 4, 4, 4}}));
  const auto smear = [&](const StoutSmearing& smearing) {
    SmearedLinks smeared(smearing);
    (void)smeared.smear(links);
    set_unit(links);
    (void)smeared.smear(links);
  };
  smear(two_levels);
  smear({.rho = {0.14, 0.14, 0.14, 0.0}});
  EXPECT_TRUE(warnings.empty());
  smear({.rho = {0.2, 0.2, 0.2, 0.2}, .levels = 2});
  smear({.rho = {0.0, 0.1, 0.1, 0.2}});
  set_message_handler(before);
  ASSERT_EQ(warnings.size(), 2);
  EXPECT_EQ(warnings[0],
            "stout smearing with rho = 0.2 is unstable: short waves of the links grow from level to level; rho up to "
            "0.125 in each direction is stable");
  EXPECT_TRUE(warnings[1].ends_with("rho up to 0.167 in each direction is stable")) << warnings[1];
}

TEST(SmearedTerm, SaysWhatIsWrong) {
  KAON_EXPECT_ERROR(SmearedLinks({.rho = {0.1, 0.1, 0.1, 0.1}, .levels = -1}), "-1 levels of stout smearing");
  const SmearedLinks none({.rho = {0.1, 0.1, 0.1, 0.1}});
  GaugeField<double> matrices(Lattice({.extents = {4, 4, 4, 4}})), of_smeared(matrices.lattice());
  KAON_EXPECT_ERROR(none.add_force(matrices, of_smeared), "no smeared links yet");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
