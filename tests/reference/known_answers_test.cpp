// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "tests/reference/stored_fields.hpp"
#include "tests/support/data.hpp"

// Numbers and fields of other codes, reproduced. Each number is here with all the digits of its source;
// each tolerance is the precision to which the source's solve converged, or its stored single precision.
namespace kaon::reference {
namespace KAON_TEST_FILE {

constexpr Coordinates weak_extents{4, 4, 4, 8};

// w = 2 and 5 steps in every smeared source below.
Propagator smeared_sources(const Coordinates& site, const Links& links, const Coordinates& extents) {
  Propagator sources = point_sources(site, extents);
  for (Spinor& source : sources) source = gaussian_smear(source, links, 2.0, 5, extents);
  return sources;
}

double total_norm2(const Propagator& propagator) {
  double sum = 0.0;
  for (const Spinor& column : propagator) sum += norm2(column);
  return sum;
}

// |M S - source| over all twelve columns.
double residual_norm(const WilsonOperator& op, const Propagator& propagator, const Propagator& sources) {
  double sum = 0.0;
  for (std::size_t column = 0; column < sources.size(); ++column)
    sum += norm2(add(op.apply(propagator[column]), -1.0, sources[column]));
  return std::sqrt(sum);
}

void expect_relatively_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k)
    EXPECT_NEAR(actual[k] / expected[k], 1.0, tolerance) << "slice " << k << ": " << actual[k];
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k) EXPECT_NEAR(actual[k], expected[k], tolerance) << "slice " << k;
}

TEST(Reference, ReproducesPlaquettesAndLinkTraces) {
  KAON_TEST_DATA_FILE(folder, "");
  const Links weak_links = read_ildg_double(folder / "weak_field/weak_field.lime", weak_extents);
  EXPECT_NEAR(plaquette(weak_links, weak_extents), 0.994804132267, 1e-12);
  EXPECT_NEAR(link_trace(weak_links), 0.379449349, 1e-9);
  const Links l4t8_links = read_ildg_double(folder / "ildg/L4T8conf", {4, 4, 4, 8});
  EXPECT_NEAR(plaquette(l4t8_links, {4, 4, 4, 8}), 0.635005572229, 1e-12);
  EXPECT_NEAR(link_trace(l4t8_links), 0.004385211, 1e-9);
  const Links l4t4_links = read_ildg_double(folder / "ildg/conf.00200", {4, 4, 4, 4});
  EXPECT_NEAR(plaquette(l4t4_links, {4, 4, 4, 4}), 0.571077111695, 1e-12);
  EXPECT_NEAR(link_trace(l4t4_links), -0.004703155, 1e-9);
  const Links milc_links = read_milc(folder / "milc/lat.sample.l4448.ll", {4, 4, 4, 8});
  EXPECT_NEAR(plaquette(milc_links, {4, 4, 4, 8}), 0.554004687947, 1e-12);
  EXPECT_NEAR(link_trace(milc_links), 0.621316795, 1e-9);
}

// The other code's propagators, source at t = 4: they fix the sign and normalisation of every term, clover included.
TEST(Reference, IsSolvedByStoredCloverPropagators) {
  KAON_TEST_DATA_FILE(folder, "weak_field");
  if (!has_hdf5()) GTEST_SKIP() << "built without HDF5";
  struct Case {
    const char* data_set;
    double mass;
    double residual;
    std::vector<double> correlator;
  };
  const Case cases[] = {
      {"/sh_sig2p0_n5/PS_up_4",
       0.1,
       2.5e-12,
       {0.02855069, 0.02968016, 0.03317878, 0.04080446, 0.21295746, 0.04078736, 0.03317245, 0.02966817}},
      {"/sh_sig2p0_n5/PS_dn_4",
       0.2,
       4.0e-12,
       {0.01693936, 0.01846223, 0.02332663, 0.03377884, 0.21888325, 0.03375985, 0.02331773, 0.01845352}}};
  const Links links = read_ildg_double(folder / "weak_field.lime", weak_extents);
  const Propagator sources = smeared_sources({0, 0, 0, 4}, links, weak_extents);
  for (const Case& c : cases) {
    const WilsonOperator op(links, weak_extents, {.mass = c.mass, .csw_spatial = 1.17, .csw_temporal = 1.17});
    const Propagator propagator = read_hdf5_propagator(folder / "test_propagator_t4.h5", c.data_set, weak_extents);
    EXPECT_LT(residual_norm(op, propagator, sources), c.residual * std::sqrt(total_norm2(sources)));
    expect_near(correlator(propagator, 3, 0, weak_extents), c.correlator, 1e-8);
  }
}

TEST(Reference, ReproducesAnisotropicWilsonCorrelator) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  const Links links = read_ildg_double(path, weak_extents);
  const Propagator sources = smeared_sources({0, 0, 0, 0}, links, weak_extents);
  EXPECT_NEAR(total_norm2(sources) / 6.633998, 1.0, 1e-6);
  const double xi = 2.464;
  const double nu = 0.95;
  const WilsonOperator op(links, weak_extents, {.mass = mass_from_kappa(0.135), .anisotropy = xi, .nu = nu});
  expect_relatively_near(
      correlator(solve(op, sources), 3, 0, weak_extents),
      {0.749881670, 0.127559085, 0.048818168, 0.026170709, 0.020531342, 0.026186983, 0.048858947, 0.127618666}, 1e-6);
}

TEST(Reference, ReproducesAnisotropicCloverCorrelator) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  const Links links = read_ildg_double(path, weak_extents);
  const double xi = 2.464;
  const double nu = 0.95;
  const WilsonOperator op(
      links, weak_extents,
      {.mass = mass_from_kappa(0.115), .csw_spatial = 0.91, .csw_temporal = 1.07, .anisotropy = xi, .nu = nu});
  const Propagator sources = smeared_sources({0, 0, 0, 0}, links, weak_extents);
  const std::vector<double> expected{0.588734367, 0.044005466, 0.015493428, 0.009136583,
                                     0.007579043, 0.009137186, 0.015501454, 0.044009996};
  expect_relatively_near(correlator(solve(op, sources), 3, 0, weak_extents), expected, 1e-6);
}

TEST(Reference, ReproducesWilsonCorrelatorsAtTwoKappas) {
  KAON_TEST_DATA_FILE(path, "ildg/L4T8conf");
  const Coordinates extents{4, 4, 4, 8};
  const Links links = read_ildg_double(path, extents);
  const Propagator sources = point_sources({0, 0, 0, 0}, extents);
  const WilsonOperator heavy(links, extents, {.mass = mass_from_kappa(0.150)});
  expect_near(correlator(solve(heavy, sources, 1e-10), 3, 0, extents),
              {1.34803716, 0.12579953, 0.01934984, 0.00376117, 0.00145365, 0.00387659, 0.02044779, 0.12780942}, 1e-8);
  const WilsonOperator light(links, extents, {.mass = mass_from_kappa(0.167)});
  expect_near(correlator(solve(light, sources, 1e-10), 3, 0, extents),
              {1.63641765, 0.20779996, 0.03102078, 0.00530284, 0.00187391, 0.00616119, 0.03491983, 0.21584283}, 1e-8);
}

// Stored in single precision, normalised as the inverse of 1 - kappa D + 2 kappa A.
TEST(Reference, IsSolvedByStoredMilcCloverPropagator) {
  KAON_TEST_DATA_FILE(folder, "milc");
  const Coordinates extents{4, 4, 4, 8};
  const double kappa = 0.124;
  const WilsonOperator op(reunitarize(read_milc(folder / "lat.sample.l4448.ll", extents)), extents,
                          {.mass = mass_from_kappa(kappa),
                           .csw_spatial = 1.476,
                           .csw_temporal = 1.476,
                           .boundary_phases = {1.0, 1.0, 1.0, 1.0}});
  const Propagator propagator = read_milc_propagator(folder / "wprop_fm.sample.l4448.ll", extents);
  expect_relatively_near(
      correlator(propagator, 3, 0, extents),
      {16.7441696, 1.09079037, 0.144199645, 0.0251334188, 0.00905840953, 0.0296227051, 0.158404535, 1.12328386}, 1e-8);
  Propagator sources = point_sources({0, 0, 0, 0}, extents);
  for (Spinor& source : sources)
    for (Complex& component : source) component /= 2.0 * kappa;
  // |(1 - kappa D + 2 kappa A) S - source| / |S|.
  EXPECT_LT(2.0 * kappa * residual_norm(op, propagator, sources), 3.8e-8 * std::sqrt(total_norm2(propagator)));
}

// (2 kappa)^2 sum |S_kappa|^2 / 64 with M = 1 - kappa D is sum |S|^2 / 64 in our normalisation.
std::vector<double> periodic_correlator_in_z(const Links& links, double twisted_mass) {
  const Coordinates extents{4, 4, 4, 4};
  const WilsonOperator op(
      links, extents,
      {.mass = mass_from_kappa(0.15), .twisted_mass = twisted_mass, .boundary_phases = {1.0, 1.0, 1.0, 1.0}});
  std::vector<double> sum = correlator(solve(op, point_sources({0, 0, 0, 0}, extents), 1e-13), 2, 0, extents);
  for (double& value : sum) value /= 64.0;
  return sum;
}

TEST(Reference, ReproducesPeriodicWilsonCorrelatorInZ) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  expect_relatively_near(periodic_correlator_in_z(read_ildg_double(path, {4, 4, 4, 4}), 0.0),
                         {2.23946028664745e-02, 2.05485346957700e-03, 6.96566865496375e-04, 2.17148162775779e-03},
                         1e-12);
}

// M = 1 - kappa D - 2 i kappa mu gamma_5 at mu = 4.
TEST(Reference, ReproducesPeriodicTwistedMassCorrelatorInZ) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  expect_relatively_near(periodic_correlator_in_z(read_ildg_double(path, {4, 4, 4, 4}), -4.0),
                         {6.40008946516344e-03, 1.17492646085198e-04, 2.50278817534017e-06, 1.18464343697740e-04},
                         1e-12);
}

TEST(Reference, ReproducesFreePeriodicWilsonCorrelatorInZ) {
  expect_relatively_near(periodic_correlator_in_z(unit_links({4, 4, 4, 4}), 0.0),
                         {1.83008474327911e-02, 3.14850262023767e-03, 7.81590667980677e-04, 3.14850262023767e-03},
                         1e-12);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::reference
