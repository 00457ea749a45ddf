// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/momenta.hpp"
#include "tests/reference/gauge_quality.hpp"
#include "tests/support/largest_difference.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

const reference::Links links = random_links(1);

constexpr double rounding = 1e-13;

double difference(const QdpLinks& found, const reference::Links& expected) {
  return reference::relative_difference(from_qdp(found), expected);
}

// Links contain the client's factors, which remain.
TEST(QudaUpdates, OfLinksAreExponentialsOrSeries) {
  const reference::Links links = multiplied(random_links(1), true, 0.5);
  QdpMomenta momenta(2);
  constexpr double step = 0.15;
  for (const bool exact : {true, false}) {
    for (const bool conjugate : {false, true}) {
      QdpLinks changed(links);
      QudaGaugeParam param = host_param();
      param.anisotropy = 2.0;
      updateGaugeFieldQuda(changed.pointers(), momenta.pointers(), step, conjugate, exact, &param);
      const double signed_step = conjugate ? -step : step;
      EXPECT_LT(difference(changed, advanced(links, momenta, signed_step, exact ? 40 : 8)), rounding);
      if (exact) {
        EXPECT_GT(difference(changed, advanced(links, momenta, signed_step, 8)), rounding);
      }
    }
  }
}

TEST(QudaUpdates, OfResidentFieldsAreTheSame) {
  const reference::Links links = multiplied(random_links(1), true, 1.0);
  QdpMomenta momenta(2), back;
  QdpLinks given(links), changed{reference::Links(links.size())};
  QudaGaugeParam param = resident_param();
  load_links(given, param);
  momResidentQuda(momenta.pointers(), &param);
  for (int k = 0; k < 2; ++k) updateGaugeFieldQuda(nullptr, nullptr, 0.1, 0, 1, &param);
  saveGaugeQuda(changed.pointers(), &param);
  EXPECT_LT(difference(changed, advanced(links, momenta, 0.2, 40)), rounding);

  QudaGaugeParam host = host_param();
  const double action = momActionQuda(nullptr, &param);
  param.make_resident_mom = 0;
  param.return_result_mom = 1;
  momResidentQuda(back.pointers(), &param);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t k = 0; k < back.parts[mu].size(); ++k) {
      EXPECT_EQ(back.parts[mu][k], k % 10 == 9 ? 0.0 : momenta.parts[mu][k]);
    }
  }
  EXPECT_EQ(momActionQuda(momenta.pointers(), &host), action);
  freeGaugeQuda();
}

// P - dt TA(U_mu(x) sum_i c_i P_i(x+mu)), of links without staggered phases.
TEST(QudaUpdates, OfMomentaAreTheForceOfLoops) {
  constexpr double step = 0.3;
  double coefficients[] = {1.0, -0.5};
  int lengths[] = {3, 5};
  std::vector<std::vector<int>> paths;
  for (int mu = 0; mu < 4; ++mu) {
    const int nu = (mu + 1) % 4;
    paths.push_back({nu, 7 - mu, 7 - nu});
    paths.push_back({7 - nu, 7 - nu, 7 - mu, nu, nu});
  }
  int* of_mu[4][2];
  int** of_direction[4];
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t i = 0; i < 2; ++i) of_mu[mu][i] = paths[2 * mu + i].data();
    of_direction[mu] = of_mu[mu];
  }
  const QdpMomenta before(2);
  for (const bool phases : {false, true}) {
    for (const bool overwrite : {false, true}) {
      QdpMomenta momenta(2);
      QdpLinks given(phases ? reference::fold_phases(links, extents, true, 1) : links);
      QudaGaugeParam param = host_param();
      param.t_boundary = phases ? QUDA_ANTI_PERIODIC_T : QUDA_PERIODIC_T;
      param.staggered_phase_type = QUDA_STAGGERED_PHASE_MILC;
      param.staggered_phase_applied = phases;
      param.overwrite_mom = overwrite;
      computeGaugeForceQuda(momenta.pointers(), given.pointers(), of_direction, lengths, coefficients, 2, 5, step,
                            &param);
      double largest = 0.0;
      reference::for_each_site(extents, [&](const Coordinates& x) {
        for (int mu = 0; mu < 4; ++mu) {
          reference::ColorMatrix v{};
          for (std::size_t i = 0; i < 2; ++i) {
            std::vector<int> loop{mu + 1};
            for (const int code : paths[2 * static_cast<std::size_t>(mu) + i])
              loop.push_back(code < 4 ? code + 1 : code - 8);
            const auto product = reference::path_product(links, x, loop, extents);
            for (std::size_t k = 0; k < 9; ++k) v[k] += coefficients[i] * product[k];
          }
          const Complex third = Complex(0.0, (v[0] + v[4] + v[8]).imag() / 3.0);
          const auto found = momenta.at(x, static_cast<std::size_t>(mu));
          const auto start = before.at(x, static_cast<std::size_t>(mu));
          for (std::size_t k = 0; k < 9; ++k) {
            const Complex force = 0.5 * (v[k] - std::conj(v[k % 3 * 3 + k / 3])) - (k % 4 == 0 ? third : 0.0);
            largest = larger(largest, std::abs(found[k] - (overwrite ? 0.0 : start[k]) + step * force));
          }
        }
      });
      EXPECT_LT(largest, rounding);
    }
  }
}

TEST(QudaUpdates, DrawMomentaAndLinks) {
  QdpMomenta momenta, again;
  QdpLinks given(links), drawn{reference::Links(links.size())};
  QudaGaugeParam param = resident_param();
  param.t_boundary = QUDA_PERIODIC_T;
  load_links(given, param);
  constexpr double sigma = 0.3;
  const auto draw = [&](unsigned long long seed, double width, QdpMomenta& to) {
    momResidentQuda(to.pointers(), &param);
    gaussMomQuda(seed, width);
    QudaGaugeParam back = param;
    back.make_resident_mom = 0;
    back.return_result_mom = 1;
    const double action = momActionQuda(nullptr, &param);
    momResidentQuda(to.pointers(), &back);
    return action;
  };
  const auto links_in_all = static_cast<double>(4 * volume_of(extents));
  EXPECT_NEAR(draw(7, 1.0, momenta) / links_in_all, 0.0, 4.0 * 2.0 / std::sqrt(links_in_all));
  EXPECT_EQ(draw(7, 1.0, again), draw(7, 1.0, momenta));
  EXPECT_EQ(again.parts, momenta.parts);
  draw(8, 1.0, again);
  EXPECT_NE(again.parts, momenta.parts);

  gaussGaugeQuda(7, sigma);
  saveGaugeQuda(drawn.pointers(), &param);
  reference::Links unit(links.size());
  for (std::size_t k = 0; k < unit.size(); ++k) unit[k] = k % 9 % 4 == 0 ? 1.0 : 0.0;
  EXPECT_LT(difference(drawn, advanced(unit, momenta, sigma, 40)), rounding);
  freeGaugeQuda();
}

TEST(QudaUpdates, ProjectLinksToTheirGroup) {
  const reference::Links links = multiplied(random_links(1), true, 1.0);
  reference::Links stretched = links;
  // A positive factor, and a phase whose cube root is the nearest.
  for (Complex& z : stretched) z *= std::polar(1.1, 0.2);
  QdpLinks given(stretched);
  QudaGaugeParam param = host_param();
  projectSU3Quda(given.pointers(), 1e-15, &param);
  EXPECT_LT(difference(given, links), rounding);
}

TEST(QudaUpdates, FixTheGauge) {
  for (const int direction : {3, 4}) {
    for (const bool by_fourier : {false, true}) {
      QdpLinks given(multiplied(links, true, 0.5));
      QudaGaugeParam param = host_param();
      param.anisotropy = 2.0;
      param.make_resident_gauge = 1;
      const auto dir = static_cast<unsigned>(direction);
      by_fourier ? computeGaugeFixingFFTQuda(given.pointers(), dir, 3000, 0, 0.08, 1, 1e-16, 1, &param)
                 : computeGaugeFixingOVRQuda(given.pointers(), dir, 3000, 0, 1.7, 1e-16, 1, 1, &param);
      const reference::Links fixed = multiplied(from_qdp(given), true, 2.0);
      const reference::GaugeQuality quality = reference::gauge_quality(fixed, direction, extents);
      EXPECT_LE(4.0 * quality.theta, 1.01e-16);
      EXPECT_GT(quality.functional, reference::gauge_quality(links, direction, extents).functional);
      EXPECT_NEAR(reference::plaquette(fixed, extents), reference::plaquette(links, extents), 1e-13);
      double plaquette[3];
      plaqQuda(plaquette);
      EXPECT_NEAR(plaquette[0], reference::plaquette(multiplied(links, true, 0.5), extents), 1e-13);
      freeGaugeQuda();
    }
  }
  // The other criterion: F changes by less than the tolerance in an iteration.
  QdpLinks given(links);
  QudaGaugeParam param = host_param();
  param.t_boundary = QUDA_PERIODIC_T;
  computeGaugeFixingOVRQuda(given.pointers(), 4, 3000, 0, 1.5, 1e-6, 1, 0, &param);
  const double before = reference::gauge_quality(from_qdp(given), 4, extents).functional;
  computeGaugeFixingOVRQuda(given.pointers(), 4, 10, 0, 1.5, 0.0, 1, 0, &param);
  const double change = reference::gauge_quality(from_qdp(given), 4, extents).functional - before;
  EXPECT_GT(change, 0.0);
  EXPECT_LT(change, 1e-5);
}

// Resident links change in place.
TEST(QudaUpdates, ProjectResidentLinks) {
  reference::Links stretched = links;
  for (Complex& z : stretched) z *= std::polar(1.1, 0.2);
  QdpLinks given(stretched), found{reference::Links(links.size())};
  QudaGaugeParam param = resident_param();
  param.t_boundary = QUDA_PERIODIC_T;
  param.make_resident_gauge = 0;
  load_links(given, param);
  projectSU3Quda(nullptr, 1e-15, &param);
  saveGaugeQuda(found.pointers(), &param);
  EXPECT_LT(difference(found, links), rounding);
  freeGaugeQuda();
}

// Phases are no part of what is projected, whosever they are.
TEST(QudaUpdates, KeepPhasesWhenLinksGoBackToTheirGroup) {
  for (const QudaStaggeredPhase type :
       {QUDA_STAGGERED_PHASE_MILC, QUDA_STAGGERED_PHASE_CHROMA, QUDA_STAGGERED_PHASE_TIFR}) {
    SCOPED_TRACE(testing::Message() << "convention " << type);
    QudaGaugeParam param = host_param();
    param.staggered_phase_type = type;
    QdpLinks given(links);
    staggeredPhaseQuda(given.pointers(), &param);
    param.staggered_phase_applied = 1;
    const QdpLinks before = given;
    projectSU3Quda(given.pointers(), 1e-15, &param);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      EXPECT_LT(reference::relative_difference(given.parts[mu], before.parts[mu]), rounding);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
