// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/wilson_cases.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr int components = 12;

/// Fields of T, and halos that travel as H.
template <class T, class H, HaloPrecision halo>
struct Rounding {
  using Field = T;
  static constexpr HaloPrecision precision = halo;
  static constexpr double field_eps = 0.5 * detail::spacing<T>();
  /// The largest error of a number, relative to the largest of its half spinor: half a unit, and in 16 bits a hundredth
  /// of one for scales, which are rounded to single precision.
  static constexpr double halo_eps = (std::is_same_v<H, half> ? 0.51 : 0.5) * detail::spacing<H>();
};
using Roundings =
    ::testing::Types<Rounding<double, float, HaloPrecision::single>, Rounding<double, half, HaloPrecision::half>,
                     Rounding<float, half, HaloPrecision::half>>;

template <class R>
class RoundedHalos : public ::testing::Test {};
TYPED_TEST_SUITE(RoundedHalos, Roundings);

/// |psi| of a site, from the values of a lattice.
double norm_at(const HostValues& values, std::ptrdiff_t site) {
  double sum = 0.0;
  for (std::ptrdiff_t k = 0; k < components; ++k) {
    sum += std::norm(values[static_cast<std::size_t>(site * components + k)]);
  }
  return std::sqrt(sum);
}

HostValues subtract(HostValues a, const HostValues& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
  return a;
}

struct Neighbours {
  double near = 0.0;  ///< sum of w_mu |psi| of all
  double far = 0.0;   ///< of those on other processes
};

/// Around the site x of this process; `psi` holds the whole lattice.
Neighbours neighbours(const Lattice& parts, const Coordinates& x, const HostValues& psi, double spatial_weight) {
  Neighbours sums;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (const int step : {-1, 1}) {
      Coordinates y = x;
      y[mu] += step;
      const bool leaves = parts.is_partitioned(mu) && (y[mu] < 0 || y[mu] == parts.local_extents()[mu]);
      for (std::size_t nu = 0; nu < 4; ++nu) y[nu] += parts.origin()[nu];
      y[mu] = (y[mu] + parts.extents()[mu]) % parts.extents()[mu];
      const double norm = (mu == 3 ? 1.0 : spatial_weight) * norm_at(psi, lexicographic_index(y, parts.extents()));
      sums.near += norm;
      if (leaves) sums.far += norm;
    }
  }
  return sums;
}

/// c K in, or c A^-1 K in.
template <class T>
SpinorField<T> hop(const EvenOddOperator<T>& dirac, const SpinorField<T>& in, Parity parity, SiteTerm term) {
  const SpinorField<T> from = in.parity(opposite(parity));
  SpinorField<T> out(dirac.lattice(), {.subset = subset_of(parity), .right_hand_sides = in.right_hand_sides()});
  dirac.hop(out, from, {.term = term, .scale = -0.7, .dagger = parity == Parity::odd});
  return out;
}

/// Right-hand side 1 and its hops to even and odd sites, exact, on the whole lattice.
struct OnWhole {
  HostValues psi, hops[2];
};

template <class T>
OnWhole on_whole(const Lattice& lattice, const FermionCase& fermion) {
  const auto dirac =
      converted<T>(*make_operator<double>(random_links<double>(lattice), fermion), fermion, LinkStorage::full);
  const SpinorField<T> in = in_precision<T>(gaussian<double>(lattice, 2));
  OnWhole values{in.to_host(1), {}};
  for (const Parity parity : {Parity::even, Parity::odd}) {
    values.hops[static_cast<std::size_t>(parity)] = hop(*dirac, in, parity, SiteTerm::none).to_host(1);
  }
  return values;
}

/// In a half spinor h = (1 +- g_mu) psi the two spins that are sent have |h| <= sqrt(2) |psi|. Each of their 12 reals
/// is wrong by at most eps times the largest of them: together, by sqrt(24) eps |psi|. Links are unitary, and restoring
/// four spins from two makes it sqrt(48) eps |psi|. So where neighbours lie on other processes, c K psi is wrong by at
/// most |c|/2 sqrt(48) eps sum w_mu |psi(x +- mu)| over these, beside the rounding of the fields.
template <class R>
void expect_bounded_errors(const Partition& partition, const FermionCase& fermion, const OnWhole& whole) {
  using T = typename R::Field;
  constexpr double to_error = 0.35 * 6.9282032302755092 * R::halo_eps;
  const auto parts_operator = make_operator<double>(random_links<double>(partition.parts), fermion);
  const auto exact = converted<T>(*parts_operator, fermion, LinkStorage::full);
  const auto rounded = converted<T>(*parts_operator, fermion, LinkStorage::full, R::precision);
  const SpinorField<T> in = in_precision<T>(gaussian<double>(partition.parts, 2));
  const double weight = fermion.parameters.anisotropy.spatial_weight();
  const Lattice& parts = partition.parts;

  double sums[] = {0.0, 0.0};  // squares of errors and of their bounds, if there are any
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const SpinorField<T> found = hop(*rounded, in, parity, SiteTerm::none);
    const SpinorField<T> same = hop(*exact, in, parity, SiteTerm::none);
    const HostValues expected = part_of(whole.hops[static_cast<std::size_t>(parity)], parts);
    const HostValues error = subtract(found.to_host(1), expected);
    const HostValues difference = subtract(found.to_host(1), same.to_host(1));
    double worst = 0.0, inside = 0.0;
    // On a GPU an exact and a rounded halo may be added by different kernels, which round differently.
    const auto kernels = [](double near) { return on_device ? 100.0 * R::field_eps * near : 0.0; };
    for (std::ptrdiff_t site = 0; site < parts.local_volume(); ++site) {
      const Coordinates x = lexicographic_site(site, parts.local_extents());
      const Neighbours around = neighbours(parts, x, whole.psi, weight);
      const double bound = to_error * around.far;
      const double from_halo = norm_at(difference, site);
      worst = larger(worst, norm_at(error, site) / (bound + 100.0 * R::field_eps * around.near));
      if (around.far == 0.0) {
        inside = std::max(inside, from_halo - kernels(around.near));
      } else {
        sums[0] += from_halo * from_halo;
      }
      if (norm_at(expected, site) != 0.0) sums[1] += bound * bound;
    }
    EXPECT_LE(worst, 1.0);
    EXPECT_LE(inside, 0.0);

    // A^-1 of what is wrong is what is wrong with A^-1.
    SpinorField<T> wrong = blas::clone(found);
    for (int rhs = 0; rhs < 2; ++rhs) wrong.from_host(subtract(found.to_host(rhs), same.to_host(rhs)), rhs);
    rounded->apply_site_term(wrong, wrong, SiteTerm::inverse, false);
    const HostValues with_inverse = hop(*rounded, in, parity, SiteTerm::inverse).to_host(1);
    const HostValues inverse = hop(*exact, in, parity, SiteTerm::inverse).to_host(1);
    const HostValues rest = subtract(subtract(with_inverse, inverse), wrong.to_host(1));
    EXPECT_LE(largest_difference(rest, HostValues(rest.size())), 100.0 * R::field_eps);
  }
  parts.communicator().sum(sums);
  if (!parts.is_partitioned()) {
    EXPECT_EQ(sums[0], 0.0);
    return;
  }
  // Lower halos are really lower: most numbers are wrong by some part of what they may be.
  EXPECT_GT(std::sqrt(sums[0] / sums[1]), 0.01);
  EXPECT_LT(std::sqrt(sums[0] / sums[1]), 1.0);
}

TYPED_TEST(RoundedHalos, ChangeEdgesByTheirRounding) {
  for (const FermionCase& fermion : {fermion_cases()[1], fermion_cases()[3]}) {
    OfWhole<OnWhole> of_whole(
        [&](const Lattice& lattice) { return on_whole<typename TypeParam::Field>(lattice, fermion); });
    for (const Partition& partition : all_partitions()) {
      SCOPED_TRACE(fermion.name + " on " + partition.name);
      expect_bounded_errors<TypeParam>(partition, fermion, of_whole(partition));
    }
  }
}

template <class T>
void expect_same(const Partition& partition, HaloPrecision halo) {
  const FermionCase fermion = fermion_cases()[3];
  const auto dirac = make_operator<double>(random_links<double>(partition.parts), fermion);
  const auto exact = converted<T>(*dirac, fermion, LinkStorage::two_rows);
  const auto lower = converted<T>(*dirac, fermion, LinkStorage::two_rows, halo);
  const SpinorField<T> in = in_precision<T>(gaussian<double>(partition.parts, 1));
  for (const SiteTerm term : {SiteTerm::none, SiteTerm::inverse}) {
    EXPECT_EQ(largest_difference(hop(*lower, in, Parity::even, term).to_host(),
                                 hop(*exact, in, Parity::even, term).to_host()),
              0.0);
  }
}

TEST(HaloPrecision, IsNeverAboveTheField) {
  for (const Partition& partition : partitions({8, 4, 2, 8})) {
    SCOPED_TRACE(partition.name);
    expect_same<float>(partition, HaloPrecision::single);
    expect_same<half>(partition, HaloPrecision::single);
    expect_same<half>(partition, HaloPrecision::half);
  }
}

TEST(HaloPrecision, StaysWithItsOperator) {
  const std::vector<Partition> all = partitions({4, 4, 4, 8});
  if (all.empty()) GTEST_SKIP() << "no grid of these processes cuts the lattice";
  const auto links = random_links<double>(all.front().parts);
  const WilsonClover<double> clover(links, {.mass = 0.1});
  const Wilson<double> wilson(links, {.mass = 0.1});
  EXPECT_EQ(clover.halo(), HaloPrecision::field);
  EXPECT_EQ(wilson.halo(), HaloPrecision::field);
  const WilsonClover<float> rounded_clover(clover, LinkStorage::two_rows, HaloPrecision::half);
  const Wilson<float> rounded_wilson(wilson, LinkStorage::two_rows, HaloPrecision::single);
  EXPECT_EQ(WilsonClover<half>(rounded_clover).halo(), HaloPrecision::half);
  EXPECT_EQ(WilsonClover<double>(rounded_clover, LinkStorage::full).halo(), HaloPrecision::half);
  EXPECT_EQ(Wilson<double>(rounded_wilson).halo(), HaloPrecision::single);
  EXPECT_EQ(Wilson<float>(rounded_wilson, LinkStorage::full, HaloPrecision::field).halo(), HaloPrecision::field);
}

/// Iterations in S with rounded halos.
template <class S>
void expect_exact_solution(const Partition& partition, HaloPrecision halo) {
  constexpr double tight = 1e-12;
  const WilsonClover<double> dirac(random_links<double>(partition.parts), fermion_cases()[2].parameters);
  const WilsonClover<S> rounded(dirac, LinkStorage::two_rows, halo);
  const Schur<double> schur(dirac);
  const Schur<S> inner(rounded);
  const SpinorField<double> b = gaussian<double>(partition.parts, 2).parity(Parity::even);
  SpinorField<double> x = schur.make_field(2), residual = schur.make_field(2);
  const SolveResult result = BiCgStab<double, S>(schur, inner, {.tolerance = tight}).solve(x, b);
  EXPECT_TRUE(result.converged());
  schur.apply(residual, x);
  const blas::Reals residuals = blas::xmy_norm2(residual, b), sources = blas::norm2(b);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_LE(std::sqrt(residuals[k] / sources[k]), tight);
}

TEST(HaloPrecision, DoesNotChangeWhatASolveReaches) {
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    if (partition.parts.lanes() == Lanes::single || !partition.parts.is_partitioned()) continue;
    SCOPED_TRACE(partition.name);
    expect_exact_solution<double>(partition, HaloPrecision::single);
    expect_exact_solution<double>(partition, HaloPrecision::half);
    expect_exact_solution<float>(partition, HaloPrecision::half);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
