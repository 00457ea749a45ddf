// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/anisotropy.hpp"
#include "tests/quda/domain_wall.hpp"
#include "tests/quda/force_cases.hpp"
#include "tests/quda/twisted_doublet.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

namespace kaon::test {
namespace KAON_TEST_FILE {

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

TEST(QudaRefusals, NameNumbersThatAreNotFinite) {
  const double nan = std::nan("");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { p.kappa = nan; }); }, "kappa = nan: give a finite number");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { p.kappa = HUGE_VAL; }); }, "kappa = inf: give a finite number");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { p.tol = nan; }); }, "tol = nan: give a finite number");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { p.mu = nan; }, QUDA_TWISTED_MASS_DSLASH); }, "mu = nan: give");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { p.mass = nan; }, QUDA_STAGGERED_DSLASH); }, "mass = nan: give");
  expect_refusal(
      [&] {
        load();
        QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
        param.clover_coeff = nan;
        loadCloverQuda(nullptr, nullptr, &param);
      },
      "clover_coeff = nan: give a finite number");
  const auto load_with = [](double anisotropy) {
    QudaGaugeParam param = gauge_param();
    param.anisotropy = anisotropy;
    QdpLinks links(random_links(1));
    loadGaugeQuda(links.pointers(), &param);
  };
  expect_refusal([&] { load_with(nan); }, "anisotropy = nan: give a finite number");
}

TEST(QudaRefusals, NameValuesOfNoEnumerator) {
  const auto as = [](auto& member) { member = static_cast<std::decay_t<decltype(member)>>(77); };
  const std::string no_other = " = 77 is not supported; supported: QUDA_";
  expect_refusal([&] { solve([&](QudaInvertParam& p) { as(p.dagger); }); }, "dagger" + no_other + "DAG_NO and");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { as(p.matpc_type); }); }, "matpc_type" + no_other);
  expect_refusal([&] { solve([&](QudaInvertParam& p) { as(p.input_location); }); }, "input_location" + no_other);
  expect_refusal([&] { solve([](QudaInvertParam& p) { p.cuda_prec_sloppy = static_cast<QudaPrecision>(3); }); },
                 "cuda_prec_sloppy = 3 is not supported; supported: QUDA_DOUBLE_PRECISION, ");
  expect_refusal([&] { solve([&](QudaInvertParam& p) { as(p.residual_type); }); }, "residual_type = 77 is no sum of ");
  const auto load_with = [](const std::function<void(QudaGaugeParam&)>& spoil) {
    QudaGaugeParam param = gauge_param();
    param.staggered_phase_applied = 1;
    spoil(param);
    QdpLinks links(random_links(1));
    loadGaugeQuda(links.pointers(), &param);
  };
  expect_refusal([&] { load_with([&](QudaGaugeParam& p) { as(p.t_boundary); }); }, "t_boundary" + no_other);
  expect_refusal([&] { load_with([&](QudaGaugeParam& p) { as(p.staggered_phase_type); }); },
                 "staggered_phase_type" + no_other);
}

TEST(QudaRefusals, SayWhatIsSupported) {
  expect_refusal([] { solve([](QudaInvertParam& p) { p.dslash_type = QUDA_CLOVER_HASENBUSCH_TWIST_DSLASH; }); },
                 "is not supported; supported: QUDA_WILSON_DSLASH.* and QUDA_MOBIUS_DWF_EOFA_DSLASH");
  expect_refusal([] { solve([](QudaInvertParam& p) { p.cuda_prec = QUDA_QUARTER_PRECISION; }); },
                 "cuda_prec = 1 is not supported");
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_STAGGERED_DSLASH}) {
    expect_refusal([&] { solve([](QudaInvertParam& p) { p.inv_type = QUDA_GMRESDR_INVERTER; }, type); },
                   "inv_type = .* is not supported; supported: QUDA_CG_INVERTER, QUDA_CGNR_INVERTER");
  }
  const auto load_as = [](QudaReconstructType exact, QudaReconstructType sloppy) {
    QudaGaugeParam param = gauge_param();
    param.reconstruct = exact;
    param.reconstruct_sloppy = sloppy;
    QdpLinks links(random_links(1));
    loadGaugeQuda(links.pointers(), &param);
  };
  const std::string known = " = 10 is not supported; supported: QUDA_RECONSTRUCT_NO, .*and QUDA_RECONSTRUCT_9";
  expect_refusal([&] { load_as(QUDA_RECONSTRUCT_10, QUDA_RECONSTRUCT_12); }, "reconstruct" + known);  // of momenta
  expect_refusal([&] { load_as(QUDA_RECONSTRUCT_NO, QUDA_RECONSTRUCT_10); }, "reconstruct_sloppy" + known);
  expect_refusal([] { saveGaugeFieldQuda(nullptr, nullptr, nullptr); },
                 "saveGaugeFieldQuda: this function is not supported");
  expect_refusal(
      [] {
        QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
        double workspace[4];
        contractQuda(workspace, workspace, workspace, QUDA_CONTRACT_TYPE_OPEN_SUM_T, &param, extents.data());
      },
      "contractQuda: the type of contraction .* is not supported; supported: QUDA_CONTRACT_TYPE_OPEN");
  expect_refusal(
      [] {
        int foreign[64] = {1, 8};
        void* fields[] = {foreign};
        void* result = foreign;
        contractFTQuda(fields, fields, &result, QUDA_CONTRACT_TYPE_DR_FT_T, foreign, 1, extents.data(), foreign, 1,
                       foreign, nullptr);
      },
      "cs_param_ptr leads to no QudaInvertParam");
  expect_refusal(
      [] {
        QudaGaugeParam param = gauge_param();
        param.gauge_order = QUDA_CPS_WILSON_GAUGE_ORDER;
        param.anisotropy = 2.0;
        QdpLinks links(random_links(1));
        loadGaugeQuda(links.parts[0].data(), &param);
      },
      "QUDA_CPS_WILSON_GAUGE_ORDER with anisotropy = 2: it is supported for 1");
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

void flow_fermions(const std::function<void(QudaGaugeSmearParam&)>& spoil, double anisotropy = 1.0, bool null = false) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH, anisotropy);
  QudaGaugeSmearParam smearing = newQudaGaugeSmearParam();
  QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  smearing.smear_type = QUDA_GAUGE_SMEAR_WILSON_FLOW;
  smearing.epsilon = 0.01;
  smearing.n_steps = 1;
  smearing.meas_interval = 2;
  spoil(smearing);
  std::vector<Complex> in = random_field(12, 1), out(in.size());
  flow_fermion(null ? nullptr : out.data(), in.data(), &param, &smearing, &observables);
}

TEST(QudaRefusals, OfAnisotropiesSayWhatIsWrong) {
  QudaGaugeSmearParam fresh = newQudaGaugeSmearParam();
  if (!set_anisotropy(fresh, 1.0)) GTEST_SKIP() << "these headers have no smear_anisotropy";
  for (const double value : {0.0, -1.0, static_cast<double>(NAN)}) {
    const auto spoil = [value](QudaGaugeSmearParam& p) { set_anisotropy(p, value); };
    const std::string text = fmt::format("anisotropy {}: a_s/a_t is needed", value);
    expect_refusal([&] { smear(spoil); }, text);
    expect_refusal([&] { flow(spoil); }, text);
    expect_refusal([&] { flow_fermions(spoil); }, text);
  }
  expect_refusal(
      [] {
        smear([](QudaGaugeSmearParam& p) {
          p.smear_type = QUDA_GAUGE_SMEAR_HYP;
          set_anisotropy(p, 2.0);
        });
      },
      "smear_anisotropy = 2: HYP smearing has none");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam& p) { set_anisotropy(p, 2.0); }); },
                 "anisotropy 2: fermions flow on isotropic lattices, 1");
}

TEST(QudaRefusals, OfSmearingSayWhatIsWrong) {
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_INVALID; }); },
                 "performGaugeSmearQuda: parameter smear_type is not set");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_WILSON_FLOW; }); },
                 "smear_type = .* is not supported; supported: QUDA_GAUGE_SMEAR_APE");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.meas_interval = 0; }); }, "meas_interval = 0: steps from");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.rho = NAN; }); }, "must be finite numbers");
  expect_refusal([] { smear([](QudaGaugeSmearParam&) {}, 2.0); }, "smearing needs links without factors in space");
  expect_refusal([] { smear([](QudaGaugeSmearParam& p) { p.struct_size += 8; }); }, "compiled with the same quda.h");
  expect_refusal([] { flow([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_HYP; }); },
                 "smear_type = .* is not supported; supported: QUDA_GAUGE_SMEAR_WILSON_FLOW");
  expect_refusal([] { flow([](QudaGaugeSmearParam& p) { p.epsilon = 0.0; }); }, "a flow cannot have steps of 0");
  expect_refusal([] { flow([](QudaGaugeSmearParam& p) { p.restart = QUDA_BOOLEAN_TRUE; }); },
                 "there are no smeared links");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam& p) { p.smear_type = QUDA_GAUGE_SMEAR_HYP; }); },
                 "performGFlowQuda: smear_type = .* is not supported; supported: QUDA_GAUGE_SMEAR_WILSON_FLOW");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam& p) { p.epsilon = -0.1; }); },
                 "a flow cannot have steps of -0.1");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam& p) { p.restart = QUDA_BOOLEAN_TRUE; }); },
                 "there are no smeared links");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam& p) { p.meas_interval = 0; }); }, "meas_interval = 0");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam&) {}, 2.0); },
                 "a flow needs links without factors in space");
  expect_refusal([] { flow_fermions([](QudaGaugeSmearParam&) {}, 1.0, true); }, "a pointer to a spinor is NULL");
  expect_refusal(
      [] {
        const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
        QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
        observables.compute_qcharge_density = QUDA_BOOLEAN_TRUE;
        gaugeObservablesQuda(&observables);
      },
      "qcharge_density is NULL");
}

TEST(QudaRefusals, OfCovariantOperatorsNameTheValue) {
  const auto apply = [](const std::function<void(QudaInvertParam&)>& spoil, QudaDslashType type) {
    load();
    QudaInvertParam param = invert_param(type);
    param.covdev_mu = 0;
    param.laplace3D = 3;
    spoil(param);
    std::vector<Complex> in = random_field(12, 1), out(in.size());
    MatQuda(out.data(), in.data(), &param);
  };
  expect_refusal([&] { apply([](QudaInvertParam& p) { p.covdev_mu = 8; }, QUDA_COVDEV_DSLASH); },
                 "MatQuda: covdev_mu = 8 is none of 0 to 3");
  expect_refusal([&] { apply([](QudaInvertParam& p) { p.laplace3D = 2; }, QUDA_LAPLACE_DSLASH); },
                 "MatQuda: laplace3D = 2: 3");
  expect_refusal([&] { apply([](QudaInvertParam& p) { p.solution_type = QUDA_MATPC_SOLUTION; }, QUDA_COVDEV_DSLASH); },
                 "is not supported for the covariant derivative and the Laplace operator");
  expect_refusal(
      [] {
        load();
        QudaInvertParam param = invert_param(QUDA_LAPLACE_DSLASH);
        param.laplace3D = 3;
        std::vector<Complex> in = random_field(12, 1), out(in.size());
        dslashQuda(out.data(), in.data(), &param, QUDA_EVEN_PARITY);
      },
      "the Laplace operator has no form on one parity");
  expect_refusal(
      [] {
        endQuda();
        const int dims[] = {1 << 16, 1 << 16, 1 << 16, 1 << 16};  // 2^64 processes
        initCommsGridQuda(4, dims, nullptr, nullptr);
      },
      "a grid of 65536x65536x65536x65536 processes: ranks are numbers of 32 bits");
  const auto shift = [](int direction, int sym) {
    load();
    QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
    std::vector<Complex> in = random_field(12, 1), out(in.size());
    shiftQuda(out.data(), in.data(), direction, sym, &param);
  };
  expect_refusal([&] { shift(0, 0); }, "shiftQuda: sym = 0 is none of 1");
  expect_refusal([&] { shift(0, 4); }, "shiftQuda: sym = 4 is none of 1");
  expect_refusal([&] { shift(4, 3); }, "shiftQuda: dir = 4 is none of 0 to 3");
  expect_refusal([] { solve([](QudaInvertParam&) {}, QUDA_COVDEV_DSLASH); }, "cannot be inverted: shift back");
  expect_refusal(
      [] {
        solve(
            [](QudaInvertParam& p) {
              p.laplace3D = 3;
              p.solution_type = QUDA_MATPC_SOLUTION;
            },
            QUDA_LAPLACE_DSLASH);
      },
      "is not supported for the Laplace operator; supported: QUDA_MAT_SOLUTION");
}

void invert(void* out, void* in, QudaInvertParam& param) { invertQuda(out, in, &param); }
void hop(void* out, void* in, QudaInvertParam& param) { dslashQuda(out, in, &param, QUDA_EVEN_PARITY); }
void matrix(void* out, void* in, QudaInvertParam& param) { MatQuda(out, in, &param); }
void term(void* out, void* in, QudaInvertParam& param) { cloverQuda(out, in, &param, QUDA_EVEN_PARITY, 0); }
void smear(void* out, void* in, QudaInvertParam& param) { performWuppertalnStep(out, in, &param, 3, 0.1); }
void find_eigenvectors(void* out, void*, QudaInvertParam& param) {
  QudaEigParam search = newQudaEigParam();
  search.invert_param = &param;
  search.n_conv = search.n_ev = 1;
  search.n_kr = 16;
  search.max_restarts = 10;
  search.compute_gamma5 = QUDA_BOOLEAN_TRUE;
  double values[2];
  eigensolveQuda(&out, reinterpret_cast<double _Complex*>(values), &search);
}

void nothing(QudaInvertParam&) {}
void precondition(QudaInvertParam& p) {
  p.inv_type_precondition = QUDA_MG_INVERTER;
  p.preconditioner = &p;
}
void want_heavy_quark_residual(QudaInvertParam& p) { p.residual_type = QUDA_HEAVY_QUARK_RESIDUAL; }
void set_b(QudaInvertParam& p, double b) { p.b_5[0] = p.b_5[1] = p.b_5[2] = p.b_5[3] = b; }

/// A call on quarks with slices whose parameters `spoil` has changed, and the text of the refusal.
struct OnSlices {
  QudaDslashType type;
  const char* text;
  void (*spoil)(QudaInvertParam&);
  void (*call)(void* out, void* in, QudaInvertParam&) = invert;
};

TEST(QudaRefusals, OfQuarksWithSlicesNameTheValue) {
  constexpr QudaDslashType four = QUDA_DOMAIN_WALL_DSLASH, mobius = QUDA_MOBIUS_DWF_DSLASH,
                           eofa = QUDA_MOBIUS_DWF_EOFA_DSLASH, doublet = QUDA_TWISTED_CLOVER_DSLASH;
  const OnSlices cases[] = {
      {mobius, "invertQuda: parameter Ls is not set", [](auto& p) { p.Ls = newQudaInvertParam().Ls; }},
      {mobius, "parameter m5 is not set", [](auto& p) { p.m5 = newQudaInvertParam().m5; }},
      {mobius, "parameter mass is not set", [](auto& p) { p.mass = newQudaInvertParam().mass; }},
      {mobius, "Ls = 33: 1 to 32 slices are possible", [](auto& p) { p.Ls = 33; }},
      {mobius, "m5 = 1.4: it is minus the height of the domain wall, between -5 and 0", [](auto& p) { p.m5 = 1.4; }},
      {mobius, "m5 = -1.2 with anisotropy = 2.5: 3 .1/anisotropy - 1. - m5 = -0.6 must be positive",
       [](auto& p) {
         p.m5 = -1.2;
         QdpLinks links(multiplied(random_links(1), true, 0.4));
         QudaGaugeParam param = gauge_param();
         param.anisotropy = 2.5;
         loadGaugeQuda(links.pointers(), &param);
       }},
      {mobius, "b_5 or c_5 differ between slices or are complex .zMoebius.: solves are supported for QUDA_MAT_SOLUTION",
       [](auto& p) {
         p.b_5[2] = 1.25;
         p.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
       }},
      {mobius, "b_5 or c_5 differ between slices or are complex .zMoebius.: solves are supported for QUDA_MAT_SOLUTION",
       [](auto& p) {
         p.b_5[2] = 1.25;
         p.dagger = QUDA_DAG_YES;
       }},
      {eofa, "zMoebius.: QUDA_MOBIUS_DWF_EOFA_DSLASH has one real b_5",
       [](auto& p) { reinterpret_cast<double*>(p.c_5)[1] = 0.1; }},
      {mobius, "b_5.0. = 0", [](auto& p) { set_b(p, 0.0); }},
      {eofa, "b_5 - c_5 = 1.5: QUDA_MOBIUS_DWF_EOFA_DSLASH is supported for 1", [](auto& p) { set_b(p, 2.0); }},
      {eofa, "parameter eofa_shift is not set", [](auto& p) { p.eofa_shift = newQudaInvertParam().eofa_shift; }},
      {mobius, "QUDA_HEAVY_QUARK_RESIDUAL is not supported for domain wall quarks", want_heavy_quark_residual},
      {mobius, "solve domain wall quarks and doublets by CG", precondition},
      {mobius, "inv_type = .* is not supported", [](auto& p) { p.inv_type = QUDA_GMRESDR_INVERTER; }},
      {four, "invertQuda: QUDA_DOMAIN_WALL_DSLASH on one parity, that of x . y . z . t . s, is not supported",
       [](auto& p) { p.solution_type = QUDA_MATPC_SOLUTION; }},
      {four, "dslashQuda: QUDA_DOMAIN_WALL_DSLASH on one parity, that of x . y . z . t . s, is not", nothing, hop},
      {mobius, "MatQuda: parameter kappa is not set", [](auto& p) { p.mass_normalization = QUDA_MASS_NORMALIZATION; },
       matrix},
      {mobius, "performWuppertalnStep: .*needs a field of one slice, not of 4", nothing, smear},
      {mobius, "compute_gamma5 is not supported for domain wall quarks", nothing, find_eigenvectors},
      {doublet, "invertQuda: parameter epsilon is not set", [](auto& p) { p.epsilon = newQudaInvertParam().epsilon; }},
      {doublet, "twist_flavor = .* is not supported; supported: QUDA_TWIST_SINGLET and QUDA_TWIST_NONDEG_DOUBLET",
       [](auto& p) { p.twist_flavor = QUDA_TWIST_NO; }},
      {doublet, "use a larger mass or mu, or a smaller epsilon", [](auto& p) { p.epsilon = 8.0; }},
      {doublet, "QUDA_HEAVY_QUARK_RESIDUAL is not supported for domain wall quarks and doublets",
       want_heavy_quark_residual},
      {doublet, "is for Wilson-like operators of one flavour and for .*: solve domain wall quarks and doublets by CG",
       precondition},
      {doublet, "tm_rho = 0.1 acts on .*, on one flavour: set it to 0 for others",
       [](auto& p) {
         p.tm_rho = 0.1;
         p.solution_type = QUDA_MATPC_SOLUTION;
         p.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
       }},
      {doublet, "dslashQuda: dagger = QUDA_DAG_YES is not supported for QUDA_TWISTED_CLOVER_DSLASH",
       [](auto& p) { p.dagger = QUDA_DAG_YES; }, hop},
      {doublet, "cloverQuda: twist_flavor = QUDA_TWIST_NONDEG_DOUBLET is not supported here", nothing, term},
      {doublet, "performWuppertalnStep: .*needs a field of one slice, not of 2", nothing, smear},
      {doublet, "compute_gamma5 is not supported for domain wall quarks and doublets", nothing, find_eigenvectors},
  };
  for (const OnSlices& one : cases) {
    const auto call = [&] {
      const Loaded loaded(random_links(1), one.type);
      QudaInvertParam param = one.type == doublet ? doublet_param(doublet) : domain_wall_param(one.type, 4);
      one.spoil(param);
      std::vector<Complex> in = random_field(4 * 12, 1), out(in.size());
      one.call(out.data(), in.data(), param);
    };
    expect_refusal(call, one.text);
  }
}

TEST(QudaRefusals, OfHopsNameTheOperator) {
  expect_refusal(
      [] {
        const Loaded loaded(reference::unit_links(extents), QUDA_TWISTED_CLOVER_DSLASH);
        QudaInvertParam param = invert_param(QUDA_TWISTED_CLOVER_DSLASH);
        param.dagger = QUDA_DAG_YES;
        std::vector<Complex> in = random_field(12, 1), out(in.size());
        dslashQuda(out.data(), in.data(), &param, QUDA_EVEN_PARITY);
      },
      "dslashQuda: dagger = QUDA_DAG_YES is not supported for QUDA_TWISTED_CLOVER_DSLASH");
}

TEST(QudaRefusals, OfPathsNameTheStep) {
  const auto trace = [](std::vector<int> path, int longest) {
    load();
    int* paths[] = {path.data()};
    int length = static_cast<int>(path.size());
    double coefficient = 1.0;
    Complex result;
    computeGaugeLoopTraceQuda(reinterpret_cast<double _Complex*>(&result), paths, &length, &coefficient, 1, longest,
                              1.0);
  };
  expect_refusal([&] { trace({0, 8}, 2); }, "computeGaugeLoopTraceQuda: step 1 of path 0 is 8");
  expect_refusal([&] { trace({0, 7, 1, 6}, 2); }, "path 0 has 4 steps: 1 to max_length = 2 are possible");
  expect_refusal([&] { trace({0, 1}, 2); }, "is not closed");
}

TEST(QudaRefusals, OfMomentaSayWhereTheyAreMissing) {
  const auto move = [](int make, int give_back) {
    load();
    QudaGaugeParam param = gauge_param();
    param.make_resident_mom = make;
    param.return_result_mom = give_back;
    std::vector<double> reals(10 * static_cast<std::size_t>(volume_of(extents)));
    void* momenta[] = {reals.data(), reals.data(), reals.data(), reals.data()};
    momResidentQuda(momenta, &param);
  };
  expect_refusal([&] { move(1, 1); }, "make_resident_mom = 1 and return_result_mom = 1: one of them must be 1");
  expect_refusal([&] { move(0, 0); }, "make_resident_mom = 0 and return_result_mom = 0");
  expect_refusal([&] { move(0, 1); }, "there are no resident momenta: load them with momResidentQuda");
  expect_refusal(
      [] {
        load();
        gaussMomQuda(1, 1.0);
      },
      "gaussMomQuda: there are no resident momenta");
  expect_refusal([] { gaussGaugeQuda(1, 1.0); }, "load them with loadGaugeQuda");
  expect_refusal(
      [] {
        load();
        gaussGaugeQuda(1, -1.0);
      },
      "the width -1 of momenta is not usable");
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
  for (const bool inverse : {false, true}) {
    expect_refusal(
        [&] {
          load();
          QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
          (inverse ? param.return_clover_inverse : param.return_clover) = 1;
          loadCloverQuda(nullptr, nullptr, &param);
        },
        inverse ? "return_clover_inverse is set, but the pointer" : "return_clover is set, but the pointer");
  }
  expect_refusal(
      [] {
        load();
        QdpLinks links(random_links(1));
        QudaGaugeParam param = gauge_param();
        param.X[3] /= 2;
        saveGaugeQuda(links.pointers(), &param);
      },
      "saveGaugeQuda: X = 4 4 4 4 is not that of the resident links, 4 4 4 8");
  expect_refusal(
      [] {
        load();
        QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
        param.clover_coeff = param.clover_csw = 0.0;
        loadCloverQuda(nullptr, nullptr, &param);
      },
      "neither clover_coeff nor clover_csw is set");
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

/// Calls add(momenta, solutions, links, inverter) with what a force of an operator needs, except for a spoilt value.
template <class Add>
void with_force_fields(QudaDslashType type, const std::function<void(QudaInvertParam&)>& spoil, const Add& add) {
  const Loaded loaded(reference::unit_links(extents), type);
  QudaGaugeParam links = gauge_param();
  QudaInvertParam param = invert_param(type);
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.matpc_type = QUDA_MATPC_EVEN_EVEN_ASYMMETRIC;
  param.clover_csw = param.clover_coeff / param.kappa;
  spoil(param);
  QdpMomenta momenta;
  force::Solutions x(0);
  add(momenta.pointers(), x.pointers.data(), links, param);
}

void add_force(const std::function<void(QudaInvertParam&)>& spoil, int count = 1, double kappa2 = -0.124 * 0.124,
               double ck = -1.3 * 0.124 / 8.0) {
  with_force_fields(QUDA_CLOVER_WILSON_DSLASH, spoil, [&](void** momenta, void** x, auto& links, auto& param) {
    double coefficient = 1.0;
    computeCloverForceQuda(momenta, 0.1, x, nullptr, &coefficient, kappa2, ck, count, 2.0, nullptr, &links, &param);
  });
}

TEST(QudaRefusals, OfCloverForcesSayWhatIsWrong) {
  expect_refusal([] { add_force([](QudaInvertParam&) {}, 0); },
                 "computeCloverForceQuda: nvector = 0: a force needs at least one solution");
  expect_refusal([] { add_force([](QudaInvertParam& p) { p.matpc_type = QUDA_MATPC_EVEN_EVEN; }); },
                 "the matpc_type of a clover force must be QUDA_MATPC_EVEN_EVEN_ASYMMETRIC");
  expect_refusal([] { add_force([](QudaInvertParam& p) { p.solution_type = QUDA_MATPC_SOLUTION; }); },
                 "must be QUDA_MATPCDAG_MATPC_SOLUTION");
  expect_refusal([] { add_force([](QudaInvertParam& p) { p.dslash_type = QUDA_WILSON_DSLASH; }); },
                 "supported: QUDA_CLOVER_WILSON_DSLASH");
  expect_refusal([] { add_force([](QudaInvertParam& p) { p.use_resident_solution = 1; }); },
                 "use_resident_solution = 1, but 0 solutions are kept, not 1");
  expect_refusal([] { add_force([](QudaInvertParam&) {}, 1, 0.124 * 0.124); },
                 "kappa2 must be -kappa.2, but it is 0.015");
  expect_refusal([] { add_force([](QudaInvertParam&) {}, 1, -0.124 * 0.124, 0.1); },
                 "ck must be -1/8 of the clover term's coefficient, but it is 0.1");
}

void add_twisted_force(const std::function<void(QudaInvertParam&)>& spoil, bool ratio = false) {
  with_force_fields(QUDA_TWISTED_CLOVER_DSLASH, spoil, [&](void** momenta, void** x, auto& links, auto& param) {
    double coefficient = 1.0;
    computeTMCloverForceQuda(momenta, x, nullptr, &coefficient, 1, &links, &param, ratio);
  });
}

TEST(QudaRefusals, OfTwistedForcesSayWhatIsWrong) {
  expect_refusal([] { add_twisted_force([](QudaInvertParam&) {}, true); }, "detratio = 1, but x0 is NULL");
  expect_refusal([] { add_twisted_force([](QudaInvertParam& p) { p.dslash_type = QUDA_CLOVER_WILSON_DSLASH; }); },
                 "computeTMCloverForceQuda: the dslash_type of a twisted clover force is not supported");
  expect_refusal(
      [] { add_twisted_force([](QudaInvertParam& p) { p.clover_csw = 1.0; }); },
      "kappa times clover_csw must be the clover term's coefficient, but it is 0.124 and the parameters have");
  expect_refusal([] { add_twisted_force([](QudaInvertParam& p) { p.matpc_type = QUDA_MATPC_ODD_ODD; }); },
                 "the matpc_type of a clover force must be");
  const auto doublet = [](QudaInvertParam& p) {
    p.twist_flavor = QUDA_TWIST_NONDEG_DOUBLET;
    p.epsilon = 0.05;
    p.dagger = QUDA_DAG_NO;
  };
  expect_refusal([&] { add_twisted_force(doublet); },
                 "the force of a doublet .*is supported with dagger = QUDA_DAG_YES only");
  const auto with_rho = [](QudaInvertParam& p) { p.tm_rho = 0.1; };
  expect_refusal([&] { solve(with_rho, QUDA_TWISTED_CLOVER_DSLASH); },
                 "tm_rho = 0.1 acts on QUDA_TWISTED_CLOVER_DSLASH");
  expect_refusal([&] { solve(with_rho, QUDA_TWISTED_MASS_DSLASH); }, "set it to 0 for others");
  expect_refusal(
      [] {
        solve(
            [](QudaInvertParam& p) {
              p.tm_rho = 0.1;
              p.solution_type = QUDA_MATPC_SOLUTION;
            },
            QUDA_TWISTED_CLOVER_DSLASH);
      },
      "an asymmetric matpc_type only");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
