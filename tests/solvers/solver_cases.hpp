// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/initial_links.hpp"
#include "tests/operators/wilson_cases.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace kaon::test {

/// A residual that T can reach, with some room.
template <class T>
inline constexpr double reachable = std::is_same_v<T, double> ? 1e-12 : 2e-6;

/// An operator on a gauge field.
template <class T>
struct SolverCase {
  std::string name;
  std::unique_ptr<EvenOddOperator<T>> dirac;
};

/// On smooth and rough links, with and without a clover term.
template <class T>
std::vector<SolverCase<T>> solver_cases(const Lattice& lattice) {
  std::vector<SolverCase<T>> cases;
  GaugeField<T> smooth = weak_links<T>(lattice, 0.1, 6), random(lattice);
  set_random(random, {.seed = 7});
  cases.push_back({"clover on smooth links", make_operator<T>(smooth, fermion_cases()[2])});
  cases.push_back(
      {"anisotropic clover on rough links", make_operator<T>(random_links<T>(lattice), fermion_cases()[3])});
  cases.push_back({"Wilson on random links", make_operator<T>(random, fermion_cases()[0])});
  return cases;
}

/// A clover operator and three right-hand sides.
template <class T>
class SolverTest : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
  std::unique_ptr<EvenOddOperator<T>> dirac_ = make_operator<T>(random_links<T>(lattice_), fermion_cases()[2]);
  SpinorField<T> b_ = gaussian<T>(lattice_, 3);
};

/// M on unit links, periodic, without mass: constant fields are its zero modes, exactly.
template <class T>
std::unique_ptr<EvenOddOperator<T>> singular_operator(const Lattice& lattice) {
  const GaugeField<T> links = unit_links<T>(lattice);
  return std::make_unique<Wilson<T>>(links, WilsonParameters{.mass = 0.0, .boundary = periodic});
}
template <class T>
SpinorField<T> constant_field(const Lattice& lattice) {
  SpinorField<T> psi(lattice);
  psi.from_host(std::vector<std::complex<double>>(static_cast<std::size_t>(lattice.volume()) * 12, 1.0));
  return psi;
}

/// |b - M x| / |b| of each right-hand side.
template <class T>
std::vector<double> residuals(const LinearOperator<T>& matrix, const SpinorField<T>& x, const SpinorField<T>& b) {
  SpinorField<T> r = matrix.make_field(b.right_hand_sides());
  matrix.apply(r, x);
  const blas::Reals r_norm2 = blas::xmy_norm2(r, b), b_norm2 = blas::norm2(b);
  std::vector<double> relative;
  for (std::size_t k = 0; k < r_norm2.size(); ++k) relative.push_back(std::sqrt(r_norm2[k] / b_norm2[k]));
  return relative;
}

template <class T>
void expect_solution(const LinearOperator<T>& matrix, const SpinorField<T>& x, const SpinorField<T>& b,
                     const SolveResult& result, double tolerance, int least_iterations = 1) {
  EXPECT_TRUE(result.converged());
  const std::vector<double> residual = residuals(matrix, x, b);
  // b - M x is rounded as b is, so that two sums of a small residual differ by more than a part of it.
  constexpr double rounding = 0.1 * std::numeric_limits<T>::epsilon();
  for (std::size_t k = 0; k < residual.size(); ++k) {
    EXPECT_LE(residual[k], tolerance);
    EXPECT_NEAR(result.right_hand_sides[k].true_residual, residual[k], std::max(1e-3 * residual[k], rounding));
    EXPECT_GE(result.right_hand_sides[k].iterations, least_iterations);
  }
}

/// Largest |a - b| / |b| of any right-hand side.
template <class T>
double largest_difference(const SpinorField<T>& a, const SpinorField<T>& b) {
  double largest = 0.0;
  for (int k = 0; k < b.right_hand_sides(); ++k) {
    largest = larger(largest, reference::relative_difference(a.to_host(k), b.to_host(k)));
  }
  return largest;
}

/// M, whose outputs `change(out, in)` modifies.
template <class T>
class Changed final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  using Change = std::function<void(SpinorField<T>& out, const SpinorField<T>& in)>;
  Changed(const LinearOperator<T>& matrix, Change change) : matrix_(matrix), change_(std::move(change)) {}

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override {
    matrix_.apply(out, in);
    change_(out, in);
  }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override {
    adjointable(matrix_).apply_dagger(out, in);
    change_(out, in);
  }
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }
  double flops() const override { return flops_of(matrix_); }
  double bytes() const override { return bytes_of(matrix_); }

 private:
  const LinearOperator<T>& matrix_;
  Change change_;
};

/// c M: its inverse, and with it a step of a solver in the lower precision, is 1 / c times too long.
inline Changed<float> scaled(const LinearOperator<float>& matrix, double factor) {
  return {matrix, [factor](SpinorField<float>& out, const SpinorField<float>&) { blas::scale(out, factor); }};
}

/// M, with NaN or infinity in one right-hand side from the n-th application on.
inline Changed<double> faulty(const LinearOperator<double>& matrix, int rhs, int first, double fault) {
  return {matrix, [=, count = 0](SpinorField<double>& out, const SpinorField<double>&) mutable {
            if (++count < first || out.right_hand_sides() <= rhs) return;
            std::vector<std::complex<double>> values = out.to_host(rhs);
            values[0] = fault;
            out.from_host(values, rhs);
          }};
}

/// Right-hand side 1 of three has met NaN, and the others are solved.
inline void expect_nan_in_one(const SolveResult& result, const SpinorField<double>& x) {
  for (const std::size_t k : {0, 1, 2}) {
    EXPECT_EQ(result.right_hand_sides[k].status, k == 1 ? SolveStatus::not_a_number : SolveStatus::converged) << k;
  }
  for (const double norm2 : blas::norm2(x)) EXPECT_TRUE(std::isfinite(norm2));
}

}  // namespace kaon::test
