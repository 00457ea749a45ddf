// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/hmc/force_check.hpp"
#include "tests/hmc/quark_cases.hpp"
#include "tests/reference/matrix.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/hmc/exact_one_flavor_action.hpp>
#include <kaon/hmc/two_flavor_action.hpp>
#include <kaon/operators/domain_wall.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

DomainWall<double> made(const GaugeField<double>& links, const FermionParameters& p, double upper, double lower) {
  return {links, {.mass = upper, .m5 = p.m5, .slices = p.slices, .b = p.b, .c = p.c, .lower_mass = lower}};
}

// R (M(1) - M(m)) = k (Omega_+ Omega_+^T P_+ - Omega_- Omega_-^T P_-) with k and Omega of arXiv:1706.05843 for b - c =
// 1; a mass of one chirality makes up its part.
TEST(ExactOneFlavor, DiffersFromPauliVillarsByAMatrixOfRankOne) {
  const Lattice lattice({.extents = {4, 2, 2, 4}});
  const GaugeField<double> links = rough_links(lattice);
  for (const double c : {0.0, 0.5, 1.5}) {
    const FermionParameters p = walls(0.07, 1.0 + c, c);
    const double alpha = p.b + p.c;
    const int slices = p.slices;
    const auto sum = [&](double m) { return std::pow(alpha + 1.0, slices) + m * std::pow(alpha - 1.0, slices); };
    const double k = alpha * (1.0 - p.mass) * std::pow(1.0 + alpha, 2 * slices) / (sum(p.mass) * sum(1.0));
    const auto omega = [&](int s, bool upper) {
      const int n = upper ? slices - 1 - s : s;
      return 2.0 * std::pow(1.0 - alpha, n) / std::pow(1.0 + alpha, n + 1);
    };
    const DomainWall<double> light = made(links, p, p.mass, p.mass);
    SpinorField<double> psi = light.make_field(1), a = light.make_field(1), b = light.make_field(1);
    set_gaussian(psi, {.seed = 4});
    light.apply(a, psi);
    const std::size_t size = psi.to_host().size() / static_cast<std::size_t>(slices);
    for (const auto& [upper_mass, lower_mass] : {std::pair{1.0, 1.0}, std::pair{p.mass, 1.0}, std::pair{1.0, p.mass}}) {
      made(links, p, upper_mass, lower_mass).apply(b, psi);
      const reference::Spinor in = psi.to_host(), from = a.to_host(), to = b.to_host();
      for (std::size_t n = 0; n < size; ++n) {
        const bool upper = n % 12 < 6;
        const double sign = (upper ? upper_mass : lower_mass) == 1.0 ? k : 0.0;
        std::complex<double> product = 0.0;
        for (int s = 0; s < slices; ++s) product += omega(s, upper) * in[static_cast<std::size_t>(s) * size + n];
        for (int s = 0; s < slices; ++s) {  // of R: g5 = 1 above, -1 below, and -k below
          const auto at = static_cast<std::size_t>(slices - 1 - s) * size + n;
          EXPECT_NEAR(std::abs(to[at] - from[at] - sign * omega(s, upper) * product), 0.0, 1e-12);
        }
      }
    }
  }
}

/// ln |det| by elimination; with `positive` of a Hermitian matrix, whose pivots must be positive.
double log_determinant(reference::Matrix a, bool positive) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.rows; ++k) {
    std::size_t pivot = k;
    for (std::size_t row = k; row < a.rows && !positive; ++row) {
      if (std::abs(a(row, k)) > std::abs(a(pivot, k))) pivot = row;
    }
    for (std::size_t column = 0; column < a.rows; ++column) std::swap(a(k, column), a(pivot, column));
    if (positive) {
      EXPECT_GT(a(k, k).real(), 0.0);
    }
    sum += std::log(std::abs(a(k, k)));
    for (std::size_t row = k + 1; row < a.rows; ++row) {
      const reference::Complex factor = a(row, k) / a(k, k);
      for (std::size_t column = k; column < a.rows; ++column) a(row, column) -= factor * a(k, column);
    }
  }
  return sum;
}

// ln det X = ln |det M(1)| - ln |det M(m)|, and X is Hermitian and positive.
TEST(ExactOneFlavor, HasTheDeterminantOfTheQuarks) {
  const Lattice lattice({.extents = {2, 2, 2, 2}});
  const GaugeField<double> links = rough_links(lattice);
  const auto dense = [&](const auto& apply, const SpinorParameters& shape) {
    SpinorField<double> field(lattice, shape);
    return reference::matrix_of(
        [&](const reference::Spinor& v) {
          field.from_host(v);
          return apply(field).to_host();
        },
        field.to_host().size());
  };
  for (const FermionParameters& p : {walls(0.1, 1.5, 0.5, 2), walls(0.1, 1.0, 0.0, 2), walls(0.2, 1.3, 0.6, 3)}) {
    const auto determinant = [&](double mass) {
      const DomainWall<double> dirac = made(links, p, mass, mass);
      const auto apply = [&](const SpinorField<double>& psi) {
        SpinorField<double> out = dirac.make_field(1);
        dirac.apply(out, psi);
        return out;
      };
      return log_determinant(dense(apply, dirac.domain()), false);
    };
    ExactOneFlavorAction action(p, {.solver = exact});
    const reference::Matrix x = dense([&](const auto& phi) { return action.apply(links, phi); }, {});
    EXPECT_LT(max_difference(x, dagger(x)), 1e-10);
    const double expected = determinant(1.0) - determinant(p.mass);
    EXPECT_NEAR(log_determinant(x, true), expected, 1e-9 * std::abs(expected));
    EXPECT_GT(std::abs(expected), 1.0);
  }
}

TEST(ExactOneFlavor, SaysWhatIsWrong) {
  const GaugeField<double> links = rough_links(Lattice({.extents = {4, 2, 2, 4}}));
  KAON_EXPECT_ERROR(ExactOneFlavorAction({.mass = 0.1}), "is of domain wall quarks");
  KAON_EXPECT_ERROR(ExactOneFlavorAction(walls(1.0)), "mass 1: masses between 0 and that of Pauli-Villars fields");
  KAON_EXPECT_ERROR(ExactOneFlavorAction(walls(0.0)), "mass 0: masses between 0");
  KAON_EXPECT_ERROR(ExactOneFlavorAction(walls(0.1, 0.5, -0.5)), "b + c must be positive");
  KAON_EXPECT_ERROR(ExactOneFlavorAction(walls(0.1, 0.0, 1.0)), "b + c must be positive");
  KAON_EXPECT_ERROR(ExactOneFlavorAction(walls(0.1), {.solver = {.tolerance = 2.0}}), "between 0 and 1");
  ExactOneFlavorAction narrow(walls(0.1), {.range = SpectralRange{0.9, 1.1}});
  KAON_EXPECT_ERROR(narrow.draw(links, {.seed = 1}), "widen the range");
  EXPECT_EQ(ExactOneFlavorAction(walls(0.1)).name(),
            "one flavour, mass = 0.1, M5 = 1.8, 4 slices, b = 1.5, c = 0.5, exact, divided by Pauli-Villars fields");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
