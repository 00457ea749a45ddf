// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/jacobi_svd.hpp"

#include "tests/gauge/improved_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(ProjectionToU3, EqualsNewtonsIteration) {
  for (const Lattice& lattice : test_lattices()) {
    for (const GaugeField<double>& links : {weak_links(lattice), charged_links(lattice)}) {
      const GaugeField<double> v = fat_links(links, fat7_coefficients());
      EXPECT_LT(largest_difference(project_to_u3(v).to_host(), reference::project_to_u3(v.to_host())), 1e-11);
    }
  }
}

TEST(ProjectionToU3, IsUnitaryButNotSpecial) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> w = project_to_u3(fat_links(random_links(lattice), fat7_coefficients()));
    EXPECT_LT(deviation_from_su3(w).unitarity.deviation, 0.1 * tolerance<double>);
    EXPECT_GT(deviation_from_su3(w).determinant.deviation, 0.1);
  }
}

TEST(ProjectionToU3, KeepsUnitaryLinks) {
  for (const Lattice& lattice : test_lattices()) {
    const GaugeField<double> links = charged_links(lattice);
    EXPECT_LT(largest_difference(project_to_u3(links).to_host(), links.to_host()), 0.1 * tolerance<double>);
  }
}

TEST(ProjectionToU3, DoesNotDependOnTheSizeOfLinks) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  GaugeField<double> v = fat_links(weak_links(lattice), fat7_coefficients());
  const reference::Links w = project_to_u3(v).to_host();
  for (const double factor : {1e-8, 1e8}) {
    reference::Links scaled = v.to_host();
    for (auto& element : scaled) element *= factor;
    GaugeField<double> links(lattice);
    links.from_host(scaled);
    EXPECT_LT(largest_difference(project_to_u3(links).to_host(), w), tolerance<double>);
  }
}

using reference::operator*;
using Matrix = detail::ColorMatrix<double>;

void expect_decomposition(const reference::ColorMatrix& v, std::array<double, 3> s, double relative) {
  const auto svd = detail::jacobi_svd(to_matrix(v));
  const Matrix unit = detail::identity_matrix<double>();
  EXPECT_LT(distance(times_adjoint(svd.left, svd.left), unit), tolerance<double>);
  EXPECT_LT(distance(times_adjoint(svd.right, svd.right), unit), tolerance<double>);
  Matrix scaled = svd.left;
  for (auto& row : scaled.e) {
    for (int column = 0; column < 3; ++column) row[column] = svd.s[column] * row[column];
  }
  std::array<double, 3> found{svd.s[0], svd.s[1], svd.s[2]};
  std::sort(s.begin(), s.end());
  std::sort(found.begin(), found.end());
  EXPECT_LT(distance(times_adjoint(scaled, svd.right), to_matrix(v)), tolerance<double> * s[2]);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k] / s[k], 1.0, relative);
}

// Columns of very different size are those of an accurate decomposition; a rotation from the right mixes their
// roundings.
TEST(JacobiDecomposition, FindsSingularValuesOfAllSizes) {
  std::mt19937_64 generator(3);
  for (const std::array<double, 3>& s : {std::array<double, 3>{1.0, 1.0, 1.0},
                                         {1.0, 1.0, 0.5},
                                         {1.0, 1.0 + 1e-9, 0.999},
                                         {0.9, 0.4, 0.07},
                                         {1.0, 1e-3, 1e-6},
                                         {1.0, 1e-6, 1e-12},
                                         {1e3, 1e-5, 1e-5}}) {
    for (int trial = 0; trial < 50; ++trial) {
      const reference::ColorMatrix a = reference::random_su3(generator), b = reference::random_su3(generator);
      const reference::ColorMatrix stretch{s[0], 0.0, 0.0, 0.0, s[1], 0.0, 0.0, 0.0, s[2]};
      const double condition = *std::max_element(s.begin(), s.end()) / *std::min_element(s.begin(), s.end());
      expect_decomposition(a * stretch, s, tolerance<double>);
      expect_decomposition(a * stretch * b, s, tolerance<double> * condition);
    }
  }
}

TEST(ProjectionToU3, RefusesSingularLinks) {
  for (const Lattice& lattice : test_lattices()) {
    const Coordinates site{3, 1, 1, 2};
    const auto fails_with = [&](std::complex<double> value, std::size_t first, std::size_t step) {
      GaugeField<double> links = random_links(lattice);
      reference::Links host = links.to_host();
      const std::size_t offset = reference::link_offset(site, 1, lattice.extents());
      for (std::size_t k = first; k < 9; k += step) host[offset + k] = value;
      links.from_host(host);
      KAON_EXPECT_ERROR(project_to_u3(links),
                        "the link in direction y at site (3, 1, 1, 2) has no projection to U(3), since it is singular");
    };
    fails_with(0.0, 0, 1);           // no link
    fails_with(0.0, 1, 3);           // a column of zeros
    fails_with(1.0, 0, 1);           // of rank 1
    fails_with(std::nan(""), 4, 9);  // one number
    fails_with(std::numeric_limits<double>::infinity(), 8, 9);
  }
}

TEST(ProjectionToU3, RefusesCompressedLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> compressed(random_links(lattice), LinkStorage::two_rows);
  KAON_EXPECT_ERROR(project_to_u3(compressed), "12 reals were given where 18 are wanted");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
