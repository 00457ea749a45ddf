// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/kaon.h>
#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <string>
#include <vector>

namespace kaon::test {

inline void expect_ok(kaon_status status) { EXPECT_EQ(status, KAON_OK) << kaon_last_error(); }

inline void expect_refusal(kaon_status status, kaon_status wanted, const std::string& text) {
  EXPECT_STREQ(kaon_status_name(status), kaon_status_name(wanted));
  EXPECT_NE(std::string(kaon_last_error()).find(text), std::string::npos) << kaon_last_error();
}

/// A structure of kaon.h with its defaults.
template <class T>
T defaults(void (*init)(T*)) {
  T structure;
  init(&structure);
  return structure;
}

/// Frees a handle at the end of a test.
template <class T, void (*destroy)(T**)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* made) : handle_(made) {}
  ~Handle() { destroy(&handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator T*() const { return handle_; }
  T** operator&() { return &handle_; }

 private:
  T* handle_ = nullptr;
};
using LatticeHandle = Handle<kaon_lattice, kaon_lattice_destroy>;
using GaugeHandle = Handle<kaon_gauge, kaon_gauge_destroy>;
using SpinorHandle = Handle<kaon_spinor, kaon_spinor_destroy>;
using OperatorHandle = Handle<kaon_operator, kaon_operator_destroy>;
using SolverHandle = Handle<kaon_solver, kaon_solver_destroy>;
using MultiSolverHandle = Handle<kaon_multi_solver, kaon_multi_solver_destroy>;
using EigenvectorsHandle = Handle<kaon_eigenvectors, kaon_eigenvectors_destroy>;
using HmcHandle = Handle<kaon_hmc, kaon_hmc_destroy>;
using TermHandle = Handle<kaon_action_term, kaon_action_term_destroy>;
using MomentaHandle = Handle<kaon_momenta, kaon_momenta_destroy>;

/// kaon started, as long as the object lives.
struct Started {
  Started() { expect_ok(kaon_start(nullptr)); }
  ~Started() { expect_ok(kaon_stop()); }
};

inline void make_lattice(LatticeHandle& lattice, const std::vector<int>& extents, int reach = 1) {
  auto options = defaults(kaon_lattice_options_init);
  for (std::size_t mu = 0; mu < 4; ++mu) options.extents[mu] = extents[mu];
  options.reach = reach;
  expect_ok(kaon_lattice_create(&options, &lattice));
}

inline void make_spinor(SpinorHandle& spinor, const kaon_lattice* lattice, int right_hand_sides, int spins = 4,
                        int precision = KAON_DOUBLE, int slices = 1) {
  auto options = defaults(kaon_spinor_options_init);
  options.right_hand_sides = right_hand_sides;
  options.spins = spins;
  options.precision = precision;
  options.slices = slices;
  expect_ok(kaon_spinor_create(lattice, &options, &spinor));
}

inline void make_operator(OperatorHandle& dirac, const kaon_gauge* gauge, int action = KAON_WILSON, double mass = 0.2) {
  auto options = defaults(kaon_operator_options_init);
  options.action = action;
  options.mass = mass;
  if (action == KAON_WILSON_CLOVER) options.csw = 1.3;
  expect_ok(kaon_operator_create(gauge, &options, &dirac));
}

inline void make_random_links(GaugeHandle& gauge, const kaon_lattice* lattice, kaon_precision precision = KAON_DOUBLE) {
  expect_ok(kaon_gauge_create(lattice, precision, &gauge));
  expect_ok(kaon_gauge_start(gauge, KAON_WEAK, 5, 0.3));
}

/// kaon started, with weak links on a lattice, as long as the object lives.
struct Links {
  const Started started;
  LatticeHandle lattice;
  GaugeHandle gauge;

  explicit Links(const std::vector<int>& extents = {4, 4, 4, 8}, int reach = 1,
                 kaon_precision precision = KAON_DOUBLE) {
    make_lattice(lattice, extents, reach);
    make_random_links(gauge, lattice, precision);
  }
};

/// Tests on a lattice for all operators.
class OnLinks : public ::testing::Test, protected Links {
 protected:
  OnLinks() : Links({4, 4, 4, 4}, 3) {}
};

/// Holds a lattice, and with it the session, from the first test to the last: a Kokkos that the library has for itself,
/// a static one, cannot be started twice.
///
/// It turns tuning off. libkaon and the libraries that a test links each have a tuner, and on a GPU two tuners may
/// choose different kernels, which round differently. Without tuning, C and C++ compute the same digits.
class Keeper final : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("KAON_TUNE", "off", 1);
    const Started started;
    make_lattice(lattice_, {4, 4, 4, 4});
  }
  void TearDown() override { kaon_lattice_destroy(&lattice_); }

 private:
  LatticeHandle lattice_;
};
inline ::testing::Environment* const keeper = ::testing::AddGlobalTestEnvironment(new Keeper);

inline kaon_array array_of(void* data) {
  auto array = defaults(kaon_array_init);
  array.data = data;
  return array;
}

using Numbers = std::vector<std::complex<double>>;

/// A right-hand side of a field on this number of sites.
inline Numbers values_of(const kaon_spinor* spinor, int right_hand_side = 0, int sites = 512) {
  auto shape = defaults(kaon_spinor_options_init);
  expect_ok(kaon_spinor_get_options(spinor, &shape));
  Numbers values(static_cast<std::size_t>(shape.spins * shape.colors * shape.slices * sites));
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_spinor_get(spinor, right_hand_side, &array));
  return values;
}

inline Numbers values_of(const kaon_gauge* gauge, int sites = 512) {
  Numbers values(static_cast<std::size_t>(36 * sites));
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_gauge_get(gauge, &array));
  return values;
}

inline void set_values(kaon_spinor* spinor, int right_hand_side, Numbers values) {
  const kaon_array array = array_of(values.data());
  expect_ok(kaon_spinor_set(spinor, right_hand_side, &array));
}

inline void set_source(kaon_spinor* spinor, int kind = KAON_POINT_SOURCES, int time = 0) {
  auto source = defaults(kaon_source_options_init);
  source.kind = kind;
  source.site[3] = time;
  expect_ok(kaon_spinor_source(spinor, &source));
}

/// The links of `make_random_links` in C++.
template <class T = double>
GaugeField<T> weak_links(const Coordinates& extents = {4, 4, 4, 8}, int reach = 1) {
  GaugeField<T> links(Lattice({.extents = extents, .reach = reach}));
  set_weak(links, 0.3, {.seed = 5});
  return links;
}

}  // namespace kaon::test
