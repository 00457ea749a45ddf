// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/wilson_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/solvers/solver.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace kaon::test {

/// A residual that T can reach, with some room.
template <class T>
inline constexpr double reachable = std::is_same_v<T, double> ? 1e-12 : 2e-6;

template <class T>
void expect_solution(const LinearOperator<T>& matrix, const SpinorField<T>& x, const SpinorField<T>& b,
                     const SolveResult& result, double tolerance) {
  EXPECT_TRUE(result.converged());
  SpinorField<T> r = matrix.make_field(b.right_hand_sides());
  matrix.apply(r, x);
  const std::vector<double> r_norm2 = blas::xmy_norm2(r, b), b_norm2 = blas::norm2(b);
  for (std::size_t k = 0; k < r_norm2.size(); ++k) {
    const double residual = std::sqrt(r_norm2[k] / b_norm2[k]);
    EXPECT_LE(residual, tolerance);
    EXPECT_NEAR(result.right_hand_sides[k].true_residual, residual, 1e-3 * residual);
    EXPECT_GT(result.right_hand_sides[k].iterations, 0);
  }
}

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
  GaugeField<T> smooth(lattice), random(lattice);
  set_weak(smooth, 0.1, {.seed = 6});
  set_random(random, {.seed = 7});
  cases.push_back({"clover on smooth links", make_operator<T>(smooth, fermion_cases()[2])});
  cases.push_back(
      {"anisotropic clover on rough links", make_operator<T>(random_links<T>(lattice), fermion_cases()[3])});
  cases.push_back({"Wilson on random links", make_operator<T>(random, fermion_cases()[0])});
  return cases;
}

/// M on unit links, periodic, without mass: constant fields are its zero modes, exactly.
template <class T>
std::unique_ptr<EvenOddOperator<T>> singular_operator(const Lattice& lattice) {
  GaugeField<T> links(lattice);
  set_unit(links);
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

/// Largest |a - b| / |b| of any right-hand side.
template <class T>
double largest_difference(const SpinorField<T>& a, const SpinorField<T>& b) {
  double largest = 0.0;
  for (int k = 0; k < b.right_hand_sides(); ++k) {
    const double difference = reference::relative_difference(a.to_host(k), b.to_host(k));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

/// c M: its inverse, and with it a step of a solver in the lower precision, is 1 / c times too long.
class Scaled final : public LinearOperator<float>, public Adjointable<float>, public Counted {
 public:
  Scaled(const LinearOperator<float>& matrix, double factor) : matrix_(matrix), factor_(factor) {}
  void apply(SpinorField<float>& out, const SpinorField<float>& in) const override {
    matrix_.apply(out, in);
    blas::scale(out, blas::Reals(static_cast<std::size_t>(in.right_hand_sides()), factor_));
  }
  void apply_dagger(SpinorField<float>& out, const SpinorField<float>& in) const override {
    adjointable(matrix_).apply_dagger(out, in);
    blas::scale(out, blas::Reals(static_cast<std::size_t>(in.right_hand_sides()), factor_));
  }
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }
  double flops() const override { return flops_of(matrix_); }
  double bytes() const override { return bytes_of(matrix_); }

 private:
  const LinearOperator<float>& matrix_;
  double factor_;
};

/// M, but for one right-hand side NaN or infinity from the n-th application on.
class Faulty final : public LinearOperator<double>, public Adjointable<double>, public Counted {
 public:
  Faulty(const LinearOperator<double>& matrix, int rhs, int first, double fault)
      : matrix_(matrix), rhs_(rhs), first_(first), fault_(fault) {}
  void apply(SpinorField<double>& out, const SpinorField<double>& in) const override {
    matrix_.apply(out, in);
    spoil(out);
  }
  void apply_dagger(SpinorField<double>& out, const SpinorField<double>& in) const override {
    adjointable(matrix_).apply_dagger(out, in);
    spoil(out);
  }
  const Lattice& lattice() const override { return matrix_.lattice(); }
  SpinorParameters domain() const override { return matrix_.domain(); }
  double flops() const override { return flops_of(matrix_); }
  double bytes() const override { return bytes_of(matrix_); }

 private:
  void spoil(SpinorField<double>& out) const {
    if (++count_ < first_ || out.right_hand_sides() <= rhs_) return;
    std::vector<std::complex<double>> values = out.to_host(rhs_);
    values[5] = fault_;
    out.from_host(values, rhs_);
  }
  const LinearOperator<double>& matrix_;
  int rhs_, first_;
  double fault_;
  mutable int count_ = 0;
};

}  // namespace kaon::test
