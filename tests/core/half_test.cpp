// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/random.hpp>
#include "core/blas/solver_blas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

std::vector<Lattice> lattices() {
  std::vector<Lattice> all;
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    all.emplace_back(LatticeParameters{.extents = {8, 4, 4, 8}, .lanes = lanes});
    all.emplace_back(LatticeParameters{.extents = {4, 6, 2, 8}, .lanes = lanes});
  }
  return all;
}

/// Normal numbers whose size differs from site to site by up to ten orders of magnitude.
Values uneven_values(const Lattice& lattice, std::uint32_t stream) {
  SpinorField<double> field(lattice);
  set_gaussian(field, {.seed = 9, .stream = stream});
  Values values = field.to_host();
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= std::pow(10.0, static_cast<int>(k / 12 % 11) - 5);
  return values;
}

double largest_part(const Values& values, std::size_t site) {
  double largest = 0.0;
  for (std::size_t k = 12 * site; k < 12 * site + 12; ++k) {
    largest = std::max({largest, std::abs(values[k].real()), std::abs(values[k].imag())});
  }
  return largest;
}

/// |a - b| of each real and imaginary part in units of the spacing largest/32767 of its site, the greatest of all.
double largest_error(const Values& a, const Values& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double spacing = largest_part(b, k / 12) / 32767.0;
    if (spacing == 0.0) continue;
    largest = std::max(largest, std::abs(a[k].real() - b[k].real()) / spacing);
    largest = std::max(largest, std::abs(a[k].imag() - b[k].imag()) / spacing);
  }
  return largest;
}

/// Half a spacing, and what rounding the scale and the products to single precision can add: 32767 * 2^-22 spacings.
constexpr double half_spacing = 0.5 + 0.008;

TEST(HalfSpinors, AreWrongByAtMostHalfASpacingOfTheirSite) {
  for (const Lattice& lattice : lattices()) {
    const Values values = uneven_values(lattice, 0);
    SpinorField<half> field(lattice, {.right_hand_sides = 2});
    field.from_host(values, 1);
    EXPECT_LE(largest_error(field.to_host(1), values), half_spacing);
    EXPECT_EQ(field.to_host(0), Values(values.size()));
  }
}

TEST(HalfSpinors, HoldWhatTheyGaveBack) {
  for (const Lattice& lattice : lattices()) {
    SpinorField<half> field(lattice), again(lattice);
    field.from_host(uneven_values(lattice, 0));
    again.from_host(field.to_host());
    EXPECT_EQ(again.to_host(), field.to_host());
  }
}

TEST(HalfSpinors, HoldZeroAndTheLargestNumberExactly) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  Values values(static_cast<std::size_t>(lattice.volume()) * 12, 0.0);
  values[24] = {0.75, 0.0};
  values[25] = {0.0, -0.75};
  SpinorField<half> field(lattice);
  field.from_host(values);
  const Values stored = field.to_host();
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_NEAR(std::abs(stored[k] - values[k]), 0.0, std::abs(values[k]) * 1e-7) << k;
  }
}

TEST(HalfSpinors, OfOneParityAreThoseOfTheWholeField) {
  for (const Lattice& lattice : lattices()) {
    SpinorField<half> whole(lattice), odd(lattice, {.subset = Subset::odd});
    whole.from_host(uneven_values(lattice, 0));
    odd.from_host(uneven_values(lattice, 0));
    EXPECT_EQ(odd.to_host(), whole.parity(Parity::odd).to_host());
  }
}

TEST(HalfSpinors, LoseNothingButTinySites) {
  // A kernel stores a site below 1e-30 with the scale of 1e-30: it may vanish, it must not change its size.
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  for (const double size : {1e-20, 1e-28, 1e-31, 1e-33}) {
    SpinorField<double> values(lattice), found(lattice);
    set_gaussian(values, {.seed = 4});
    blas::scale(values, std::vector{size});
    SpinorField<half> field(lattice), stored(lattice);
    blas::copy(field, values);
    blas::axpy(stored, field, std::vector{1.0});
    blas::copy(found, stored);
    const double error = std::sqrt(blas::xmy_norm2(found, values)[0]);
    EXPECT_LE(error, 1e-4 * std::sqrt(blas::norm2(values)[0]) + std::sqrt(24.0 * 1024.0) * 1e-30 / 65534.0);
  }
}

TEST(HalfSpinors, KeepANaN) {
  for (const Lattice& lattice : lattices()) {
    Values values = uneven_values(lattice, 0);
    values[100] = {0.0, std::numeric_limits<double>::quiet_NaN()};
    SpinorField<double> in_double(lattice);
    in_double.from_host(values);
    SpinorField<half> field(lattice), sum(lattice);
    blas::copy(field, in_double);
    EXPECT_TRUE(std::isnan(blas::norm2(field)[0]));
    // Converts through a kernel of its own precision.
    blas::axpy(sum, field, std::vector{1.0});
    EXPECT_TRUE(std::isnan(blas::norm2(sum)[0]));
  }
}

TEST(HalfSpinors, AddToAnotherPrecisionAndTakeItIn) {
  for (const Lattice& lattice : lattices()) {
    SpinorField<half> small(lattice);
    small.from_host(uneven_values(lattice, 0));
    SpinorField<double> sum(lattice);
    sum.from_host(uneven_values(lattice, 1));
    const Values a = small.to_host(), b = sum.to_host();
    Values expected(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) expected[k] = b[k] + a[k];
    blas::add(sum, small);
    const Values found = sum.to_host();
    for (std::size_t k = 0; k < a.size(); ++k) {
      ASSERT_LE(std::abs(found[k] - expected[k]), 1e-14 * (std::abs(a[k]) + std::abs(b[k])));
    }
    SpinorField<double> before(lattice);
    before.from_host(b);
    blas::add(small, before);
    EXPECT_LE(largest_error(small.to_host(), expected), half_spacing);
  }
}

struct Problem {
  explicit Problem(const Lattice& lattice) : x(lattice), y(lattice), z(lattice), u(lattice), v(lattice) {
    std::uint32_t stream = 0;
    for (SpinorField<half>* field : {&x, &y, &z, &u, &v}) field->from_host(uneven_values(lattice, stream++));
  }
  SpinorField<half> x, y, z, u, v;
};

TEST(HalfBlas, RoundsItsFormulasOnce) {
  for (const Lattice& lattice : lattices()) {
    Problem p(lattice);
    const Values x = p.x.to_host(), y = p.y.to_host(), z = p.z.to_host(), u = p.u.to_host(), v = p.v.to_host();
    const std::complex<double> a(0.7, -0.3), w(-0.2, 1.1);
    const auto expect = [](const SpinorField<half>& field, const auto& formula) {
      const Values found = field.to_host();
      Values expected(found.size());
      for (std::size_t k = 0; k < found.size(); ++k) expected[k] = formula(k);
      EXPECT_LE(largest_error(found, expected), half_spacing);
    };
    const auto product = [](const Values& p_, const Values& q) {
      std::complex<double> sum = 0.0;
      for (std::size_t k = 0; k < p_.size(); ++k) sum += std::conj(p_[k]) * q[k];
      return sum;
    };

    blas::caxpy(p.x, p.y, std::vector{a});
    expect(p.x, [&](std::size_t k) { return x[k] + a * y[k]; });
    const auto sums = blas::bicgstab_update_xr(p.z, p.y, p.u, p.v, p.x, {std::vector{a}, std::vector{w}});
    expect(p.z, [&](std::size_t k) { return z[k] + a * u[k] + w * y[k]; });
    expect(p.y, [&](std::size_t k) { return y[k] - w * v[k]; });
    // Sums are computed from the numbers before they are rounded to 16 bits.
    Values r(y.size());
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = y[k] - w * v[k];
    EXPECT_NEAR(sums.norm2[0], product(r, r).real(), 1e-6 * product(r, r).real());
    const std::complex<double> overlap = product(p.x.to_host(), r);
    EXPECT_LE(std::abs(sums.product[0] - overlap), 1e-6 * std::sqrt(blas::norm2(p.x)[0] * product(r, r).real()));
    EXPECT_NEAR(blas::norm2(p.u)[0], product(u, u).real(), 1e-6 * product(u, u).real());
  }
}

TEST(HalfBlas, DoesNotDependOnTheLanes) {
  std::vector<Values> results;
  std::vector<double> norms;
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
    Problem p(lattice);
    norms.push_back(blas::axpy_norm2(p.x, p.y, std::vector{0.3})[0]);
    results.push_back(p.x.to_host());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NEAR(norms[0], norms[1], 1e-12 * norms[0]);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
