// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/built_storages.hpp"
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
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

// Propagators from kaon's whole stack, to be compared with the numbers and fields of other codes: each number is in
// the tests with all the digits of its source, each tolerance is the precision of these digits or of the solve
// that they come from.
namespace kaon::test {

inline constexpr Lanes all_lanes[] = {Lanes::native, Lanes::single};
inline const char* name(Lanes lanes) { return lanes == Lanes::native ? "native lanes" : "one lane"; }

enum class Krylov { bicgstab, cgnr, cgne };

/// A way to solve M x = b in one precision: on the full lattice, or through a Schur complement.
struct Route {
  const char* name;
  Krylov krylov;
  std::optional<SchurParameters> schur;
};

inline constexpr Route even_odd_bicgstab{"even-odd BiCGstab", Krylov::bicgstab, SchurParameters{}};

/// Routes that do not depend on where the spectrum of M lies.
inline const std::vector<Route> conjugate_gradient_routes{
    {"CGNE", Krylov::cgne, {}},
    {"even-odd CGNR, asymmetric", Krylov::cgnr, SchurParameters{SchurForm::asymmetric, Parity::even}},
    {"odd-even CGNE", Krylov::cgne, SchurParameters{SchurForm::symmetric, Parity::odd}},
};

/// On native lanes, all; on one lane, which is several times slower, the solvers are the same: one.
inline std::vector<Route> routes_on(const Lattice& lattice) {
  std::vector<Route> routes{even_odd_bicgstab};
  if (lattice.lanes() == Lanes::single) return routes;
  routes.insert(routes.end(), conjugate_gradient_routes.begin(), conjugate_gradient_routes.end());
  routes.push_back({"BiCGstab", Krylov::bicgstab, {}});
  routes.push_back(
      {"odd-even BiCGstab, asymmetric", Krylov::bicgstab, SchurParameters{SchurForm::asymmetric, Parity::odd}});
  return routes;
}

template <class T>
std::unique_ptr<Solver<T>> make_krylov(Krylov krylov, const LinearOperator<T>& matrix, double tolerance) {
  const SolverParameters parameters{.tolerance = tolerance};
  switch (krylov) {
    case Krylov::bicgstab:
      return std::make_unique<BiCgStab<T>>(matrix, parameters);
    case Krylov::cgnr:
      return std::make_unique<Cgnr<T>>(matrix, parameters);
    case Krylov::cgne:
      return std::make_unique<Cgne<T>>(matrix, parameters);
  }
  return nullptr;
}

/// M^-1 of the sources. Throws `Error` unless all converge.
template <class T>
SpinorField<T> solve(const EvenOddOperator<T>& dirac, const SpinorField<T>& sources, const Route& route,
                     double tolerance = 1e-13) {
  SpinorField<T> propagator = dirac.make_field(sources.right_hand_sides());
  if (route.schur) {
    const Schur<T> schur(dirac, *route.schur);
    const auto krylov = make_krylov<T>(route.krylov, schur, tolerance);
    require_converged(EvenOddSolver<T>(schur, *krylov).solve(propagator, sources));
  } else {
    require_converged(make_krylov<T>(route.krylov, dirac, tolerance)->solve(propagator, sources));
  }
  return propagator;
}

/// M^-1 of the sources to double precision, all except the residuals in single. Throws `Error` unless all converge.
template <template <class> class Operator>
SpinorField<double> solve_in_single(const Operator<double>& dirac, const SpinorField<double>& sources) {
  const Operator<float> rounded(dirac);
  const Schur<float> schur(rounded);
  const BiCgStab<float> krylov(schur, {.tolerance = 1e-5});
  const EvenOddSolver<float> inner(schur, krylov);
  SpinorField<double> propagator = dirac.make_field(sources.right_hand_sides());
  require_converged(InPrecision<double, float>(dirac, inner, {.tolerance = 1e-13}).solve(propagator, sources));
  return propagator;
}

/// M^-1 of the sources to double precision, with iterations in S on links stored as `storage` says. Throws `Error`
/// unless all converge.
template <class S, template <class> class Operator>
SpinorField<double> solve_mixed(const Operator<double>& dirac, const SpinorField<double>& sources,
                                LinkStorage storage) {
  const Operator<S> rounded(dirac, storage);
  const Schur<double> outer(dirac);
  const Schur<S> inner(rounded);
  const BiCgStab<double, S> krylov(outer, inner, {.tolerance = 1e-13});
  SpinorField<double> propagator = dirac.make_field(sources.right_hand_sides());
  require_converged(EvenOddSolver<double>(outer, krylov).solve(propagator, sources));
  return propagator;
}

/// On native lanes, every storage of links that there is; on one lane, which is several times slower, the densest.
inline std::vector<LinkStorage> storages_on(const Lattice& lattice) {
  if (lattice.lanes() == Lanes::single) return built({LinkStorage::minimal});
  return built({LinkStorage::full, LinkStorage::two_rows, LinkStorage::minimal});
}

/// Calls check(M^-1 sources, whether iterations were in lower precision) for every way to solve: the routes to the
/// `tolerance`, and to 1e-13 in single precision and in 16 bits on every storage.
template <template <class> class Operator, class Check>
void for_each_solution(const Operator<double>& dirac, const SpinorField<double>& sources, double tolerance,
                       const Check& check) {
  for (const Route& route : routes_on(dirac.lattice())) {
    SCOPED_TRACE(route.name);
    check(solve(dirac, sources, route, tolerance), false);
  }
  check(solve_in_single(dirac, sources), true);
  for (const LinkStorage storage : storages_on(dirac.lattice())) {
    SCOPED_TRACE("iterations in 16 bits on " + std::to_string(reals(storage)) + " reals");
    check(solve_mixed<half>(dirac, sources, storage), true);
  }
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
  SpinorField<double> difference(a.lattice(), a.parameters());
  blas::copy(difference, a);
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
