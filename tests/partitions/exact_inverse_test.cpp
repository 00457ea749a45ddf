// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/coarse/whole_system.hpp"
#include "multigrid/dense/dense_matrix.hpp"
#include "tests/multigrid/coarse_cases.hpp"
#include "tests/partitions/coarse_partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <limits>
#include <random>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::DenseMatrix;
using detail::ExactInverse;

/// Noise; the last row is the first one if the matrix is `singular`. Its pivots lie anywhere.
DenseMatrix noise_matrix(int dimension, bool singular = false) {
  DenseMatrix matrix(dimension);
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (int row = 0; row < dimension; ++row) {
    for (int column = 0; column < dimension; ++column) {
      const double re = normal(generator), im = normal(generator);
      const bool repeats = singular && row == dimension - 1;
      matrix.columns().set(row, column, repeats ? matrix.columns().get(0, column) : detail::Complex<double>{re, im});
    }
  }
  return matrix;
}

// One process has columns to eliminate, some have, all have.
TEST(DenseMatrices, HaveTheSameInverseOnAnyNumberOfProcesses) {
  for (const int dimension : {5, 70, 130, 400}) {
    SCOPED_TRACE(dimension);
    DenseMatrix alone = noise_matrix(dimension), together = noise_matrix(dimension);
    ASSERT_TRUE(alone.invert());
    ASSERT_TRUE(together.invert(processes()));
    int differ = 0;
    for (int row = 0; row < dimension; ++row) {
      for (int column = 0; column < dimension; ++column) {
        const auto found = together.inverse().get(row, column), expected = alone.inverse().get(row, column);
        if (found.re != expected.re || found.im != expected.im) ++differ;
      }
    }
    EXPECT_EQ(differ, 0);
    EXPECT_FALSE(noise_matrix(dimension, true).invert(processes()));
  }
}

SpinorField<float> noise(const LinearOperator<float>& matrix, int right_hand_sides) {
  SpinorField<float> field = matrix.make_field(right_hand_sides);
  set_gaussian(field, {.seed = 5});
  return field;
}

/// S^-1 s, the same regardless of the processes.
std::vector<HostValues> inverted_noise(const ExactInverse& inverse, int right_hand_sides) {
  SpinorField<float> z = inverse.make_field(right_hand_sides);
  inverse.apply(z, noise(inverse, right_hand_sides));
  std::vector<HostValues> values;
  for (int k = 0; k < right_hand_sides; ++k) values.push_back(z.to_host(k));
  return values;
}

// Schur complements and the system of one parity; components that fill registers, and others; a block of 16 unit
// vectors that two processes share.
TEST(ExactInverseInParts, IsThatOfTheWholeLattice) {
  const CoarseCase cases[] = {{{2, 2, 4, 4}, 4}, {{8, 2, 1, 4}, 3}, {{3, 2, 2, 8}, 4}, {{4, 2, 1, 8}, 8}};
  int found = 0;
  for (const CoarseCase& c : cases) {
    const reference::CoarseOperator slow = random_coarse(c, 1);
    const auto dirac = make_coarse(coarse_lattice(c.extents), slow);
    const auto system = detail::make_system(Ref<EvenOddOperator<float>>(dirac));
    const ExactInverse whole(*system);
    for (const Partition& partition : coarse_partitions(c.extents)) {
      SCOPED_TRACE(partition.name);
      ++found;
      const auto mine = [&](const reference::Spinor& values) { return part_of(values, partition.parts); };
      const auto dirac_in_parts = make_coarse(partition.parts, slow, MultigridPrecision::single, mine);
      const auto system_in_parts = detail::make_system(Ref<EvenOddOperator<float>>(dirac_in_parts));
      ASSERT_TRUE(ExactInverse::fits(*system_in_parts));
      const ExactInverse parts(*system_in_parts);
      ASSERT_FALSE(parts.is_singular());
      EXPECT_EQ(parts.dimension(), whole.dimension());
      EXPECT_EQ(parts.flops(), whole.flops());
      EXPECT_LE(parts.error(), tolerance<float>);
      for (const int count : {1, 3, 12, 3}) {
        const std::vector<HostValues> values = inverted_noise(parts, count), expected = inverted_noise(whole, count);
        for (std::size_t k = 0; k < values.size(); ++k) {
          EXPECT_LE(largest_difference(values[k], mine(expected[k])), tolerance<float>)
              << "right-hand side " << k << " of " << count;
        }
      }
    }
  }
  EXPECT_GE(found, processes().size() <= 4 ? 4 : 1);
}

/// A number for each process.
class NumberOfProcess final : public LinearOperator<float> {
 public:
  NumberOfProcess(const Lattice& lattice, double number) : lattice_(lattice), number_(number) {}
  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override {
    blas::copy(out, in);
    blas::scale(out, number_);
  }
  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {.spins = 2, .colors = 3}; }

 private:
  Lattice lattice_;
  double number_;
};

void expect_refused_together(double last, double others) {
  const Communicator& all = processes();
  const bool is_last = all.rank() == all.size() - 1;
  const Lattice lattice(
      all, {.extents = {2, 1, 1, 2 * all.size()}, .process_grid = {1, 1, 1, all.size()}, .lanes = Lanes::components});
  const NumberOfProcess matrix(lattice, is_last ? last : others);
  const ExactInverse inverse(matrix);
  EXPECT_TRUE(inverse.is_singular());
  EXPECT_EQ(inverse.error(), std::numeric_limits<double>::infinity());
  SpinorField<float> z = inverse.make_field(1);
  KAON_EXPECT_ERROR(inverse.apply(z, noise(inverse, 1)), "is singular: it has no inverse");
}

TEST(ExactInverseInParts, IsSingularOnAllProcesses) { expect_refused_together(0.0, 2.0); }

// The rows of one process alone are beyond the range of T: 1e39, and 3e37 those of others.
TEST(ExactInverseInParts, IsOutOfRangeOnAllProcesses) { expect_refused_together(1e-39, 3e-38); }

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
