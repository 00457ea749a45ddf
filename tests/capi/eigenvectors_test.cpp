// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"
#include "tests/support/program.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/staggered_normal.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

// Eigenvectors and deflation, against C++ to the digit, and by the operators of C.

namespace kaon::test {
namespace KAON_TEST_FILE {

using Numbers = std::vector<std::complex<double>>;
using EigenvectorsHandle = Handle<kaon_eigenvectors, kaon_eigenvectors_destroy>;

/// An operator on weak links.
struct Operators {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;
  OperatorHandle dirac;
  int spins;

  explicit Operators(kaon_action action, double mass = 0.1, kaon_precision precision = KAON_DOUBLE)
      : spins(action >= KAON_STAGGERED ? 1 : 4) {
    make_lattice(lattice, {4, 4, 4, 8});
    make_random_links(gauge, lattice, precision);
    make_operator(action, mass, dirac);
  }
  void make_operator(kaon_action action, double mass, OperatorHandle& made) const {
    kaon_operator_options options;
    kaon_operator_options_init(&options);
    options.action = action;
    options.mass = mass;
    if (action == KAON_WILSON_CLOVER) options.csw = 1.3;
    expect_ok(kaon_operator_create(gauge, &options, &made));
  }
};

kaon_eigenvector_options options_of(int count, double tolerance) {
  kaon_eigenvector_options options;
  kaon_eigenvector_options_init(&options);
  options.count = count;
  options.tolerance = tolerance;
  return options;
}

Numbers numbers_of(const kaon_spinor* spinor, int right_hand_side, std::size_t size) {
  Numbers numbers(size);
  const kaon_array array = array_of(numbers.data());
  expect_ok(kaon_spinor_get(spinor, right_hand_side, &array));
  return numbers;
}

double norm_of(const Numbers& numbers) {
  double sum = 0.0;
  for (const std::complex<double>& number : numbers) sum += std::norm(number);
  return std::sqrt(sum);
}

TEST(EigenvectorsInC, AreThoseOfTheNormalOperator) {
  for (const kaon_action action : {KAON_WILSON_CLOVER, KAON_STAGGERED}) {
    SCOPED_TRACE(action);
    const Operators on(action);
    constexpr int count = 3;
    kaon_eigenvector_options options = options_of(count, 1e-8);
    options.filter_degree = 10;
    options.filter_lower = 1.5;
    EigenvectorsHandle found;
    expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
    kaon_eigenvectors_info info;
    double values[count], residuals[count];
    expect_ok(kaon_eigenvectors_get(found, &info, values, residuals));
    EXPECT_EQ(info.count, count);
    EXPECT_EQ(info.converged, 1);
    EXPECT_EQ(info.even_sites, action == KAON_STAGGERED ? 1 : 0);
    EXPECT_GT(info.applications, count);
    SpinorHandle v, image;
    make_spinor(v, on.lattice, 2, on.spins);
    make_spinor(image, on.lattice, 2, on.spins);
    const auto size = static_cast<std::size_t>(4 * 4 * 4 * 8 * 3 * on.spins);
    for (int i = 0; i < count; ++i) {
      expect_ok(kaon_eigenvectors_copy(found, i, v, 1));
      expect_ok(kaon_operator_apply(on.dirac, KAON_M_DAGGER_M, image, v));
      const Numbers vector = numbers_of(v, 1, size);
      Numbers residual = numbers_of(image, 1, size);
      for (std::size_t n = 0; n < size; ++n) residual[n] -= values[i] * vector[n];
      EXPECT_NEAR(norm_of(vector), 1.0, 1e-12);
      EXPECT_NEAR(norm_of(residual), residuals[i], 1e-12);
      EXPECT_LE(norm_of(residual), 1e-6);
      EXPECT_TRUE(i == 0 || values[i - 1] <= values[i]);
    }
  }
}

TEST(EigenvectorsInC, AreThoseOfCpp) {
  const Operators on(KAON_STAGGERED);
  const kaon_eigenvector_options options = options_of(4, 1e-9);
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  double values[4];
  expect_ok(kaon_eigenvectors_get(found, nullptr, values, nullptr));
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  GaugeField<double> links(lattice);
  set_weak(links, 0.3, {.seed = 5});
  const Staggered<double> dirac(links, {.mass = 0.1});
  const Eigenvectors<double> expected =
      find_eigenvectors<double>(StaggeredNormal<double>(dirac, Parity::even), {.count = 4, .tolerance = 1e-9});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(values[i], expected.values[i]);
}

// On even sites of Wilson-like quarks: those of the Schur complement, whose smallest singular value is above none of
// M's.
TEST(EigenvectorsInC, AreOnTheSitesThatAreAskedFor) {
  const Operators on(KAON_WILSON);
  kaon_eigenvector_options options = options_of(1, 1e-6);
  options.even_sites = 1;
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  kaon_eigenvectors_info info;
  double value;
  expect_ok(kaon_eigenvectors_get(found, &info, &value, nullptr));
  EXPECT_EQ(info.even_sites, 1);
  EXPECT_GT(value, 0.0);
  SpinorHandle v;
  make_spinor(v, on.lattice, 1);
  expect_ok(kaon_eigenvectors_copy(found, 0, v, 0));
  const Numbers vector = numbers_of(v, 0, 4 * 4 * 4 * 8 * 12);
  for (std::size_t n = 0; n < 12; ++n) EXPECT_EQ(vector[12 + n], 0.0);  // the site (1, 0, 0, 0)
}

TEST(EigenvectorsInC, DeflateSolversOfAllMasses) {
  const Operators on(KAON_STAGGERED, 0.1);
  const kaon_eigenvector_options options = options_of(16, 1e-10);
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  OperatorHandle light;
  on.make_operator(KAON_STAGGERED, 0.005, light);
  kaon_solver_options solving;
  kaon_solver_options_init(&solving);
  SpinorHandle b, x;
  make_spinor(b, on.lattice, 3, 1);
  make_spinor(x, on.lattice, 3, 1);
  kaon_source_options source;
  kaon_source_options_init(&source);
  expect_ok(kaon_spinor_source(b, &source));
  int iterations[2];
  for (const int deflated : {0, 1}) {
    solving.eigenvectors = deflated ? static_cast<kaon_eigenvectors*>(found) : nullptr;
    SolverHandle solver;
    expect_ok(kaon_solver_create(light, &solving, &solver));
    if (deflated) kaon_eigenvectors_destroy(&found);  // the solver retains them
    make_spinor(x, on.lattice, 3, 1);
    kaon_report reports[3];
    expect_ok(kaon_solver_solve(solver, x, b, reports));
    double residuals[3];
    expect_ok(kaon_operator_residual(light, x, b, residuals, nullptr));
    for (const double residual : residuals) EXPECT_LE(residual, 1e-10);
    iterations[deflated] = reports[0].iterations;
  }
  EXPECT_LT(iterations[1], iterations[0]);
}

TEST(EigenvectorsInC, AreKeptInFiles) {
  const TemporaryFolder folder;
  const std::string file = folder / "vectors.lime";
  const Operators on(KAON_STAGGERED);
  const kaon_eigenvector_options options = options_of(3, 1e-10);
  EigenvectorsHandle found;
  expect_ok(kaon_eigenvectors_find(on.dirac, &options, &found));
  double values[3], loaded[3], residuals[3];
  expect_ok(kaon_eigenvectors_get(found, nullptr, values, nullptr));
  OperatorHandle light;
  on.make_operator(KAON_STAGGERED, 0.05, light);
  for (const int bits : {64, 32}) {
    expect_ok(kaon_eigenvectors_save(found, file.c_str(), bits));
    for (const int even_sites : {-1, 1}) {
      EigenvectorsHandle read, of_light;
      expect_ok(kaon_eigenvectors_load(on.dirac, file.c_str(), even_sites, &read));
      kaon_eigenvectors_info info;
      expect_ok(kaon_eigenvectors_get(read, &info, loaded, residuals));
      EXPECT_EQ(info.count, 3);
      EXPECT_EQ(info.even_sites, 1);
      EXPECT_EQ(info.converged, 1);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(loaded[i], values[i], bits == 64 ? 1e-12 : 1e-10);
        EXPECT_LT(residuals[i], bits == 64 ? 1e-8 : 1e-5);
      }
      expect_ok(kaon_eigenvectors_load(light, file.c_str(), even_sites, &of_light));
      expect_ok(kaon_eigenvectors_get(of_light, nullptr, loaded, nullptr));
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(loaded[i], values[i] - 4.0 * (0.01 - 0.0025), 1e-10);
    }
  }
  SpinorHandle v, w;
  make_spinor(v, on.lattice, 1, 1);
  make_spinor(w, on.lattice, 1, 1);
  expect_ok(kaon_eigenvectors_save(found, file.c_str(), 64));
  EigenvectorsHandle read;
  expect_ok(kaon_eigenvectors_load(on.dirac, file.c_str(), -1, &read));
  expect_ok(kaon_eigenvectors_copy(found, 2, v, 0));
  expect_ok(kaon_eigenvectors_copy(read, 2, w, 0));
  Numbers difference = numbers_of(v, 0, 512 * 3);
  const Numbers other = numbers_of(w, 0, 512 * 3);
  for (std::size_t k = 0; k < other.size(); ++k) difference[k] -= other[k];
  EXPECT_LT(norm_of(difference), 1e-13);

  kaon_eigenvectors* none = nullptr;
  const auto refused = [&](const kaon_operator* dirac, int even_sites, kaon_status status, const char* text) {
    expect_refusal(kaon_eigenvectors_load(dirac, file.c_str(), even_sites, &none), status, text);
    EXPECT_EQ(none, nullptr);
  };
  refused(on.dirac, 3, KAON_INVALID, "even_sites = 3 is none of");
  refused(nullptr, -1, KAON_INVALID, "dirac is NULL");
  OperatorHandle wilson;
  on.make_operator(KAON_WILSON, 0.1, wilson);
  refused(wilson, 0, KAON_FILE, "holds fields of 1 spins");
  expect_refusal(kaon_eigenvectors_load(on.dirac, nullptr, -1, &none), KAON_INVALID, "path is NULL");
  expect_refusal(kaon_eigenvectors_load(on.dirac, file.c_str(), -1, nullptr), KAON_INVALID, "eigenvectors is NULL");
  expect_refusal(kaon_eigenvectors_load(on.dirac, (folder / "absent").c_str(), -1, &none), KAON_FILE, "absent");
  expect_refusal(kaon_eigenvectors_save(found, nullptr, 64), KAON_INVALID, "path is NULL");
  expect_refusal(kaon_eigenvectors_save(nullptr, file.c_str(), 64), KAON_INVALID, "eigenvectors is NULL");
  expect_refusal(kaon_eigenvectors_save(found, file.c_str(), 16), KAON_INVALID, "bits = 16 is neither 64 nor 32");
  expect_refusal(kaon_eigenvectors_save(found, (folder / "no/file").c_str(), 64), KAON_FILE, "file");
  // Other links.
  expect_ok(kaon_gauge_start(on.gauge, KAON_WEAK, 77, 0.3));
  OperatorHandle strange;
  on.make_operator(KAON_STAGGERED, 0.1, strange);
  refused(strange, -1, KAON_FILE, "vector 0 is no eigenvector of this operator A: |A v - lambda v| = ");
}

TEST(EigenvectorsInC, RefuseWhatTheyCannotDo) {
  const Operators on(KAON_STAGGERED);
  kaon_eigenvectors* none = nullptr;
  const auto refused = [&](kaon_eigenvector_options options, const char* text) {
    expect_refusal(kaon_eigenvectors_find(on.dirac, &options, &none), KAON_INVALID, text);
    EXPECT_EQ(none, nullptr);
  };
  kaon_eigenvector_options options = options_of(0, 1e-8);
  refused(options, "0 eigenvectors");
  options = options_of(2, 1e-8);
  options.even_sites = 2;
  refused(options, "even_sites = 2 is none of");
  options = options_of(2, 1e-8);
  options.filter_degree = 5;
  refused(options, "a Chebyshev filter of degree 5 that damps eigenvalues from nan");
  options.filter_degree = -5;
  refused(options, "a Chebyshev filter of degree -5");
  options.size = 3;
  refused(options, "kaon_eigenvector_options has");
  expect_refusal(kaon_eigenvectors_find(nullptr, nullptr, &none), KAON_INVALID, "dirac is NULL");
  expect_refusal(kaon_eigenvectors_find(on.dirac, nullptr, nullptr), KAON_INVALID, "eigenvectors is NULL");
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
  kaon_solver_options solving;
  kaon_solver_options_init(&solving);
  solving.eigenvectors = rough;
  SolverHandle solver;
  expect_refusal(kaon_solver_create(on.dirac, &solving, &solver), KAON_INVALID, "does not suit the deflation");
  const double masses[] = {0.1};
  kaon_multi_solver* several = nullptr;
  expect_refusal(kaon_multi_solver_create(on.dirac, KAON_MASSES, 1, masses, &solving, &several), KAON_INVALID,
                 "does not suit the deflation");
  const Operators narrow(KAON_STAGGERED, 0.1, KAON_SINGLE);
  options = options_of(1, 1e-4);
  EigenvectorsHandle in_single;
  expect_ok(kaon_eigenvectors_find(narrow.dirac, &options, &in_single));
  solving.eigenvectors = in_single;
  expect_refusal(kaon_solver_create(narrow.dirac, &solving, &solver), KAON_INVALID, "the eigenvectors are in single");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
