// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/multigrid/quenched_field.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/multigrid/multigrid.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

// Setups that start with the near-null vectors of another.
namespace kaon::test {
namespace KAON_TEST_FILE {

using Vectors = std::shared_ptr<const SpinorField<float>>;

Vectors keep(SpinorField<float> vectors) { return std::make_shared<const SpinorField<float>>(std::move(vectors)); }

MultigridParameters begin_with(const Vectors& vectors, MultigridParameters parameters) {
  parameters.near_null_vectors = vectors;
  return parameters;
}

MultigridParameters with_bootstraps(std::optional<int> bootstraps, MultigridParameters parameters = two_levels(8)) {
  parameters.levels[0].bootstraps = bootstraps;
  return parameters;
}

/// With fewer vectors an iteration leaves 0.55 to 0.60 of the residual, and from 0.60 on given vectors are replaced by
/// noise.
MultigridParameters enough_vectors() { return with_bootstraps({}, two_levels(16)); }

int iterations(const WilsonClover<double>& dirac, const Multigrid<double>& multigrid) {
  SpinorField<double> x = dirac.make_field(1);
  const SolveResult result = multigrid.solve(x, noise<double>(dirac, 1));
  EXPECT_TRUE(result.converged());
  return result.iterations();
}

// They are made again as P R v.
TEST(MultigridVectors, ComeBackAsTheyWereGiven) {
  const WilsonClover<double> exact(quenched_links(), at_kappa(0.1345));
  const WilsonClover<float> dirac(exact, LinkStorage::full);
  const Vectors vectors = keep(noise<float>(dirac, 8));
  for (const auto& [precision, rounding] :
       {std::pair(MultigridPrecision::single, 1e-5), std::pair(MultigridPrecision::half, 1e-4)}) {
    MultigridParameters parameters = begin_with(vectors, with_bootstraps(0));
    parameters.vectors = precision;
    const Multigrid multigrid(dirac, parameters);
    EXPECT_EQ(multigrid.report().bootstraps, 0);
    EXPECT_LT(relative_difference(to_host(multigrid.near_null_vectors()), to_host(*vectors)), rounding);
  }
}

TEST(MultigridVectors, OfASetupMakeAnotherAsGood) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1345));
  const MultigridCoarsening first_level{.block = {2, 2, 2, 2}, .vectors = 8}, second_level{{2, 2, 2, 2}, 16};
  for (const bool third : {false, true}) {
    MultigridParameters parameters = two_levels(8);
    if (third) parameters.levels = {first_level, second_level};
    parameters = with_bootstraps(3, parameters);
    const Multigrid first(dirac, parameters);
    const Vectors vectors = keep(first.near_null_vectors());
    EXPECT_EQ(vectors->right_hand_sides(), 8);
    const Multigrid second(dirac, begin_with(vectors, with_bootstraps(0, parameters)));
    EXPECT_EQ(second.report().bootstraps, 0);
    const int wanted = iterations(dirac, first);
    EXPECT_NEAR(iterations(dirac, second), wanted, 2);
    parameters.relaxation_steps = 1;
    EXPECT_GT(iterations(dirac, Multigrid(dirac, with_bootstraps(0, parameters))), wanted + 4) << "noise is as good";
  }
}

TEST(MultigridVectors, ServeAnotherMass) {
  const GaugeField<double> links = quenched_links();
  const WilsonClover<double> dirac(links, at_kappa(0.1345)), lighter(links, at_kappa(0.1350));
  const Multigrid first(dirac, enough_vectors()), updated = first.updated(lighter);
  const Multigrid fresh(lighter, enough_vectors());
  EXPECT_EQ(&updated.solved_operator(), &lighter);
  EXPECT_LE(updated.report().bootstraps, fresh.report().bootstraps);
  EXPECT_LE(iterations(lighter, updated), iterations(lighter, fresh) + 2);
}

TEST(MultigridVectors, ServeAnOperatorThatIsGivenAway) {
  const WilsonClover<double> lighter = small_clover(-0.2);
  const Multigrid first(lighter, small_levels());
  auto given = std::make_unique<WilsonClover<double>>(small_clover(-0.1));
  const LinearOperator<double>* const place = given.get();
  const Multigrid updated = first.updated(std::move(*given));
  ASSERT_NE(&updated.solved_operator(), place) << "borrowed what will be gone";
  given.reset();
  const WilsonClover<double> same = small_clover(-0.1);
  EXPECT_EQ(iterations(same, updated), iterations(same, first.updated(same)));
}

TEST(MultigridVectors, ServeLinksThatChangedALittle) {
  const GaugeField<double> links = quenched_links(), later = changed(links, 0.02);
  const WilsonClover<double> before(links, at_kappa(0.1345)), after(later, at_kappa(0.1345));
  const Vectors vectors = keep(Multigrid(before, with_bootstraps(4)).near_null_vectors());
  const Multigrid fresh(after, with_bootstraps(4)), updated(after, begin_with(vectors, with_bootstraps(0)));
  EXPECT_LE(iterations(after, updated), iterations(after, fresh) + 4);
}

// The cycle of the old links preconditions the new operator: its solutions are those of the new one. At a distance of
// 0.1, where the quark is heavier and levels of the new links need 22 iterations, the old ones need 32 in place of 30.
TEST(MultigridLevels, ServeLinksThatChangedALittle) {
  const GaugeField<double> links = quenched_links();
  const WilsonClover<double> before(links, at_kappa(0.1345));
  const Multigrid first(before, with_bootstraps(4));
  const int wanted = iterations(before, first);
  for (const double size : {0.0, 0.02, 0.1}) {
    const WilsonClover<double> after(changed(links, size), at_kappa(0.1345));
    const Multigrid<double> kept(after, first);
    EXPECT_EQ(&kept.report(), &first.report()) << "a setup";
    EXPECT_EQ(&kept.solved_operator(), &after);
    const int needed = iterations(after, kept);
    if (size == 0.0) {
      EXPECT_EQ(needed, wanted);
    }
    if (size == 0.02) {
      EXPECT_NEAR(needed, wanted, 2);
    }
    if (size == 0.1) {
      EXPECT_GT(needed, wanted);
    }
    EXPECT_LT(needed, 2 * wanted);
  }
}

// Vectors that are noise become near-null vectors, and the cycle remains.
TEST(MultigridLevels, ImproveTheirVectorsWhenTheyAreRefreshed) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1345));
  MultigridParameters parameters = two_levels(8);
  parameters.levels.push_back({.block = {2, 2, 2, 2}, .vectors = 8, .bootstraps = 0});
  parameters.relaxation_steps = 1;
  const Multigrid first(dirac, with_bootstraps(0, parameters)), second = first.refreshed(dirac);
  const int wanted = iterations(dirac, Multigrid(dirac, with_bootstraps(2, parameters)));
  EXPECT_LT(iterations(dirac, second), iterations(dirac, first) - 4);
  EXPECT_LE(iterations(dirac, second.refreshed(dirac)), wanted);
  EXPECT_EQ(second.report().cycle_steps, first.report().cycle_steps);
  EXPECT_EQ(second.report().levels.size(), first.report().levels.size());
  EXPECT_EQ(second.report().levels[1].share, first.report().levels[1].share);
}

// The old levels need 32 iterations, and those of a setup 22.
TEST(MultigridLevels, AreRefreshedForLinksThatChangedALittle) {
  const GaugeField<double> links = quenched_links();
  const WilsonClover<double> before(links, at_kappa(0.1345)), after(changed(links, 0.1), at_kappa(0.1345));
  const Multigrid first(before, with_bootstraps(4)), refreshed = first.refreshed(after);
  EXPECT_EQ(&refreshed.solved_operator(), &after);
  EXPECT_LE(iterations(after, refreshed), 25);
  const GaugeField<double> elsewhere = unit_links<double>(Lattice({.extents = {8, 8, 8, 4}}));
  KAON_EXPECT_ERROR(first.refreshed(WilsonClover<double>(elsewhere, at_kappa(0.12))), "on their own lattice alone");
}

// Such as those of other links.
TEST(MultigridVectors, ThatAreNotNearNullGiveWayToNoise) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1345));
  const Vectors vectors = keep(noise<float>(WilsonClover<float>(dirac, LinkStorage::full), 8));
  std::vector<std::string> steps;
  MultigridParameters parameters = with_bootstraps({});
  parameters.max_bootstraps = 2;
  parameters.on_setup = [&](const std::string& step) { steps.push_back(step); };
  const Multigrid updated(dirac, begin_with(vectors, parameters));
  EXPECT_NE(steps.front().find("beginning with noise instead"), std::string::npos) << steps.front();
  steps.clear();
  const Multigrid fresh(dirac, parameters);
  EXPECT_EQ(steps.front().find("given vectors"), std::string::npos) << steps.front();
  EXPECT_EQ(updated.report().bootstraps, fresh.report().bootstraps);
  EXPECT_EQ(to_host(updated.near_null_vectors()), to_host(fresh.near_null_vectors()));
}

TEST(MultigridVectors, OfWhichThereAreMoreAreTheFirstTaken) {
  const WilsonClover<double> dirac = small_clover();
  const Vectors vectors = keep(Multigrid(dirac, small_levels(10)).near_null_vectors());
  const Multigrid multigrid(dirac, begin_with(vectors, with_bootstraps(0, small_levels())));
  const SpinorField<float> taken = multigrid.near_null_vectors();
  EXPECT_EQ(taken.right_hand_sides(), 8);
  EXPECT_LT(relative_difference(to_host(taken), to_host(vectors->range(0, 8))), 1e-5);
}

Quark<double> clover_at(const GaugeField<double>& links, double kappa) {
  return make_quark(links, {.action = FermionAction::wilson_clover, .mass = mass_from_kappa(kappa), .csw = 1.769});
}

/// The solution for noise.
template <class Solver>
auto solution(const Solver& solver) {
  SpinorField<double> x = solver.make_field(1);
  EXPECT_TRUE(solver.solve(x, noise<double>(solver, 1)).converged());
  return to_host(x);
}

TEST(UpdatedSolver, BeginsItsMultigridWithTheVectorsOfTheOneBefore) {
  const GaugeField<double> links = quenched_links();
  const Quark<double> dirac = clover_at(links, 0.1345), lighter = clover_at(links, 0.1350);
  const SolveOptions parameters{.tolerance = 1e-9, .method = KrylovMethod::multigrid, .multigrid = enough_vectors()};
  const PropagatorSolver<double> first(dirac, parameters), updated = first.updated(lighter);
  SolveOptions with_vectors = parameters;
  with_vectors.multigrid.near_null_vectors = keep(first.near_null_vectors());
  const PropagatorSolver<double> expected(lighter, with_vectors);
  EXPECT_LE(updated.multigrid_report()->bootstraps, 1);
  EXPECT_EQ(solution(updated), solution(expected));
  EXPECT_EQ(&updated.solved_operator(), &*lighter);
  // And again.
  with_vectors.multigrid.near_null_vectors = keep(updated.near_null_vectors());
  EXPECT_EQ(solution(updated.updated(dirac)), solution(PropagatorSolver<double>(dirac, with_vectors)));
}

TEST(UpdatedSolver, IsANewOneWithoutMultigrid) {
  const GaugeField<double> links = small_links();
  const Quark<double> dirac = clover_at(links, 0.120), lighter = clover_at(links, 0.121);
  for (const KrylovMethod method : {KrylovMethod::automatic, KrylovMethod::bicgstab, KrylovMethod::cgnr}) {
    for (const OuterPrecision outer : {OuterPrecision::of_operator, OuterPrecision::single}) {
      const SolveOptions options{.tolerance = 3e-6, .method = method, .outer = outer};
      const PropagatorSolver solver(dirac, options);
      EXPECT_EQ(solution(solver.updated(lighter)), solution(PropagatorSolver(lighter, options)));
    }
  }
}

TEST(UpdatedSolver, RefusesOtherLatticesAndSpins) {
  KAON_EXPECT_ERROR(PropagatorSolver(small_clover()).near_null_vectors(), "choose the method multigrid");
  const GaugeField<double> links = quenched_links();
  const GaugeField<double> elsewhere = unit_links<double>(Lattice({.extents = {8, 8, 8, 4}}));
  const PropagatorSolver<double> solver(clover_at(links, 0.12));
  KAON_EXPECT_ERROR(solver.updated(clover_at(elsewhere, 0.12)), "on the lattice of the one before");
  const Quark<double> staggered = make_quark(links, {.action = FermionAction::staggered, .mass = 0.1});
  KAON_EXPECT_ERROR(solver.updated(staggered),
                    "has the spins and slices of the one before, 4 and 1, but the operator has 1 and 1");
}

TEST(MultigridVectors, ThatDoNotFitAreRefused) {
  const WilsonClover<double> dirac(quenched_links(), at_kappa(0.1345));
  const auto refuse = [&](SpinorField<float> vectors, const std::string& wanted) {
    KAON_EXPECT_ERROR(Multigrid(dirac, begin_with(keep(std::move(vectors)), two_levels(8))), wanted);
  };
  const Lattice& lattice = dirac.lattice();
  const auto random = [](const Lattice& on, const SpinorParameters& shape) {
    SpinorField<float> field(on, shape);
    set_gaussian(field, {.seed = 5});
    return field;
  };
  refuse(random(lattice, {.right_hand_sides = 6}),
         "6 near-null vectors are given, but the first level of multigrid takes 8");
  refuse(random(Lattice({.extents = {8, 8, 8, 4}}), {.right_hand_sides = 8}), "give vectors on the operator's lattice");
  refuse(random(lattice, {.subset = Subset::even, .right_hand_sides = 8}), "on even sites: give fields of 4 spins");
  refuse(random(lattice, {.spins = 1, .right_hand_sides = 8}), "have 1 spins");
  SpinorField<float> bad = random(lattice, {.right_hand_sides = 8});
  std::vector<std::complex<double>> values = bad.to_host(3);
  values[77] = std::numeric_limits<double>::quiet_NaN();
  bad.from_host(values, 3);
  refuse(std::move(bad), "near-null vector 3 is not finite");
  SpinorField<float> zero = random(lattice, {.right_hand_sides = 8});
  values.assign(values.size(), 0.0);
  zero.from_host(values, 5);
  refuse(std::move(zero), "near-null vector 5 is zero everywhere");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
