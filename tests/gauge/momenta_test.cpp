// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/smeared_links.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

using reference::operator*;

GaugeField<double> gaussian(const Lattice& lattice, double width = 1.0, std::uint64_t seed = 5) {
  GaugeField<double> momenta(lattice);
  set_gaussian_momenta(momenta, width, {.seed = seed});
  return momenta;
}

GaugeField<double> random_field(const Lattice& lattice) { return hot_links<double>(lattice, 1); }

/// sum_{k = 0}^n (factor p)^k / k!
reference::ColorMatrix series(const reference::ColorMatrix& p, double factor, int order) {
  reference::ColorMatrix sum{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, term = sum;
  for (int k = 1; k <= order; ++k) {
    term = reference::Complex(factor / k) * (term * p);
    for (std::size_t e = 0; e < 9; ++e) sum[e] += term[e];
  }
  return sum;
}

/// exp(dt P) U of all links by the series of an order.
reference::Links advanced(const reference::Links& links, const reference::Links& momenta, double step, int order,
                          const Coordinates& extents) {
  reference::Links result(links.size());
  reference::for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < 4; ++mu) {
      const auto u =
          series(reference::link(momenta, x, mu, extents), step, order) * reference::link(links, x, mu, extents);
      std::copy(u.begin(), u.end(),
                result.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, mu, extents)));
    }
  });
  return result;
}

TEST(Momenta, AreTracelessAndAntiHermitian) {
  for (const Lattice& lattice : test_lattices()) {
    const reference::Links p = gaussian(lattice).to_host();
    for (std::size_t link = 0; link < p.size(); link += 9) {
      EXPECT_LT(std::abs(p[link] + p[link + 4] + p[link + 8]), tolerance<double>);
      for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(p[link + k], -std::conj(p[link + k % 3 * 3 + k / 3]));
    }
  }
}

// c_a = -(i/2) tr(P lambda_a) have variance 1/2, third moment 0 and fourth moment 3/4, and are independent.
TEST(Momenta, HaveGaussianCoefficients) {
  const Lattice lattice({.extents = {8, 8, 8, 16}});
  constexpr double width = 1.5;
  const reference::Links p = gaussian(lattice, width).to_host();
  const auto links = static_cast<double>(p.size() / 9);
  std::array<double, 8> first{}, second{}, fourth{};
  double cross = 0.0;
  for (std::size_t link = 0; link < p.size(); link += 9) {
    const auto* m = &p[link];
    const double c[8] = {m[1].imag(), m[1].real(), 0.5 * (m[0].imag() - m[4].imag()),  m[2].imag(), m[2].real(),
                         m[5].imag(), m[5].real(), -0.5 * std::sqrt(3.0) * m[8].imag()};
    for (std::size_t a = 0; a < 8; ++a) {
      const double scaled = c[a] / width;
      first[a] += scaled / links;
      second[a] += scaled * scaled / links;
      fourth[a] += std::pow(scaled, 4) / links;
      cross += c[a] / width * c[(a + 3) % 8] / width / (8.0 * links);
    }
  }
  // Four standard deviations of each mean.
  const double error = 4.0 / std::sqrt(links);
  for (std::size_t a = 0; a < 8; ++a) {
    EXPECT_NEAR(first[a], 0.0, error * std::sqrt(0.5));
    EXPECT_NEAR(second[a], 0.5, error * std::sqrt(0.5));
    EXPECT_NEAR(fourth[a], 0.75, error * std::sqrt(6.0));
  }
  EXPECT_NEAR(cross, 0.0, error * 0.5);
}

TEST(Momenta, HaveTheSameNumbersInAllLanes) {
  const Coordinates extents{8, 4, 4, 8};
  const GaugeField<double> native = gaussian(Lattice({.extents = extents}));
  const GaugeField<double> single = gaussian(Lattice({.extents = extents, .lanes = Lanes::single}));
  EXPECT_EQ(native.to_host(), single.to_host());
  EXPECT_EQ(kinetic_energy(native), kinetic_energy(single));
  EXPECT_NE(native.to_host(), gaussian(Lattice({.extents = extents}), 1.0, 6).to_host());
}

TEST(Momenta, HaveTheirKineticEnergy) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> momenta = gaussian(lattice, 1.3);
    double expected = 0.0;
    for (const auto& element : momenta.to_host()) expected += 0.5 * std::norm(element);
    expected -= 16.0 * static_cast<double>(lattice.volume());
    EXPECT_NEAR(kinetic_energy(momenta), expected, 1e-12 * static_cast<double>(lattice.volume()));
  }
}

TEST(Links, AdvanceByTheExponentialOfMomenta) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> momenta = gaussian(lattice);
    // The largest |P| is about 5. The exponential halves the matrix of the large steps, not of the smallest.
    for (const double step : {0.05, -0.7, 1.5}) {
      GaugeField<double> links = random_field(lattice);
      const reference::Links expected = advanced(links.to_host(), momenta.to_host(), step, 60, lattice.extents());
      advance_links(links, momenta, {.size = step});
      EXPECT_LT(largest_difference(links.to_host(), expected), tolerance<double>) << "step " << step;
      EXPECT_LT(deviation_from_su3(links).unitarity.deviation, tolerance<double>);
      advance_links(links, momenta, {.size = -step});
      EXPECT_LT(largest_difference(links.to_host(), random_field(lattice).to_host()), tolerance<double>);
    }
  }
}

TEST(Links, AdvanceByASeries) {
  const Lattice lattice({.extents = {4, 6, 2, 8}});
  const GaugeField<double> momenta = gaussian(lattice);
  for (const int order : {1, 8}) {
    GaugeField<double> links = random_field(lattice), exact = random_field(lattice);
    const reference::Links expected = advanced(links.to_host(), momenta.to_host(), 0.3, order, lattice.extents());
    advance_links(links, momenta, {.size = 0.3, .order = order});
    EXPECT_LT(largest_difference(links.to_host(), expected), tolerance<double>);
    advance_links(exact, momenta, {.size = 0.3});
    EXPECT_GT(largest_difference(links.to_host(), exact.to_host()), 1e-9);
  }
}

// Nothing but the traceless anti-Hermitian part of a matrix moves a link.
TEST(Links, AdvanceWithinTheirGroup) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  reference::Links p = gaussian(lattice).to_host();
  GaugeField<double> links = random_field(lattice), expected = random_field(lattice), momenta(lattice);
  advance_links(expected, gaussian(lattice), {.size = 0.2});
  for (std::size_t link = 0; link < p.size(); link += 9) {
    for (std::size_t k = 0; k < 9; k += 4) p[link + k] += reference::Complex(0.3, 0.7);
    p[link + 1] += reference::Complex(0.5, 0.1);
    p[link + 3] += reference::Complex(0.5, -0.1);
  }
  momenta.from_host(p);
  advance_links(links, momenta, {.size = 0.2});
  EXPECT_LT(largest_difference(links.to_host(), expected.to_host()), tolerance<double>);
}

TEST(Momenta, AreKickedByTheTracelessAntiHermitianPart) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> matrices = random_field(lattice);
    GaugeField<double> momenta = gaussian(lattice);
    reference::Links expected = momenta.to_host();
    const reference::Links m = matrices.to_host();
    kick_momenta(momenta, matrices, -0.3);
    for (std::size_t link = 0; link < m.size(); link += 9) {
      reference::ColorMatrix matrix;
      std::copy_n(m.begin() + static_cast<std::ptrdiff_t>(link), 9, matrix.begin());
      const reference::ColorMatrix part = reference::traceless_antihermitian(matrix);
      for (std::size_t k = 0; k < 9; ++k) expected[link + k] -= 0.3 * part[k];
    }
    EXPECT_LT(largest_difference(momenta.to_host(), expected), tolerance<double>);
  }
}

TEST(Momenta, AreRefusedWhereTheyMakeNoSense) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  GaugeField<double> links = random_field(lattice), momenta = gaussian(lattice);
  KAON_EXPECT_ERROR(set_gaussian_momenta(momenta, -1.0, {}), "the width -1 of momenta is not usable");
  KAON_EXPECT_ERROR(advance_links(links, momenta, {.size = std::nan("")}), "the step nan of links is not finite");
  KAON_EXPECT_ERROR(advance_links(links, momenta, {.size = 0.1, .order = 0}), "a series of order 0 is no exponential");
  const reference::Links before = links.to_host();
  for (const double size : {1e7, -1e7, 1e160, 1e200, std::numeric_limits<double>::max()}) {
    KAON_EXPECT_ERROR(advance_links(links, gaussian(lattice), {.size = size}), "links cannot be advanced by");
  }
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity(), 1e300}) {
    GaugeField<double> wrong = gaussian(lattice);
    reference::Links values = wrong.to_host();
    values[values.size() / 2] = number;
    wrong.from_host(values);
    for (const double size : {0.0, 1e-9}) {
      KAON_EXPECT_ERROR(advance_links(links, wrong, {.size = size}), "or momenta are not finite");
    }
  }
  EXPECT_EQ(links.to_host(), before);
  advance_links(links, gaussian(lattice), {.size = 1e5});
  EXPECT_LT(deviation_from_su3(links).unitarity.deviation, 1e-9);
  const GaugeField<double> other = gaussian(Lattice({.extents = {4, 4, 4, 8}}));
  KAON_EXPECT_ERROR(advance_links(links, other, {.size = 0.1}), "links and momenta must lie on one lattice");
  GaugeField<double> compressed(links, LinkStorage::two_rows);
  KAON_EXPECT_ERROR(advance_links(compressed, momenta, {.size = 0.1}), "18");
  KAON_EXPECT_ERROR(kinetic_energy(compressed), "18");
  KAON_EXPECT_ERROR(kick_momenta(momenta, other, 0.1), "must lie on one lattice");
  KAON_EXPECT_ERROR(kick_momenta(momenta, links, std::nan("")), "the weight nan of a force is not finite");
  KAON_EXPECT_ERROR(set_momenta(momenta, other), "must lie on one lattice");
  KAON_EXPECT_ERROR(set_momenta(compressed, momenta), "18");
}

// Rounding of 32 bits is forgiven, other matrices are not: neither Hermitian ones, nor one with a trace, nor a NaN.
TEST(Momenta, AreTakenFromMatricesOfTheAlgebraAlone) {
  for (const Lattice& lattice : test_lattices()) {
    const reference::Links given = gaussian(lattice).to_host();
    GaugeField<double> matrices(lattice), momenta(lattice);
    reference::Links host = given;
    for (std::size_t k = 1; k < host.size(); k += 9) host[k] *= 1.0 + 1e-6;  // of each link one off-diagonal element
    matrices.from_host(host);
    set_momenta(momenta, matrices);
    const reference::Links taken = momenta.to_host();
    EXPECT_LT(largest_difference(taken, given), 1e-5);
    GaugeField<double> again(lattice);
    kick_momenta(again, momenta, 1.0);
    EXPECT_LT(largest_difference(again.to_host(), taken), tolerance<double>);
    const auto expect_refusal = [&](const reference::Links& wrong, const char* text) {
      matrices.from_host(wrong);
      KAON_EXPECT_ERROR(set_momenta(momenta, matrices), text);
      EXPECT_EQ(momenta.to_host(), taken);
    };
    host = given;
    for (auto& z : host) z *= reference::Complex(0.0, 1.0);
    expect_refusal(host, "give P = i H of Hermitian momenta H");
    const auto at = reference::link_offset({1, 2, 3, 2}, 3, lattice.extents());
    host = given;
    host[at] += reference::Complex(0.0, 1e-3);
    expect_refusal(host, "traceless anti-Hermitian");
    host = given;
    host[at + 1] = reference::Complex(std::nan(""), 0.0);
    expect_refusal(host, "inf");
    matrices.from_host(reference::Links(given.size()));
    set_momenta(momenta, matrices);
    EXPECT_EQ(momenta.to_host(), reference::Links(given.size()));
  }
}

TEST(ProjectionToSU3, KeepsLinksAndTheDirectionOfOthers) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = random_field(lattice);
    EXPECT_LT(largest_difference(project_to_su3(links).to_host(), links.to_host()), tolerance<double>);
    // Positive Hermitian factors from the right, and phases within pi/3, change nothing.
    reference::Links stretched = links.to_host();
    const GaugeField<double> h = gaussian(lattice, 0.05);
    const reference::Links p = h.to_host();
    reference::for_each_site(lattice.extents(), [&](const Coordinates& x) {
      for (int mu = 0; mu < 4; ++mu) {
        const auto factor =
            series(reference::Complex(0.0, 1.0) * reference::link(p, x, mu, lattice.extents()), 1.0, 30);
        const auto v = std::polar(1.7, 0.9) * (reference::link(stretched, x, mu, lattice.extents()) * factor);
        std::copy(v.begin(), v.end(),
                  stretched.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, mu, lattice.extents())));
      }
    });
    GaugeField<double> others(lattice);
    others.from_host(stretched);
    const GaugeField<double> projected = project_to_su3(others);
    EXPECT_LT(largest_difference(projected.to_host(), links.to_host()), tolerance<double>);
    EXPECT_LT(deviation_from_su3(projected).determinant.deviation, tolerance<double>);
  }
}

TEST(ProjectionToSU3, RefusesSingularLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  reference::Links host = random_field(lattice).to_host();
  std::fill_n(host.begin() + static_cast<std::ptrdiff_t>(reference::link_offset({1, 2, 3, 0}, 1, lattice.extents())), 9,
              1.0);
  GaugeField<double> links(lattice);
  links.from_host(host);
  KAON_EXPECT_ERROR(project_to_su3(links), "the link in direction y at site (1, 2, 3, 0) has no projection to U(3)");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
