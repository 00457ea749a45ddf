// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/solvers/solver_cases.hpp"

#include <kaon/io/spinors.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <cmath>
#include <span>
#include <string>

namespace kaon::test {
namespace KAON_TEST_FILE {

class EigenvectorFiles : public ::testing::Test {
 protected:
  Staggered<double> staggered(double mass, std::uint64_t links_seed = 5) const {
    const GaugeField<double> links = hot_links<double>(lattice, links_seed);
    return Staggered<double>(links, {.mass = mass});
  }

  const TemporaryFolder folder;
  const Lattice lattice{{.extents = {4, 4, 4, 4}}};
};

/// |A v - lambda v| of the vectors, by the operator.
template <class T>
void expect_true_residuals(const LinearOperator<T>& matrix, const Eigenvectors<T>& read, double tolerance) {
  SpinorField<T> image = matrix.make_field(1);
  for (std::size_t i = 0; i < read.vectors.size(); ++i) {
    matrix.apply(image, read.vectors[i]);
    blas::axpy(image, read.vectors[i], -read.values[i]);
    const double residual = std::sqrt(blas::norm2(image)[0]);
    EXPECT_LE(residual, tolerance) << i;
    EXPECT_NEAR(residual, read.residuals[i], 1e-3 * residual + 1e-14) << i;
    EXPECT_NEAR(blas::norm2(read.vectors[i])[0], 1.0, 1e-6) << i;
  }
}

TEST_F(EigenvectorFiles, GiveTheSameVectors) {
  const Staggered<double> dirac = staggered(0.1);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const StaggeredNormal<double> normal(dirac, parity);
    const auto found = find_eigenvectors<double>(normal, {.count = 5, .tolerance = 1e-10});
    ASSERT_TRUE(found.converged);
    for (const bool quda : {false, true}) {
      write_eigenvectors(folder / "a", found, {.quda = quda, .plaquette = 0.25, .info = "mass 0.1"});
      const auto read = read_eigenvectors<double>(folder / "a", normal);
      ASSERT_EQ(read.vectors.size(), 5u);
      EXPECT_TRUE(read.converged);
      expect_true_residuals(normal, read, 1e-8);
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(read.values[i], found.values[i], 1e-12);
        SpinorField<double> difference = normal.make_field(1);
        blas::copy(difference, read.vectors[i]);
        blas::axpy(difference, found.vectors[i], -1.0);
        EXPECT_LE(std::sqrt(blas::norm2(difference)[0]), 1e-14);
      }
      const auto file = io::read_spinor_fields<double>(lattice, folder / "a", subset_of(parity));
      EXPECT_EQ(file.info.eigenvalues, found.values);
      EXPECT_EQ(file.info.residuals, found.residuals);
      EXPECT_EQ(file.info.plaquette, 0.25);
      EXPECT_EQ(file.info.info, "mass 0.1");
    }
  }
}

// 4 m^2 - D D has the eigenvectors of all masses.
TEST_F(EigenvectorFiles, OfStaggeredQuarksAreThoseOfAllMasses) {
  const Staggered<double> heavy = staggered(0.3), light = staggered(0.02);
  const StaggeredNormal<double> normal(heavy, Parity::even), other(light, Parity::even);
  const auto found = find_eigenvectors<double>(normal, {.count = 4});
  write_eigenvectors(folder / "a", found);
  const auto read = read_eigenvectors<double>(folder / "a", other);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(read.values[i], found.values[i] - 4.0 * (0.3 * 0.3 - 0.02 * 0.02), 1e-12);
  }
  expect_true_residuals(other, read, 1e-8);
}

TEST_F(EigenvectorFiles, HoldNumbersOf32BitsToTheirRounding) {
  const FermionCase fermion = fermion_cases()[1];
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion);
  const NormalOperator<double> normal(*dirac);
  const auto found = find_eigenvectors<double>(normal, {.count = 3});
  write_eigenvectors(folder / "a", found, {.bits = 32});
  const auto read = read_eigenvectors<double>(folder / "a", normal);
  expect_true_residuals(normal, read, 1e-5);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(read.values[i], found.values[i], 1e-10);

  // An operator in single precision reads either file.
  const auto rounded = make_operator<float>(random_links<float>(lattice), fermion);
  const NormalOperator<float> narrow(*rounded);
  write_eigenvectors(folder / "b", found);
  for (const char* file : {"a", "b"}) {
    const auto single = read_eigenvectors<float>(folder / file, narrow);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(single.values[i], found.values[i], 1e-4);
  }
}

TEST_F(EigenvectorFiles, OfOtherOperatorsAreRefusedWithTheNumbers) {
  const Staggered<double> dirac = staggered(0.1), of_other_links = staggered(0.1, 6);
  const StaggeredNormal<double> normal(dirac, Parity::even), other(of_other_links, Parity::even);
  const auto found = find_eigenvectors<double>(normal, {.count = 2});
  write_eigenvectors(folder / "a", found);
  const auto message = [&](const auto& matrix) {
    return error_text([&] { (void)read_eigenvectors<double>(folder / "a", matrix); });
  };
  const std::string text = message(other);
  expect_text(text, "a: vector 0 is no eigenvector of this operator A: |A v - lambda v| = ");
  expect_text(text, "the file states lambda = " + std::to_string(found.values[0]).substr(0, 5));
  expect_text(text, "It belongs to other links, another mass or another action");
  expect_text(message(StaggeredNormal<double>(dirac, Parity::odd)),
              "holds fields on all sites: field 0 has |psi|^2 = 1");

  const GaugeField<double> links = random_links<double>(lattice);
  const auto quarks = make_operator<double>(links, fermion_cases()[0]);
  expect_text(message(NormalOperator<double>(*quarks)),
              "holds fields of 1 spins and 3 colours, but the operator acts on 4 and 3");

  // Another mass of Wilson's quarks, and the Schur complement of the same.
  const Wilson<double> one(links, {.mass = 0.3}), near(links, {.mass = 0.3 + 1e-5});
  write_eigenvectors(folder / "a", find_eigenvectors<double>(NormalOperator<double>(one), {.count = 2}));
  EXPECT_NO_THROW((void)read_eigenvectors<double>(folder / "a", NormalOperator<double>(one)));
  expect_text(message(NormalOperator<double>(near)), "vector 0 is no eigenvector of this operator");
  expect_text(message(NormalOperator<double>(Schur<double>(one))), "holds fields on all sites");
}

TEST_F(EigenvectorFiles, OfNoOrthonormalVectorsAreRefused) {
  const Staggered<double> dirac = staggered(0.1);
  const StaggeredNormal<double> normal(dirac, Parity::even);
  auto found = find_eigenvectors<double>(normal, {.count = 2});
  const auto message = [&] { return error_text([&] { (void)read_eigenvectors<double>(folder / "a", normal); }); };
  // Files of other programs state neither eigenvalues nor residuals.
  io::write_spinor_fields<double>(folder / "a", found.vectors);
  EXPECT_NO_THROW((void)read_eigenvectors<double>(folder / "a", normal));
  blas::scale(found.vectors[1], 1.01);
  io::write_spinor_fields<double>(folder / "a", found.vectors);
  expect_text(message(), "vector 1 has length 1.01, and eigenvectors have 1");
  blas::copy(found.vectors[1], found.vectors[0]);
  io::write_spinor_fields<double>(folder / "a", found.vectors);
  expect_text(message(), "vectors 0 and 1 are not orthogonal: |<v, w>| = 1");
  set_gaussian(found.vectors[0], {.seed = 2});
  blas::scale(found.vectors[0], 1.0 / std::sqrt(blas::norm2(found.vectors[0])[0]));
  io::write_spinor_fields<double>(folder / "a", std::span<const SpinorField<double>>(found.vectors).first(1));
  expect_text(message(), "the file states neither eigenvalues nor residuals");
  expect_text(error_text([&] { write_eigenvectors(folder / "b", Eigenvectors<double>{}); }), "there are no fields");
}

// The spin basis is another one there.
TEST_F(EigenvectorFiles, OfQudaHaveOneSpin) {
  const Wilson<double> dirac(random_links<double>(lattice), {.mass = 0.3});
  const NormalOperator<double> normal(dirac);
  const auto found = find_eigenvectors<double>(normal, {.count = 1});
  expect_text(error_text([&] { write_eigenvectors(folder / "a", found, {.quda = true}); }), "in another spin basis");
  io::write_spinor_fields<double>(folder / "a", found.vectors, {}, {.quda = true});
  expect_text(error_text([&] { (void)read_eigenvectors<double>(folder / "a", normal); }), "in another spin basis");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
