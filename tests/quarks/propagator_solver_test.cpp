// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/without_tuning.hpp"
#include "operators/test_seams.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/message.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/quarks/solve_plan.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kaon::test {
namespace KAON_TEST_FILE {

template <class T>
class PropagatorSolvers : public ::testing::Test {
 protected:
  const Lattice lattice{{.extents = {8, 4, 4, 8}}};
  const WilsonClover<T> dirac{random_links<T>(lattice), {.mass = 0.1, .csw = 1.3}};
  const SpinorField<T> b = gaussian<T>(lattice, 3);
};
TYPED_TEST_SUITE(PropagatorSolvers, Precisions);

TYPED_TEST(PropagatorSolvers, LeaveAloneWhatNeedsNoSolve) {
  using T = TypeParam;
  const PropagatorSolver solver(this->dirac, {.tolerance = reachable<T>});
  SpinorField<T> x = this->dirac.make_field(3);
  const SolveRequest request{.residual_norms = {1e-3, 1e-3, 1e-3}, .active = {false, true, true}};
  const SolveResult result = solver.solve(x, this->b, request);
  EXPECT_EQ(result.right_hand_sides[0].iterations, 0);
  EXPECT_EQ(blas::norm2(x)[0], 0.0);
  KAON_EXPECT_ERROR(solver.solve(x, this->b, {.iterations = {1}}), "1 bounds of iterations were given for 3");
  EXPECT_GT(result.right_hand_sides[1].iterations, 0);
  EXPECT_TRUE(result.converged());
}

TYPED_TEST(PropagatorSolvers, SolveToTheirToleranceByDefault) {
  const PropagatorSolver solver(this->dirac, {.tolerance = reachable<TypeParam>});
  static_assert(std::is_same_v<decltype(solver), const PropagatorSolver<TypeParam>>);
  EXPECT_EQ(&solver.solved_operator(), &this->dirac);
  SpinorField<TypeParam> x = this->dirac.make_field(3);
  const SolveResult result = solver.solve(x, this->b);
  expect_solution(this->dirac, x, this->b, result, reachable<TypeParam>);
  EXPECT_GT(result.reliable_updates, 0) << "iterations in 16 bits are corrected by reliable updates";
  for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.fallbacks, 0);
}

TYPED_TEST(PropagatorSolvers, TakeWilsonAndTemporaries) {
  const detail::WithoutTuning off;  // launch shapes change the order of sums on GPUs
  using T = TypeParam;
  const WilsonParameters physics{.mass = 0.2};
  const GaugeField<T> links = random_links<T>(this->lattice);
  const Wilson<T> dirac(links, physics);
  const PropagatorSolver borrows(dirac, {.tolerance = reachable<T>});
  const PropagatorSolver owns(Wilson<T>(links, physics), {.tolerance = reachable<T>});
  SpinorField<T> x = dirac.make_field(3), y = dirac.make_field(3);
  expect_solution(dirac, x, this->b, borrows.solve(x, this->b), reachable<T>);
  expect_solution(owns.solved_operator(), y, this->b, owns.solve(y, this->b), reachable<T>);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(x.to_host(k), y.to_host(k));
}

// In one precision and on all links the solver is BiCGstab on the Schur complement, to the last digit.
TYPED_TEST(PropagatorSolvers, AreWhatTheyAreMadeOf) {
  const detail::WithoutTuning off;
  using T = TypeParam;
  const PropagatorSolver solver(this->dirac, {.tolerance = reachable<T>, .inner = InnerPrecision::outer});
  const Schur<T> schur(this->dirac);
  const BiCgStab<T> bicgstab(schur, {.tolerance = reachable<T>});
  SpinorField<T> x = this->dirac.make_field(3), expected = this->dirac.make_field(3);
  const SolveResult result = solver.solve(x, this->b);
  const SolveResult by_hand = EvenOddSolver<T>(schur, bicgstab).solve(expected, this->b);
  EXPECT_EQ(result.iterations(), by_hand.iterations());
  for (int k = 0; k < 3; ++k) EXPECT_EQ(x.to_host(k), expected.to_host(k));
}

TYPED_TEST(PropagatorSolvers, StartFromAGuess) {
  using T = TypeParam;
  const PropagatorSolver solver(this->dirac, {.tolerance = 2.0 * reachable<T>});
  SpinorField<T> x = this->dirac.make_field(3);
  const int cold = solver.solve(x, this->b).iterations();
  const int warm = PropagatorSolver(this->dirac, {.tolerance = 4.0 * reachable<T>}).solve(x, this->b).iterations();
  EXPECT_LT(warm, cold / 2);
}

TYPED_TEST(PropagatorSolvers, TellProgressAndSayWhenIterationsRunOut) {
  using T = TypeParam;
  int calls = 0;
  const PropagatorSolver solver(
      this->dirac,
      {.tolerance = reachable<T>, .max_iterations = 4, .on_iteration = [&](int, std::span<const double> residuals) {
         ++calls;
         EXPECT_EQ(residuals.size(), 3u);
         return true;
       }});
  SpinorField<T> x = this->dirac.make_field(3);
  const SolveResult result = solver.solve(x, this->b);
  EXPECT_FALSE(result.converged());
  EXPECT_GT(calls, 0);
  for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.status, SolveStatus::max_iterations);
}

std::vector<std::string> made;  // precisions of copies, in the order of construction

/// A Wilson operator whose copy in 16 bits is another operator, of the other sign: its iterations lead away.
template <class T>
class Misfit final : public EvenOddOperator<T> {
 public:
  explicit Misfit(Wilson<T> wilson) : wilson_(std::move(wilson)) {}
  template <class S>
  Misfit(const Misfit<S>& other, LinkStorage storage, HaloPrecision halo)
      : wilson_(Wilson<S>(other.wilson_.links(),
                          {.mass = std::is_same_v<T, half> ? -40.0 : other.wilson_.parameters().mass}),
                storage, halo) {
    made.emplace_back(precision_name<T>());
  }
  HaloPrecision halo() const { return wilson_.halo(); }
  const Lattice& lattice() const override { return wilson_.lattice(); }
  SpinorParameters domain() const override { return wilson_.domain(); }
  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override {
    wilson_.hop(out, in, form);
  }
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override {
    wilson_.apply_site_term(out, in, term, dagger);
  }

 private:
  template <class>
  friend class Misfit;
  Wilson<T> wilson_;
};

TEST(PropagatorSolver, GoesOnInTheNextPrecisionAndSaysSo) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Misfit<double> dirac(Wilson<double>(random_links<double>(lattice), {.mass = 0.1}));
  const SpinorField<double> b = gaussian<double>(lattice, 2);
  made.clear();
  std::string notices;
  const PropagatorSolver solver(dirac, {.tolerance = 1e-11,
                                        .schur = SchurForm::asymmetric,
                                        .on_fallback = [&](const std::string& notice) { notices += notice + "\n"; }});
  EXPECT_EQ(made, std::vector<std::string>{"half"}) << "operators of a fallback are made when it is needed";
  SpinorField<double> x = dirac.make_field(2);
  const SolveResult result = solver.solve(x, b);
  expect_solution(dirac, x, b, result, 1e-11);
  EXPECT_EQ(made, (std::vector<std::string>{"half", "single"}));
  for (const auto& r : result.right_hand_sides) EXPECT_EQ(r.fallbacks, 1);
  EXPECT_NE(notices.find("2 of 2 right-hand sides did not converge"), std::string::npos) << notices;
  EXPECT_NE(notices.find("going on in single precision"), std::string::npos) << notices;
}

/// Notices and warnings of one test.
class LeftOut : public ::testing::Test {
 protected:
  LeftOut() {
    set_message_handler([this](MessageKind, const std::string& text) { messages_ += text + "\n"; });
  }
  ~LeftOut() override { set_message_handler({}); }
  static detail::StencilList with_precisions(std::vector<std::string> precisions) {
    detail::StencilList list = detail::compiled_stencils();
    list.precisions = std::move(precisions);
    return list;
  }

  const Lattice lattice_{{.extents = {4, 4, 4, 4}}};
  const Wilson<double> dirac_{random_links<double>(lattice_), {.mass = 0.1}};
  const SpinorField<double> b_ = gaussian<double>(lattice_, 2);
  std::string messages_;
};

TEST_F(LeftOut, PrecisionsArePassedOver) {
  const detail::PretendedStencils stencils(with_precisions({"double"}));
  const PropagatorSolver solver(dirac_, {.tolerance = 1e-11});
  SpinorField<double> x = dirac_.make_field(2);
  const SolveResult result = solver.solve(x, b_);
  expect_solution(dirac_, x, b_, result, 1e-11);
  EXPECT_NE(messages_.find("without operators in half precision"), std::string::npos) << messages_;
  EXPECT_NE(messages_.find("without operators in single precision"), std::string::npos) << messages_;
}

TEST_F(LeftOut, StoragesGiveWayToAllReals) {
  detail::StencilList list = detail::compiled_stencils();
  list.storages = {LinkStorage::full};
  const detail::PretendedStencils stencils(list);
  SpinorField<double> x = dirac_.make_field(2);
  expect_solution(dirac_, x, b_, PropagatorSolver(dirac_, {.tolerance = 1e-11}).solve(x, b_), 1e-11);
  KAON_EXPECT_ERROR(
      PropagatorSolver(dirac_, {.links = LinkStorage::minimal}),
      "without operators in half precision on links of 8 reals (left out: links of 14 reals, links of 12");
}

TEST_F(LeftOut, OperatorsAreRefused) {
  const detail::PretendedStencils stencils(with_precisions({"double", "half"}));
  KAON_EXPECT_ERROR(Wilson<float>(dirac_, LinkStorage::full), "KAON_PRECISIONS and KAON_LINK_STORAGES");
}

/// The lines of a plan behind the first.
template <class T>
std::string rungs_of(const Quark<T>& quark, const SolveOptions& options) {
  const std::string text = to_string(plan(quark, options));
  return text.substr(text.find('\n') + 1);
}

TEST(SolvePlan, HasRungsInRisingPrecisions) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonClover<double> wilson(links, {.mass = 0.1, .csw = 1.0});
  const Staggered<double> staggered(links, {.mass = 0.1});
  const std::string even = "symmetric complement on even sites\n";
  const std::string wilson_rungs = "bicgstab, half, links of 12 reals, " + even +
                                   "in single precision: bicgstab, single, links of 12 reals, " + even +
                                   "in double precision: bicgstab, double, links of 18 reals, " + even;
  EXPECT_EQ(rungs_of<double>(wilson, {.method = KrylovMethod::bicgstab}), wilson_rungs);
  const std::string multigrid = "multigrid, single, links of 12 reals, " + even + "by BiCGstab: " + wilson_rungs;
  EXPECT_EQ(rungs_of<double>(wilson, {.method = KrylovMethod::multigrid}), multigrid);
  const std::string automatic = rungs_of<double>(wilson, {});
  EXPECT_TRUE(automatic.starts_with("until multigrid pays bicgstab, half, links of 12 reals, " + even)) << automatic;
  EXPECT_TRUE(automatic.ends_with(multigrid)) << automatic;
  EXPECT_EQ(rungs_of<double>(wilson, {.schur = std::nullopt, .inner = InnerPrecision::outer}),
            "bicgstab, double, links of 18 reals, all sites\n");
  EXPECT_EQ(rungs_of<double>(wilson, {.method = KrylovMethod::cgnr,
                                      .schur = SchurForm::asymmetric,
                                      .parity = Parity::odd,
                                      .outer = OuterPrecision::single,
                                      .inner = InnerPrecision::outer}),
            "cgnr, single, links of 18 reals, asymmetric complement on odd sites\n");
  EXPECT_EQ(rungs_of<double>(staggered, {.method = KrylovMethod::cg, .inner = InnerPrecision::single}),
            "cg, single, links of 12 reals, normal system on even sites\n"
            "in double precision: cg, double, links of 18 reals, normal system on even sites\n");
  // Light quarks have no iterations in single precision between.
  const Staggered<double> light(links, {.mass = 0.001}), heavier(links, {.mass = 0.005});
  EXPECT_EQ(rungs_of<double>(light, {.method = KrylovMethod::cg}),
            "cg, half, links of 12 reals, normal system on even sites\n"
            "in double precision: cg, double, links of 18 reals, normal system on even sites\n");
  EXPECT_NE(rungs_of<double>(heavier, {.method = KrylovMethod::cg}).find("in single precision: cg"), std::string::npos);
  const DomainWall<double> wall(links, {.mass = 0.1, .slices = 4});
  const std::string of_wall = rungs_of<double>(wall, {.method = KrylovMethod::multigrid});
  EXPECT_TRUE(of_wall.starts_with("multigrid, single, links of 12 reals")) << of_wall;
  const std::string few = rungs_of<double>(wall, {.method = KrylovMethod::cgnr, .schur = SchurForm::asymmetric});
  EXPECT_TRUE(of_wall.ends_with("\nby CGNR: " + few)) << of_wall;
  const std::string odd = " links of 18 reals, asymmetric complement on odd sites\n",
                    block = "of 3 or more right-hand sides ";
  EXPECT_EQ(rungs_of<double>(wall, {.parity = Parity::odd, .inner = InnerPrecision::outer}),
            "cgnr, double," + odd + block + "block-cg, double," + odd);
  EXPECT_TRUE(rungs_of<double>(wall, {}).starts_with(few + block + "block-cg, single, links of 12 reals, asymmetric"));
  KAON_EXPECT_ERROR(rungs_of<double>(wall, {.method = KrylovMethod::multigrid, .schur = std::nullopt}),
                    "multigrid chooses the form of the Schur complement");
  const SolvePlan shifts = plan_shifts(staggered, {.halo = HaloPrecision::half}, 1e-9);
  ASSERT_EQ(shifts.rungs.size(), 2U);
  EXPECT_EQ(shifts.rungs[0].precision, "single");
  EXPECT_EQ(shifts.rungs[1].precision, "half");
  EXPECT_EQ(shifts.rungs[1].halo, HaloPrecision::half);
  EXPECT_EQ(shifts.rungs[1].bounds.tolerance, 1e-9);
}

TEST(PropagatorSolver, SolvesForDomainWallQuarksByMultigrid) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const DomainWall<double> dirac(random_links<double>(lattice), {.mass = 0.1, .slices = 4, .b = 1.5, .c = 0.5});
  SolveOptions options{.tolerance = 1e-9, .method = KrylovMethod::multigrid};
  options.multigrid = {.levels = {{.block = {2, 2, 2, 4}, .vectors = 4}}, .relaxation_steps = 20};
  const PropagatorSolver solver(dirac, options);
  EXPECT_TRUE(solver.multigrid_report().has_value());
  SpinorField<double> b = dirac.make_field(2), x = dirac.make_field(2), y = dirac.make_field(2);
  set_gaussian(b, {.seed = 8});
  expect_solution(dirac, x, b, solver.solve(x, b), 1e-9);
  const DomainWall<double> lighter(dirac.links(), {.mass = 0.05, .slices = 4, .b = 1.5, .c = 0.5});
  expect_solution(lighter, y, b, solver.updated(lighter).solve(y, b), 1e-9);
}

TEST(PropagatorSolver, SolvesForManyColumnsOfDomainWallQuarksInOneBlock) {
  const detail::WithoutTuning off;
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const DomainWall<double> dirac(random_links<double>(lattice), {.mass = 0.1, .slices = 4});
  const PropagatorSolver automatic(dirac, {.tolerance = 1e-9});
  EXPECT_TRUE(automatic.shares_work());
  for (const auto [columns, method] : {std::pair{2, KrylovMethod::cgnr}, {3, KrylovMethod::block_cg}}) {
    const PropagatorSolver by_name(dirac, {.tolerance = 1e-9, .method = method, .schur = SchurForm::asymmetric});
    SpinorField<double> b = dirac.make_field(columns), x = dirac.make_field(columns), y = dirac.make_field(columns);
    set_gaussian(b, {.seed = 8});
    const SolveResult found = automatic.solve(x, b);
    expect_solution(dirac, x, b, found, 1e-9);
    EXPECT_EQ(found.iterations(), by_name.solve(y, b).iterations());
    EXPECT_EQ(x.to_host(0), y.to_host(0));
  }
}

TEST(PropagatorSolver, RefusesWhatCannotBe) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const Wilson<double> dirac(random_links<double>(lattice), {.mass = 0.1});
  KAON_EXPECT_ERROR(PropagatorSolver(dirac, {.method = KrylovMethod::gcr_dd, .schur = std::nullopt}),
                    "GCR-DD needs even-odd preconditioning");
  KAON_EXPECT_ERROR(
      PropagatorSolver(dirac, {.method = KrylovMethod::cg}),
      "cg does not solve for quarks of Wilson's kind: take auto, bicgstab, gcr-dd, multigrid, cgnr, cgne or block-cg");
  KAON_EXPECT_ERROR(PropagatorSolver(dirac, {.reliable_delta = 1.0}), "must lie between 0 and 1");
  const Misfit<double> unable(Wilson<double>(random_links<double>(lattice), {.mass = 0.1}));  // it has 4 spins, too
  KAON_EXPECT_ERROR(PropagatorSolver(unable, {.method = KrylovMethod::multigrid}), "multigrid coarsens them alone");
  KAON_EXPECT_ERROR(PropagatorSolver(unable, {.method = KrylovMethod::gcr_dd}), "does not fall into blocks");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
