// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"
#include "tests/support/program.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <string>
#include <vector>

// Eigenvectors and deflation, against C++ to the digit, and by the operators of C.

namespace kaon::test {
namespace KAON_TEST_FILE {

/// An operator on weak links.
struct Operators : Links {
  OperatorHandle dirac;

  explicit Operators(kaon_action action, kaon_precision precision = KAON_DOUBLE) : Links({4, 4, 4, 8}, 1, precision) {
    make_operator(dirac, gauge, action, 0.1);
  }
};

kaon_eigenvector_options options_of(int count, double tolerance) {
  auto options = defaults(kaon_eigenvector_options_init);
  options.count = count;
  options.tolerance = tolerance;
  return options;
}

/// Eigenvectors of C on these sites are those of A in C++.
void expect_same(const Operators& on, int even_sites, const LinearOperator<double>& a, int spins) {
  constexpr std::size_t count = 3;
  kaon_eigenvector_options options = options_of(count, 1e-8);
  options.even_sites = even_sites;
  options.filter_degree = 10;
  options.filter_lower = 1.5;
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  const Eigenvectors<double> expected = find_eigenvectors<double>(
      a, {.count = count, .tolerance = 1e-8, .filter = ChebyshevFilter{.degree = 10, .lower = 1.5}});
  kaon_eigenvectors_info info;
  double values[count], residuals[count];
  expect_ok(kaon_eigenvectors_get(found, &info, values, residuals));
  EXPECT_EQ(info.count, static_cast<int>(count));
  EXPECT_EQ(info.converged, 1);
  EXPECT_EQ(info.restarts, expected.restarts);
  EXPECT_EQ(info.applications, static_cast<double>(expected.applications));
  EXPECT_EQ(std::vector(values, values + count), expected.values);
  EXPECT_EQ(std::vector(residuals, residuals + count), expected.residuals);
  SpinorHandle v;
  make_spinor(v, on.lattice, 2, spins);
  SpinorField<double> whole(expected.vectors[0].lattice(), {.spins = spins});
  SpinorField<double> even = whole.parity(Parity::even);
  const bool on_even_sites = expected.vectors[0].subset() == Subset::even;
  EXPECT_EQ(info.even_sites != 0, on_even_sites);
  for (std::size_t i = 0; i < count; ++i) {
    expect_ok(kaon_eigenvectors_copy(found, static_cast<int>(i), v, 1));
    blas::copy(on_even_sites ? even : whole, expected.vectors[i]);
    EXPECT_EQ(values_of(v, 1), whole.to_host());
  }
}

TEST(EigenvectorsInC, AreThoseOfCpp) {
  const GaugeField<double> links = weak_links();
  const WilsonClover<double> clover(links, {.mass = 0.1, .csw = 1.3});
  const Operators on_clover(KAON_WILSON_CLOVER), on_staggered(KAON_STAGGERED);
  expect_same(on_clover, -1, NormalOperator<double>(clover), 4);
  expect_same(on_clover, 1, NormalOperator<double>(Schur<double>(clover)), 4);
  expect_same(on_staggered, -1, StaggeredNormal<double>(Staggered<double>(links, {.mass = 0.1}), Parity::even), 1);
}

TEST(EigenvectorsInC, DeflateSolversOfAllMasses) {
  const Operators on(KAON_STAGGERED);
  const kaon_eigenvector_options options = options_of(16, 1e-10);
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  OperatorHandle light;
  make_operator(light, on.gauge, KAON_STAGGERED, 0.005);
  auto solving = defaults(kaon_solver_options_init);
  SpinorHandle b;
  make_spinor(b, on.lattice, 3, 1);
  set_source(b);
  int iterations[2];
  for (const int deflated : {0, 1}) {
    solving.eigenvectors = deflated ? static_cast<kaon_eigenvectors*>(found) : nullptr;
    SolverHandle solver;
    expect_ok(kaon_solver_create(light, &solving, &solver));
    if (deflated) kaon_eigenvectors_destroy(&found);  // the solver retains them
    SpinorHandle x;
    make_spinor(x, on.lattice, 3, 1);
    kaon_report reports[3];
    expect_ok(kaon_solver_solve(solver, x, b, reports));
    iterations[deflated] = reports[0].iterations;
  }
  EXPECT_LT(iterations[1], iterations[0]);
}

TEST(EigenvectorsInC, AreLoadedFromFilesThatFit) {
  const TemporaryFolder folder;
  const std::string file = folder / "vectors.lime";
  const Operators on(KAON_STAGGERED);
  const kaon_eigenvector_options options = options_of(3, 1e-10);
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  expect_ok(kaon_eigenvectors_save(found, file.c_str(), 64, KAON_VECTORS_SCIDAC));
  for (const int even_sites : {-1, 1}) {
    EigenvectorsHandle read;
    expect_ok(kaon_eigenvectors_load(on.dirac, file.c_str(), even_sites, &read));
  }
  kaon_eigenvectors* none = nullptr;
  const auto refused = [&](const kaon_operator* dirac, int even_sites, kaon_status status, const char* text) {
    expect_refusal(kaon_eigenvectors_load(dirac, file.c_str(), even_sites, &none), status, text);
    EXPECT_EQ(none, nullptr);
  };
  refused(on.dirac, 3, KAON_INVALID, "even_sites = 3 is none of");
  OperatorHandle wilson;
  make_operator(wilson, on.gauge);
  refused(wilson, 0, KAON_FILE, "holds fields of 1 spins");
  expect_refusal(kaon_eigenvectors_load(on.dirac, (folder / "absent").c_str(), -1, &none), KAON_FILE, "absent");
  expect_refusal(kaon_eigenvectors_save(found, file.c_str(), 64, 3), KAON_INVALID,
                 "format = 3 is none of KAON_VECTORS_SCIDAC and others");
  expect_refusal(kaon_eigenvectors_save(found, file.c_str(), 16, 0), KAON_INVALID, "bits = 16 is neither 64 nor 32");
  expect_refusal(kaon_eigenvectors_save(found, (folder / "no/file").c_str(), 64, 0), KAON_FILE, "file");
  // Other links.
  expect_ok(kaon_gauge_start(on.gauge, KAON_WEAK, 77, 0.3));
  OperatorHandle strange;
  make_operator(strange, on.gauge, KAON_STAGGERED, 0.1);
  refused(strange, -1, KAON_FILE, "vector 0 is no eigenvector of this operator A: |A v - lambda v| = ");
}

TEST(EigenvectorsInC, RefuseWhatTheyCannotDo) {
  const Operators on(KAON_STAGGERED);
  kaon_eigenvectors* none = nullptr;
  const auto refused = [&](kaon_eigenvector_options options, const char* text) {
    expect_refusal(kaon_eigenvectors_find(on.dirac, &options, &none), KAON_INVALID, text);
    EXPECT_EQ(none, nullptr);
  };
  kaon_eigenvector_options options = options_of(2, 1e-8);
  options.even_sites = 2;
  refused(options, "even_sites = 2 is none of");
  options = options_of(2, 1e-8);
  options.filter_degree = 5;
  refused(options, "a Chebyshev filter of degree 5 that damps eigenvalues from nan");
  options.size = 3;
  refused(options, "kaon_eigenvector_options has");
  expect_refusal(kaon_eigenvectors_get(nullptr, nullptr, nullptr, nullptr), KAON_INVALID, "eigenvectors is NULL");

  // The best ones are returned if they miss the tolerance.
  options = options_of(2, 1e-13);
  options.basis = 6;
  options.max_restarts = 0;
  EigenvectorsHandle rough;
  expect_refusal(kaon_eigenvectors_find(on.dirac, &options, &rough), KAON_NOT_CONVERGED,
                 "some of 2 eigenvectors miss the tolerance 1.0e-13 after 0 restarts");
  kaon_eigenvectors_info info;
  expect_ok(kaon_eigenvectors_get(rough, &info, nullptr, nullptr));
  EXPECT_EQ(info.converged, 0);
  SpinorHandle v, wide, single;
  make_spinor(v, on.lattice, 1, 1);
  make_spinor(wide, on.lattice, 1, 4);
  make_spinor(single, on.lattice, 1, 1, KAON_SINGLE);
  expect_ok(kaon_eigenvectors_copy(rough, 1, v, 0));
  expect_refusal(kaon_eigenvectors_copy(rough, 2, v, 0), KAON_INVALID, "eigenvector 2 of 2");
  expect_refusal(kaon_eigenvectors_copy(rough, 0, v, 1), KAON_INVALID, "right-hand side 1 of a field with 1");
  expect_refusal(kaon_eigenvectors_copy(rough, 0, wide, 0), KAON_INVALID, "the field has 4 spins");
  expect_refusal(kaon_eigenvectors_copy(rough, 0, single, 0), KAON_INVALID, "spinor is in single precision");
  expect_refusal(kaon_eigenvectors_copy(rough, 0, nullptr, 0), KAON_INVALID, "spinor is NULL");
  auto solving = defaults(kaon_solver_options_init);
  solving.eigenvectors = rough;
  SolverHandle solver;
  expect_refusal(kaon_solver_create(on.dirac, &solving, &solver), KAON_INVALID, "does not suit the deflation");
  const double masses[] = {0.1};
  kaon_multi_solver* several = nullptr;
  expect_refusal(kaon_multi_solver_create(on.dirac, KAON_MASSES, 1, masses, &solving, &several), KAON_INVALID,
                 "does not suit the deflation");
  const Operators narrow(KAON_STAGGERED, KAON_SINGLE);
  options = options_of(1, 1e-4);
  EigenvectorsHandle in_single;
  expect_ok(kaon_eigenvectors_find(narrow.dirac, &options, &in_single));
  solving.eigenvectors = in_single;
  expect_refusal(kaon_solver_create(narrow.dirac, &solving, &solver), KAON_INVALID, "the eigenvectors are in single");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
