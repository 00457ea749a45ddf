// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/data.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

// Propagators from kaon's whole stack, to be compared with the numbers and fields of other codes: each number is in
// the tests with all the digits of its source, each tolerance is the precision of these digits or of the solve
// that they come from.
namespace kaon::test {

inline constexpr Lanes all_lanes[] = {Lanes::native, Lanes::single};
inline const char* name(Lanes lanes) { return lanes == Lanes::native ? "native lanes" : "one lane"; }

/// M^-1 of the sources by conjugate gradients on an even-odd system, which do not depend on where the spectrum of M
/// lies: tests/quarks/families_test.cpp compares all methods, precisions and links. Throws `Error` unless all converge.
inline SpinorField<double> solve(const EvenOddOperator<double>& dirac, const SpinorField<double>& sources,
                                 double tolerance = 1e-13) {
  SpinorField<double> propagator = dirac.make_field(sources.right_hand_sides());
  const Schur<double> schur(dirac, {SchurForm::asymmetric, Parity::even});
  const Cgnr<double> cgnr(schur, {.tolerance = tolerance});
  require_converged(EvenOddSolver<double>(schur, cgnr).solve(propagator, sources));
  return propagator;
}

inline SpinorField<double> point_sources(const Lattice& lattice, const Coordinates& site) {
  SpinorField<double> sources(lattice, {.right_hand_sides = 12});
  set_point_sources(sources, {.site = site});
  return sources;
}

/// The smeared sources of all results on the weak field: w = 2 and 5 steps.
inline SpinorField<double> smeared_sources(const GaugeField<double>& links, const Coordinates& site) {
  SpinorField<double> sources = point_sources(links.lattice(), site);
  gaussian_smear(sources, links, {.width = 2.0, .steps = 5});
  return sources;
}

/// Host values of all right-hand sides as a field.
inline SpinorField<double> to_field(const Lattice& lattice,
                                    const std::vector<std::vector<std::complex<double>>>& host) {
  SpinorField<double> field(lattice, {.right_hand_sides = static_cast<int>(host.size())});
  for (std::size_t k = 0; k < host.size(); ++k) field.from_host(host[k], static_cast<int>(k));
  return field;
}

inline double sum(const blas::Reals& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// |M x - b| over all right-hand sides.
inline double residual_norm(const LinearOperator<double>& dirac, const SpinorField<double>& x,
                            const SpinorField<double>& b) {
  SpinorField<double> r = dirac.make_field(b.right_hand_sides());
  dirac.apply(r, x);
  return std::sqrt(sum(blas::xmy_norm2(r, b)));
}

inline double norm(const SpinorField<double>& x) { return std::sqrt(sum(blas::norm2(x))); }

/// |a - b| / |b| over all right-hand sides.
inline double relative_difference(const SpinorField<double>& a, const SpinorField<double>& b) {
  SpinorField<double> difference = blas::clone(a);
  return std::sqrt(sum(blas::xmy_norm2(difference, b))) / norm(b);
}

inline void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) EXPECT_NEAR(actual[k], expected[k], tolerance) << "slice " << k;
}

inline void expect_relatively_near(const std::vector<double>& actual, const std::vector<double>& expected,
                                   double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) {
    EXPECT_NEAR(actual[k] / expected[k], 1.0, tolerance) << "slice " << k << ": " << actual[k];
  }
}

}  // namespace kaon::test
