// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <complex>
#include <functional>

// Operators of links that have changed since: their hops would be those of the new links, their clover terms and links
// in lower precision those of the old ones.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr const char* changed = "the links have changed since this operator was made";

struct Made : Links {
  OperatorHandle dirac;
  SpinorHandle x, b;
  SolverHandle solver;
  MultiSolverHandle shifted;
  kaon_operator_options options;

  Made() : Links({4, 4, 4, 4}) {
    make_spinor(x, lattice, 1);
    make_spinor(b, lattice, 1);
    std::vector<std::complex<double>> ones(256 * 12, 1.0);
    const kaon_array array = array_of(ones.data());
    expect_ok(kaon_spinor_set(b, 0, &array));
    kaon_operator_options_init(&options);
    options.action = KAON_WILSON_CLOVER;
    options.mass = 0.3;
    expect_ok(kaon_operator_create(gauge, &options, &dirac));
    expect_ok(kaon_solver_create(dirac, nullptr, &solver));
    const double shift = 0.5;
    expect_ok(kaon_multi_solver_create(dirac, KAON_SHIFTS, 1, &shift, nullptr, &shifted));
  }

  void expect_all_refused() {
    const auto refused = [](kaon_status status) { expect_refusal(status, KAON_INVALID, changed); };
    double relative;
    std::vector<std::complex<double>> term(256 * 72);
    const kaon_array array = array_of(term.data());
    SolverHandle another;
    EigenvectorsHandle found;
    kaon_spinor* all[1] = {x};
    refused(kaon_operator_apply(dirac, KAON_M, x, b));
    refused(kaon_operator_apply_schur(dirac, nullptr, KAON_M, x, b));
    refused(kaon_operator_residual(dirac, x, b, &relative, nullptr));
    refused(kaon_operator_get_clover(dirac, 0, &array));
    refused(kaon_solver_create(dirac, nullptr, &another));
    refused(kaon_solver_solve(solver, x, b, nullptr));
    refused(kaon_solver_update(solver, dirac));
    refused(kaon_multi_solver_solve(shifted, all, b, nullptr));
    refused(kaon_eigenvectors_find(dirac, nullptr, &found));
    refused(kaon_eigenvectors_load(dirac, "file", 0, &found));
  }
};

TEST(ChangedLinks, AreRefusedByWhatWasMadeOfThem) {
  const auto set = [](kaon_gauge* gauge) {
    std::vector<std::complex<double>> links(256 * 36);
    const kaon_array array = array_of(links.data());
    expect_ok(kaon_gauge_get(gauge, &array));
    return kaon_gauge_set(gauge, &array);
  };
  const auto start = [](kaon_gauge* gauge) { return kaon_gauge_start(gauge, KAON_COLD, 0, 0.0); };
  const auto update = [](kaon_gauge* gauge) {
    auto options = defaults(kaon_heatbath_options_init);
    return kaon_gauge_heatbath(gauge, &options);
  };
  const auto fold = [](kaon_gauge* gauge) { return kaon_gauge_fold_phases(gauge, 1, 1); };
  const std::function<kaon_status(kaon_gauge*)> changes[] = {set, start, update, kaon_gauge_reunitarize, fold};
  for (const auto& change : changes) {
    SCOPED_TRACE(&change - changes);
    Made made;
    expect_ok(kaon_solver_solve(made.solver, made.x, made.b, nullptr));
    expect_ok(change(made.gauge));
    made.expect_all_refused();
  }
}

TEST(ChangedLinks, AreRefusedAfterMomentaMoveThem) {
  Made made;
  MomentaHandle momenta;
  expect_ok(kaon_momenta_create(made.lattice, &momenta));
  expect_ok(kaon_momenta_draw(momenta, 1, 0));
  expect_ok(kaon_gauge_advance(made.gauge, momenta, 0.1));
  made.expect_all_refused();
}

TEST(ChangedLinks, AreUsedAgainAfterAnUpdate) {
  Made made;
  expect_ok(kaon_gauge_start(made.gauge, KAON_WEAK, 6, 0.3));
  OperatorHandle now;
  expect_ok(kaon_operator_create(made.gauge, &made.options, &now));
  expect_ok(kaon_solver_update(made.solver, now));
  expect_ok(kaon_solver_solve(made.solver, made.x, made.b, nullptr));
  double relative = 1.0;
  expect_ok(kaon_operator_residual(now, made.x, made.b, &relative, nullptr));
  EXPECT_LT(relative, 1e-9);
}

TEST(ChangedLinks, LeaveOperatorsWhereTheChangeIsRefused) {
  Made made;
  auto options = defaults(kaon_heatbath_options_init);
  options.overrelaxations = -1;
  EXPECT_NE(kaon_gauge_heatbath(made.gauge, &options), KAON_OK);
  expect_ok(kaon_operator_apply(made.dirac, KAON_M, made.x, made.b));
}

TEST(ChangedLinks, OfOtherHandlesLeaveSmearedLinksAlone) {
  const Links on({4, 4, 4, 4}, 3);
  GaugeHandle fat, long_links;
  kaon_gauge* const thin = on.gauge;
  expect_ok(kaon_gauge_smear_links(thin, nullptr, &fat, &long_links));
  auto options = defaults(kaon_operator_options_init);
  options.action = KAON_HISQ;
  options.mass = 0.3;
  OperatorHandle hisq, improved;
  expect_ok(kaon_operator_create(thin, &options, &hisq));
  expect_ok(kaon_operator_create_improved(fat, long_links, &options, &improved));
  SpinorHandle out, in;
  make_spinor(out, on.lattice, 1, 1);
  make_spinor(in, on.lattice, 1, 1);
  expect_ok(kaon_gauge_start(thin, KAON_COLD, 0, 0.0));
  expect_ok(kaon_operator_apply(hisq, KAON_M, out, in));
  expect_ok(kaon_operator_apply(improved, KAON_M, out, in));
  expect_ok(kaon_gauge_start(long_links, KAON_COLD, 0, 0.0));
  expect_ok(kaon_operator_apply(improved, KAON_M, out, in));
  expect_ok(kaon_gauge_start(fat, KAON_COLD, 0, 0.0));
  expect_refusal(kaon_operator_apply(improved, KAON_M, out, in), KAON_INVALID, changed);
}

TEST(ChangedLinks, AreNeededBeforeTheFirstOperator) {
  const Links on;
  GaugeHandle gauge;
  OperatorHandle dirac;
  expect_ok(kaon_gauge_create(on.lattice, KAON_DOUBLE, &gauge));
  auto options = defaults(kaon_operator_options_init);
  options.mass = 0.3;
  expect_refusal(kaon_operator_create(gauge, &options, &dirac), KAON_INVALID, "the links are zero");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
