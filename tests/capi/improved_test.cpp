// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/operators/staggered.hpp>

#include <cmath>

// Asqtad and HISQ from thin links alone.

namespace kaon::test {
namespace KAON_TEST_FILE {

struct Improved : Links {
  OperatorHandle dirac;
  kaon_operator_options options;

  explicit Improved(kaon_action action, kaon_precision precision = KAON_DOUBLE, int reach = 3, int last_extent = 4)
      : Links({4, 4, 4, last_extent}, reach, precision) {
    kaon_operator_options_init(&options);
    options.action = action;
    options.mass = 0.1;
    if (action == KAON_ASQTAD) options.u0 = 0.9;
    if (action == KAON_HISQ) options.naik_epsilon = -0.2;
  }
  /// Options for given links.
  kaon_operator_options plain() const {
    kaon_operator_options given = options;
    given.u0 = std::nan("");
    given.naik_epsilon = 0.0;
    return given;
  }
};

/// x = M b, in C as in C++, for noise b.
void expect_same_product(const Improved& c, const ImprovedStaggered<double>& dirac, SpinorHandle& b, SpinorHandle& x) {
  SpinorField<double> in = dirac.make_field(1), out = dirac.make_field(1);
  set_gaussian(in, {.seed = 4});
  dirac.apply(out, in);
  make_spinor(b, c.lattice, 1, 1);
  make_spinor(x, c.lattice, 1, 1);
  set_values(b, 0, in.to_host(0));
  expect_ok(kaon_operator_apply(c.dirac, KAON_M, x, b));
  EXPECT_EQ(values_of(x, 0, 256), out.to_host(0));
}

Numbers links_of(const kaon_gauge* gauge) { return values_of(gauge, 256); }

/// The operator of thin links; its fat and long links, the way through arrays and MILC's phases, and their operator.
void expect_links(kaon_action action, const ImprovedLinks& improved) {
  Improved c(action);
  expect_ok(kaon_operator_create(c.gauge, &c.options, &c.dirac));
  SpinorHandle b, x;
  expect_same_product(c, {improved.fat, improved.third, {.mass = 0.1, .third_weight = improved.third_weight}}, b, x);
  auto smearing = defaults(kaon_link_smear_options_init);
  smearing.action = action;
  if (action == KAON_ASQTAD) smearing.u0 = 0.9;
  if (action == KAON_HISQ) smearing.naik_epsilon = -0.2;
  GaugeHandle fat, long_ones;
  expect_ok(kaon_gauge_smear_links(c.gauge, &smearing, &fat, &long_ones));
  GaugeField<double> cpp_long = long_links(improved);
  EXPECT_EQ(links_of(fat), improved.fat.to_host());
  EXPECT_EQ(links_of(long_ones), cpp_long.to_host());

  const GaugeField<double> plain = cpp_long.clone();
  fold_staggered_phases(cpp_long, {.antiperiodic = true, .steps = 3});
  expect_ok(kaon_gauge_fold_phases(long_ones, 1, 3));
  Numbers of_milc = links_of(long_ones);
  EXPECT_EQ(of_milc, cpp_long.to_host());
  EXPECT_NE(of_milc, plain.to_host());
  GaugeHandle again;
  expect_ok(kaon_gauge_create(c.lattice, KAON_DOUBLE, &again));
  const kaon_array in = array_of(of_milc.data());
  expect_ok(kaon_gauge_set(again, &in));
  expect_ok(kaon_gauge_fold_phases(again, 1, 3));
  EXPECT_EQ(links_of(again), plain.to_host());

  const kaon_operator_options physics = c.plain();
  expect_ok(kaon_operator_create_improved(fat, again, &physics, &c.dirac));
  kaon_gauge_destroy(&fat);
  kaon_gauge_destroy(&again);
  const ImprovedLinks taken = links_from_long(improved.fat.share(), plain);
  EXPECT_NEAR(taken.third_weight, improved.third_weight, 1e-15);
  expect_same_product(c, {taken.fat, taken.third, {.mass = 0.1, .third_weight = taken.third_weight}}, b, x);
}

TEST(CImproved, LinksAndOperatorsAreThoseOfCpp) {
  const GaugeField<double> links = weak_links({4, 4, 4, 4}, 3);
  expect_links(KAON_ASQTAD, asqtad_links(links, 0.9));
  expect_links(KAON_HISQ, hisq_links(links, -0.2));
}

TEST(CImproved, HisqLinksOfSeveralNaikEpsilonsAreThoseOfCpp) {
  Improved c(KAON_HISQ);
  const double epsilons[3] = {0.0, -0.2, 0.35};
  kaon_gauge *fat[3], *long_ones[3];
  expect_ok(kaon_gauge_smear_hisq_links(c.gauge, 3, epsilons, fat, long_ones));
  const std::vector<ImprovedLinks> expected = hisq_links(weak_links({4, 4, 4, 4}, 3), epsilons);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(links_of(fat[i]), expected[i].fat.to_host());
    EXPECT_EQ(links_of(long_ones[i]), long_links(expected[i]).to_host());
    kaon_gauge_destroy(&fat[i]);  // each by itself
  }
  for (kaon_gauge*& gauge : long_ones) kaon_gauge_destroy(&gauge);

  const auto fail = [&](const kaon_gauge* thin, int count, const double* of, kaon_gauge** of_fat, kaon_gauge** of_long,
                        kaon_status wanted, const char* text) {
    for (kaon_gauge*& gauge : fat) gauge = reinterpret_cast<kaon_gauge*>(8);
    expect_refusal(kaon_gauge_smear_hisq_links(thin, count, of, of_fat, of_long), wanted, text);
    if (count != 3 || of_fat == nullptr) return;
    for (const kaon_gauge* gauge : fat) EXPECT_EQ(gauge, nullptr);
  };
  Improved single(KAON_HISQ, KAON_SINGLE);
  const double wrong[3] = {0.0, 0.1, std::nan("")};
  fail(c.gauge, 0, epsilons, fat, long_ones, KAON_INVALID, "count = 0 of Naik epsilons");
  fail(c.gauge, 2, epsilons, fat, fat + 1, KAON_INVALID, "overlap");
  fail(single.gauge, 3, epsilons, fat, long_ones, KAON_UNSUPPORTED, "in double");
  fail(c.gauge, 3, wrong, fat, long_ones, KAON_INVALID, "nan");
}

// Links remain in 18 reals, unless another number of them is requested.
TEST(CImproved, SolvesWithLongLinksInNoGroup) {
  Improved c(KAON_HISQ);
  GaugeHandle fat, long_ones;
  expect_ok(kaon_gauge_smear_links(c.gauge, nullptr, &fat, &long_ones));
  Numbers values = links_of(long_ones);
  for (std::size_t k = 0; k < values.size(); k += 5) values[k] *= 1.1;
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_gauge_set(long_ones, &array));
  const kaon_operator_options physics = c.plain();
  expect_ok(kaon_operator_create_improved(fat, long_ones, &physics, &c.dirac));
  SpinorHandle b, x, y;
  make_spinor(b, c.lattice, 3, 1);
  make_spinor(x, c.lattice, 3, 1);
  make_spinor(y, c.lattice, 3, 1);
  set_source(b);
  SolverHandle solver;
  expect_ok(kaon_solver_create(c.dirac, nullptr, &solver));
  expect_ok(kaon_solver_solve(solver, x, b, nullptr));
  double residuals[3];
  expect_ok(kaon_operator_residual(c.dirac, x, b, residuals, nullptr));
  for (const double residual : residuals) EXPECT_LE(residual, 1e-10);
  const double mass = 0.2;
  MultiSolverHandle masses;
  expect_ok(kaon_multi_solver_create(c.dirac, KAON_MASSES, 1, &mass, nullptr, &masses));
  kaon_spinor* const fields[] = {y};
  expect_ok(kaon_multi_solver_solve(masses, fields, b, nullptr));
  auto options = defaults(kaon_solver_options_init);
  options.links = 14;
  kaon_solver* none = nullptr;
  expect_refusal(kaon_solver_create(c.dirac, &options, &none), KAON_INVALID, "from U(3) cannot be stored in 14");
}

TEST(CImproved, RefusesLinksThatDoNotFit) {
  Improved c(KAON_HISQ), near(KAON_HISQ, KAON_DOUBLE, 0), single(KAON_HISQ, KAON_SINGLE),
      longer(KAON_HISQ, KAON_DOUBLE, 3, 8);
  auto smearing = defaults(kaon_link_smear_options_init);
  kaon_gauge *fat = nullptr, *long_ones = nullptr;
  expect_refusal(kaon_gauge_smear_links(c.gauge, nullptr, &fat, &fat), KAON_INVALID, "one pointer");
  expect_refusal(kaon_gauge_smear_links(single.gauge, nullptr, &fat, &long_ones), KAON_UNSUPPORTED, "in double");
  smearing.action = KAON_ASQTAD;
  expect_refusal(kaon_gauge_smear_links(c.gauge, &smearing, &fat, &long_ones), KAON_INVALID, "u0 is not set");
  smearing.u0 = 0.0;
  expect_refusal(kaon_gauge_smear_links(c.gauge, &smearing, &fat, &long_ones), KAON_INVALID, "u0");
  smearing.action = KAON_WILSON;
  expect_refusal(kaon_gauge_smear_links(c.gauge, &smearing, &fat, &long_ones), KAON_INVALID,
                 "action = 0: only asqtad (5) and HISQ (6) smear links");
  smearing.size = 8;
  expect_refusal(kaon_gauge_smear_links(c.gauge, &smearing, &fat, &long_ones), KAON_INVALID,
                 "kaon_link_smear_options has");
  EXPECT_EQ(fat, nullptr);
  expect_refusal(kaon_gauge_fold_phases(c.gauge, 1, 2), KAON_INVALID, "2");

  kaon_operator* dirac = nullptr;
  const kaon_operator_options given = c.plain();
  const kaon_operator_options* physics = &given;
  expect_refusal(kaon_operator_create_improved(c.gauge, single.gauge, physics, &dirac), KAON_INVALID,
                 "long_links is in single precision");
  expect_refusal(kaon_operator_create_improved(near.gauge, near.gauge, physics, &dirac), KAON_INVALID, "reach");
  expect_refusal(kaon_operator_create_improved(c.gauge, longer.gauge, physics, &dirac), KAON_INVALID, "one lattice");
  expect_refusal(kaon_operator_create(single.gauge, &c.options, &dirac), KAON_UNSUPPORTED, "in double");
  expect_refusal(kaon_operator_create(near.gauge, &c.options, &dirac), KAON_INVALID, "reach");
  c.options = c.plain();
  c.options.action = KAON_ASQTAD;
  expect_refusal(kaon_operator_create(c.gauge, &c.options, &dirac), KAON_INVALID, "u0 is not set");
  auto solving = defaults(kaon_solver_options_init);
  solving.links = 12;
  kaon_solver* none = nullptr;
  expect_ok(kaon_operator_create(c.gauge, &given, &c.dirac));
  expect_refusal(kaon_solver_create(c.dirac, &solving, &none), KAON_INVALID, "from SU(3) cannot be stored");
  EXPECT_EQ(dirac, nullptr);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
