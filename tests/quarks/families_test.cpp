// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/without_tuning.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/parameter_error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr FermionAction all_actions[] = {FermionAction::wilson, FermionAction::wilson_clover,
                                         FermionAction::twisted_mass, FermionAction::twisted_clover,
                                         FermionAction::staggered};

FermionParameters parameters_of(FermionAction action) {
  return {.action = action,
          .mass = 0.2,
          .mu = 0.1,
          .csw = 1.2,
          .boundary = {0.1, 0.0, 0.0, 1.0},
          .u0 = 0.9,
          .naik_epsilon = -0.1,
          .epsilon = 0.15};
}

/// A field of the operator's shape, full of numbers.
template <class T>
SpinorField<T> noise(const Quark<T>& dirac) {
  SpinorField<T> b = dirac->make_field(2);
  set_gaussian(b, {.seed = 11});
  return b;
}

template <class T>
void expect_equal(const SpinorField<T>& a, const SpinorField<T>& b) {
  for (int k = 0; k < 2; ++k) EXPECT_EQ(a.to_host(k), b.to_host(k));
}

template <class T, class Dirac>
void expect_operator(const GaugeField<T>& links, FermionAction action, const Dirac& expected) {
  const Quark<T> dirac = make_quark(links, parameters_of(action));
  const SpinorField<T> in = noise(dirac);
  SpinorField<T> out = dirac->make_field(2), wanted = dirac->make_field(2);
  dirac->apply(out, in);
  expected.apply(wanted, in);
  expect_equal(out, wanted);
  const PropagatorSolver<T> any(dirac, {.tolerance = reachable<T>}), named(expected, {.tolerance = reachable<T>});
  SpinorField<T> x = dirac->make_field(2), y = dirac->make_field(2);
  require_converged(any.solve(x, in));
  require_converged(named.solve(y, in));
  expect_equal(x, y);
}

template <class T>
class MadeQuarks : public ::testing::Test {};
TYPED_TEST_SUITE(MadeQuarks, Precisions);

TYPED_TEST(MadeQuarks, AreTheOperatorsThatTheyName) {
  const detail::WithoutTuning off;  // launch shapes change the order of sums on GPUs
  using T = TypeParam;
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<T> links = random_links<T>(lattice);
  const FermionParameters p = parameters_of(FermionAction::wilson);
  const auto [mass, mu, csw, epsilon] = std::array{p.mass, p.mu, p.csw, p.epsilon};
  const std::optional<double> temporal = p.csw_temporal;
  const Anisotropy anisotropy = p.anisotropy;
  const BoundaryAngles boundary = p.boundary;
  expect_operator(links, FermionAction::wilson, Wilson<T>(links, {mass, anisotropy, boundary}));
  expect_operator(links, FermionAction::wilson_clover,
                  WilsonClover<T>(links, {mass, csw, temporal, anisotropy, boundary}));
  expect_operator(links, FermionAction::twisted_mass, TwistedMass<T>(links, {mass, mu, anisotropy, boundary}));
  expect_operator(links, FermionAction::twisted_clover,
                  TwistedClover<T>(links, {mass, mu, csw, temporal, anisotropy, boundary}));
  expect_operator(links, FermionAction::exponential_clover,
                  make_exponential_clover(links, {mass, csw, temporal, anisotropy, boundary}));
  expect_operator(links, FermionAction::staggered, Staggered<T>(links, {mass, boundary}));
  expect_operator(
      links, FermionAction::domain_wall,
      DomainWall<T>(links,
                    {.mass = mass, .m5 = p.m5, .slices = p.slices, .anisotropy = anisotropy, .boundary = boundary}));
  TwistedDoubletParameters doublet{
      .mass = mass, .mu = mu, .epsilon = epsilon, .anisotropy = anisotropy, .boundary = boundary};
  expect_operator(links, FermionAction::twisted_doublet, TwistedDoublet<T>(links, doublet));
  doublet.csw = csw;
  doublet.csw_temporal = temporal;
  expect_operator(links, FermionAction::twisted_clover_doublet, TwistedDoublet<T>(links, doublet));
}

/// Calls body(quark, family) for each family that makes quarks of links in the precision T.
template <class T, class Body>
void for_each_family(const Body& body) {
  const Lattice lattice({.extents = {4, 4, 4, 4}, .reach = 3});
  const GaugeField<T> links = random_links<T>(lattice);
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::given || (family.makes_links() && std::is_same_v<T, float>)) continue;
    FermionParameters parameters = parameters_of(family.action);
    parameters.slices = 4;
    parameters.mass = 0.6;  // heavy, for short solves
    parameters.boundary[3] = dirichlet;
    SCOPED_TRACE(family.name);
    body(make_quark(links, parameters), family);
  }
}

// Every method that solves for a family, every precision of the iterations and storage of links, both forms of the
// Schur complement on either parity, and the whole system.
TYPED_TEST(MadeQuarks, AreSolvedForInEveryWay) {
  using T = TypeParam;
  constexpr double tolerance = 10.0 * reachable<T>;
  for_each_family<T>([](const Quark<T>& quark, const FermionFamily& family) {
    std::vector<SolveOptions> solves;
    for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::single, InnerPrecision::outer}) {
      for (const SolvingMethod& method : krylov_methods) {
        if (method.value != KrylovMethod::multigrid && method.solves_for(family.kind)) {
          solves.push_back({.method = method.value, .inner = inner});
        }
      }
      if (inner == InnerPrecision::single) continue;
      if (family.links == FamilyLinks::thin) {
        for (const LinkStorage links : built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal})) {
          solves.push_back({.inner = inner, .links = links});
        }
      }
      solves.push_back({.parity = Parity::odd, .inner = inner});
      if (family.is_staggered()) continue;
      solves.push_back({.schur = SchurForm::asymmetric, .parity = Parity::odd, .inner = inner});
      solves.push_back({.schur = std::nullopt, .inner = inner});
    }
    const SpinorField<T> b = noise(quark);
    for (std::size_t n = 0; n < solves.size(); ++n) {
      SCOPED_TRACE(n);
      solves[n].tolerance = tolerance;
      SpinorField<T> x = quark->make_field(2);
      expect_solution(*quark, x, b, PropagatorSolver<T>(quark, solves[n]).solve(x, b), tolerance);
    }
  });
}

TEST(MakeQuark, MakesTheLinksOfImprovedStaggeredQuarks) {
  const detail::WithoutTuning off;
  const Lattice lattice({.extents = {4, 4, 4, 8}, .reach = 3});
  const GaugeField<double> links = random_links<double>(lattice);
  const FermionParameters p = parameters_of(FermionAction::asqtad);
  const auto expected = [&](const ImprovedLinks& of) {
    return ImprovedStaggered<double>(of.fat, of.third,
                                     {.mass = p.mass, .third_weight = of.third_weight, .boundary = p.boundary});
  };
  expect_operator(links, FermionAction::asqtad, expected(asqtad_links(links, p.u0)));
  expect_operator(links, FermionAction::hisq, expected(hisq_links(links, p.naik_epsilon)));
  KAON_EXPECT_ERROR(make_quark(random_links<float>(lattice), p), "are made in double");
  const ImprovedLinks given = hisq_links(links, p.naik_epsilon);
  const Quark<double> improved = make_quark(given, {.action = FermionAction::improved, .mass = 0.3});
  EXPECT_EQ(dynamic_cast<const ImprovedStaggered<double>&>(*improved).parameters().third_weight, given.third_weight);
  KAON_EXPECT_ERROR(make_quark(links, {.action = FermionAction::improved}), "are made of fat and third links");
}

TEST(MakeQuark, HasWhatTheTableOfFamiliesSays) {
  const Lattice lattice({.extents = {4, 4, 4, 8}, .reach = 3});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::given) continue;
    SCOPED_TRACE(family.name);
    const Quark<double> dirac = make_quark(links, parameters_of(family.action));
    EXPECT_EQ(dirac->domain().spins, family.spins());
    EXPECT_EQ(dirac->normal_system(Parity::even) != nullptr, family.is_staggered());
    EXPECT_EQ(kind_of(*dirac), family.kind);
    for (const SolvingMethod& method : krylov_methods) {
      const SolveOptions parameters{.method = method.value};
      if (!method.solves_for(family.kind)) {
        KAON_EXPECT_ERROR(PropagatorSolver<double>(dirac, parameters),
                          fmt::format("{} does not solve for ", method.word));
      } else if (method.value != KrylovMethod::multigrid) {
        EXPECT_NO_THROW(PropagatorSolver<double>(dirac, parameters)) << method.word;
      }
    }
  }
}

TEST(Families, ReadAndWriteTheirParametersByTheTable) {
  for (const FermionParameter& row : family_parameters) {
    SCOPED_TRACE(row.name);
    FermionParameters p;
    if (!std::isnan(row.initial)) {
      EXPECT_EQ(row.get(p), row.initial);
    }
    row.set(p, 3.0);
    EXPECT_EQ(row.get(p), 3.0);
    EXPECT_EQ(&family_parameter(row.name), &row);
    EXPECT_TRUE(std::ranges::any_of(fermion_families(), [&](const auto& family) { return family.reads(row.name); }));
  }
  FermionParameters p;
  family_parameter("kappa").set(p, 0.125);
  EXPECT_EQ(p.mass, 0.0);
  const DomainWallParameters own;
  EXPECT_EQ((std::array{p.m5, p.b, p.c}), (std::array{own.m5, own.b, own.c}));
  EXPECT_EQ(p.slices, own.slices);
  KAON_EXPECT_ERROR(family_parameter("m6"), "m6 is no parameter of quarks");
  KAON_EXPECT_ERROR(family_of(static_cast<FermionAction>(99)), "this is no family of operators");
}

TEST(Families, DescribeQuarks) {
  FermionParameters p{.action = FermionAction::twisted_clover, .mass = 0.1, .mu = 0.5, .csw = 1.5, .csw_temporal = 2.0};
  EXPECT_EQ(describe_action(std::span(&p, 1)),
            "Wilson-clover with a twisted mass, csw = 1.5 in spatial and 2 in temporal planes");
  EXPECT_EQ(describe_masses(std::span(&p, 1)), "0.1, kappa 0.1219512195, mu 0.5");
  p = {.action = FermionAction::domain_wall, .mass = 0.01, .slices = 2, .b_of_slices = {1.0, {0.5, -0.1}}};
  EXPECT_EQ(describe_action(std::span(&p, 1)), "domain wall, M5 = 1.8, 2 slices, b = 1+0i, 0.5-0.1i, c = 0");
  EXPECT_EQ(describe_masses(std::span(&p, 1)), "0.01");
  std::array hisq{FermionParameters{.action = FermionAction::hisq, .mass = 0.1},
                  FermionParameters{.action = FermionAction::hisq, .mass = 0.2}};
  EXPECT_EQ(describe_action(hisq), "HISQ, 2m + D, Naik epsilon 0");
  hisq[1].naik_epsilon = -0.25;
  EXPECT_EQ(describe_action(hisq), "HISQ, 2m + D, Naik epsilon 0, -0.25");
  EXPECT_EQ(describe_masses(hisq), "0.1, 0.2");
}

TEST(Families, NameTheParameterThatOperatorsRefuse) {
  const auto refused = [](const FermionParameters& p) -> std::string {
    try {
      check_parameters(p);
    } catch (const ParameterError& error) {
      return error.parameter();
    }
    return {};
  };
  for (const FermionFamily& family : fermion_families()) {
    SCOPED_TRACE(family.name);
    FermionParameters p = parameters_of(family.action);
    EXPECT_EQ(refused(p), "");
    p.mass = -4.5;
    EXPECT_EQ(refused(p), family.reads("kappa") ? "mass" : "");
    p.mass = 1e71;
    EXPECT_EQ(refused(p), "mass");
  }
  EXPECT_EQ(refused({.action = FermionAction::wilson, .mass = -4.0}), "mass");
  EXPECT_EQ(refused({.action = FermionAction::wilson_clover, .csw = std::nan("")}), "csw");
  EXPECT_EQ(refused({.action = FermionAction::twisted_mass, .mass = -4.0}), "mass");
  EXPECT_EQ(refused({.action = FermionAction::twisted_doublet, .mass = -3.0, .epsilon = 1.5}), "epsilon");
  EXPECT_EQ(refused({.action = FermionAction::asqtad, .mass = 0.1}), "u0");
  EXPECT_EQ(refused({.action = FermionAction::domain_wall, .b = 0.0}), "b");
  EXPECT_EQ(refused({.action = FermionAction::domain_wall, .m5 = 5.0}), "m5");
  EXPECT_EQ(refused({.action = FermionAction::domain_wall, .slices = 2, .c_of_slices = {1.0}}), "c");
}

TEST(MakeQuark, KeepsItsLinksAndRefusesWhatTheFamilyRefuses) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Quark<double> dirac = make_quark(random_links<double>(lattice), parameters_of(FermionAction::wilson));
  const Quark<double> copy = dirac;
  const SpinorField<double> in = noise(copy);
  SpinorField<double> out = copy->make_field(2);
  copy->apply(out, in);
  KAON_EXPECT_ERROR(make_quark(random_links<double>(lattice), {.mass = std::nan("")}), "mass nan is not a number");
  KAON_EXPECT_ERROR(make_quark(random_links<double>(lattice), {.action = FermionAction::wilson_clover, .mass = -5.0}),
                    "mass -5 has no kappa: it must be above -4");
}

TEST(RoundedSolutions, MeetsItsToleranceInDouble) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  for (const FermionAction action : all_actions) {
    SCOPED_TRACE(static_cast<int>(action));
    const Quark<double> dirac = make_quark(links, parameters_of(action));
    const SpinorField<double> b = noise(dirac);
    for (const InnerPrecision inner : {InnerPrecision::half, InnerPrecision::outer}) {
      const PropagatorSolver solver(dirac, {.tolerance = 3e-6, .outer = OuterPrecision::single, .inner = inner});
      SpinorField<double> x = dirac->make_field(2), residual = dirac->make_field(2);
      const SolveResult result = solver.solve(x, b);
      require_converged(result);
      dirac->apply(residual, x);
      const blas::Reals r = blas::xmy_norm2(residual, b), norm2 = blas::norm2(b);
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_LE(std::sqrt(r[k] / norm2[k]), 3e-6);
        EXPECT_NEAR(std::sqrt(r[k] / norm2[k]), result.right_hand_sides[k].true_residual, 1e-12);
      }
    }
  }
}

TEST(RoundedSolutions, SaysThatItStagnatesBelowItsRounding) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const Quark<double> dirac = make_quark(random_links<double>(lattice), parameters_of(FermionAction::wilson));
  const SpinorField<double> b = noise(dirac);
  SpinorField<double> x = dirac->make_field(2);
  const SolveResult result =
      PropagatorSolver(dirac, {.tolerance = 1e-12, .max_iterations = 200, .outer = OuterPrecision::single}).solve(x, b);
  EXPECT_FALSE(result.converged());
  EXPECT_LT(result.true_residual(), 1e-5);
  const SolveResult of_zero =
      PropagatorSolver(dirac, {.tolerance = 1e-5, .outer = OuterPrecision::single}).solve(x, dirac->make_field(2));
  EXPECT_TRUE(of_zero.converged());
  EXPECT_EQ(of_zero.iterations(), 0);
  EXPECT_EQ(blas::norm2(x), blas::Reals(2));
}

TEST(RoundedSolutions, SolvesForSourcesThatSinglePrecisionDoesNotHold) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const Quark<double> dirac = make_quark(random_links<double>(lattice), parameters_of(FermionAction::wilson));
  const SpinorField<double> b = noise(dirac);
  SpinorField<double> x = dirac->make_field(2), scaled_x = dirac->make_field(2), scaled = dirac->make_field(2);
  const PropagatorSolver solver(dirac, {.tolerance = 1e-5, .outer = OuterPrecision::single});
  ASSERT_TRUE(solver.solve(x, b).converged());
  blas::copy(scaled, b);
  blas::scale(scaled, blas::Reals{std::ldexp(1.0, -200), std::ldexp(1.0, -700)});
  const SolveResult result = solver.solve(scaled_x, scaled);
  EXPECT_TRUE(result.converged());
  EXPECT_LE(result.true_residual(), 1e-5);
  blas::scale(scaled_x, blas::Reals{std::ldexp(1.0, 200), std::ldexp(1.0, 700)});
  const blas::Reals norm2 = blas::norm2(x), difference2 = blas::xmy_norm2(scaled_x, x);
  for (std::size_t k = 0; k < norm2.size(); ++k) EXPECT_LE(difference2[k], 1e-8 * norm2[k]) << k;
}

TEST(HeavyQuarkResidual, IsTheMeanOfRatiosAtSites) {
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {4, 4, 4, 8}, .lanes = lanes});
    SpinorField<double> r(lattice, {.right_hand_sides = 2}), x(lattice, {.right_hand_sides = 2});
    set_gaussian(r, {.seed = 1});
    set_gaussian(x, {.seed = 2});
    auto values = x.to_host(1);
    for (std::size_t k = 0; k < 12; ++k) values[12 * 5 + k] = 0.0;  // one site counts as 1
    x.from_host(values, 1);
    const std::vector<double> found = heavy_quark_residual(r, x);
    for (int rhs = 0; rhs < 2; ++rhs) {
      const auto above = r.to_host(rhs), below = x.to_host(rhs);
      double sum = 0.0;
      for (std::size_t site = 0; site < above.size() / 12; ++site) {
        double a = 0.0, b = 0.0;
        for (std::size_t k = 12 * site; k < 12 * site + 12; ++k) {
          a += std::norm(above[k]);
          b += std::norm(below[k]);
        }
        sum += b > 0.0 ? a / b : 1.0;
      }
      EXPECT_NEAR(found[static_cast<std::size_t>(rhs)], std::sqrt(sum / static_cast<double>(lattice.volume())), 1e-12);
    }
    const auto odd = heavy_quark_residual(r.parity(Parity::odd), x.parity(Parity::odd));
    const auto even = heavy_quark_residual(r.parity(Parity::even), x.parity(Parity::even));
    EXPECT_NEAR(std::sqrt(0.5 * (odd[0] * odd[0] + even[0] * even[0])), found[0], 1e-12);
    const SpinorField<double> one(lattice);
    KAON_EXPECT_ERROR(heavy_quark_residual(r, one), "must have the same lattice");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
