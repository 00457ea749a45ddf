// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/exact_inverse.hpp"
#include "tests/multigrid/matrix_operator.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::ExactInverse;

Lattice one_site() { return Lattice({.extents = {4, 4, 4, 4}}).coarsened({4, 4, 4, 4}); }
Lattice sixteen_sites() { return Lattice({.extents = {4, 4, 4, 4}}).coarsened({2, 2, 2, 2}); }
Lattice one_parity() { return Lattice({.extents = {6, 4, 4, 4}}).coarsened({2, 2, 4, 4}); }
Lattice two_by_one() { return Lattice({.extents = {4, 4, 4, 4}}).coarsened({4, 4, 4, 2}); }

struct Case {
  Lattice lattice;
  int colors;
  Subset subset;
};
/// d = 6 to 768; components that fill registers, and others.
std::vector<Case> cases() {
  return {{one_site(), 3, Subset::even},       {one_site(), 8, Subset::full},      {two_by_one(), 1, Subset::odd},
          {two_by_one(), 5, Subset::full},     {one_parity(), 12, Subset::full},   {sixteen_sites(), 5, Subset::odd},
          {sixteen_sites(), 16, Subset::even}, {sixteen_sites(), 24, Subset::full}};
}
SpinorParameters shape(const Case& c) { return {.spins = 2, .colors = c.colors, .subset = c.subset}; }

constexpr double tolerance() { return 1e-5; }

/// |x - y| / |y| of the field whose right-hand sides differ most.
double difference(const SpinorField<float>& x, const SpinorField<float>& y) {
  double largest = 0.0;
  for (int r = 0; r < x.right_hand_sides(); ++r) {
    const std::vector<std::complex<double>> a = x.to_host(r), b = y.to_host(r);
    double difference2 = 0.0, norm2 = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      difference2 += std::norm(a[k] - b[k]);
      norm2 += std::norm(b[k]);
    }
    const double relative = std::sqrt(difference2 / norm2);
    if (!(relative <= largest)) largest = relative;  // NaN too
  }
  return largest;
}

TEST(ExactInverses, GiveBackWhatTheOperatorWasAppliedTo) {
  for (const Case& c : cases()) {
    const MatrixOperator matrix = permuted_noise(c.lattice, shape(c));
    SCOPED_TRACE("d = " + std::to_string(matrix.dimension()));
    const ExactInverse inverse(matrix);
    ASSERT_FALSE(inverse.is_singular());
    EXPECT_EQ(static_cast<std::size_t>(inverse.dimension()), matrix.dimension());
    EXPECT_LE(inverse.error(), tolerance());
    for (const int count : {1, 2, 3, 5, 12}) {
      SCOPED_TRACE(std::to_string(count) + " right-hand sides");
      SpinorField<float> x = matrix.make_field(count), b = matrix.make_field(count), z = matrix.make_field(count);
      set_gaussian(x, {.seed = 5});
      set_gaussian(z, {.seed = 6});  // is overwritten
      matrix.apply(b, x);
      inverse.apply(z, b);
      EXPECT_LE(difference(z, x), tolerance());
    }
  }
}

TEST(ExactInverses, TreatARightHandSideAmongOthersAsAlone) {
  const MatrixOperator matrix = permuted_noise(sixteen_sites(), {.spins = 2, .colors = 8, .subset = Subset::odd});
  const ExactInverse inverse(matrix);
  SpinorField<float> s = matrix.make_field(13), together = matrix.make_field(13), alone = matrix.make_field(13);
  set_gaussian(s, {.seed = 5});
  inverse.apply(together, s);
  for (int r = 0; r < 13; ++r) {
    SpinorField<float> one = alone.range(r, 1);
    inverse.apply(one, std::as_const(s).range(r, 1));
  }
  EXPECT_LE(difference(together, alone), 16.0 * std::numeric_limits<float>::epsilon());
}

/// The sites of one parity of full fields, whose right-hand sides do not lie in sequence.
TEST(ExactInverses, ActOnPartsOfFields) {
  const MatrixOperator matrix = permuted_noise(sixteen_sites(), {.spins = 2, .colors = 8, .subset = Subset::odd});
  const ExactInverse inverse(matrix);
  const SpinorParameters full{.spins = 2, .colors = 8, .right_hand_sides = 6};
  SpinorField<float> s(sixteen_sites(), full), z(sixteen_sites(), full);
  set_gaussian(s, {.seed = 5});
  set_gaussian(z, {.seed = 6});
  const auto even = z.to_host(5);
  SpinorField<float> z_odd = z.parity(Parity::odd), back = matrix.make_field(6);
  inverse.apply(z_odd, std::as_const(s).parity(Parity::odd));
  matrix.apply(back, z_odd);
  EXPECT_LE(difference(back, s.parity(Parity::odd)), tolerance());
  EXPECT_EQ(z.parity(Parity::even).to_host(5)[0], even[0]);
}

TEST(ExactInverses, DoNotDependOnTheScale) {
  for (const double scale : {1e-30, 1e30}) {
    MatrixOperator matrix = permuted_noise(two_by_one(), {.spins = 2, .colors = 5});
    for (std::size_t row = 0; row < matrix.dimension(); ++row) {
      for (std::size_t column = 0; column < matrix.dimension(); ++column) matrix(row, column) *= scale;
    }
    EXPECT_LE(ExactInverse(matrix).error(), tolerance());
  }
}

/// A matrix for vectors with one number, twice as much for others.
class NotLinear final : public LinearOperator<float> {
 public:
  explicit NotLinear(MatrixOperator matrix) : matrix_(std::move(matrix)) {}
  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override {
    matrix_.apply(out, in);
    const blas::Reals norm2 = blas::norm2(in);
    blas::Reals factors;
    for (const double n2 : norm2) factors.push_back(n2 == 1.0 ? 0.0 : 1.0);
    const SpinorField<float> copy = [&] {
      SpinorField<float> field = matrix_.make_field(out.right_hand_sides());
      blas::copy(field, out);
      return field;
    }();
    blas::axpy(out, copy, factors);
  }
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }

 private:
  MatrixOperator matrix_;
};

TEST(ExactInverses, MeasureTheirError) {
  const ExactInverse inverse(NotLinear(permuted_noise(two_by_one(), {.spins = 2, .colors = 5})));
  EXPECT_NEAR(inverse.error(), 1.0, tolerance());
}

void expect_singular(const MatrixOperator& matrix) {
  const ExactInverse inverse(matrix);
  EXPECT_TRUE(inverse.is_singular());
  EXPECT_EQ(inverse.error(), std::numeric_limits<double>::infinity());
  SpinorField<float> s = matrix.make_field(1), z = matrix.make_field(1);
  set_gaussian(s, {.seed = 5});
  KAON_EXPECT_ERROR(inverse.apply(z, s), "is singular: it has no inverse");
  EXPECT_EQ(blas::norm2(z)[0], 0.0);
}

TEST(ExactInverses, SayThatThereIsNoInverse) {
  const SpinorParameters domain{.spins = 2, .colors = 5};
  expect_singular(MatrixOperator(two_by_one(), domain));
  MatrixOperator matrix = permuted_noise(two_by_one(), domain);
  ASSERT_FALSE(ExactInverse(matrix).is_singular());
  const std::size_t d = matrix.dimension();
  for (std::size_t row = 0; row < d; ++row) matrix(row, 7) = 0.0;
  expect_singular(matrix);
  for (std::size_t row = 0; row < d; ++row) matrix(row, 7) = 2.0 * matrix(row, 4);
  expect_singular(matrix);
  for (const double number : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    MatrixOperator not_finite = permuted_noise(two_by_one(), domain);
    not_finite(3, 11) = {0.0, number};
    expect_singular(not_finite);
  }
  // 1e39 is out of range.
  MatrixOperator small(one_site(), {.spins = 2, .colors = 3, .subset = Subset::even});
  for (std::size_t k = 0; k < small.dimension(); ++k) small(k, k) = 1e-39;
  expect_singular(small);
}

TEST(ExactInverses, RefuseOtherFieldsAndTheAdjoint) {
  const MatrixOperator matrix = permuted_noise(sixteen_sites(), {.spins = 2, .colors = 3, .subset = Subset::even});
  const ExactInverse inverse(matrix);
  const SpinorField<float> s = matrix.make_field(2);
  SpinorField<float> z = matrix.make_field(2), fewer = matrix.make_field(1);
  SpinorField<float> odd(sixteen_sites(), {.spins = 2, .colors = 3, .subset = Subset::odd, .right_hand_sides = 2});
  SpinorField<float> more(sixteen_sites(), {.spins = 2, .colors = 4, .subset = Subset::even, .right_hand_sides = 2});
  KAON_EXPECT_ERROR(inverse.apply(odd, s), "2 spins, 3 colours on odd sites");
  KAON_EXPECT_ERROR(inverse.apply(more, s), "2 spins, 4 colours on even sites");
  KAON_EXPECT_ERROR(inverse.apply(fewer, s), "has 1 right-hand sides and its input 2");
  KAON_EXPECT_ERROR(inverse.apply(z, z), "must not be its input");
  KAON_EXPECT_ERROR(adjointable(inverse), "this operator has no adjoint");
}

TEST(ExactInverses, RefuseFineAndLargeLattices) {
  const Nothing fine(Lattice({.extents = {2, 2, 2, 2}}), {.spins = 2, .colors = 3});
  EXPECT_FALSE(ExactInverse::fits(fine));
  KAON_EXPECT_ERROR(ExactInverse(fine), "on coarse lattices only");
  const Nothing largest(sixteen_sites(), {.spins = 2, .colors = 512, .subset = Subset::even});
  EXPECT_TRUE(ExactInverse::fits(largest));
  const Nothing large(sixteen_sites(), {.spins = 2, .colors = 513, .subset = Subset::even});
  EXPECT_FALSE(ExactInverse::fits(large));
  KAON_EXPECT_ERROR(ExactInverse(large), "8208 complex numbers are too large for an exact inverse");
}

TEST(ExactInverses, CountFlopsAndBytes) {
  const ExactInverse inverse(permuted_noise(one_site(), {.spins = 2, .colors = 3, .subset = Subset::even}));
  EXPECT_EQ(inverse.flops(), 8.0 * 36.0);
  EXPECT_EQ(inverse.bytes(), (36.0 + 12.0) * 2.0 * sizeof(float));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
