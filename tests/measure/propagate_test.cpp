// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/without_tuning.hpp"
#include "tests/gauge/improved_cases.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/relative_difference.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/measure/domain_wall_walls.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/quark_correlators.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/flavors.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Field = SpinorField<double>;

GaugeField<double> links_on(const Coordinates& extents = {4, 4, 4, 8}, int reach = 1) {
  return weak_links<double>(Lattice({.extents = extents, .reach = reach}), 0.2, 5);
}

/// Returns links for quarks of a family. Solves on this lattice are slow with reach 3, for which it has one lane.
GaugeField<double> links_for(const FermionFamily& family) { return links_on({4, 4, 4, 8}, family.reach()); }

FermionParameters quark_of(FermionAction action, double mass = 0.2) {
  return {.action = action,
          .mass = mass,
          .mu = 0.1,
          .csw = 1.1,
          .u0 = 0.9,
          .m5 = 1.5,
          .slices = 6,
          .b = 1.5,
          .c = 0.5,
          .epsilon = 0.05};
}

/// M x.
Field applied(const Quark<double>& quark, const Field& x) {
  Field out = quark->make_field(x.right_hand_sides());
  quark->apply(out, x);
  return out;
}

Field source_of(const GaugeField<double>& links, int spins, const SourceParameters& source) {
  Field eta(links.lattice(), {.spins = spins, .right_hand_sides = 3 * spins});
  set_sources(eta, source, links);
  return eta;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double bound) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) EXPECT_NEAR(found[t], expected[t], bound * std::abs(expected[t])) << t;
}

const std::vector<double>& values_of(const std::vector<Correlator>& correlators, const std::string& name) {
  return std::ranges::find(correlators, name, &Correlator::name)->values;
}

/// Propagators of each family fulfil the equation of their operator, from each kind of source.
TEST(Propagate, SolvesForTheQuarksOfAllFamilies) {
  int kind = 0;
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::given) continue;
    const GaugeField<double> links = links_for(family);
    const SourceParameters source{.kind = static_cast<SourceKind>(kind++ % 6), .site = {1, 0, 2, 3}, .seed = 7};
    SCOPED_TRACE(std::string(family.name) + " " +
                 std::string(source_kinds[static_cast<std::size_t>(source.kind)].word));
    const FermionParameters parameters = quark_of(family.action);
    const auto found = QuarkSolvers(quark_groups(links, std::vector{parameters}),
                                    {.solver = {.tolerance = 1e-10}, .keep_history = true})
                           .propagate(links, source);
    ASSERT_EQ(found.size(), 1U);
    const QuarkPropagators<double>& quark = found.front();
    require_converged(quark.solve);
    EXPECT_EQ(quark.mass, 0.2);
    const Quark<double> dirac = make_quark(links, parameters);
    const Field eta = source_of(links, family.spins(), source);
    const std::size_t sides = static_cast<std::size_t>(eta.right_hand_sides()) * (family.is_doublet() ? 2 : 1);
    EXPECT_EQ(quark.solve.right_hand_sides.size(), sides);
    ASSERT_FALSE(quark.solve.history.empty());
    EXPECT_EQ(quark.solve.history.front().size(), sides);
    if (family.is_doublet()) {
      for (const int from : {0, 1}) {
        Field psi = dirac->make_field(12), part = dirac->make_field(12), b = dirac->make_field(12);
        for (const int to : {0, 1}) {
          set_flavor(part, quark.propagators[static_cast<std::size_t>(2 * to + from)].field, to);
          blas::add(psi, part);
        }
        set_flavor(b, eta, from);
        EXPECT_LT(relative_difference(applied(dirac, psi), b), 1.1e-10);
      }
    } else if (family.has_slices()) {
      const auto& walls = dynamic_cast<const DomainWall<double>&>(*dirac);
      Field b = dirac->make_field(12), psi = dirac->make_field(12);
      set_wall_source(b, eta, walls);
      require_converged(PropagatorSolver<double>(dirac, {.tolerance = 1e-11}).solve(psi, b));
      walls.apply_b_inverse(psi, psi);
      Field expected(eta.lattice(), eta.parameters());
      take_walls(expected, psi);
      EXPECT_LT(relative_difference(quark.at("propagator"), expected), 1e-8);
      take_midpoint(expected, psi);
      EXPECT_LT(relative_difference(quark.at("midpoint"), expected), 1e-7);
      expect_near(quark.axial_current, axial_current(psi, eta, walls), 1e-6);
    } else {
      EXPECT_LT(relative_difference(applied(dirac, quark.at("propagator")), eta), 1.1e-10);
    }
  }
}

TEST(Propagate, SolvesForMassesWithOneNaikEpsilonTogether) {
  const GaugeField<double> links = links_on({4, 4, 4, 8}, 3);
  std::vector<FermionParameters> quarks;
  for (const auto& [mass, epsilon] : {std::pair(0.2, 0.0), std::pair(0.6, -0.1), std::pair(0.3, 0.0)}) {
    quarks.push_back(quark_of(FermionAction::hisq, mass));
    quarks.back().naik_epsilon = epsilon;
  }
  const std::vector<QuarkGroup> groups = quark_groups(links, quarks);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].places, (std::vector<std::size_t>{0, 2}));
  const SourceParameters source{.kind = SourceKind::wall, .site = {0, 0, 0, 3}};
  const Field eta = source_of(links, 1, source);
  for (const bool single : {false, true}) {
    const double tolerance = single ? 1e-6 : 1e-10;
    const OuterPrecision outer = single ? OuterPrecision::single : OuterPrecision::of_operator;
    QuarkSolvers solvers(groups, {.solver = {.tolerance = tolerance, .outer = outer}, .keep_history = true});
    const auto found = solvers.propagate(links, source);
    ASSERT_EQ(found.size(), 3U);
    for (std::size_t n = 0; n < 3; ++n) {
      require_converged(found[n].solve);
      EXPECT_EQ(found[n].mass, quarks[n].mass);
      EXPECT_LT(relative_difference(applied(make_quark(links, quarks[n]), found[n].at("propagator")), eta),
                1.1 * tolerance);
    }
    EXPECT_EQ(found[0].solve.history, found[2].solve.history);
    EXPECT_NE(found[0].solve.history, found[1].solve.history);
  }
}

/// The solutions in single precision are rounded, and residuals are those of the operator in double.
TEST(Propagate, SolvesInSinglePrecision) {
  const GaugeField<double> links = links_on();
  const FermionParameters parameters = quark_of(FermionAction::wilson_clover);
  const auto found = QuarkSolvers(quark_groups(links, std::vector{parameters}),
                                  {.solver = {.tolerance = 1e-5, .outer = OuterPrecision::single}})
                         .propagate(links, SourceParameters{});
  require_converged(found[0].solve);
  const Field eta = source_of(links, 4, {});
  const double missing = relative_difference(applied(make_quark(links, parameters), found[0].at("propagator")), eta);
  EXPECT_NEAR(missing / found[0].solve.true_residual(), 1.0, 1e-3);
}

TEST(Propagate, GivesAndTakesNearNullVectors) {
  const GaugeField<double> links = links_on({8, 8, 4, 8});
  const std::vector<QuarkGroup> groups = quark_groups(links, std::vector{quark_of(FermionAction::wilson, 0.1)});
  PropagateOptions options{.solver = {.tolerance = 1e-8, .method = KrylovMethod::multigrid}};
  std::vector<bool> is_new;
  options.on_multigrid = [&](const MultigridUse& use) {
    is_new.push_back(use.is_new);
    EXPECT_GE(use.report.levels.size(), 2U);
    options.solver.multigrid.near_null_vectors = std::make_shared<const SpinorField<float>>(use.near_null_vectors());
  };
  const auto found = QuarkSolvers(groups, options).propagate(links, SourceParameters{});
  require_converged(found[0].solve);
  EXPECT_EQ(is_new, (std::vector{true, false}));
  const auto again = QuarkSolvers(groups, options).propagate(links, SourceParameters{});
  require_converged(again[0].solve);
  EXPECT_LE(again[0].solve.iterations(), found[0].solve.iterations() + 1);
  const GaugeField<double> others = links_on();
  try {
    QuarkSolvers(quark_groups(others, std::vector{quark_of(FermionAction::wilson)}), options)
        .propagate(others, SourceParameters{});
    FAIL() << "vectors of another lattice";
  } catch (const ParameterError& error) {
    EXPECT_EQ(error.parameter(), "near_null_file");
  }
}

/// One object solves from many sources with one multigrid; a quark alone is that of its group. Digits are compared
/// without tuning, because launch shapes that GPUs try round differently.
TEST(QuarkSolvers, ServeManySourcesWithOneSetup) {
  const detail::WithoutTuning off;
  const GaugeField<double> links = links_on({8, 8, 4, 8});
  const std::vector quarks{quark_of(FermionAction::wilson, 0.1), quark_of(FermionAction::wilson, 0.2)};
  std::vector<bool> is_new;
  PropagateOptions options{.solver = {.tolerance = 1e-8, .method = KrylovMethod::multigrid}};
  options.on_multigrid = [&](const MultigridUse& use) { is_new.push_back(use.is_new); };
  QuarkSolvers solvers(quark_groups(links, quarks), options);
  for (const int time : {0, 5}) {
    const SourceParameters source{.site = {0, 0, 0, time}};
    const auto found = solvers.propagate(links, source);
    const Field eta = source_of(links, 4, source);
    for (std::size_t n = 0; n < 2; ++n) {
      EXPECT_LT(relative_difference(applied(make_quark(links, quarks[n]), found[n].at("propagator")), eta), 1.1e-8);
    }
    const auto alone = solvers.propagate_one(1, eta);
    EXPECT_EQ(relative_difference(alone.at("propagator"), found[1].at("propagator")), 0.0);
  }
  EXPECT_EQ(std::ranges::count(is_new, true), 2);
  EXPECT_EQ(is_new.size(), 8U);
  KAON_EXPECT_ERROR(solvers.propagate_one(2, source_of(links, 4, {})), "the place of a quark is beyond their number");
}

/// Near-null vectors of one quark do not suit a quark with other fields, and serve the next one with the same.
TEST(QuarkSolvers, ShareNearNullVectorsAmongLikeQuarks) {
  const GaugeField<double> links = links_on();
  const auto walls = [](double mass) {
    FermionParameters quark = quark_of(FermionAction::domain_wall, mass);
    quark.slices = 2;
    return quark;
  };
  const std::vector quarks{quark_of(FermionAction::wilson, 0.1), walls(0.2), quark_of(FermionAction::wilson, 0.2),
                           walls(0.3)};
  std::vector<MultigridReport> setups;
  PropagateOptions options{.solver = {.tolerance = 1e-8, .method = KrylovMethod::multigrid}};
  options.on_multigrid = [&](const MultigridUse& use) {
    if (use.is_new) setups.push_back(use.report);
  };
  const auto found = QuarkSolvers(quark_groups(links, quarks), options).propagate(links, SourceParameters{});
  for (const auto& quark : found) require_converged(quark.solve);
  ASSERT_EQ(setups.size(), quarks.size());
  const auto makes_vectors = [&](std::size_t n) {
    return std::ranges::any_of(setups[n].parts, [](const auto& part) { return part.name == "vectors"; });
  };
  EXPECT_TRUE(makes_vectors(1));
  EXPECT_FALSE(makes_vectors(3)) << "the setup started with vectors";
}

/// Solves of one solver may have another accuracy: the bounds of a solver that is made with them. One family of each
/// kind, and one doublet, have the solvers of all. Digits are compared without tuning.
TEST(QuarkSolvers, SolveToTheAccuracyOfARequest) {
  const detail::WithoutTuning off;
  std::set<std::pair<OperatorKind, bool>> kinds;
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::given || !kinds.emplace(family.kind, family.is_doublet()).second) continue;
    SCOPED_TRACE(std::string(family.name));
    const GaugeField<double> links = links_for(family);
    std::vector<FermionParameters> quarks{quark_of(family.action)};
    if (family.is_staggered()) quarks.push_back(quark_of(family.action, 0.5));
    QuarkSolvers solvers(quark_groups(links, quarks), {.solver = {.tolerance = 1e-11}});
    const Field eta = source_of(links, family.spins(), {});
    const auto loose = std::move(solvers.propagate(0, eta, {}, {.tolerance = 1e-3}).front());
    const auto tight = std::move(solvers.propagate(0, eta).front());
    const auto short_one = std::move(solvers.propagate(0, eta, {}, {.iterations = 3}).front());
    EXPECT_LE(tight.solve.true_residual(), 1e-11);
    EXPECT_LE(loose.solve.true_residual(), 1e-3);
    EXPECT_GT(loose.solve.true_residual(), 1e-10);
    EXPECT_LT(loose.solve.iterations(), tight.solve.iterations());
    EXPECT_EQ(short_one.solve.iterations(), 3);
    QuarkSolvers others(quark_groups(links, quarks), {.solver = {.tolerance = 1e-3}});
    const auto same = std::move(others.propagate(0, eta).front());
    EXPECT_EQ(same.solve.iterations(), loose.solve.iterations());
    EXPECT_EQ(relative_difference(same.propagators.front().field, loose.propagators.front().field), 0.0);
  }
}

/// Digits are compared without tuning.
TEST(QuarkSolvers, SettleTheMethodOfAllLaterSolves) {
  const detail::WithoutTuning off;
  const GaugeField<double> links = links_on();
  const Field eta = source_of(links, 4, {});
  const std::tuple<FermionAction, KrylovMethod, SchurForm> cases[] = {
      {FermionAction::wilson, KrylovMethod::bicgstab, SchurForm::symmetric},
      {FermionAction::domain_wall, KrylovMethod::cgnr, SchurForm::asymmetric}};
  for (const auto& [action, method, form] : cases) {
    const std::vector quarks{quark_of(action, 0.2)};
    QuarkSolvers settled(quark_groups(links, quarks), {.solver = {.tolerance = 1e-4}});
    QuarkSolvers chosen(quark_groups(links, quarks), {.solver = {.tolerance = 1e-4, .method = method, .schur = form}});
    settled.settle_method(0);
    const auto one = std::move(settled.propagate(0, eta).front()), other = std::move(chosen.propagate(0, eta).front());
    EXPECT_EQ(one.solve.iterations(), other.solve.iterations());
    EXPECT_EQ(relative_difference(one.at("propagator"), other.at("propagator")), 0.0);
  }
}

TEST(Propagate, StopsAllGroupsOfRightHandSides) {
  const GaugeField<double> links = links_on();
  const OnIteration twice = [](int iteration, std::span<const double>) { return iteration < 2; };
  for (const FermionAction action : {FermionAction::domain_wall, FermionAction::twisted_doublet}) {
    const PropagatorSolver<double> solver(make_quark(links, quark_of(action)),
                                          {.method = KrylovMethod::cgnr, .on_iteration = twice});
    const auto found = propagate<double>(solver, source_of(links, 4, {}));
    EXPECT_TRUE(found.solve.stopped);
    EXPECT_EQ(found.solve.right_hand_sides.front().iterations, 2);
    EXPECT_EQ(found.solve.right_hand_sides.back().iterations, 1);
  }
}

TEST(Propagate, RefusesNamesThatTheOperatorHasNot) {
  const GaugeField<double> links = links_on();
  const PropagatorSolver<double> solver(make_quark(links, quark_of(FermionAction::twisted_doublet)));
  const Field eta = source_of(links, 4, {});
  const auto found = propagate<double>(solver, eta, std::vector<std::string>{"1_to_0"});
  EXPECT_EQ(found.propagators.size(), 1U);
  EXPECT_EQ(found.solve.right_hand_sides.size(), 12U);
  KAON_EXPECT_ERROR(found.at("0"), "there is no propagator '0': this quark has 1_to_0");
  KAON_EXPECT_ERROR(propagate<double>(solver, eta, std::vector<std::string>{"midpoint"}),
                    "there is no propagator 'midpoint': quarks of this operator have 0, 1_to_0, 0_to_1, 1");
  KAON_EXPECT_ERROR(QuarkSolvers({}), "there is no quark");
}

TEST(Sources, OfParametersAreThoseOfTheirKind) {
  const GaugeField<double> links = links_on();
  const Coordinates site{1, 0, 2, 3};
  Field expected(links.lattice(), {.right_hand_sides = 12});
  const auto expect_same = [&](SourceKind kind) {
    EXPECT_EQ(relative_difference(source_of(links, 4, {.kind = kind, .site = site, .seed = 9}), expected), 0.0);
  };
  set_point_sources(expected, {.site = site});
  expect_same(SourceKind::point);
  gaussian_smear(expected, links, {.width = 2.0, .steps = 20});
  expect_same(SourceKind::gaussian);
  set_z2_wall_source(expected, {.time = 3, .key = {.seed = 9}});
  expect_same(SourceKind::z2_wall);
  for (const auto& [kind, sites] :
       {std::pair(SourceKind::wall, WallSites::all), std::pair(SourceKind::even_wall, WallSites::even),
        std::pair(SourceKind::corner_wall, WallSites::corners)}) {
    set_uniform_wall_sources(expected, {.time = 3, .sites = sites});
    expect_same(kind);
    EXPECT_EQ(number_of_sources({.kind = kind}, links.lattice()), 1.0);
  }
  EXPECT_EQ(number_of_sources({.kind = SourceKind::z2_wall}, links.lattice()), 64.0);
  for (const double width : {1e50, 1e200}) {
    KAON_EXPECT_ERROR(source_of(links, 4, {.kind = SourceKind::gaussian, .width = width}),
                      "in 20 steps grows without bound");
  }
}

/// Without mu, the combinations of a doublet are quarks of two masses; pions of noise are averages over the wall.
TEST(QuarkCorrelators, OfDoubletsAreThoseOfTwoMasses) {
  const GaugeField<double> links = links_on();
  const SourceParameters source{.kind = SourceKind::z2_wall, .site = {0, 0, 0, 3}, .seed = 4};
  std::vector<FermionParameters> quarks(3, quark_of(FermionAction::twisted_clover_doublet));
  quarks[0].mu = 0.0;
  for (const std::size_t n : {1U, 2U}) {
    quarks[n].action = FermionAction::wilson_clover;
    quarks[n].mass = n == 1 ? 0.15 : 0.25;
  }
  const auto found =
      QuarkSolvers(quark_groups(links, quarks), {.solver = {.tolerance = 1e-11}}).propagate(links, source);
  const std::vector<Correlator> doublet = quark_correlators(found[0], source);
  const std::vector<double> light = quark_correlators(found[1], source).front().values;
  std::vector<double> expected = pion_correlator(found[1].at("propagator"), {.source_site = source.site});
  for (double& value : expected) value /= 64.0;
  EXPECT_EQ(light, expected);
  expect_near(values_of(doublet, "plus"), light, 1e-8);
  expect_near(values_of(doublet, "minus"), quark_correlators(found[2], source).front().values, 1e-8);
  const Correlator mixed = pion_of_pair(found[1], found[2], source);
  expect_near(values_of(doublet, "plus_minus"), mixed.values, 1e-8);
  EXPECT_EQ(mixed.effective_masses, effective_mass(mixed.values));
  EXPECT_EQ(values_of(doublet, "pion"), values_of(doublet, "0"));
  EXPECT_EQ(doublet.size(), 8U);
}

/// t counts from the source, also that of the axial current, which fulfils the Ward identity.
TEST(QuarkCorrelators, OfDomainWallQuarksFulfilTheWardIdentity) {
  const GaugeField<double> links = links_on();
  const SourceParameters source{.site = {0, 1, 0, 3}};
  const auto found = QuarkSolvers(quark_groups(links, std::vector{quark_of(FermionAction::domain_wall)}),
                                  {.solver = {.tolerance = 1e-11}})
                         .propagate(links, source);
  const std::vector<Correlator> correlators = quark_correlators(found[0], source);
  const std::vector<double>&pion = correlators.front().values, &m_res = values_of(correlators, "residual_mass"),
        &current = values_of(correlators, "axial_current");
  EXPECT_EQ(correlators.front().effective_masses, effective_mass(pion));
  for (std::size_t t = 1; t < pion.size(); ++t) {
    const double divergence = 2.0 * (0.2 + m_res[t]) * pion[t];
    EXPECT_NEAR(current[t] - current[t - 1], divergence, 1e-8 * divergence) << t;
  }
}

/// Notes how many right-hand sides come together.
class Recorder final : public Solver<double> {
 public:
  explicit Recorder(const PropagatorSolver<double>& solver) : solver_(solver) {}
  using Solver<double>::solve;
  SolveResult solve(Field& x, const Field& b, const SolveRequest& request) const override {
    together.push_back(b.right_hand_sides());
    return solver_.solve(x, b, request);
  }
  const LinearOperator<double>& solved_operator() const override { return solver_.solved_operator(); }
  double tolerance() const override { return solver_.tolerance(); }
  bool shares_work() const override { return solver_.shares_work(); }

  mutable std::vector<int> together;

 private:
  const PropagatorSolver<double>& solver_;
};

/// With 6 slices at most 5 right-hand sides are solved together, in equal groups, and all of them where that saves
/// work.
TEST(Propagate, SolvesForColumnsOfDomainWallsTogether) {
  const DomainWall<double> walls(links_on({4, 4, 4, 4}), {.mass = 0.3, .slices = 6});
  SpinorField<double> eta(walls.lattice(), {.right_hand_sides = 12});
  set_gaussian(eta, {.seed = 3});
  std::vector<QuarkPropagators<double>> quarks;
  for (const KrylovMethod method : {KrylovMethod::cgnr, KrylovMethod::block_cg, KrylovMethod::automatic}) {
    const PropagatorSolver solver(walls, {.tolerance = 1e-10, .method = method});
    const Recorder recorder(solver);
    quarks.push_back(propagate(recorder, eta));
    EXPECT_EQ(recorder.together, method == KrylovMethod::cgnr ? std::vector({4, 4, 4}) : std::vector({12}));
  }
  EXPECT_LE(relative_difference(quarks[0].at("propagator"), quarks[1].at("propagator")), 1e-8);
  EXPECT_LE(relative_difference(quarks[0].at("propagator"), quarks[2].at("propagator")), 1e-8);
}

TEST(QuarkCorrelators, OfStaggeredPairsHaveAnOscillatingPartner) {
  const GaugeField<double> links = links_on({4, 4, 4, 16});
  const SourceParameters source{.kind = SourceKind::corner_wall};
  const std::vector quarks{quark_of(FermionAction::staggered, 0.2), quark_of(FermionAction::staggered, 0.5)};
  const auto found = QuarkSolvers(quark_groups(links, quarks)).propagate(links, source);
  const Correlator pion = pion_of_pair(found[0], found[1], source);
  EXPECT_EQ(pion.values, pion_correlator(found[0].at("propagator"), found[1].at("propagator")));
  EXPECT_EQ(pion.effective_masses, oscillating_effective_mass(pion.values));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
