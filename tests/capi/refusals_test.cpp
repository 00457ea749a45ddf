// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

// Wrong calls have a status and a sentence, and never end the program.

namespace kaon::test {
namespace KAON_TEST_FILE {

using CRefusals = OnLinks;

TEST(CInterface, HasAVersionAndNamesOfStatuses) {
  EXPECT_EQ(std::string(kaon_version()).find("0."), 0u);
  EXPECT_STREQ(kaon_status_name(KAON_NOT_CONVERGED), "KAON_NOT_CONVERGED");
  EXPECT_STREQ(kaon_status_name(static_cast<kaon_status>(99)), "no status of kaon");
}

TEST(CInterface, WantsToBeStarted) {
  kaon_lattice* lattice = reinterpret_cast<kaon_lattice*>(8);
  auto options = defaults(kaon_lattice_options_init);
  expect_refusal(kaon_lattice_create(&options, &lattice), KAON_INVALID,
                 "kaon_lattice_create: kaon has not been started: call kaon_start first");
  EXPECT_EQ(lattice, nullptr);
  expect_refusal(kaon_stop(), KAON_INVALID, "stopped as often as it was started");
  auto info = defaults(kaon_run_info_init);
  expect_refusal(kaon_run_get(&info), KAON_INVALID, "has not been started");
}

TEST(CInterface, StartsAndStopsNested) {
  for (int times = 0; times < 3; ++times) {
    expect_ok(kaon_start(nullptr));
    expect_ok(kaon_start(nullptr));
    LatticeHandle lattice;
    expect_ok(kaon_stop());
    make_lattice(lattice, {4, 4, 4, 4});
    expect_ok(kaon_stop());
    GaugeHandle gauge;  // handles retain what they need
    expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
    expect_ok(kaon_gauge_start(gauge, KAON_COLD, 0, 0.0));
    kaon_lattice_destroy(&lattice);
    double plaquette[3];
    expect_ok(kaon_gauge_plaquette(gauge, plaquette));
    EXPECT_NEAR(plaquette[0], 1.0, 1e-14);
  }
}

#if defined(_OPENMP)
TEST_F(CRefusals, RefusesCallsInAParallelRegion) {
  double plaquette[3];
  const std::function<kaon_status()> calls[] = {[] { return kaon_start(nullptr); }, [] { return kaon_stop(); },
                                                [&] { return kaon_gauge_start(gauge, KAON_COLD, 0, 0.0); },
                                                [&] { return kaon_gauge_plaquette(gauge, plaquette); }};
  for (const int threads : {1, 2}) {
    for (const auto& call : calls) {
#pragma omp parallel num_threads(threads)
#pragma omp single
      expect_refusal(call(), KAON_INVALID, "called in a parallel region of OpenMP");
    }
  }
  expect_ok(kaon_gauge_start(gauge, KAON_COLD, 0, 0.0));
}
#endif

TEST(CInterface, RefusesNullPointers) {
  const Started started;
  double numbers[12] = {};
  expect_refusal(kaon_effective_mass(KAON_COSH, 4, nullptr, numbers), KAON_INVALID, "correlator is NULL");
  expect_refusal(kaon_effective_mass(KAON_COSH, 4, numbers, nullptr), KAON_INVALID, "masses is NULL");
  expect_refusal(kaon_effective_mass(static_cast<kaon_correlator_form>(2), 4, numbers, numbers), KAON_INVALID,
                 "form = 2");
  for (const int length : {1, 0, -1}) {
    expect_refusal(kaon_effective_mass(KAON_COSH, length, numbers, numbers), KAON_INVALID, "at least two values");
  }
  expect_refusal(kaon_lattice_get(nullptr, nullptr), KAON_INVALID, "lattice is NULL");
  kaon_gauge* gauge = nullptr;
  kaon_spinor* spinor = nullptr;
  const kaon_array array = array_of(numbers);
  expect_refusal(kaon_gauge_create(nullptr, KAON_DOUBLE, &gauge), KAON_INVALID, "lattice is NULL");
  expect_refusal(kaon_gauge_set(nullptr, &array), KAON_INVALID, "kaon_gauge_set: gauge is NULL");
  expect_refusal(kaon_gauge_get(nullptr, &array), KAON_INVALID, "gauge is NULL");
  expect_refusal(kaon_spinor_create(nullptr, nullptr, &spinor), KAON_INVALID, "lattice is NULL");
  expect_refusal(kaon_spinor_set(nullptr, 0, &array), KAON_INVALID, "spinor is NULL");
  expect_refusal(kaon_spinor_get_options(nullptr, nullptr), KAON_INVALID, "spinor is NULL");
  expect_refusal(kaon_operator_get_clover(nullptr, 0, &array), KAON_INVALID, "dirac is NULL");
  expect_refusal(kaon_run_get(nullptr), KAON_INVALID, "info is NULL");
  kaon_lattice_destroy(nullptr);
  kaon_gauge_destroy(&gauge);  // NULL is fine
  kaon_lattice_options_init(nullptr);
}

TEST_F(CRefusals, SetsAFreedHandleToNull) {
  kaon_gauge* gauge = nullptr;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  kaon_gauge_destroy(&gauge);
  EXPECT_EQ(gauge, nullptr);
  double plaquette[3];
  expect_refusal(kaon_gauge_plaquette(gauge, plaquette), KAON_INVALID, "gauge is NULL");
  kaon_gauge_destroy(&gauge);
}

TEST_F(CRefusals, RefusesStructuresOfAnotherSize) {
  kaon_lattice_options options{};  // not filled
  LatticeHandle other;
  expect_refusal(kaon_lattice_create(&options, &other), KAON_INVALID,
                 "its size says 0: fill it with kaon_lattice_options_init");
  options.size = sizeof(options) + 8;
  expect_refusal(kaon_lattice_create(&options, &other), KAON_INVALID, "compile with the kaon.h of this library");
  kaon_array array{};
  expect_refusal(kaon_gauge_get(gauge, &array), KAON_INVALID, "kaon_array has");
  kaon_gauge* none = nullptr;
  const kaon_read_options reading{};
  expect_refusal(kaon_gauge_read("x", nullptr, &reading, KAON_DOUBLE, nullptr, &none), KAON_INVALID,
                 "kaon_read_options has");
  kaon_read_options_init(nullptr);
  auto dirac_options = defaults(kaon_operator_options_init);
  dirac_options.size -= 4;
  kaon_operator* dirac = nullptr;
  expect_refusal(kaon_operator_create(gauge, &dirac_options, &dirac), KAON_INVALID, "kaon_operator_options has");
  EXPECT_EQ(dirac, nullptr);
}

TEST_F(CRefusals, RefusesWrongValues) {
  LatticeHandle other;
  auto options = defaults(kaon_lattice_options_init);
  const int ranks[] = {0};
  options.ranks = ranks;
  expect_refusal(kaon_lattice_create(&options, &other), KAON_INVALID, "ranks are given without the grid");
  for (int& processes : options.grid) processes = 2;
  expect_refusal(kaon_lattice_create(&options, &other), KAON_INVALID,
                 "ranks are given for a grid of 2x2x2x2 processes, but there are 1");
  for (int& processes : options.grid) processes = 0;
  kaon_gauge* none = nullptr;
  expect_refusal(kaon_gauge_create(lattice, static_cast<kaon_precision>(7), &none), KAON_INVALID,
                 "precision = 7 is none of 0 to 1");
  GaugeHandle single;
  make_random_links(single, lattice, KAON_SINGLE);
  expect_refusal(kaon_gauge_start(gauge, static_cast<kaon_start_kind>(5), 0, 0.0), KAON_INVALID, "kind of a start");
  expect_refusal(kaon_gauge_start(gauge, KAON_WEAK, 0, NAN), KAON_INVALID, "noise of the width nan");
  expect_ok(kaon_lattice_sum(lattice, 0, nullptr));
  expect_refusal(kaon_lattice_sum(lattice, 1, nullptr), KAON_INVALID, "values is NULL");
  const char* json = nullptr;
  expect_refusal(kaon_measure(gauge, "{", "q", 0, &json), KAON_INVALID, "this is no JSON");
  expect_refusal(kaon_measure(single, "{}", "q", 0, &json), KAON_UNSUPPORTED, "double");
  Numbers values(36 * 256);
  kaon_array array = array_of(values.data());
  array.inside = KAON_COLOR_SPIN;
  expect_refusal(kaon_gauge_set(gauge, &array), KAON_INVALID, "cannot have the order color_spin");
  array.inside = 9;
  expect_refusal(kaon_gauge_set(gauge, &array), KAON_INVALID, "inside of an array = 9 is none of 0 to 6");
  kaon_array empty = array_of(nullptr);
  expect_refusal(kaon_gauge_get(gauge, &empty), KAON_INVALID, "an array is a null pointer");
  const auto heatbath = defaults(kaon_heatbath_options_init);
  expect_refusal(kaon_gauge_heatbath(single, &heatbath), KAON_INVALID, "gauge is in single precision, but double");

  SpinorHandle spinor, narrow;
  make_spinor(spinor, lattice, 1);
  make_spinor(narrow, lattice, 1, 4, KAON_SINGLE);
  array.inside = KAON_STANDARD_ORDER;

  auto physics = defaults(kaon_operator_options_init);
  OperatorHandle dirac;
  expect_refusal(kaon_operator_create(gauge, &physics, &dirac), KAON_INVALID, "neither mass nor kappa is set");
  physics.mass = physics.kappa = 0.1;
  expect_refusal(kaon_operator_create(gauge, &physics, &dirac), KAON_INVALID, "both mass and kappa are set");
  physics.mass = NAN;
  physics.kappa = 0.12;
  physics.action = 17;
  expect_refusal(kaon_operator_create(gauge, &physics, &dirac), KAON_INVALID, "action = 17");
  physics.action = KAON_WILSON;
  physics.boundary[1] = NAN;
  expect_refusal(kaon_operator_create(gauge, &physics, &dirac), KAON_INVALID, "is not four angles");
  physics.boundary[1] = 0.0;
  expect_ok(kaon_operator_create(gauge, &physics, &dirac));
  expect_refusal(kaon_operator_apply(dirac, KAON_M, narrow, spinor), KAON_INVALID,
                 "out is in single precision, but double is needed");
  expect_refusal(kaon_operator_get_clover(dirac, 0, &array), KAON_UNSUPPORTED, "only a Wilson-clover operator");

  auto solving = defaults(kaon_solver_options_init);
  kaon_solver* solver = nullptr;
  solving.method = 12;
  expect_refusal(kaon_solver_create(dirac, &solving, &solver), KAON_INVALID, "method = 12");
  solving.method = KAON_AUTO;
  solving.links = 11;
  expect_refusal(kaon_solver_create(dirac, &solving, &solver), KAON_INVALID, "links = 11");
  solving.links = 0;
  solving.near_null_file = "nowhere";
  expect_refusal(kaon_solver_create(dirac, &solving, &solver), KAON_INVALID, "the method is not multigrid");
  solving.method = KAON_MULTIGRID;
  expect_refusal(kaon_solver_create(dirac, &solving, &solver), KAON_FILE, "nowhere");
  EXPECT_EQ(solver, nullptr);

  OperatorHandle single_dirac;
  expect_ok(kaon_operator_create(single, &physics, &single_dirac));
  kaon_solver_options_init(&solving);
  solving.outer = KAON_DOUBLE;
  expect_refusal(kaon_solver_create(single_dirac, &solving, &solver), KAON_INVALID, "needs an operator in double");

  SolverHandle plain;
  expect_ok(kaon_solver_create(dirac, nullptr, &plain));
  SpinorHandle zero;
  make_spinor(zero, lattice, 1);
  expect_ok(kaon_solver_solve(plain, spinor, zero, nullptr));
  expect_refusal(kaon_solver_solve(plain, spinor, spinor, nullptr), KAON_INVALID, "x is b: give a field of its own");
  double residual = 1.0;
  expect_ok(kaon_operator_residual(dirac, zero, zero, &residual, nullptr));
  EXPECT_EQ(residual, 0.0);
  expect_refusal(kaon_solver_save(plain, "x"), KAON_INVALID, "no near-null vectors");
  double correlator[4];
  expect_refusal(kaon_pion_correlator(spinor, nullptr, 4, correlator), KAON_INVALID, "needs a propagator");
}

// Products of these overflow 32 bits, or 64.
TEST_F(CRefusals, RefusesFieldsThatNoMachineHolds) {
  kaon_spinor* spinor = nullptr;
  const auto refuse = [&](int spins, int colors, int right_hand_sides, const char* text) {
    for (const int precision : {KAON_DOUBLE, KAON_SINGLE}) {
      kaon_spinor_options options{sizeof(options), precision, spins, colors, right_hand_sides, 1};
      expect_refusal(kaon_spinor_create(lattice, &options, &spinor), KAON_INVALID, text);
      EXPECT_EQ(spinor, nullptr);
    }
  };
  constexpr int most = std::numeric_limits<int>::max();
  refuse(46341, 46341, 1, "46341 spins and 46341 colours has more than 33554431 numbers at a site");
  refuse(4, 1 << 30, 1, "has more than 33554431 numbers at a site");
  refuse(1024, (1 << 22) + 1, 1, "has more than 33554431 numbers at a site");
  refuse(most, most, most, "has more than 33554431 numbers at a site");
  refuse(4, 8388607, most, "is beyond the addresses of memory");

  kaon_lattice* other = nullptr;
  auto options = defaults(kaon_lattice_options_init);
  for (int& extent : options.extents) extent = 4;
  const int ranks[] = {0};
  options.ranks = ranks;
  for (int& processes : options.grid) processes = 1 << 16;  // 2^64 of them
  expect_refusal(kaon_lattice_create(&options, &other), KAON_INVALID, "65536x65536x65536x65536 processes, but there");
  for (int& extent : options.extents) extent = 1 << 30;
  options.ranks = nullptr;
  for (int& processes : options.grid) processes = 0;
  expect_refusal(kaon_lattice_create(&options, &other), KAON_INVALID, "more than 2^40 sites");
  EXPECT_EQ(other, nullptr);

  SpinorHandle field;
  make_spinor(field, lattice, 1);
  Numbers values(12 * 256);
  kaon_array array = array_of(values.data());
  array.site_bytes = std::numeric_limits<ptrdiff_t>::max() / 128 / 16 * 16;
  expect_refusal(kaon_spinor_set(field, 0, &array), KAON_INVALID, "256 sites: no memory has as many");
  expect_refusal(kaon_spinor_get(field, 0, &array), KAON_INVALID, "256 sites: no memory has as many");
}

kaon_operator_options mass_options(kaon_action action) {
  auto options = defaults(kaon_operator_options_init);
  options.action = action;
  options.mass = 0.1;
  return options;
}

TEST_F(CRefusals, RefusesOptionsThatAMethodDoesNotHave) {
  kaon_gauge *smeared = nullptr, *other = nullptr;
  kaon_smear_options smear;
  for (const kaon_smearing method : {KAON_APE, KAON_HYP}) {
    kaon_smear_options_init(&smear);
    smear.method = method;
    smear.rho = 0.2;
    expect_refusal(kaon_gauge_smear(gauge, &smear, &smeared), KAON_INVALID, "rho is set, but KAON_");
  }
  kaon_smear_options_init(&smear);
  smear.method = KAON_HYP;
  smear.anisotropy = 2.0;
  expect_refusal(kaon_gauge_smear(gauge, &smear, &smeared), KAON_INVALID, "anisotropy is set, but KAON_HYP");
  kaon_smear_options_init(&smear);
  smear.alpha_2 = 0.2;
  expect_refusal(kaon_gauge_smear(gauge, &smear, &smeared), KAON_INVALID,
                 "alpha_2 is set, but KAON_STOUT does not read it: it reads rho, epsilon, anisotropy; leave others at "
                 "their defaults");
  auto links = defaults(kaon_link_smear_options_init);
  links.u0 = 0.9;
  expect_refusal(kaon_gauge_smear_links(gauge, &links, &smeared, &other), KAON_INVALID,
                 "u0 is set, but KAON_HISQ does not read it");
  links.action = KAON_ASQTAD;
  links.naik_epsilon = -0.2;
  expect_refusal(kaon_gauge_smear_links(gauge, &links, &smeared, &other), KAON_INVALID,
                 "naik_epsilon is set, but KAON_ASQTAD does not read it");
  kaon_operator_options quarks = mass_options(KAON_WILSON);
  kaon_quark_term_options of_term;
  kaon_action_term* term = nullptr;
  kaon_quark_term_options_init(&of_term);
  of_term.highest = 60.0;
  expect_refusal(kaon_action_term_create_quarks(&quarks, &of_term, &term), KAON_INVALID, "highest is for rational");
  kaon_quark_term_options_init(&of_term);
  of_term.lowest = 0.1;
  expect_refusal(kaon_action_term_create_quarks(&quarks, &of_term, &term), KAON_INVALID, "lowest is for other numbers");
  quarks = mass_options(KAON_STAGGERED);
  of_term.flavors = 4.0;
  expect_refusal(kaon_action_term_create_quarks(&quarks, &of_term, &term), KAON_INVALID, "lowest is for other numbers");
}

// Unit blocks with one number changed at site (1, 2, 3, 0), in the lower block.
TEST_F(CRefusals, RefusesSiteTermsThatAreNotHermitian) {
  for (const kaon_precision precision : {KAON_DOUBLE, KAON_SINGLE}) {
    GaugeHandle gauge;
    make_random_links(gauge, lattice, precision);
    Numbers unit(72 * 256), changed;
    for (std::size_t k = 0; k < unit.size(); ++k) unit[k] = k % 36 % 7 == 0 ? 4.0 : 0.0;
    const std::size_t block = 72 * (1 + 4 * (2 + 4 * 3)) + 36;
    const kaon_array good = array_of(unit.data());
    kaon_operator* dirac = nullptr;
    const char* const text =
        "the lower clover block at site (1, 2, 3, 0) is not Hermitian: numbers that must be each other's conjugates "
        "differ by 0.25 of the block's largest number";
    const auto refuse = [&] {
      const kaon_array bad = array_of(changed.data());
      expect_refusal(kaon_operator_create_clover(gauge, &bad, nullptr, nullptr, &dirac), KAON_INVALID, text);
      expect_refusal(kaon_operator_create_clover(gauge, &good, &bad, nullptr, &dirac), KAON_INVALID, text);
    };
    changed = unit;
    changed[block + 6 * 1 + 4] = 1.0;  // above the diagonal
    refuse();
    changed[block + 6 * 4 + 1] = {1.0, 1.0};
    refuse();
    changed = unit;
    changed[block + 7 * 5] = {4.0, 0.5};  // differs from its conjugate by 1
    refuse();
    for (const double wrong : {std::nan(""), HUGE_VAL}) {
      for (const std::size_t place : {std::size_t{7 * 5}, std::size_t{6 * 4 + 1}}) {  // on the diagonal and below it
        changed = unit;
        changed[block + place] = wrong;
        const kaon_array bad = array_of(changed.data());
        expect_refusal(kaon_operator_create_clover(gauge, &bad, nullptr, nullptr, &dirac), KAON_INVALID,
                       "the lower clover block at site (1, 2, 3, 0) holds NaN or infinity");
      }
    }
    changed = unit;
    changed[block + 6 * 1 + 4] = {0.5, 0.25};
    changed[block + 6 * 4 + 1] = {0.5, -0.25 + 2e-5};
    const kaon_array near = array_of(changed.data());
    OperatorHandle made;
    expect_ok(kaon_operator_create_clover(gauge, &near, nullptr, nullptr, &made));
    EXPECT_EQ(dirac, nullptr);
    changed = unit;
    for (std::size_t k = 0; k < 36; ++k) changed[block + k] = 0.0;
    const kaon_array singular = array_of(changed.data());
    expect_refusal(kaon_operator_create_clover(gauge, &singular, nullptr, nullptr, &dirac), KAON_INVALID,
                   "use a larger mass or smoother links, or add to the diagonal of a term of your own");
  }
}

TEST_F(CRefusals, RefusesPredictionsWithoutMeaning) {
  const auto options = defaults(kaon_predict_options_init);
  EXPECT_STREQ(options.network, "ndr");
  const int processes[] = {1};
  const char* text = nullptr;
  const auto refuse = [&](const auto& set, kaon_status status, const char* message) {
    auto quarks = defaults(kaon_operator_options_init);
    kaon_predict_options given = options;
    for (int& extent : given.extents) extent = 4;
    given.processes = processes;
    given.counts = 1;
    set(quarks, given);
    expect_refusal(kaon_predict(&quarks, &given, &text), status, message);
    EXPECT_EQ(text, nullptr);
  };
  refuse([](auto& quarks, auto&) { quarks.action = KAON_TWISTED_MASS; }, KAON_UNSUPPORTED, "not predicted");
  refuse([](auto&, auto& given) { given.counts = 0; }, KAON_INVALID, "counts = 0");
  refuse([](auto&, auto& given) { given.processes = nullptr; }, KAON_INVALID, "processes is NULL");
  refuse([](auto&, auto& given) { given.extents[0] = 0; }, KAON_INVALID, "nothing can be predicted");
  refuse([](auto&, auto& given) { given.size = 8; }, KAON_INVALID, "kaon_predict_options has");
  expect_refusal(kaon_predict(nullptr, &options, &text), KAON_INVALID, "quarks is NULL");
  expect_refusal(kaon_predict(nullptr, &options, nullptr), KAON_INVALID, "is NULL");
}

#if !defined(__SANITIZE_ADDRESS__)  // which ends the program there
TEST_F(CRefusals, SaysThatMemoryIsMissing) {
  auto options = defaults(kaon_spinor_options_init);
  options.colors = 3000;
  options.right_hand_sides = 2000000000;  // beyond the addresses of any machine
  kaon_spinor* spinor = nullptr;
  expect_refusal(kaon_spinor_create(lattice, &options, &spinor), KAON_MEMORY, "failed to allocate");
  EXPECT_EQ(spinor, nullptr);
}
#endif

TEST_F(CRefusals, SaysWhatIsWrongWithFiles) {
  kaon_gauge* gauge = nullptr;
  expect_refusal(kaon_gauge_read("/no/such/file", nullptr, nullptr, KAON_DOUBLE, nullptr, &gauge), KAON_FILE,
                 "/no/such/file");
  EXPECT_EQ(gauge, nullptr);
  kaon_spinor* propagator = nullptr;
  expect_refusal(kaon_propagator_read("/no/such/file", lattice, KAON_DOUBLE, nullptr, &propagator), KAON_FILE,
                 "/no/such/file");
  GaugeHandle zeros;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &zeros));
  expect_refusal(kaon_gauge_write(zeros, "/no/such/folder/file", nullptr), KAON_FILE, "links are not in SU(3)");
  GaugeHandle links;
  make_random_links(links, lattice);
  expect_refusal(kaon_gauge_write(links, "/no/such/folder/file", nullptr), KAON_FILE,
                 "no file can be made in its folder");
}

void keep_text(int kind, const char* text, void* context) {
  *static_cast<std::string*>(context) += std::to_string(kind) + " " + text;
}

TEST_F(CRefusals, GivesNoticesToTheLog) {
  OperatorHandle dirac;
  make_operator(dirac, gauge, KAON_WILSON, 0.1);
  auto options = defaults(kaon_solver_options_init);
  options.max_iterations = 4;  // too few for the first precision, which reports it
  SolverHandle solver;
  expect_ok(kaon_solver_create(dirac, &options, &solver));
  SpinorHandle b, x;
  make_spinor(b, lattice, 1);
  make_spinor(x, lattice, 1);
  set_source(b, KAON_POINT_SOURCE);
  std::string text;
  expect_ok(kaon_set_log(keep_text, &text));
  kaon_report report;
  expect_refusal(kaon_solver_solve(solver, x, b, &report), KAON_NOT_CONVERGED, "did not converge");
  expect_ok(kaon_set_log(nullptr, nullptr));
  EXPECT_EQ(text.find("0 "), 0u) << text;
  EXPECT_EQ(report.converged, 0);
  EXPECT_GT(report.residual, 1e-10);
  EXPECT_GT(report.iterations, 0);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
