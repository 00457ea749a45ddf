// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/galerkin.hpp"
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/staggered/hypercube_operator.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/reference/coarse_operator.hpp"

#include <kaon/operators/twisted_mass.hpp>

// D_c = R M P: its matrices, and what they do to vectors.
namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::Aggregation;
using detail::CoarseOperator;
using detail::GalerkinMatrices;
using detail::Transfer;

constexpr int vectors = 4;

/// Noise on all sites of a lattice of any level.
SpinorField<float> noise(const Lattice& lattice, SpinorParameters shape, int right_hand_sides, std::uint32_t stream) {
  shape.right_hand_sides = right_hand_sides;
  SpinorField<float> field(lattice, shape);
  set_gaussian(field, {.seed = 21, .stream = stream});
  return field;
}

/// Largest |X_rc(a) - expected| of a field whose right-hand side c is column c.
template <class At>
double largest_error(const SpinorField<float>& matrix, const reference::CoarseOperator& slow, const At& expected) {
  const auto n = static_cast<std::size_t>(matrix.components());
  double largest = 0.0;
  for (std::size_t column = 0; column < n; ++column) {
    const auto values = matrix.to_host(static_cast<int>(column));
    for (std::size_t site = 0; site < values.size() / n; ++site) {
      const Coordinates a = lexicographic_site(static_cast<std::ptrdiff_t>(site), slow.extents());
      const reference::Matrix& m = expected(a);
      for (std::size_t row = 0; row < n; ++row) {
        largest = larger(largest, std::abs(values[n * site + row] - m(row, column)));
      }
    }
  }
  return largest;
}

void expect_matrices(const GalerkinMatrices& fast, const reference::CoarseOperator& slow) {
  EXPECT_LT(largest_error(
                fast.x(), slow, [&](const Coordinates& a) -> auto& { return slow.site_term(a); }),
            tolerance<float>);
  for (int mu = 0; mu < directions; ++mu) {
    EXPECT_LT(largest_error(
                  fast.y()[static_cast<std::size_t>(mu)],
                  slow, [&](const Coordinates& a) -> auto& { return slow.hop(a, mu, 1); }),
              tolerance<float>)
        << "direction " << mu;
  }
}

struct Blocks {
  Coordinates extents, first, second;
};

// The second blocks leave odd extents, extents of 1, and aggregates of the lattice's whole extent.
const std::vector<Blocks> blocks{{{4, 4, 4, 4}, {2, 2, 2, 2}, {2, 1, 2, 1}},
                                 {{4, 6, 2, 8}, {2, 2, 2, 2}, {1, 3, 1, 2}},
                                 {{4, 6, 2, 8}, {2, 3, 1, 4}, {1, 2, 1, 2}},
                                 {{4, 4, 4, 4}, {4, 4, 4, 4}, {1, 1, 1, 1}}};

TEST(Galerkin, MatricesAreThoseOfTheReference) {
  for (const Blocks& cut : blocks) {
    const Lattice lattice({.extents = cut.extents});
    for (const FermionCase& fermion : {fermion_cases()[1], fermion_cases()[3]}) {
      SCOPED_TRACE(describe(lattice, fermion) + ", blocks of " + to_string(cut.first));
      const GaugeField<double> links = random_links<double>(lattice);
      const auto dirac = converted<float>(*make_operator<double>(links, fermion), fermion, LinkStorage::full);
      const Aggregation first(lattice, cut.first);
      const SpinorField<float> v = noise(lattice, dirac->domain(), vectors, 0);
      const Transfer transfer(first, v);
      const GalerkinMatrices fast = detail::galerkin(*dirac, transfer);

      const reference::WilsonOperator wilson(links.to_host(), cut.extents, reference_parameters(fermion));
      const reference::CoarseOperator fine = reference::site_matrices(wilson);
      const reference::Prolongator p(reference::Aggregates(cut.extents, cut.first), 12, to_host(v));
      const reference::CoarseOperator slow = reference::coarsen(fine, p);
      expect_matrices(fast, slow);

      // A level below, of the operator that the fast code has made.
      const CoarseOperator coarse(fast.x(), fast.y(), MultigridPrecision::single);
      const Aggregation second(first.coarse(), cut.second);
      const SpinorField<float> w = noise(first.coarse(), coarse.domain(), 2 * vectors, 1);
      if (2 * vectors > vectors * volume_of(cut.second)) continue;
      const GalerkinMatrices coarser = detail::galerkin(coarse, Transfer(second, w));
      const reference::Prolongator q(reference::Aggregates(first.coarse().extents(), cut.second), 2 * vectors,
                                     to_host(w));
      expect_matrices(coarser, reference::coarsen(slow, q));
    }
  }
}

/// D_c c = R M P c.
void expect_restricted(const EvenOddOperator<float>& fine, const Coordinates& block) {
  const Aggregation aggregation(fine.lattice(), block);
  const Transfer transfer(aggregation, noise(fine.lattice(), fine.domain(), vectors, 0));
  const GalerkinMatrices matrices = detail::galerkin(fine, transfer);
  const CoarseOperator coarse(matrices.x(), matrices.y(), MultigridPrecision::single);
  const SpinorField<float> c = noise(aggregation.coarse(), coarse.domain(), 3, 5);
  SpinorField<float> fine_c = fine.make_field(3), fine_image = fine.make_field(3);
  SpinorField<float> expected = coarse.make_field(3), image = coarse.make_field(3);
  transfer.prolong(fine_c, c);
  fine.apply(fine_image, fine_c);
  transfer.restrict(expected, fine_image);
  coarse.apply(image, c);
  EXPECT_LT(relative_difference(to_host(image), to_host(expected)), tolerance<float>);
}

TEST(Galerkin, OperatorRestrictsWhatTheFineOneDoes) {
  for (const Lattice& lattice : test_lattices()) {
    SCOPED_TRACE(to_string(lattice.extents()));
    const TwistedClover<double> exact(
        random_links<double>(lattice),
        {.mass = 0.1, .mu = 0.2, .csw = 1.2, .anisotropy = {.xi0 = 2.0}, .boundary = {0.1, 0.2, 0.3, 2.0}});
    expect_restricted(TwistedClover<float>(exact, LinkStorage::full), {2, 2, 1, 2});
  }
}

// The hops have a factor R on the right (`FactoredHops`).
TEST(Galerkin, OperatorOfHypercubesRestrictsWhatTheirsDoes) {
  const GaugeField<float> links = random_links<float>(Lattice({.extents = {8, 4, 4, 8}}));
  const detail::HypercubeOperator hypercubes(links, {0.1, 0.2, 0.3, 2.0}, 0.1, MultigridPrecision::single);
  expect_restricted(hypercubes.matrix(), {2, 2, 1, 2});
}

// U = 1 and vectors that are constant: X = m + i mu g5 + sum_mu w_mu / b_mu and Y_{+mu} = (w_mu / (2 b_mu)) (1 - g_mu),
// with the boundary phase over the edge.
TEST(Galerkin, FreeFieldHasAClosedForm) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeField<float> links = unit_links<float>(lattice);
  const double mass = 0.3, mu_twist = 0.15;
  const TwistedMass<float> dirac(links, {.mass = mass, .mu = mu_twist, .boundary = {0.0, 0.0, 0.0, 0.7}});
  SpinorField<float> constant(lattice, {.right_hand_sides = 6});
  for (int j = 0; j < 6; ++j) {  // colour j % 3, spins j / 3 and 2 + j / 3
    reference::Spinor values = reference::zero_spinor(lattice.extents());
    for (std::size_t site = 0; site < values.size() / 12; ++site) {
      for (const int spin : {j / 3, 2 + j / 3}) values[12 * site + static_cast<std::size_t>(3 * spin + j % 3)] = 1.0;
    }
    constant.from_host(values, j);
  }
  const Coordinates block{2, 2, 4, 4};
  const Aggregation aggregation(lattice, block);
  const GalerkinMatrices fast = detail::galerkin(dirac, Transfer(aggregation, constant));
  double diagonal = mass;
  for (const int b : block) diagonal += 1.0 / b;
  // The basis is (spin, colour) in the order of j, so that component 6 s + j is spin 2 s + j / 3, colour j % 3.
  const auto entry = [](const reference::SpinMatrix& m, std::size_t row, std::size_t column) {
    const auto spin = [](std::size_t n) { return 2 * (n / 6) + n % 6 / 3; };
    return row % 3 == column % 3 ? m[spin(row)][spin(column)] : std::complex<double>(0.0);
  };
  const reference::SpinMatrix one = reference::identity_spin_matrix(), g5 = reference::gamma5();
  const Coordinates extents = aggregation.coarse().extents();
  for (std::size_t column = 0; column < 12; ++column) {
    const auto x = fast.x().to_host(static_cast<int>(column));
    for (std::size_t number = 0; number < x.size(); ++number) {
      const std::size_t row = number % 12;
      const std::complex<double> expected =
          diagonal * entry(one, row, column) + std::complex<double>(0.0, mu_twist) * entry(g5, row, column);
      // In an aggregate of the whole extent (z), hops within wrap around the lattice: their sum has both projectors.
      const double around = 2.0 * 0.5 / block[2];
      EXPECT_LT(std::abs(x[number] - (expected - around * entry(one, row, column))), tolerance<float>);
    }
    for (int mu = 0; mu < directions; ++mu) {
      const auto direction = static_cast<std::size_t>(mu);
      const auto y = fast.y()[direction].to_host(static_cast<int>(column));
      for (std::size_t number = 0; number < y.size(); ++number) {
        const Coordinates a = lexicographic_site(static_cast<std::ptrdiff_t>(number / 12), extents);
        const bool edge = mu == 3 && a[3] == extents[3] - 1;
        std::complex<double> expected = (0.5 / block[direction]) * (entry(one, number % 12, column) -
                                                                    entry(reference::gamma(mu), number % 12, column));
        if (extents[direction] == 1) expected = 0.0;
        if (edge) expected *= std::polar(1.0, 0.7);
        EXPECT_LT(std::abs(y[number] - expected), tolerance<float>) << "direction " << mu;
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
