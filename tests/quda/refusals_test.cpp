// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

#include <cmath>
#include <functional>

namespace kaon::test {
namespace {

/// The call ends the program with this text.
void expect_refusal(const std::function<void()>& call, const std::string& text) {
  EXPECT_EXIT(call(), testing::ExitedWithCode(1), text);
}

void load() {
  static QdpLinks links(multiplied(random_links(1), true, 1.0));
  QudaGaugeParam param = gauge_param();
  loadGaugeQuda(links.pointers(), &param);
}

void solve(const std::function<void(QudaInvertParam&)>& spoil, QudaDslashType type = QUDA_WILSON_DSLASH) {
  load();
  QudaInvertParam param = invert_param(type);
  std::vector<Complex> b = random_field(12, 1), x(b.size());
  spoil(param);
  invertQuda(x.data(), b.data(), &param);
}

TEST(QudaRefusals, NameWhatIsMissing) {
  expect_refusal([] { solve([](QudaInvertParam& p) { p.kappa = newQudaInvertParam().kappa; }); },
                 "invertQuda: parameter kappa is not set");
  expect_refusal([] { solve([](QudaInvertParam& p) { p.solution_type = QUDA_INVALID_SOLUTION; }); },
                 "parameter solution_type is not set");
  expect_refusal([] { solve([](QudaInvertParam& p) { p.cpu_prec = QUDA_INVALID_PRECISION; }); },
                 "parameter cpu_prec is not set");
  expect_refusal([] { solve([](QudaInvertParam& p) { p.struct_size += 8; }); }, "compiled with the same quda.h");
}

TEST(QudaRefusals, SayWhatIsSupported) {
  expect_refusal([] { solve([](QudaInvertParam& p) { p.dslash_type = QUDA_MOBIUS_DWF_DSLASH; }); },
                 "is not supported; supported: QUDA_WILSON_DSLASH");
  expect_refusal([] { solve([](QudaInvertParam& p) { p.cuda_prec = QUDA_HALF_PRECISION; }); },
                 "cuda_prec = 2 is not supported");
  expect_refusal([] { solve([](QudaInvertParam& p) { p.split_grid[1] = 2; }); }, "split_grid is not supported");
  expect_refusal(
      [] {
        double workspace[4];
        contractQuda(nullptr, nullptr, workspace, QUDA_CONTRACT_TYPE_OPEN, nullptr, extents.data());
      },
      "contractQuda: this function is not supported");
}

void smear(const std::function<void(QudaGaugeSmearParam&)>& spoil, double anisotropy = 1.0) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH, anisotropy);
  QudaGaugeSmearParam smearing = newQudaGaugeSmearParam();
  QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
  smearing.smear_type = QUDA_GAUGE_SMEAR_STOUT;
  smearing.n_steps = 1;
  smearing.meas_interval = 2;
  spoil(smearing);
  performGaugeSmearQuda(&smearing, &observables);
}

void flow(const std::function<void(QudaGaugeSmearParam&)>& spoil) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
  QudaGaugeSmearParam smearing = newQudaGaugeSmearParam();
  QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
  smearing.smear_type = QUDA_GAUGE_SMEAR_WILSON_FLOW;
  smearing.epsilon = 0.01;
  smearing.n_steps = 1;
  smearing.meas_interval = 2;
  spoil(smearing);
  performWFlowQuda(&smearing, &observables);
}

TEST(QudaRefusals, OfSmearingSayWhatIsWrong) {
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_INVALID; }); },
                 "performGaugeSmearQuda: parameter smear_type is not set");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_WILSON_FLOW; }); },
                 "smear_type = 4 is not supported; supported: QUDA_GAUGE_SMEAR_APE");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.meas_interval = 0; }); }, "meas_interval = 0: steps from");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.rho = NAN; }); }, "must be finite numbers");
  expect_refusal([] { smear([](QudaGaugeSmearParam&) {}, 2.0); }, "smearing needs links without factors in space");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.struct_size += 8; }); }, "compiled with the same quda.h");
  expect_refusal([] { flow([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_HYP; }); },
                 "smear_type = 3 is not supported; supported: QUDA_GAUGE_SMEAR_WILSON_FLOW");
  expect_refusal([] { flow([](QudaGaugeSmearParam& p) { p.epsilon = 0.0; }); }, "a flow cannot have steps of 0");
  expect_refusal([] { flow([](QudaGaugeSmearParam& p) { p.restart = QUDA_BOOLEAN_TRUE; }); },
                 "there are no smeared links");
  expect_refusal(
      [] {
        const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
        QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
        observables.compute_qcharge_density = QUDA_BOOLEAN_TRUE;
        gaugeObservablesQuda(&observables);
      },
      "qcharge_density is NULL");
}

TEST(QudaRefusals, KnowTheOrderOfCalls) {
  expect_refusal(
      [] {
        double plaquette[3];
        plaqQuda(plaquette);
      },
      "load them with loadGaugeQuda");
  expect_refusal([] { solve([](QudaInvertParam&) {}, QUDA_CLOVER_WILSON_DSLASH); },
                 "there is no clover term: load it with loadCloverQuda");
  expect_refusal([] { solve([](QudaInvertParam&) {}, QUDA_STAGGERED_DSLASH); }, "loaded without staggered phases");
  expect_refusal(
      [] {
        solve([](QudaInvertParam& p) {
          static int nothing;
          p.inv_type_precondition = QUDA_MG_INVERTER;
          p.preconditioner = &nothing;
        });
      },
      "this pointer leads to no multigrid");
  expect_refusal(
      [] {
        endQuda();
        load();
      },
      "call initQuda first");
}

TEST(QudaRefusals, TakeNoNullPointers) {
  expect_refusal([] { loadGaugeQuda(nullptr, nullptr); }, "the parameters are NULL");
  expect_refusal(
      [] {
        QudaGaugeParam param = gauge_param();
        loadGaugeQuda(nullptr, &param);
      },
      "the pointer to links is NULL");
  expect_refusal(
      [] {
        load();
        QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
        invertQuda(nullptr, nullptr, &param);
      },
      "a pointer to a spinor is NULL");
}

TEST(QudaRefusals, NameExtentsThatAreOdd) {
  expect_refusal(
      [] {
        QudaGaugeParam param = gauge_param();
        param.X[3] = 1;
        Complex link[9];
        void* parts[] = {link, link, link, link};
        loadGaugeQuda(parts, &param);
      },
      "the local extents 4 4 4 1 are not supported");
}

// A second start after an end goes on: lattices and links are made anew.
TEST(QudaLife, BeginsAgainAfterItsEnd) {
  load();
  endQuda();
  const int dims[] = {1, 1, 1, 1};
  initCommsGridQuda(4, dims, nullptr, nullptr);
  initQuda(0);
  solve([](QudaInvertParam&) {});
  freeGaugeQuda();
}

}  // namespace
}  // namespace kaon::test
