// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/coarse/whole_system.hpp"
#include "multigrid/dense/dense_matrix.hpp"
#include "tests/multigrid/coarse_cases.hpp"
#include "tests/partitions/coarse_partitions.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>

#include <algorithm>
#include <limits>
#include <random>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::DenseMatrix;
using detail::ExactInverse;

/// Noise; two rows are equal if it is `singular`. Its pivots lie anywhere.
DenseMatrix noise_matrix(int dimension, bool singular = false) {
  DenseMatrix matrix(dimension);
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (int number = 0; number < matrix.blocks(); ++number) {
    double* at = matrix.block(number);
    for (int row = 0; row < dimension; ++row, at += DenseMatrix::row_doubles) {
      for (int c = 0; c < DenseMatrix::block_columns && number * DenseMatrix::block_columns + c < dimension; ++c) {
        at[c] = normal(generator);
        at[DenseMatrix::block_columns + c] = normal(generator);
      }
    }
    const double* first = matrix.block(number);
    if (singular) std::copy_n(first, DenseMatrix::row_doubles, at - DenseMatrix::row_doubles);
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
        if (together.inverse(row, column) != alone.inverse(row, column)) ++differ;
      }
    }
    EXPECT_EQ(differ, 0);
    EXPECT_FALSE(noise_matrix(dimension, true).invert(processes()));
  }
}

template <class T>
class ExactInverseInParts : public ::testing::Test {};
TYPED_TEST_SUITE(ExactInverseInParts, Precisions);

template <class T>
SpinorField<T> noise(const LinearOperator<T>& matrix, int right_hand_sides) {
  SpinorField<T> field = matrix.make_field(right_hand_sides);
  set_gaussian(field, {.seed = 5});
  return field;
}

/// S^-1 s, the same regardless of the processes.
template <class T>
std::vector<HostValues> inverted_noise(const ExactInverse<T>& inverse, int right_hand_sides) {
  SpinorField<T> z = inverse.make_field(right_hand_sides);
  inverse.apply(z, noise(inverse, right_hand_sides));
  std::vector<HostValues> values;
  for (int k = 0; k < right_hand_sides; ++k) values.push_back(z.to_host(k));
  return values;
}

// Schur complements and the system of one parity; components that fill registers, and others; a block of 16 unit
// vectors that two processes share.
TYPED_TEST(ExactInverseInParts, IsThatOfTheWholeLattice) {
  using T = TypeParam;
  const CoarseCase cases[] = {{{2, 2, 4, 4}, 4}, {{8, 2, 1, 4}, 3}, {{3, 2, 2, 8}, 4}, {{4, 2, 1, 8}, 8}};
  int found = 0;
  for (const CoarseCase& c : cases) {
    const reference::CoarseOperator slow = random_coarse(c, 1);
    const auto dirac = make_coarse<T>(coarse_lattice(c.extents), slow);
    const auto system = detail::make_system<T>(Ref<EvenOddOperator<T>>(dirac));
    const ExactInverse<T> whole(*system);
    for (const Partition& partition : coarse_partitions(c.extents)) {
      SCOPED_TRACE(partition.name);
      ++found;
      const auto mine = [&](const reference::Spinor& values) { return part_of(values, partition.parts); };
      const auto dirac_in_parts = make_coarse<T>(partition.parts, slow, StoredPrecision::field, mine);
      const auto system_in_parts = detail::make_system<T>(Ref<EvenOddOperator<T>>(dirac_in_parts));
      ASSERT_TRUE(ExactInverse<T>::fits(*system_in_parts));
      const ExactInverse<T> parts(*system_in_parts);
      ASSERT_FALSE(parts.is_singular());
      EXPECT_EQ(parts.dimension(), whole.dimension());
      EXPECT_EQ(parts.flops(), whole.flops());
      EXPECT_LE(parts.error(), tolerance<T>);
      for (const int count : {1, 3, 12, 3}) {
        const std::vector<HostValues> values = inverted_noise(parts, count), expected = inverted_noise(whole, count);
        for (std::size_t k = 0; k < values.size(); ++k) {
          EXPECT_LE(largest_difference(values[k], mine(expected[k])), tolerance<T>)
              << "right-hand side " << k << " of " << count;
        }
      }
    }
  }
  EXPECT_GE(found, processes().size() <= 4 ? 4 : 1);
}

/// A number for each process.
template <class T>
class NumberOfProcess final : public LinearOperator<T> {
 public:
  NumberOfProcess(const Lattice& lattice, double number) : lattice_(lattice), number_(number) {}
  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override {
    blas::copy(out, in);
    blas::scale(out, blas::Reals(static_cast<std::size_t>(in.right_hand_sides()), number_));
  }
  const Lattice& lattice() const override { return lattice_; }
  SpinorParameters domain() const override { return {.spins = 2, .colors = 3}; }

 private:
  Lattice lattice_;
  double number_;
};

template <class T>
void expect_refused_together(double last, double others) {
  const Communicator& all = processes();
  const bool is_last = all.rank() == all.size() - 1;
  const Lattice lattice(
      all, {.extents = {2, 1, 1, 2 * all.size()}, .process_grid = {1, 1, 1, all.size()}, .lanes = Lanes::components});
  const NumberOfProcess<T> matrix(lattice, is_last ? last : others);
  const ExactInverse<T> inverse(matrix);
  EXPECT_TRUE(inverse.is_singular());
  EXPECT_EQ(inverse.error(), std::numeric_limits<double>::infinity());
  SpinorField<T> z = inverse.make_field(1);
  KAON_EXPECT_ERROR(inverse.apply(z, noise(inverse, 1)), "is singular: it has no inverse");
}

TYPED_TEST(ExactInverseInParts, IsSingularOnAllProcesses) { expect_refused_together<TypeParam>(0.0, 2.0); }

// The rows of one process alone are beyond the range of T: 1e39, and 3e37 those of others.
TEST(ExactInverseInParts, IsOutOfRangeOnAllProcesses) { expect_refused_together<float>(1e-39, 3e-38); }

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
