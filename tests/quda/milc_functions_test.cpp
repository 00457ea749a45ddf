// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/gauge_quality.hpp"
#include "tests/reference/schur.hpp"

#include <quda_milc_interface.h>

// MILC's functions on links without phases, and those that are calls of others with other arguments.
namespace kaon::test {
namespace {

class QudaMilcFunctions : public testing::Test {
 protected:
  QudaMilcFunctions() : links(random_links(1)), plain(even_odd(links)), folded(with_phases(links)) {
    const int grid[] = {1, 1, 1, 1};
    qudaSetLayout({extents.data(), grid, 0});
    const std::vector<Complex> numbers = random_field(20, 3);
    for (const Complex& z : numbers) {
      momenta.push_back(z.real());
      momenta.push_back(z.imag());
    }
  }
  static std::vector<Complex> with_phases(const reference::Links& of) {
    return even_odd(reference::fold_phases(of, extents, true, 1));
  }
  QudaMILCSiteArg_t sites(std::vector<Complex>& of) {
    QudaMILCSiteArg_t arg{};
    arg.link = of.data();
    arg.mom = momenta.data();
    return arg;
  }

  const reference::Links links;
  std::vector<Complex> plain, folded;
  std::vector<double> momenta;
};

// The same change as of links with phases, which milc_test.cpp compares with the series; with and without a pipeline.
TEST_F(QudaMilcFunctions, UpdateLinksWithoutPhases) {
  auto with = sites(folded), without = sites(plain);
  std::vector<Complex> piped = folded;
  auto through = sites(piped);
  const std::vector<Complex> before = plain;
  qudaUpdateUPhased(2, 0.1, &with, 1);
  qudaUpdateU(2, 0.1, &without);
  qudaUpdateUPhasedPipeline(2, 0.1, &through, 1, 1);
  EXPECT_GT(reference::relative_difference(plain, before), 0.05);
  EXPECT_LT(reference::relative_difference(with_phases(lexicographic(plain)), folded), 1e-14);
  EXPECT_EQ(piped, folded);
}

TEST_F(QudaMilcFunctions, KickMomentaWithLinksWithoutPhases) {
  double coefficients[] = {1.0, -0.08, -0.015};
  auto with = sites(folded), without = sites(plain);
  const std::vector<double> before = momenta;
  qudaGaugeForcePhased(2, 3, coefficients, 0.2, &with, 1);
  const std::vector<double> expected = momenta;
  momenta = before;
  qudaGaugeForce(2, 3, coefficients, 0.2, &without);
  double change = 0.0, difference = 0.0;
  for (std::size_t k = 0; k < momenta.size(); ++k) {
    change = std::max(change, std::abs(momenta[k] - before[k]));
    difference = std::max(difference, std::abs(momenta[k] - expected[k]));
  }
  EXPECT_GT(change, 0.1);
  EXPECT_LT(difference, 1e-13);
}

TEST_F(QudaMilcFunctions, BringLinksWithoutPhasesBackToTheirGroup) {
  std::vector<Complex> stretched = plain;
  for (Complex& z : stretched) z *= std::polar(1.1, 0.2);
  auto arg = sites(stretched);
  qudaUnitarizeSU3(2, 1e-12, &arg);
  EXPECT_LT(reference::relative_difference(stretched, plain), 1e-13);
}

TEST_F(QudaMilcFunctions, FixTheGauge) {
  for (const unsigned direction : {3U, 4U}) {
    for (const bool by_fourier : {false, true}) {
      std::vector<Complex> given = plain;
      auto arg = sites(given);
      by_fourier ? qudaGaugeFixingFFT(2, direction, 3000, 0, 0.08, 1, 1e-16, 1, given.data())
                 : qudaGaugeFixingOVR(2, direction, 3000, 0, 1.7, 1e-16, 1, 1, &arg);
      const reference::Links fixed = lexicographic(given);
      const reference::GaugeQuality quality = reference::gauge_quality(fixed, static_cast<int>(direction), extents);
      EXPECT_LE(4.0 * quality.theta, 1.01e-16);
      EXPECT_GT(quality.functional, reference::gauge_quality(links, static_cast<int>(direction), extents).functional);
      EXPECT_NEAR(reference::plaquette(fixed, extents), reference::plaquette(links, extents), 1e-13);
    }
  }
}

// Fat links of plain links, and the nearest ones in U(3).
TEST_F(QudaMilcFunctions, MakeUnitaryLinks) {
  const std::array<double, 6> coefficients{0.125, 0.0, 0.0625, 0.0, 0.0, 0.0};
  qudaHisqParamsInit({});
  std::vector<Complex> fat(plain.size()), unitary(plain.size());
  qudaLoadUnitarizedLink(2, {}, coefficients.data(), plain.data(), fat.data(), unitary.data());
  const reference::Links expected = reference::fat_links(links, {.one_link = 0.125, .three_staple = 0.0625}, extents);
  EXPECT_LT(reference::relative_difference(lexicographic(fat), expected), 1e-14);
  EXPECT_LT(reference::relative_difference(lexicographic(unitary), reference::project_to_u3(expected)), 1e-12);
}

// (N^dag N + sigma) x = b with N = 1 - c sigma F - kappa^2 D A^-1 D on even sites, also for a single shift of 0.
TEST_F(QudaMilcFunctions, SolveCloverSystemsWithShifts) {
  constexpr double kappa = 0.115, csw = 1.3;
  QudaInvertArgs_t args{};
  args.max_iter = 2000;
  args.mixed_precision = 2;
  args.solver_type = QUDA_CG_INVERTER;
  args.boundary_phase[3] = 1.0;
  const std::vector<Complex> given = even_odd(multiplied(links, true, 1.0));
  qudaLoadGaugeField(2, 2, args, given.data());
  QudaInvertParam clover = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  clover.clover_coeff = csw * kappa;
  loadCloverQuda(nullptr, nullptr, &clover);
  const reference::WilsonOperator m(links, extents,
                                    {.mass = 0.5 / kappa - 4.0, .csw_spatial = csw, .csw_temporal = csw});
  const reference::Spinor even = reference::restrict_to_parity(random_field(12, 2), 0, extents);
  for (std::vector<double> offsets : {std::vector<double>{0.03, 0.3}, std::vector<double>{0.0}}) {
    const std::size_t count = offsets.size();
    std::vector<Complex> b = even_odd(even);
    std::vector<std::vector<Complex>> x(count, std::vector<Complex>(b.size()));
    std::vector<void*> solutions;
    for (auto& each : x) solutions.push_back(each.data());
    const std::vector<double> tolerances(count, 1e-10);
    std::vector<double> residuals(count, 1.0);
    int iterations = 0;
    qudaCloverMultishiftInvert(2, 2, static_cast<int>(count), offsets.data(), kappa, csw * kappa, args,
                               tolerances.data(), b.data(), solutions.data(), residuals.data(), &iterations);
    EXPECT_GT(iterations, 0);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_LE(residuals[i], 1e-10);
      const reference::Spinor found = lexicographic(x[i]);
      reference::Spinor image = reference::schur_asymmetric_dagger(m, reference::schur_asymmetric(m, found, 0), 0);
      for (std::size_t k = 0; k < image.size(); ++k)
        image[k] = std::pow(2.0 * kappa, 2) * image[k] + offsets[i] * found[k];
      EXPECT_LT(reference::relative_difference(image, even), 1.01e-10);
    }
  }
  qudaFreeCloverField();
  qudaFreeGaugeField();
}

}  // namespace
}  // namespace kaon::test
