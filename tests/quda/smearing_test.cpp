// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/anisotropy.hpp"
#include "tests/quda/client.hpp"
#include "tests/reference/flow.hpp"
#include "tests/reference/propagator.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr double rounding = 1e-13;

/// Random links near 1, with the sign of antiperiodic lattices as in clients.
reference::Links weak_links(unsigned seed) {
  std::mt19937_64 generator(seed);
  return reference::random_links_near_one(extents, generator, 0.3);
}

void expect_saved(const reference::Links& expected, double tolerance = rounding) {
  QdpLinks saved(reference::Links(expected.size()));
  const QdpLinks given(multiplied(expected, true, 1.0));
  QudaGaugeParam param = gauge_param(QUDA_SMEARED_LINKS);
  saveGaugeQuda(saved.pointers(), &param);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    EXPECT_LT(reference::relative_difference(saved.parts[mu], given.parts[mu]), tolerance);
  }
}

QudaGaugeObservableParam all_observables() {
  QudaGaugeObservableParam param = newQudaGaugeObservableParam();
  param.compute_plaquette = QUDA_BOOLEAN_TRUE;
  param.compute_polyakov_loop = QUDA_BOOLEAN_TRUE;
  param.compute_qcharge = QUDA_BOOLEAN_TRUE;
  return param;
}

/// The observables are those of links that the client multiplied so.
void expect_measured(const QudaGaugeObservableParam& found, const reference::Links& links) {
  const reference::Energy energy = reference::clover_energy(links, extents);
  const std::vector<double> density = reference::charge_density(links, extents);
  const Complex loop = 3.0 * reference::polyakov_loop(links, 3, extents);
  EXPECT_NEAR(found.plaquette[0], reference::plaquette(links, extents), rounding);
  EXPECT_NEAR(found.ploop[0], loop.real(), rounding);
  EXPECT_NEAR(found.ploop[1], loop.imag(), rounding);
  EXPECT_NEAR(found.energy[0], energy.spatial + energy.temporal, rounding);
  EXPECT_NEAR(found.energy[1], energy.spatial, rounding);
  EXPECT_NEAR(found.energy[2], energy.temporal, rounding);
  EXPECT_NEAR(found.qcharge, std::accumulate(density.begin(), density.end(), 0.0), rounding);
}

QudaGaugeSmearParam smear_param(QudaGaugeSmearType type, unsigned steps, unsigned interval) {
  QudaGaugeSmearParam param = newQudaGaugeSmearParam();
  param.smear_type = type;
  param.n_steps = steps;
  param.meas_interval = interval;
  param.alpha = 0.6;
  param.rho = 0.08;
  param.epsilon = type == QUDA_GAUGE_SMEAR_OVRIMP_STOUT ? -0.25 : 0.05;
  param.alpha1 = 0.75;
  param.alpha2 = 0.6;
  param.alpha3 = 0.3;
  return param;
}

/// a_s/a_t that the headers have: fresh structures have 1. Staples in time count xi^2 times.
std::vector<double> anisotropies() {
  QudaGaugeSmearParam fresh = newQudaGaugeSmearParam();
  return set_anisotropy(fresh, 1.0) ? std::vector{1.0, 1.7} : std::vector{1.0};
}

using Step = std::function<reference::Links(const reference::Links&, int omitted, double xi)>;

TEST(QudaSmearing, IsTheReferences) {
  const reference::Links links = weak_links(1);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  const auto compare = [&](QudaGaugeSmearType type, bool in_space_by_default, const Step& step) {
    for (const double xi : anisotropies()) {
      if (type == QUDA_GAUGE_SMEAR_HYP && xi != 1.0) continue;  // which has none
      for (const int dir_ignore : {-1, 3, 1, 4}) {
        SCOPED_TRACE(fmt::format("smear_type = {}, dir_ignore = {}, xi = {}", static_cast<int>(type), dir_ignore, xi));
        const int three = dir_ignore < 0 && in_space_by_default ? 3 : dir_ignore;
        const int omitted = three >= 0 && three < 4 ? three : reference::none_omitted;
        QudaGaugeSmearParam param = smear_param(type, 1, 2);
        param.dir_ignore = dir_ignore;
        if (xi != 1.0) set_anisotropy(param, xi);
        QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
        performGaugeSmearQuda(&param, &observables);
        expect_saved(step(links, omitted, xi));
      }
    }
  };
  compare(QUDA_GAUGE_SMEAR_APE, true, [](const reference::Links& u, int omitted, double xi) {
    return reference::ape_links(u, 0.6, omitted, extents, xi);
  });
  compare(QUDA_GAUGE_SMEAR_STOUT, true, [](const reference::Links& u, int omitted, double xi) {
    return reference::stout_links(u, 0.08, {1.0, 0.0, xi}, omitted, extents);
  });
  compare(QUDA_GAUGE_SMEAR_OVRIMP_STOUT, false, [](const reference::Links& u, int omitted, double xi) {
    return reference::stout_links(u, 0.08, {5.5 / 3.0, -1.25 / 12.0, xi}, omitted, extents);
  });
  compare(QUDA_GAUGE_SMEAR_HYP, false, [](const reference::Links& u, int omitted, double) {
    return reference::hyp_links(u, {0.75, 0.6, 0.3}, omitted, extents);
  });
  freeGaugeSmearedQuda();
}

TEST(QudaSmearing, MeasuresBeforeAndAfterEveryInterval) {
  const reference::Links links = weak_links(2);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  QudaGaugeSmearParam param = smear_param(QUDA_GAUGE_SMEAR_STOUT, 5, 2);
  param.dir_ignore = 4;
  std::vector<QudaGaugeObservableParam> observables(4, all_observables());
  observables.back().qcharge = 17.0;
  performGaugeSmearQuda(&param, observables.data());
  reference::Links expected = links;
  for (int step = 0; step <= 5; ++step) {
    if (step % 2 == 0)
      expect_measured(observables[static_cast<std::size_t>(step / 2)], multiplied(expected, true, 1.0));
    if (step < 5) expected = reference::stout_links(expected, 0.08, {}, reference::none_omitted, extents);
  }
  EXPECT_EQ(observables.back().qcharge, 17.0);  // there is no fourth measurement
  expect_saved(expected);
}

template <class Structure>
void set_order(Structure& param, unsigned order) {
  if constexpr (requires { param.rk_order; }) param.rk_order = order;
}

TEST(QudaFlow, IsTheReferences) {
  const reference::Links links = weak_links(3);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  for (const QudaGaugeSmearType type : {QUDA_GAUGE_SMEAR_WILSON_FLOW, QUDA_GAUGE_SMEAR_SYMANZIK_FLOW}) {
    for (const double xi : anisotropies()) {
      const bool wilson = type == QUDA_GAUGE_SMEAR_WILSON_FLOW;
      const reference::LoopWeights weights{wilson ? 1.0 : 5.0 / 3.0, wilson ? 0.0 : -1.0 / 12.0, xi};
      QudaGaugeSmearParam param = smear_param(type, 1, 1);
      if (xi != 1.0) set_anisotropy(param, xi);
      std::array<QudaGaugeObservableParam, 2> observables{all_observables(), all_observables()};
      performWFlowQuda(&param, observables.data());
      const reference::Links once = reference::flow_step(links, 0.05, weights, extents);
      expect_measured(observables[0], multiplied(links, true, 1.0));
      expect_measured(observables[1], multiplied(once, true, 1.0));
      // On from there, without a measurement at the end.
      param.restart = QUDA_BOOLEAN_TRUE;
      param.meas_interval = 2;
      performWFlowQuda(&param, observables.data());
      expect_measured(observables[0], multiplied(once, true, 1.0));
      expect_saved(reference::flow_step(once, 0.05, weights, extents));
      // Steps so short that both orders agree.
      param.restart = QUDA_BOOLEAN_FALSE;
      param.epsilon = 1e-3;
      set_order(param, 4);
      performWFlowQuda(&param, observables.data());
      expect_saved(reference::flow_step(links, 1e-3, weights, extents), 1e-9);
    }
  }
  freeUniqueGaugeQuda(QUDA_SMEARED_LINKS);
}

/// The mean, spatial and temporal rectangle of a client, by the loops of the action.
template <class Structure>
void expect_rectangles(Structure& param, const reference::Links& links) {
  if constexpr (requires { param.rectangle; }) {
    param.compute_rectangle = QUDA_BOOLEAN_TRUE;
    gaugeObservablesQuda(&param);
    const double volume = static_cast<double>(volume_of(extents));
    // sum (3 - tr R) of 6 rectangles in space and xi^2 times 6 in time on each site
    const auto sum = [&](double xi) {
      return reference::loop_action(links, {0.0, 1.0, xi}, extents) / (18.0 * volume);
    };
    const double spatial = 1.0 - sum(0.0), temporal = 1.0 - (sum(1.0) - sum(0.0));
    EXPECT_NEAR(param.rectangle[1], spatial, rounding);
    EXPECT_NEAR(param.rectangle[2], temporal, rounding);
    EXPECT_NEAR(param.rectangle[0], 0.5 * (spatial + temporal), rounding);
  } else {
    GTEST_SKIP() << "these headers have no rectangles";
  }
}

TEST(QudaRectangles, AreThoseOfTheLinks) {
  const reference::Links links = weak_links(9);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  QudaGaugeObservableParam param = newQudaGaugeObservableParam();
  expect_rectangles(param, links);
}

// Links have the sign of antiperiodic fermions in them. Orders and bases do not matter, fields may be without spin.
TEST(QudaFlow, TakesFermionsAlong) {
  const reference::Links links = weak_links(3);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  const reference::Spinor psi = random_field(12, 2);
  for (const QudaGaugeSmearType type : {QUDA_GAUGE_SMEAR_WILSON_FLOW, QUDA_GAUGE_SMEAR_SYMANZIK_FLOW}) {
    const bool wilson = type == QUDA_GAUGE_SMEAR_WILSON_FLOW;
    const reference::LoopWeights weights{wilson ? 1.0 : 5.0 / 3.0, wilson ? 0.0 : -1.0 / 12.0};
    std::vector<reference::Links> flowed{links};
    std::vector<reference::Spinor> expected{psi};
    for (std::size_t n = 0; n < 3; ++n) {
      const reference::Links signs = multiplied(flowed.back(), true, 1.0);
      expected.push_back(reference::fermion_flow_step(expected.back(), signs, 0.05, weights, extents));
      flowed.push_back(reference::flow_step(flowed.back(), 0.05, weights, extents));
    }
    QudaGaugeSmearParam param = smear_param(type, 2, 1);
    std::array<QudaGaugeObservableParam, 3> observables{all_observables(), all_observables(), all_observables()};
    QudaInvertParam invert = invert_param(QUDA_WILSON_DSLASH);
    invert.gamma_basis = QUDA_UKQCD_GAMMA_BASIS;
    std::vector<Complex> in = even_odd(psi), out(in.size());
    flow_fermion(out.data(), in.data(), &invert, &param, observables.data());
    EXPECT_EQ(in, even_odd(psi));
    EXPECT_LT(reference::relative_difference(lexicographic(out), expected[2]), rounding);
    for (std::size_t n = 0; n < 3; ++n) expect_measured(observables[n], multiplied(flowed[n], true, 1.0));
    expect_saved(flowed[2]);
    // On from there, in place and without a measurement at the end.
    param = smear_param(type, 1, 2);
    param.restart = QUDA_BOOLEAN_TRUE;
    flow_fermion(out.data(), out.data(), &invert, &param, observables.data());
    EXPECT_LT(reference::relative_difference(lexicographic(out), expected[3]), rounding);
    expect_measured(observables[0], multiplied(flowed[2], true, 1.0));
    expect_saved(flowed[3]);

    QudaInvertParam staggered = invert_param(QUDA_STAGGERED_DSLASH);
    in = even_odd(first_spin(psi));
    out.assign(in.size(), 0.0);
    param = smear_param(type, 1, 2);
    flow_fermion(out.data(), in.data(), &staggered, &param, observables.data());
    EXPECT_LT(reference::relative_difference(lexicographic(out), first_spin(expected[1])), rounding);
  }
  freeGaugeSmearedQuda();
}

TEST(QudaSmearedLinks, AreMeasuredUntilTheyAreFreed) {
  const reference::Links links = weak_links(4), other = weak_links(5);
  const Loaded loaded(links, QUDA_WILSON_DSLASH);
  QdpLinks given(multiplied(other, true, 1.0));
  QudaGaugeParam gauge = gauge_param(QUDA_SMEARED_LINKS);
  loadGaugeQuda(given.pointers(), &gauge);
  expect_saved(other);
  QudaGaugeObservableParam param = all_observables();
  gaugeObservablesQuda(&param);
  expect_measured(param, multiplied(other, true, 1.0));
  double loop[2], plaquette[3];
  polyakovLoopQuda(loop, 3);
  EXPECT_EQ(loop[0], param.ploop[0]);
  plaqQuda(plaquette);
  EXPECT_NEAR(plaquette[0], reference::plaquette(links, extents), rounding);
  // Sources are smeared with them, too.
  const reference::Spinor psi = random_field(12, 2);
  std::vector<Complex> in = even_odd(psi), out(in.size());
  QudaInvertParam invert = invert_param(QUDA_WILSON_DSLASH);
  const double a = 0.3, c = a / (1.0 + 6.0 * a);
  const double width = std::sqrt(12.0 * c);
  const auto expect = [&](const auto& smear, const reference::Links& by) {
    std::fill(out.begin(), out.end(), 0.0);
    smear();
    const reference::Spinor expected = reference::gaussian_smear(psi, by, width, 3, extents);
    EXPECT_LT(reference::relative_difference(lexicographic(out), expected), 1e-14);
  };
  const auto wuppertal = [&] { performWuppertalnStep(out.data(), in.data(), &invert, 3, a); };
  const auto smear = [&](double number, QudaFermionSmearType type) {
    performFermionSmearQuda(out.data(), in.data(), &invert, 3, number, type);
  };
  expect(wuppertal, other);
  expect([&] { smear(a, QUDA_FERMION_SMEAR_TYPE_WUPPERTAL); }, other);
  expect([&] { smear(width, QUDA_FERMION_SMEAR_TYPE_GAUSSIAN); }, other);
  expect([&] { performGaussianSmearNStep(out.data(), in.data(), &invert, 3, width); }, other);
  freeGaugeSmearedQuda();
  expect(wuppertal, links);
  gaugeObservablesQuda(&param);
  expect_measured(param, multiplied(links, true, 1.0));
}

TEST(QudaCharge, IsThatOfLinksAsTheyCome) {
  const reference::Links links = weak_links(6);
  const Loaded loaded(links, QUDA_WILSON_DSLASH, 1.25);
  QudaGaugeObservableParam param = all_observables();
  gaugeObservablesQuda(&param);
  expect_measured(param, multiplied(links, true, 0.8));
}

TEST(QudaCharge, HasADensityInTheClientsOrder) {
  const reference::Links links = weak_links(7);
  const std::vector<double> density = reference::charge_density(links, extents);
  QdpLinks given(multiplied(links, true, 1.0));
  const auto expect = [&]<class T>(QudaPrecision precision, T tolerance) {
    QudaGaugeParam gauge = gauge_param();
    gauge.cuda_prec = precision;
    loadGaugeQuda(given.pointers(), &gauge);
    std::vector<T> found(density.size() + 1, T(17));
    QudaGaugeObservableParam param = newQudaGaugeObservableParam();
    param.compute_qcharge_density = QUDA_BOOLEAN_TRUE;
    param.qcharge_density = found.data();
    gaugeObservablesQuda(&param);
    EXPECT_NEAR(param.qcharge, std::accumulate(density.begin(), density.end(), 0.0), rounding);
    reference::for_each_site(extents, [&](const Coordinates& x) {
      EXPECT_NEAR(found[even_odd_place(x)], density[static_cast<std::size_t>(lexicographic_index(x, extents))],
                  tolerance);
    });
    EXPECT_EQ(found.back(), T(17));
    freeGaugeQuda();
  };
  expect(QUDA_DOUBLE_PRECISION, 1e-14);
  expect(QUDA_SINGLE_PRECISION, 1e-8f);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
