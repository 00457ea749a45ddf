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

/// A call that ends the program, and the text of the error.
struct Refusal {
  std::string text;
  std::function<void()> call;
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) EXPECT_EXIT(refusal.call(), testing::ExitedWithCode(1), refusal.text);
}

/// Changes of a structure before the call.
template <class Structure>
using Spoil = std::function<void(Structure&)>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto fresh = newQudaInvertParam;
void nothing(auto&) {}
/// A value that no enumerator has.
void spoil(auto& member) { member = static_cast<std::decay_t<decltype(member)>>(77); }

void load() {
  static QdpLinks links(multiplied(random_links(1), true, 1.0));
  QudaGaugeParam param = gauge_param();
  loadGaugeQuda(links.pointers(), &param);
}

// Calls on quarks, between two fields.
using Call = void (*)(void* out, void* in, QudaInvertParam&);
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

/// A call of one flavour's fields on links without phases and without a clover term.
std::function<void()> on_links(const Spoil<QudaInvertParam>& change, QudaDslashType type = QUDA_WILSON_DSLASH,
                               Call call = invert) {
  return [=] {
    load();
    QudaInvertParam param = invert_param(type);
    param.covdev_mu = 0;
    param.laplace3D = 3;
    std::vector<Complex> b = random_field(12, 1), x(b.size());
    change(param);
    call(x.data(), b.data(), param);
  };
}

std::function<void()> loading(const Spoil<QudaGaugeParam>& change) {
  return [=] {
    QudaGaugeParam param = gauge_param();
    QdpLinks links(random_links(1));
    change(param);
    loadGaugeQuda(links.pointers(), &param);
  };
}

std::function<void()> loading_clover(const Spoil<QudaInvertParam>& change) {
  return [=] {
    load();
    QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
    change(param);
    loadCloverQuda(nullptr, nullptr, &param);
  };
}

TEST(QudaRefusals, NameMembersAndValues) {
  const std::string no_other = " = 77 is not supported; supported: QUDA_";
  const std::string reals = " = 10 is not supported; supported: QUDA_RECONSTRUCT_NO, .*and QUDA_RECONSTRUCT_9";
  const std::string inverters = "inv_type = .* is not supported; supported: QUDA_CG_INVERTER, QUDA_CGNR_INVERTER";
  const auto gmres = [](auto& p) { p.inv_type = QUDA_GMRESDR_INVERTER; };
  expect_refusals({
      {"invertQuda: parameter kappa is not set", on_links([](auto& p) { p.kappa = fresh().kappa; })},
      {"parameter solution_type is not set", on_links([](auto& p) { p.solution_type = QUDA_INVALID_SOLUTION; })},
      {"parameter cpu_prec is not set", on_links([](auto& p) { p.cpu_prec = QUDA_INVALID_PRECISION; })},
      {"compiled with the same quda.h", on_links([](auto& p) { p.struct_size += 8; })},
      {"kappa = nan: give a finite number", on_links([](auto& p) { p.kappa = nan; })},
      {"kappa = inf: give a finite number", on_links([](auto& p) { p.kappa = HUGE_VAL; })},
      {"tol = nan: give a finite number", on_links([](auto& p) { p.tol = nan; })},
      {"mu = nan: give", on_links([](auto& p) { p.mu = nan; }, QUDA_TWISTED_MASS_DSLASH)},
      {"mass = nan: give", on_links([](auto& p) { p.mass = nan; }, QUDA_STAGGERED_DSLASH)},
      {"dagger" + no_other + "DAG_NO and", on_links([](auto& p) { spoil(p.dagger); })},
      {"matpc_type" + no_other, on_links([](auto& p) { spoil(p.matpc_type); })},
      {"input_location" + no_other, on_links([](auto& p) { spoil(p.input_location); })},
      {"cuda_prec_sloppy = 3 is not supported; supported: QUDA_DOUBLE_PRECISION, ",
       on_links([](auto& p) { p.cuda_prec_sloppy = static_cast<QudaPrecision>(3); })},
      {"residual_type = 77 is no sum of ", on_links([](auto& p) { spoil(p.residual_type); })},
      {"is not supported; supported: QUDA_WILSON_DSLASH.* and QUDA_MOBIUS_DWF_EOFA_DSLASH",
       on_links([](auto& p) { p.dslash_type = QUDA_CLOVER_HASENBUSCH_TWIST_DSLASH; })},
      {"cuda_prec = 1 is not supported", on_links([](auto& p) { p.cuda_prec = QUDA_QUARTER_PRECISION; })},
      {inverters, on_links(gmres)},
      {inverters, on_links(gmres, QUDA_STAGGERED_DSLASH)},
      {"clover_coeff = nan: give a finite number", loading_clover([](auto& p) { p.clover_coeff = nan; })},
      {"neither clover_coeff nor clover_csw is set",
       loading_clover([](auto& p) { p.clover_coeff = p.clover_csw = 0.0; })},
      {"return_clover is set, but the pointer", loading_clover([](auto& p) { p.return_clover = 1; })},
      {"return_clover_inverse is set, but the pointer", loading_clover([](auto& p) { p.return_clover_inverse = 1; })},
      {"anisotropy = nan: give a finite number", loading([](auto& p) { p.anisotropy = nan; })},
      {"t_boundary" + no_other, loading([](auto& p) { spoil(p.t_boundary); })},
      {"staggered_phase_type" + no_other, loading([](auto& p) {
         p.staggered_phase_applied = 1;
         spoil(p.staggered_phase_type);
       })},
      {"reconstruct" + reals, loading([](auto& p) { p.reconstruct = QUDA_RECONSTRUCT_10; })},  // those of momenta
      {"reconstruct_sloppy" + reals, loading([](auto& p) { p.reconstruct_sloppy = QUDA_RECONSTRUCT_10; })},
      {"QUDA_CPS_WILSON_GAUGE_ORDER with anisotropy = 2: it is supported for 1", loading([](auto& p) {
         p.gauge_order = QUDA_CPS_WILSON_GAUGE_ORDER;
         p.anisotropy = 2.0;
       })},
      {"the local extents 4 4 4 1 are not supported", loading([](auto& p) { p.X[3] = 1; })},
  });
}

TEST(QudaRefusals, NameUnsupportedFunctionsAndStructures) {
  expect_refusals({
      {"saveGaugeFieldQuda: this function is not supported", [] { saveGaugeFieldQuda(nullptr, nullptr, nullptr); }},
      {"contractQuda: the type of contraction .* is not supported; supported: QUDA_CONTRACT_TYPE_OPEN",
       [] {
         QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
         double workspace[4];
         contractQuda(workspace, workspace, workspace, QUDA_CONTRACT_TYPE_OPEN_SUM_T, &param, extents.data());
       }},
      {"cs_param_ptr leads to no QudaInvertParam",
       [] {
         int foreign[64] = {1, 8};
         void* fields[] = {foreign};
         void* result = foreign;
         contractFTQuda(fields, fields, &result, QUDA_CONTRACT_TYPE_DR_FT_T, foreign, 1, extents.data(), foreign, 1,
                        foreign, nullptr);
       }},
  });
}

/// Smearing and flows on links of an anisotropy.
template <class Function>
std::function<void()> smearing(QudaGaugeSmearType type, const Function& function,
                               const Spoil<QudaGaugeSmearParam>& change, double anisotropy) {
  return [=] {
    const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH, anisotropy);
    QudaGaugeSmearParam param = newQudaGaugeSmearParam();
    QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
    param.smear_type = type;
    param.epsilon = 0.01;
    param.n_steps = 1;
    param.meas_interval = 2;
    change(param);
    function(param, observables);
  };
}
std::function<void()> links_smeared(const Spoil<QudaGaugeSmearParam>& change, double anisotropy = 1.0) {
  const auto function = [](auto& param, auto& observables) { performGaugeSmearQuda(&param, &observables); };
  return smearing(QUDA_GAUGE_SMEAR_STOUT, function, change, anisotropy);
}
std::function<void()> links_flowed(const Spoil<QudaGaugeSmearParam>& change) {
  const auto function = [](auto& param, auto& observables) { performWFlowQuda(&param, &observables); };
  return smearing(QUDA_GAUGE_SMEAR_WILSON_FLOW, function, change, 1.0);
}
std::function<void()> fermion_flowed(const Spoil<QudaGaugeSmearParam>& change, double anisotropy = 1.0,
                                     bool null = false) {
  const auto function = [null](auto& param, auto& observables) {
    QudaInvertParam of = invert_param(QUDA_WILSON_DSLASH);
    std::vector<Complex> in = random_field(12, 1), out(in.size());
    flow_fermion(null ? nullptr : out.data(), in.data(), &of, &param, &observables);
  };
  return smearing(QUDA_GAUGE_SMEAR_WILSON_FLOW, function, change, anisotropy);
}

TEST(QudaRefusals, OfAnisotropiesSayWhatIsWrong) {
  QudaGaugeSmearParam param = newQudaGaugeSmearParam();
  if (!set_anisotropy(param, 1.0)) GTEST_SKIP() << "these headers have no smear_anisotropy";
  for (const double value : {0.0, -1.0, nan}) {
    const auto change = [value](auto& p) { set_anisotropy(p, value); };
    const std::string text = fmt::format("anisotropy {}: a_s/a_t is needed", value);
    expect_refusals({{text, links_smeared(change)}, {text, links_flowed(change)}, {text, fermion_flowed(change)}});
  }
  expect_refusals({
      {"smear_anisotropy = 2: HYP smearing has none", links_smeared([](auto& p) {
         p.smear_type = QUDA_GAUGE_SMEAR_HYP;
         set_anisotropy(p, 2.0);
       })},
      {"anisotropy 2: fermions flow on isotropic lattices, 1", fermion_flowed([](auto& p) { set_anisotropy(p, 2.0); })},
  });
}

TEST(QudaRefusals, OfSmearingSayWhatIsWrong) {
  const auto none = [](auto&) {};
  const auto hyp = [](auto& p) { p.smear_type = QUDA_GAUGE_SMEAR_HYP; };
  const auto again = [](auto& p) { p.restart = QUDA_BOOLEAN_TRUE; };
  const auto never = [](auto& p) { p.meas_interval = 0; };
  const std::string flows = "smear_type = .* is not supported; supported: QUDA_GAUGE_SMEAR_WILSON_FLOW";
  expect_refusals({
      {"performGaugeSmearQuda: parameter smear_type is not set",
       links_smeared([](auto& p) { p.smear_type = QUDA_GAUGE_SMEAR_INVALID; })},
      {"smear_type = .* is not supported; supported: QUDA_GAUGE_SMEAR_APE",
       links_smeared([](auto& p) { p.smear_type = QUDA_GAUGE_SMEAR_WILSON_FLOW; })},
      {"meas_interval = 0: steps from", links_smeared(never)},
      {"must be finite numbers", links_smeared([](auto& p) { p.rho = nan; })},
      {"smearing needs links without factors in space", links_smeared(none, 2.0)},
      {"compiled with the same quda.h", links_smeared([](auto& p) { p.struct_size += 8; })},
      {flows, links_flowed(hyp)},
      {"a flow cannot have steps of 0", links_flowed([](auto& p) { p.epsilon = 0.0; })},
      {"there are no smeared links", links_flowed(again)},
      {"performGFlowQuda: " + flows, fermion_flowed(hyp)},
      {"a flow cannot have steps of -0.1", fermion_flowed([](auto& p) { p.epsilon = -0.1; })},
      {"there are no smeared links", fermion_flowed(again)},
      {"meas_interval = 0", fermion_flowed(never)},
      {"a flow needs links without factors in space", fermion_flowed(none, 2.0)},
      {"a pointer to a spinor is NULL", fermion_flowed(none, 1.0, true)},
      {"qcharge_density is NULL",
       [] {
         const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
         QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
         observables.compute_qcharge_density = QUDA_BOOLEAN_TRUE;
         gaugeObservablesQuda(&observables);
       }},
  });
}

std::function<void()> shifting(int direction, int sym) {
  return [=] {
    load();
    QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
    std::vector<Complex> in = random_field(12, 1), out(in.size());
    shiftQuda(out.data(), in.data(), direction, sym, &param);
  };
}

TEST(QudaRefusals, OfCovariantOperatorsNameTheValue) {
  constexpr QudaDslashType covariant = QUDA_COVDEV_DSLASH, laplace = QUDA_LAPLACE_DSLASH;
  const auto on_parity = [](auto& p) { p.solution_type = QUDA_MATPC_SOLUTION; };
  expect_refusals({
      {"MatQuda: covdev_mu = 8 is none of 0 to 3", on_links([](auto& p) { p.covdev_mu = 8; }, covariant, matrix)},
      {"MatQuda: laplace3D = 2: 3", on_links([](auto& p) { p.laplace3D = 2; }, laplace, matrix)},
      {"is not supported for the covariant derivative and the Laplace operator",
       on_links(on_parity, covariant, matrix)},
      {"the Laplace operator has no form on one parity", on_links([](auto&) {}, laplace, hop)},
      {"shiftQuda: sym = 0 is none of 1", shifting(0, 0)},
      {"shiftQuda: sym = 4 is none of 1", shifting(0, 4)},
      {"shiftQuda: dir = 4 is none of 0 to 3", shifting(4, 3)},
      {"cannot be inverted: shift back", on_links([](auto&) {}, covariant)},
      {"is not supported for the Laplace operator; supported: QUDA_MAT_SOLUTION", on_links(on_parity, laplace)},
  });
}

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
  Call call = invert;
};

TEST(QudaRefusals, OfQuarksWithSlicesNameTheValue) {
  static constexpr QudaDslashType four = QUDA_DOMAIN_WALL_DSLASH, mobius = QUDA_MOBIUS_DWF_DSLASH,
                                  eofa = QUDA_MOBIUS_DWF_EOFA_DSLASH, doublet = QUDA_TWISTED_CLOVER_DSLASH;
  const OnSlices cases[] = {
      {mobius, "invertQuda: parameter Ls is not set", [](auto& p) { p.Ls = fresh().Ls; }},
      {mobius, "parameter m5 is not set", [](auto& p) { p.m5 = fresh().m5; }},
      {mobius, "parameter mass is not set", [](auto& p) { p.mass = fresh().mass; }},
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
      {eofa, "parameter eofa_shift is not set", [](auto& p) { p.eofa_shift = fresh().eofa_shift; }},
      {mobius, "QUDA_HEAVY_QUARK_RESIDUAL is not supported for domain wall quarks", want_heavy_quark_residual},
      {mobius, "this pointer leads to no multigrid", precondition},
      {mobius, "inv_type = .* is not supported", [](auto& p) { p.inv_type = QUDA_GMRESDR_INVERTER; }},
      {four, "invertQuda: QUDA_DOMAIN_WALL_DSLASH on one parity, that of x . y . z . t . s, is not supported",
       [](auto& p) { p.solution_type = QUDA_MATPC_SOLUTION; }},
      {four, "dslashQuda: QUDA_DOMAIN_WALL_DSLASH on one parity, that of x . y . z . t . s, is not",
       nothing<QudaInvertParam>, hop},
      {mobius, "MatQuda: parameter kappa is not set", [](auto& p) { p.mass_normalization = QUDA_MASS_NORMALIZATION; },
       matrix},
      {mobius, "performWuppertalnStep: .*needs a field of one slice, not of 4", nothing<QudaInvertParam>, smear},
      {mobius, "compute_gamma5 is not supported for domain wall quarks", nothing<QudaInvertParam>, find_eigenvectors},
      {doublet, "invertQuda: parameter epsilon is not set", [](auto& p) { p.epsilon = fresh().epsilon; }},
      {doublet, "twist_flavor = .* is not supported; supported: QUDA_TWIST_SINGLET and QUDA_TWIST_NONDEG_DOUBLET",
       [](auto& p) { p.twist_flavor = QUDA_TWIST_NO; }},
      {doublet, "use a larger mass or mu, or a smaller epsilon", [](auto& p) { p.epsilon = 8.0; }},
      {doublet, "QUDA_HEAVY_QUARK_RESIDUAL is not supported for domain wall quarks and doublets",
       want_heavy_quark_residual},
      {doublet, "tm_rho = 0.1 acts on .*, on one flavour: set it to 0 for others",
       [](auto& p) {
         p.tm_rho = 0.1;
         p.solution_type = QUDA_MATPC_SOLUTION;
         p.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
       }},
      {doublet, "dslashQuda: dagger = QUDA_DAG_YES is not supported for QUDA_TWISTED_CLOVER_DSLASH",
       [](auto& p) { p.dagger = QUDA_DAG_YES; }, hop},
      {doublet, "cloverQuda: twist_flavor = QUDA_TWIST_NONDEG_DOUBLET is not supported here", nothing<QudaInvertParam>,
       term},
      {doublet, "performWuppertalnStep: .*needs a field of one slice, not of 2", nothing<QudaInvertParam>, smear},
      {doublet, "compute_gamma5 is not supported for domain wall quarks and doublets", nothing<QudaInvertParam>,
       find_eigenvectors},
  };
  for (const OnSlices& one : cases) {
    const auto call = [one] {
      const Loaded loaded(random_links(1), one.type);
      QudaInvertParam param = one.type == doublet ? doublet_param(doublet) : domain_wall_param(one.type, 4);
      one.spoil(param);
      std::vector<Complex> in = random_field(4 * 12, 1), out(in.size());
      one.call(out.data(), in.data(), param);
    };
    expect_refusals({{one.text, call}});
  }
}

/// A trace along a path.
std::function<void()> tracing(const std::vector<int>& given, int longest) {
  return [=] {
    load();
    std::vector<int> path = given;
    int* paths[] = {path.data()};
    int length = static_cast<int>(path.size());
    double coefficient = 1.0;
    Complex result;
    computeGaugeLoopTraceQuda(reinterpret_cast<double _Complex*>(&result), paths, &length, &coefficient, 1, longest,
                              1.0);
  };
}

std::function<void()> moving_momenta(int make, int give_back) {
  return [=] {
    load();
    QudaGaugeParam param = gauge_param();
    param.make_resident_mom = make;
    param.return_result_mom = give_back;
    std::vector<double> reals(10 * static_cast<std::size_t>(volume_of(extents)));
    void* momenta[] = {reals.data(), reals.data(), reals.data(), reals.data()};
    momResidentQuda(momenta, &param);
  };
}

TEST(QudaRefusals, OfPathsAndMomentaSayWhatIsWrong) {
  expect_refusals({
      {"computeGaugeLoopTraceQuda: step 1 of path 0 is 8", tracing({0, 8}, 2)},
      {"path 0 has 4 steps: 1 to max_length = 2 are possible", tracing({0, 7, 1, 6}, 2)},
      {"is not closed", tracing({0, 1}, 2)},
      {"make_resident_mom = 1 and return_result_mom = 1: one of them must be 1", moving_momenta(1, 1)},
      {"make_resident_mom = 0 and return_result_mom = 0", moving_momenta(0, 0)},
      {"there are no resident momenta: load them with momResidentQuda", moving_momenta(0, 1)},
      {"gaussMomQuda: there are no resident momenta", [] { gaussMomQuda(1, 1.0); }},
      {"load them with loadGaugeQuda", [] { gaussGaugeQuda(1, 1.0); }},
      {"the width -1 of momenta is not usable",
       [] {
         load();
         gaussGaugeQuda(1, -1.0);
       }},
  });
}

TEST(QudaRefusals, KnowTheOrderOfCallsAndNullPointers) {
  expect_refusals({
      {"load them with loadGaugeQuda",
       [] {
         double plaquette[3];
         plaqQuda(plaquette);
       }},
      {"there is no clover term: load it with loadCloverQuda", on_links([](auto&) {}, QUDA_CLOVER_WILSON_DSLASH)},
      {"clover_rho = 0.25 is not supported: set it to 0",
       on_links([](auto& p) { p.clover_rho = 0.25; }, QUDA_CLOVER_WILSON_DSLASH)},
      {"clover_rho = 0.25 is not supported: set it to 0",
       on_links([](auto& p) { p.clover_rho = 0.25; }, QUDA_TWISTED_CLOVER_DSLASH)},
      {"loaded without staggered phases", on_links([](auto&) {}, QUDA_STAGGERED_DSLASH)},
      {"this pointer leads to no multigrid", on_links(precondition)},
      {"call initQuda first",
       [] {
         endQuda();
         load();
       }},
      {"a grid of 65536x65536x65536x65536 processes: ranks are numbers of 32 bits",
       [] {
         endQuda();
         const int dims[] = {1 << 16, 1 << 16, 1 << 16, 1 << 16};  // 2^64 processes
         initCommsGridQuda(4, dims, nullptr, nullptr);
       }},
      {"the parameters are NULL", [] { loadGaugeQuda(nullptr, nullptr); }},
      {"saveGaugeQuda: X = 4 4 4 4 is not that of the resident links, 4 4 4 8",
       [] {
         load();
         QdpLinks links(random_links(1));
         QudaGaugeParam param = gauge_param();
         param.X[3] /= 2;
         saveGaugeQuda(links.pointers(), &param);
       }},
      {"the pointer to links is NULL",
       [] {
         QudaGaugeParam param = gauge_param();
         loadGaugeQuda(nullptr, &param);
       }},
      {"a pointer to a spinor is NULL",
       on_links([](auto&) {}, QUDA_WILSON_DSLASH,
                [](void*, void*, auto& param) { invertQuda(nullptr, nullptr, &param); })},
  });
}

/// Calls add(momenta, solutions, links, inverter) with fields that the force of an operator needs.
template <class Add>
std::function<void()> with_force_fields(QudaDslashType type, const Spoil<QudaInvertParam>& change, const Add& add) {
  return [=] {
    const Loaded loaded(reference::unit_links(extents), type);
    QudaGaugeParam links = gauge_param();
    QudaInvertParam param = invert_param(type);
    param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
    param.matpc_type = QUDA_MATPC_EVEN_EVEN_ASYMMETRIC;
    param.clover_csw = param.clover_coeff / param.kappa;
    change(param);
    QdpMomenta momenta;
    force::Solutions x(0);
    add(momenta.pointers(), x.pointers.data(), links, param);
  };
}

std::function<void()> clover_force(const Spoil<QudaInvertParam>& change, int count = 1, double kappa2 = -0.124 * 0.124,
                                   double ck = -1.3 * 0.124 / 8.0) {
  return with_force_fields(QUDA_CLOVER_WILSON_DSLASH, change, [=](void** momenta, void** x, auto& links, auto& param) {
    double coefficient = 1.0;
    computeCloverForceQuda(momenta, 0.1, x, nullptr, &coefficient, kappa2, ck, count, 2.0, nullptr, &links, &param);
  });
}

std::function<void()> twisted_force(const Spoil<QudaInvertParam>& change, bool ratio = false) {
  return with_force_fields(QUDA_TWISTED_CLOVER_DSLASH, change, [=](void** momenta, void** x, auto& links, auto& param) {
    double coefficient = 1.0;
    computeTMCloverForceQuda(momenta, x, nullptr, &coefficient, 1, &links, &param, ratio);
  });
}

TEST(QudaRefusals, OfForcesSayWhatIsWrong) {
  const auto none = [](auto&) {};
  const auto with_rho = [](auto& p) { p.tm_rho = 0.1; };
  expect_refusals({
      {"computeCloverForceQuda: nvector = 0: a force needs at least one solution", clover_force(none, 0)},
      {"the matpc_type of a clover force must be QUDA_MATPC_EVEN_EVEN_ASYMMETRIC",
       clover_force([](auto& p) { p.matpc_type = QUDA_MATPC_EVEN_EVEN; })},
      {"must be QUDA_MATPCDAG_MATPC_SOLUTION", clover_force([](auto& p) { p.solution_type = QUDA_MATPC_SOLUTION; })},
      {"supported: QUDA_CLOVER_WILSON_DSLASH", clover_force([](auto& p) { p.dslash_type = QUDA_WILSON_DSLASH; })},
      {"use_resident_solution = 1, but 0 solutions are kept, not 1",
       clover_force([](auto& p) { p.use_resident_solution = 1; })},
      {"kappa2 must be -kappa.2, but it is 0.015", clover_force(none, 1, 0.124 * 0.124)},
      {"ck must be -1/8 of the clover term's coefficient, but it is 0.1", clover_force(none, 1, -0.124 * 0.124, 0.1)},
      {"detratio = 1, but x0 is NULL", twisted_force(none, true)},
      {"computeTMCloverForceQuda: the dslash_type of a twisted clover force is not supported",
       twisted_force([](auto& p) { p.dslash_type = QUDA_CLOVER_WILSON_DSLASH; })},
      {"kappa times clover_csw must be the clover term's coefficient, but it is 0.124 and the parameters have",
       twisted_force([](auto& p) { p.clover_csw = 1.0; })},
      {"the matpc_type of a clover force must be", twisted_force([](auto& p) { p.matpc_type = QUDA_MATPC_ODD_ODD; })},
      {"the force of a doublet .*is supported with dagger = QUDA_DAG_YES only", twisted_force([](auto& p) {
         p.twist_flavor = QUDA_TWIST_NONDEG_DOUBLET;
         p.epsilon = 0.05;
         p.dagger = QUDA_DAG_NO;
       })},
      {"tm_rho = 0.1 acts on QUDA_TWISTED_CLOVER_DSLASH", on_links(with_rho, QUDA_TWISTED_CLOVER_DSLASH)},
      {"set it to 0 for others", on_links(with_rho, QUDA_TWISTED_MASS_DSLASH)},
      {"an asymmetric matpc_type only", on_links(
                                            [](auto& p) {
                                              p.tm_rho = 0.1;
                                              p.solution_type = QUDA_MATPC_SOLUTION;
                                            },
                                            QUDA_TWISTED_CLOVER_DSLASH)},
      {"dslashQuda: dagger = QUDA_DAG_YES is not supported for QUDA_TWISTED_CLOVER_DSLASH",
       on_links([](auto& p) { p.dagger = QUDA_DAG_YES; }, QUDA_TWISTED_CLOVER_DSLASH, hop)},
  });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
