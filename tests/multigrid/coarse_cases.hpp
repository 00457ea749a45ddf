// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/coarse_operator.hpp"
#include "tests/reference/coarse_schur.hpp"
#include "tests/support/largest_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace kaon::test {

using detail::CoarseOperator;

/// Rounding of sums of some hundred terms of order 1, with links of a precision.
constexpr double coarse_tolerance(MultigridPrecision links = MultigridPrecision::single) {
  return links == MultigridPrecision::half ? 1e-4 : 1e-5;
}

struct CoarseCase {
  Coordinates extents;
  int vectors;
};
inline std::string name_of(const CoarseCase& c) {
  return to_string(c.extents) + " with " + std::to_string(c.vectors) + " vectors";
}

/// Two parities and one, extents 1, 2 and odd; n that fills registers, and n that does not.
inline const CoarseCase coarse_cases[] = {{{4, 4, 4, 4}, 4}, {{2, 2, 2, 2}, 3},  {{2, 2, 2, 2}, 24}, {{2, 4, 1, 6}, 8},
                                          {{2, 4, 1, 6}, 3}, {{2, 2, 1, 2}, 32}, {{2, 1, 1, 2}, 5},  {{2, 1, 1, 1}, 40},
                                          {{3, 2, 2, 2}, 8}, {{3, 3, 3, 6}, 3},  {{1, 1, 1, 1}, 24}};

inline reference::Matrix random_matrix(std::size_t n, double size, std::mt19937_64& generator) {
  reference::Matrix matrix(n, n);
  std::normal_distribution<double> normal(0.0, size);
  for (reference::Complex& element : matrix.elements) element = {normal(generator), normal(generator)};
  return matrix;
}

/// Y_{-mu}(a) = G5 Y_{+mu}(a-mu)^dag G5.
inline void complete_hops(reference::CoarseOperator& op) {
  reference::for_each_site(op.extents(), [&](const Coordinates& a) {
    for (int mu = 0; mu < 4; ++mu) {
      const Coordinates behind = reference::neighbor(a, mu, -1, op.extents());
      op.hop(a, mu, -1) = reference::gamma5_conjugate(reference::dagger(op.hop(behind, mu, +1)));
    }
  });
}

/// A slow operator with X^-1 at each site.
struct SlowCoarse : reference::CoarseOperator {
  explicit SlowCoarse(const reference::CoarseOperator& op)
      : reference::CoarseOperator(op), inverse(op.extents(), op.components()) {
    reference::for_each_site(extents(),
                             [&](const Coordinates& a) { inverse.site_term(a) = reference::inverse(site_term(a)); });
  }
  reference::Spinor divide(const reference::Spinor& in) const { return inverse.apply_site_term(in); }

  reference::CoarseOperator inverse;
};

/// X near 1 with all elements, Y_{+mu} with random elements; hops weigh less than X.
inline reference::CoarseOperator random_coarse(const CoarseCase& c, unsigned seed) {
  const auto n = static_cast<std::size_t>(2 * c.vectors);
  reference::CoarseOperator op(c.extents, n);
  std::mt19937_64 generator(seed);
  const double size = 0.25 / std::sqrt(static_cast<double>(n));
  reference::for_each_site(c.extents, [&](const Coordinates& a) {
    op.site_term(a) = reference::identity_matrix(n) + random_matrix(n, size, generator);
    for (int mu = 0; mu < 4; ++mu) {
      if (c.extents[static_cast<std::size_t>(mu)] > 1) op.hop(a, mu, +1) = random_matrix(n, 0.2 * size, generator);
    }
  });
  complete_hops(op);
  return op;
}

/// Column `column` of a matrix at each site, in the order of host values.
template <class MatrixAt>
reference::Spinor column_of(const reference::CoarseOperator& op, std::size_t column, const MatrixAt& matrix_at) {
  reference::Spinor values(op.size());
  reference::for_each_site(op.extents(), [&](const Coordinates& a) {
    for (std::size_t row = 0; row < op.components(); ++row) values[op.offset(a) + row] = matrix_at(a)(row, column);
  });
  return values;
}

/// Columns of matrices as right-hand sides. `part(values)` is what belongs to this process.
template <class MatrixAt, class Part>
SpinorField<float> columns_field(const Lattice& lattice, const reference::CoarseOperator& op, const MatrixAt& matrix_at,
                                 const Part& part) {
  const int n = static_cast<int>(op.components());
  SpinorField<float> field(lattice, {.spins = 2, .colors = n / 2, .right_hand_sides = n});
  for (int c = 0; c < n; ++c) field.from_host(part(column_of(op, static_cast<std::size_t>(c), matrix_at)), c);
  return field;
}

/// The fast operator with the matrices of a slow one.
template <class Part>
CoarseOperator make_coarse(const Lattice& lattice, const reference::CoarseOperator& op, MultigridPrecision links,
                           const Part& part) {
  const auto x = columns_field(
      lattice, op, [&](const Coordinates& a) -> const reference::Matrix& { return op.site_term(a); }, part);
  std::vector<SpinorField<float>> y;
  for (int mu = 0; mu < 4; ++mu) {
    y.push_back(columns_field(
        lattice, op, [&](const Coordinates& a) -> const reference::Matrix& { return op.hop(a, mu, +1); }, part));
  }
  return CoarseOperator(x, y, links);
}
inline CoarseOperator make_coarse(const Lattice& lattice, const reference::CoarseOperator& op,
                                  MultigridPrecision links = MultigridPrecision::single) {
  return make_coarse(lattice, op, links, [](const reference::Spinor& values) { return values; });
}

inline Lattice coarse_lattice(const Coordinates& extents) {
  return Lattice({.extents = extents, .lanes = Lanes::components});
}

/// Random values for each right-hand side.
inline std::vector<reference::Spinor> random_values(const reference::CoarseOperator& op, int count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<reference::Spinor> values;
  for (int k = 0; k < count; ++k) values.push_back(reference::random_vector(op.size(), generator));
  return values;
}

/// A field of these values on the sites of a subset.
inline SpinorField<float> field_of(const Lattice& lattice, const std::vector<reference::Spinor>& values,
                                   Subset subset) {
  const int components = static_cast<int>(values[0].size()) / static_cast<int>(lattice.local_volume());
  SpinorField<float> field(
      lattice,
      {.spins = 2, .colors = components / 2, .subset = subset, .right_hand_sides = static_cast<int>(values.size())});
  for (std::size_t k = 0; k < values.size(); ++k) field.from_host(values[k], static_cast<int>(k));
  return field;
}

/// The parities of a lattice, each with that of the neighbours.
inline std::vector<std::pair<Parity, Parity>> parity_pairs(const Lattice& lattice) {
  if (lattice.parities() == 1) return {{Parity::even, Parity::even}};
  return {{Parity::even, Parity::odd}, {Parity::odd, Parity::even}};
}

/// Values on the sites of a parity, 0 elsewhere; all of them on a lattice of one parity.
inline reference::Spinor on_parity(const Lattice& lattice, const reference::Spinor& values, Parity parity) {
  if (lattice.parities() == 1) return values;
  return reference::restrict_to_parity(values, static_cast<int>(parity), lattice.extents());
}

/// Largest |a_k - b_k| of any number, relative to the root mean square of b.
inline double largest_deviation(const reference::Spinor& a, const reference::Spinor& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  const double mean = std::sqrt(reference::norm2(b) / static_cast<double>(b.size()));
  return mean > 0.0 ? largest_difference(a, b) / mean : largest_difference(a, b);
}

/// Expects the field to be `expected`, right-hand side by right-hand side.
inline void expect_near(const SpinorField<float>& found, const std::vector<reference::Spinor>& expected,
                        double relative) {
  ASSERT_EQ(static_cast<std::size_t>(found.right_hand_sides()), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_LE(largest_deviation(found.to_host(static_cast<int>(k)), expected[k]), 10.0 * relative)
        << "right-hand side " << k;
  }
}

/// f(values) for each right-hand side.
template <class Function>
std::vector<reference::Spinor> for_each_of(const std::vector<reference::Spinor>& values, const Function& f) {
  std::vector<reference::Spinor> results;
  for (const reference::Spinor& of_one : values) results.push_back(f(of_one));
  return results;
}

}  // namespace kaon::test
