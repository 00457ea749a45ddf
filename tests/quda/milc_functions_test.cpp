// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/gauge_quality.hpp"
#include "tests/reference/propagator.hpp"
#include "tests/support/largest_difference.hpp"

#include <quda_milc_interface.h>

// MILC's functions on links without phases, and those that are calls of others with other arguments.
namespace kaon::test {
namespace KAON_TEST_FILE {

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

// The change equals that of links with phases, which milc_test.cpp compares with the series; with and without a
// pipeline.
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
    difference = larger(difference, std::abs(momenta[k] - expected[k]));
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

// Half the sum of both shifts; links remain until MILC reports new ones.
TEST_F(QudaMilcFunctions, ShiftFieldsBothWays) {
  const std::vector<Complex> chi = random_field(3, 2);
  const reference::Links others = random_links(2);
  std::vector<Complex> in = even_odd(chi), out(in.size()), next = even_odd(others);
  const auto expected = [&](const reference::Links& of, int direction, int sym) {
    const reference::Spinor psi = with_spin(chi);
    const reference::Spinor forward = reference::covariant_shift(psi, of, direction, 1, extents);
    const reference::Spinor backward = reference::covariant_shift(psi, of, direction, -1, extents);
    if (sym == 3) return times(first_spin(reference::add(forward, 1.0, backward)), 0.5);
    return first_spin(sym == 1 ? forward : backward);
  };
  for (int direction = 0; direction < 4; ++direction) {
    for (int sym = 1; sym <= 3; ++sym) {
      qudaShift(2, 2, plain.data(), in.data(), out.data(), direction, sym, 1);
      EXPECT_LT(reference::relative_difference(lexicographic(out), expected(links, direction, sym)), 1e-14);
      qudaShift(2, 2, next.data(), in.data(), out.data(), direction, sym, 0);
      EXPECT_LT(reference::relative_difference(lexicographic(out), expected(links, direction, sym)), 1e-14);
      qudaShift(2, 2, next.data(), in.data(), out.data(), direction, sym, 1);
      EXPECT_LT(reference::relative_difference(lexicographic(out), expected(others, direction, sym)), 1e-14);
    }
  }
  qudaFreeGaugeField();
}

// Sums are added to what the array holds.
TEST_F(QudaMilcFunctions, ContractFieldsWithMomenta) {
  const std::vector<Complex> chi = random_field(3, 2), psi = random_field(3, 5);
  std::vector<Complex> first = even_odd(chi), second = even_odd(psi);
  std::vector<int> modes{0, 0, 0, 0, 1, 2, -1, 0, 1, 1, 1, 0};
  std::vector<QudaFFTSymmType> types(12, QUDA_FFT_SYMM_EO);
  types[8] = QUDA_FFT_SYMM_EVEN;
  types[9] = QUDA_FFT_SYMM_ODD;
  int source[] = {1, 0, 3, 2};
  QudaContractArgs_t arg{};
  arg.n_mom = 3;
  arg.mom_modes = modes.data();
  arg.fft_type = types.data();
  arg.source_position = source;
  const auto times = static_cast<std::size_t>(extents[3]);
  const auto expect = [&](const std::vector<double>& found, double tolerance) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Coordinates mode{modes[4 * k], modes[4 * k + 1], modes[4 * k + 2], modes[4 * k + 3]};
      const Coordinates kind = k == 2 ? Coordinates{1, 2, 0, 0} : Coordinates{0, 0, 0, 0};
      const std::vector<Complex> sums = reference::momentum_products(chi, psi, mode, kind, {1, 0, 3, 2}, extents);
      for (std::size_t t = 0; t < times; ++t) {
        EXPECT_NEAR(found[2 * (times * k + t)], 0.5 + sums[t].real(), tolerance);
        EXPECT_NEAR(found[2 * (times * k + t) + 1], 0.5 + sums[t].imag(), tolerance);
      }
    }
  };
  std::vector<double> found(6 * times, 0.5);
  qudaContractFT(2, &arg, first.data(), second.data(), found.data());
  expect(found, 1e-12);
  std::vector<std::complex<float>> narrow(first.begin(), first.end()), other(second.begin(), second.end());
  found.assign(found.size(), 0.5);
  qudaContractFT(1, &arg, narrow.data(), other.data(), found.data());
  expect(found, 1e-4);
  types[5] = static_cast<QudaFFTSymmType>(7);
  EXPECT_EXIT(qudaContractFT(2, &arg, first.data(), second.data(), found.data()), testing::ExitedWithCode(1),
              "fft_type = 7 is none of");
  arg.fft_type = nullptr;
  EXPECT_EXIT(qudaContractFT(2, &arg, first.data(), second.data(), found.data()), testing::ExitedWithCode(1),
              "needs n_mom, mom_modes, fft_type and source_position");
}

// Links hold phases and the sign of antiperiodic quarks.
TEST_F(QudaMilcFunctions, ApplySpinTasteOperators) {
  const std::vector<Complex> chi = random_field(3, 2);
  const reference::Links phased = lexicographic(folded), others = with_phases(random_links(2));
  std::vector<Complex> in = even_odd(chi), out(in.size()), next = others;
  const auto expected = [&](const reference::Links& of, int spin, int taste) {
    return first_spin(reference::spin_taste(with_spin(chi), of, spin, taste, extents));
  };
  for (int offset = 0; offset < 16; ++offset) {
    const int spin = (5 * offset + 2) % 16, taste = spin ^ offset;
    qudaSpinTaste(2, 2, folded.data(), in.data(), out.data(), spin, taste, offset == 0);
    EXPECT_LT(reference::relative_difference(lexicographic(out), expected(phased, spin, taste)), 1e-14) << offset;
  }
  qudaSpinTaste(2, 2, next.data(), in.data(), out.data(), 1, 2, 0);
  EXPECT_LT(reference::relative_difference(lexicographic(out), expected(phased, 1, 2)), 1e-14);
  qudaSpinTaste(2, 2, next.data(), in.data(), out.data(), 1, 2, 1);
  EXPECT_LT(reference::relative_difference(lexicographic(out), expected(lexicographic(others), 1, 2)), 1e-14);
  QudaInvertParam param = invert_param(QUDA_STAGGERED_DSLASH);
  std::vector<Complex> same(out.size());
  spinTasteQuda(same.data(), in.data(), 1, 2, &param);
  EXPECT_EQ(same, out);
  EXPECT_EXIT(spinTasteQuda(same.data(), in.data(), 16, 2, &param), testing::ExitedWithCode(1),
              "spin 16 and taste 2 must be numbers from 0 to 15");
  qudaFreeGaugeField();
}

// Two-links remain until they are deleted or computed again, also when links are loaded; phases cancel in them.
TEST_F(QudaMilcFunctions, SmearOverTwoLinks) {
  const std::vector<Complex> chi = random_field(3, 2);
  const reference::Links others = random_links(2);
  std::vector<Complex> next = even_odd(others);
  QudaTwoLinkQuarkSmearArgs_t arg{};
  arg.n_steps = 3;
  arg.width = 1.3;
  arg.t0 = -1;
  const auto expected = [&](const reference::Links& of, int dimensions) {
    return first_spin(reference::two_link_smear(with_spin(chi), of, arg.width, arg.n_steps, dimensions, extents));
  };
  const auto smeared = [&](std::vector<Complex>& by, bool compute, bool drop, int dimensions) {
    arg.compute_2link = compute ? 1 : 0;
    arg.delete_2link = drop ? 1 : 0;
    arg.laplaceDim = dimensions;
    std::vector<Complex> field = even_odd(chi);
    qudaTwoLinkGaussianSmear(2, 2, by.data(), field.data(), arg);
    return lexicographic(field);
  };
  EXPECT_LT(reference::relative_difference(smeared(plain, true, false, 3), expected(links, 3)), 1e-14);
  EXPECT_LT(reference::relative_difference(smeared(next, false, false, 4), expected(links, 4)), 1e-14);
  EXPECT_LT(reference::relative_difference(smeared(next, true, false, 3), expected(others, 3)), 1e-14);
  qudaFreeTwoLink();
  EXPECT_LT(reference::relative_difference(smeared(folded, true, false, 3), expected(links, 3)), 1e-14);
  QudaGaugeParam param = gauge_param();
  param.gauge_order = QUDA_MILC_GAUGE_ORDER;
  loadGaugeQuda(next.data(), &param);
  EXPECT_LT(reference::relative_difference(smeared(next, false, true, 3), expected(links, 3)), 1e-14);
  EXPECT_LT(reference::relative_difference(smeared(next, false, true, 3), expected(others, 3)), 1e-14);
  arg.n_steps = 0;
  EXPECT_EQ(smeared(next, true, true, 3), chi);
  qudaFreeGaugeField();
  QudaQuarkSmearParam smearing{};
  smearing.n_steps = 1;
  EXPECT_EXIT(performTwoLinkGaussianSmearNStep(next.data(), &smearing), testing::ExitedWithCode(1),
              "inv_param of QudaQuarkSmearParam is NULL");
  arg.n_steps = 2;
  EXPECT_EXIT(smeared(next, true, true, 2), testing::ExitedWithCode(1), "smearing in 2 dimensions");
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

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
