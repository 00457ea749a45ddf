// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/gamma.hpp"

#include <numbers>

// Contractions over colour, against sums with the reference's gamma matrices.
namespace kaon::test {
namespace KAON_TEST_FILE {

using reference::SpinMatrix;

constexpr std::size_t sites = 4 * 4 * 4 * 8;

SpinMatrix product(const SpinMatrix& a, const SpinMatrix& b) {
  SpinMatrix result{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

std::vector<SpinMatrix> vectors() {
  return {reference::gamma(0), reference::gamma(1), reference::gamma(2), reference::gamma(3)};
}
std::vector<SpinMatrix> axial_vectors() {
  std::vector<SpinMatrix> all;
  for (const SpinMatrix& g : vectors()) all.push_back(product(reference::gamma5(), g));
  return all;
}
std::vector<SpinMatrix> tensors() {
  std::vector<SpinMatrix> all;
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = mu + 1; nu < 4; ++nu) all.push_back(reference::sigma(mu, nu));
  }
  return all;
}
SpinMatrix identity() { return product(reference::gamma(0), reference::gamma(0)); }

std::vector<SpinMatrix> joined(const std::vector<std::vector<SpinMatrix>>& lists) {
  std::vector<SpinMatrix> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// sum_c conj(x_{mu c}) y_{nu c} of a site.
Complex over_colors(const std::vector<Complex>& x, const std::vector<Complex>& y, std::size_t site, std::size_t mu,
                    std::size_t nu, std::size_t x_spins = 4) {
  Complex sum;
  for (std::size_t c = 0; c < 3; ++c) sum += std::conj(x[(x_spins * site + mu) * 3 + c]) * y[(4 * site + nu) * 3 + c];
  return sum;
}

TEST(QudaContractions, AreThoseOfEachSite) {
  std::vector<Complex> x = random_field(12, 1), y = random_field(12, 2), open(16 * sites), closed(open.size());
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  contractQuda(x.data(), y.data(), open.data(), QUDA_CONTRACT_TYPE_OPEN, &param, extents.data());
  contractQuda(x.data(), y.data(), closed.data(), QUDA_CONTRACT_TYPE_DR, &param, extents.data());
  const std::vector<SpinMatrix> insertions =
      joined({{identity()}, vectors(), {reference::gamma5()}, axial_vectors(), tensors()});
  std::vector<Complex> expected_open, expected_closed;
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t k = 0; k < 16; ++k) expected_open.push_back(over_colors(x, y, site, k / 4, k % 4));
    for (const SpinMatrix& insertion : insertions) {
      Complex sum;
      for (std::size_t k = 0; k < 16; ++k) sum += insertion[k / 4][k % 4] * expected_open[16 * site + k];
      expected_closed.push_back(sum);
    }
  }
  EXPECT_LT(reference::relative_difference(open, expected_open), 1e-14);
  EXPECT_LT(reference::relative_difference(closed, expected_closed), 1e-14);

  std::vector<Complex> chi = random_field(3, 3), phi = random_field(3, 4), products(sites), expected(sites);
  contractQuda(chi.data(), phi.data(), products.data(), QUDA_CONTRACT_TYPE_STAGGERED, &param, extents.data());
  for (std::size_t k = 0; k < chi.size(); ++k) expected[k / 3] += std::conj(chi[k]) * phi[k];
  EXPECT_LT(reference::relative_difference(products, expected), 1e-14);
}

/// Coordinates of the sites in the client's even-odd order.
std::vector<Coordinates> sites_of_client() {
  std::vector<Coordinates> all(sites);
  reference::for_each_site(extents, [&](const Coordinates& x) { all[even_odd_place(x)] = x; });
  return all;
}

// sum_x exp(i p (x - x0)) tr gamma5 Gamma S'(x) gamma5 Gamma S(x)^dag of propagators, in its own order of insertions.
TEST(QudaContractions, OfPropagatorsAreSummedWithMomenta) {
  constexpr std::size_t source_colors = 2;
  const std::array<int, 4> source{1, 0, 2, 3};
  const std::array<int, 8> modes{0, 0, 0, 0, 1, -2, 0, 0};
  std::vector<std::vector<Complex>> first, second;
  std::vector<void*> x, y;
  for (unsigned k = 0; k < 4 * source_colors; ++k) {
    first.push_back(random_field(12, 10 + k));
    second.push_back(random_field(12, 30 + k));
  }
  for (std::size_t k = 0; k < first.size(); ++k) {
    x.push_back(first[k].data());
    y.push_back(second[k].data());
  }
  const std::vector<SpinMatrix> insertions =
      joined({vectors(), axial_vectors(), {identity()}, {reference::gamma5()}, tensors()});
  const std::vector<Coordinates> places = sites_of_client();
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  for (const QudaContractType type : {QUDA_CONTRACT_TYPE_DR_FT_T, QUDA_CONTRACT_TYPE_DR_FT_Z}) {
    const std::size_t direction = type == QUDA_CONTRACT_TYPE_DR_FT_T ? 3 : 2;
    const auto slices = static_cast<std::size_t>(extents[direction]);
    std::vector<Complex> found(2 * slices * 16, Complex(1.0, 2.0)), expected = found;
    void* result = found.data();
    contractFTQuda(x.data(), y.data(), &result, type, &param, source_colors, extents.data(), source.data(), 2,
                   modes.data(), nullptr);
    for (std::size_t g = 0; g < 16; ++g) {
      const SpinMatrix m = product(reference::gamma5(), insertions[g]);
      for (std::size_t site = 0; site < sites; ++site) {
        Complex sum;
        for (std::size_t pair = 0; pair < 16; ++pair) {
          const std::size_t s1 = pair / 4, b1 = pair % 4;
          if (m[b1][s1] == 0.0) continue;
          for (std::size_t c = 0; c < source_colors; ++c) {
            for (std::size_t k = 0; k < 16; ++k) {
              sum += m[k / 4][k % 4] * m[b1][s1] *
                     over_colors(first[s1 * source_colors + c], second[b1 * source_colors + c], site, k / 4, k % 4);
            }
          }
        }
        for (std::size_t p = 0; p < 2; ++p) {
          double angle = 0.0;
          for (std::size_t mu = 0; mu < 4; ++mu) {
            angle += 2.0 * std::numbers::pi * modes[4 * p + mu] * (places[site][mu] - source[mu]) / extents[mu];
          }
          const auto slice = static_cast<std::size_t>(places[site][direction]);
          expected[(p * slices + slice) * 16 + g] += std::polar(1.0, angle) * sum;
        }
      }
    }
    EXPECT_LT(reference::relative_difference(found, expected), 1e-13);
  }
}

TEST(QudaContractions, OfStaggeredQuarksHaveCosinesAndSines) {
  std::vector<Complex> chi = random_field(3, 3), phi = random_field(3, 4);
  const std::array<int, 4> source{0, 1, 0, 2}, modes{1, 1, 3, 0};  // a sine of mode 2 on 4 sites is zero
  const std::array<QudaFFTSymmType, 4> factors{QUDA_FFT_SYMM_EO, QUDA_FFT_SYMM_EVEN, QUDA_FFT_SYMM_ODD,
                                               QUDA_FFT_SYMM_EO};
  std::vector<Complex> found(8), expected(8);
  void *x[] = {chi.data()}, *y[] = {phi.data()}, *result = found.data();
  QudaInvertParam param = invert_param(QUDA_STAGGERED_DSLASH);
  contractFTQuda(x, y, &result, QUDA_CONTRACT_TYPE_STAGGERED_FT_T, &param, 1, extents.data(), source.data(), 1,
                 modes.data(), factors.data());
  const std::vector<Coordinates> places = sites_of_client();
  for (std::size_t site = 0; site < sites; ++site) {
    const auto angle = [&](std::size_t mu) {
      return 2.0 * std::numbers::pi * modes[mu] * (places[site][mu] - source[mu]) / extents[mu];
    };
    const Complex phase = std::polar(1.0, angle(0)) * std::cos(angle(1)) * Complex(0.0, std::sin(angle(2)));
    for (std::size_t c = 0; c < 3; ++c) {
      expected[static_cast<std::size_t>(places[site][3])] += phase * std::conj(chi[3 * site + c]) * phi[3 * site + c];
    }
  }
  EXPECT_LT(reference::relative_difference(found, expected), 1e-13);
}

// <v(t), q_s(t)> of quarks and eigenvectors of the Laplace operator: [quark][vector][time][spin].
TEST(QudaContractions, ProjectQuarksOnVectors) {
  std::vector<std::vector<Complex>> quarks{random_field(12, 1), random_field(12, 2)},
      evecs{random_field(3, 3), random_field(3, 4), random_field(3, 5)};
  std::vector<void*> q, v;
  for (auto& quark : quarks) q.push_back(quark.data());
  for (auto& vector : evecs) v.push_back(vector.data());
  std::vector<Complex> found(2 * 3 * 8 * 4), expected(found.size());
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  laphSinkProject(reinterpret_cast<double _Complex*>(found.data()), q.data(), 2, 1, v.data(), 3, 2, &param,
                  extents.data());
  const std::vector<Coordinates> places = sites_of_client();
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t site = 0; site < sites; ++site) {
        for (std::size_t s = 0; s < 4; ++s) {
          expected[((i * 3 + j) * 8 + static_cast<std::size_t>(places[site][3])) * 4 + s] +=
              over_colors(evecs[j], quarks[i], site, 0, s, 1);
        }
      }
    }
  }
  EXPECT_LT(reference::relative_difference(found, expected), 1e-13);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
