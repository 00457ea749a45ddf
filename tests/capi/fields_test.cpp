// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/quarks/families.hpp>

#include <filesystem>
#include <initializer_list>
#include <string>

// The C interface against the C++ of another kaon in the same program: libkaon hides its own.

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CFields, MakeTheSameLinksAsCpp) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  auto info = defaults(kaon_lattice_info_init);
  expect_ok(kaon_lattice_get(lattice, &info));
  EXPECT_EQ(info.extents[3], 8);
  EXPECT_EQ(info.local_extents[3], 8);
  EXPECT_EQ(info.processes, 1);
  EXPECT_EQ(info.partitioned[3], 0);

  const Lattice same({.extents = {4, 4, 4, 8}});
  GaugeField<double> links(same);
  GaugeHandle gauge;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  EXPECT_EQ(values_of(gauge), links.to_host());
  set_random(links, {.seed = 3});
  expect_ok(kaon_gauge_start(gauge, KAON_HOT, 3, 0.0));
  EXPECT_EQ(values_of(gauge), links.to_host());
  update(links, {.beta = 5.7, .overrelaxation_sweeps = 2, .seed = 9, .update = 1});
  auto options = defaults(kaon_heatbath_options_init);
  options.beta = 5.7;
  options.overrelaxations = 2;
  options.seed = 9;
  options.update = 1;
  expect_ok(kaon_gauge_heatbath(gauge, &options));
  EXPECT_EQ(values_of(gauge), links.to_host());
  double found[3];
  expect_ok(kaon_gauge_plaquette(gauge, found));
  double loop[2];
  for (int mu = 0; mu < 4; ++mu) {
    expect_ok(kaon_gauge_polyakov_loop(gauge, mu, loop));
    EXPECT_EQ(std::complex<double>(loop[0], loop[1]), polyakov_loop(links, mu));
  }
  const Plaquette expected = plaquette(links);
  EXPECT_EQ(found[0], expected.average);
  EXPECT_EQ(found[1], expected.spatial);
  EXPECT_EQ(found[2], expected.temporal);
}

TEST(CFields, TakeAndGiveArrays) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 4});
  Numbers parts[4], back[4];
  kaon_array array = array_of(nullptr), returned = array;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    parts[mu].resize(9 * 256);
    back[mu].resize(9 * 256);
    for (std::size_t k = 0; k < parts[mu].size(); ++k)
      parts[mu][k] = {1.0 * static_cast<double>(k), 0.5 * static_cast<double>(mu)};
    array.parts[mu] = parts[mu].data();
    returned.parts[mu] = back[mu].data();
  }
  array.sites = returned.sites = KAON_EVEN_ODD;
  array.inside = returned.inside = KAON_COLUMN_ROW;
  GaugeHandle gauge;
  expect_ok(kaon_gauge_create(lattice, KAON_DOUBLE, &gauge));
  expect_ok(kaon_gauge_set(gauge, &array));
  expect_ok(kaon_gauge_get(gauge, &returned));
  for (std::size_t mu = 0; mu < 4; ++mu) EXPECT_EQ(back[mu], parts[mu]);

  SpinorHandle spinor;
  make_spinor(spinor, lattice, 2);
  std::vector<std::complex<float>> narrow(12 * 256), narrow_back(12 * 256);
  for (std::size_t k = 0; k < narrow.size(); ++k) narrow[k] = {static_cast<float>(k), -1.0F};
  array = array_of(narrow.data());
  array.element = KAON_COMPLEX64;
  array.inside = KAON_COLOR_SPIN;
  expect_ok(kaon_spinor_set(spinor, 1, &array));
  array.data = narrow_back.data();
  expect_ok(kaon_spinor_get(spinor, 1, &array));
  EXPECT_EQ(narrow_back, narrow);
  double norms[2], expected = 0.0;
  for (const auto& z : narrow) expected += std::norm(std::complex<double>(z));
  expect_ok(kaon_spinor_norm2(spinor, norms));
  EXPECT_EQ(norms[0], 0.0);
  EXPECT_EQ(norms[1], expected);
}

// Python's tests read what they have written in every format, and compare headers of Chroma with their numbers.
TEST(CFields, AreRefusedByFilesThatCannotHoldThem) {
  const Links on;
  const std::string path = ::testing::TempDir() + "c_fields.lime";
  expect_ok(kaon_gauge_write(on.gauge, path.c_str(), nullptr));
  auto other = defaults(kaon_lattice_options_init);
  for (int& extent : other.extents) extent = 8;
  kaon_gauge* none = nullptr;
  expect_refusal(kaon_gauge_read(path.c_str(), &other, nullptr, KAON_DOUBLE, nullptr, &none), KAON_FILE, "8x8x8x8");

  SpinorHandle propagator, single;
  make_spinor(propagator, on.lattice, 12);
  make_spinor(single, on.lattice, 12, 4, KAON_SINGLE);
  auto writing = defaults(kaon_propagator_options_init);
  const auto refused = [&](const kaon_spinor* sources, kaon_status status, const char* text) {
    expect_refusal(kaon_propagator_write(propagator, sources, path.c_str(), &writing), status, text);
  };
  writing.bits = 16;
  refused(nullptr, KAON_FILE, "with 16 bits");
  writing.format = KAON_PROPAGATOR_USQCD;
  writing.bits = 64;
  refused(single, KAON_FILE, "two precisions");
  writing.format = 7;
  refused(nullptr, KAON_INVALID, "format = 7 is none");
  kaon_propagator_options_init(nullptr);
  std::filesystem::remove(path);
}

TEST(CFields, HaveNoHeaderOfChromaWithoutMeaning) {
  auto quark = defaults(kaon_operator_options_init);
  auto source = defaults(kaon_source_options_init);
  const auto smearing = defaults(kaon_quark_smear_options_init);
  const char* text = "";
  const auto refuses = [&](const kaon_quark_smear_options* smeared, double tolerance, const char* reason) {
    expect_refusal(kaon_chroma_header(&quark, &source, smeared, tolerance, nullptr, &text), KAON_INVALID, reason);
    EXPECT_EQ(text, nullptr);
  };
  refuses(nullptr, 1e-9, "neither mass nor kappa is set");
  quark.mass = 0.25;
  refuses(nullptr, 0.0, "the tolerance 0 of a solve is not a positive number");
  refuses(nullptr, not_set, "the tolerance nan of a solve is not a positive number");
  for (const int kind : std::initializer_list<int>{KAON_POINT_SOURCE, KAON_GAUSSIAN_NOISE, 7}) {
    source.kind = kind;
    refuses(nullptr, 1e-9, "of a source");
  }
  source.kind = KAON_WALL_SOURCES;
  refuses(&smearing, 1e-9, "smearing is for point sources");
  quark.action = KAON_STAGGERED;
  quark.csw = 1.0;
  refuses(nullptr, 1e-9, "csw");
  expect_refusal(kaon_chroma_header(nullptr, &source, nullptr, 1e-9, "", &text), KAON_INVALID, "quark is NULL");
  expect_refusal(kaon_chroma_header(&quark, nullptr, nullptr, 1e-9, "", &text), KAON_INVALID, "source is NULL");
  expect_refusal(kaon_chroma_header(&quark, &source, nullptr, 1e-9, "", nullptr), KAON_INVALID, "text is NULL");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
