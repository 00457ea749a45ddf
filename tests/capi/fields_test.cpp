// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"
#include "tests/support/program.hpp"

#include <kaon/core/random.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/io/propagator_file.hpp>
#include <kaon/measure/chroma_header.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

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

TEST(CFields, OfFilesWithAWrongPlaquetteAreReadWhereWanted) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  const std::string path = ::testing::TempDir() + "c_wrong_plaquette.lime";
  expect_ok(kaon_gauge_write(gauge, path.c_str(), nullptr));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  file.seekp(static_cast<std::streamoff>(bytes.find("<plaq>0.") + 8))
      << (bytes[bytes.find("<plaq>0.") + 8] == '9' ? '1' : '9');
  file.close();
  GaugeHandle read;
  expect_refusal(kaon_gauge_read(path.c_str(), nullptr, nullptr, KAON_DOUBLE, nullptr, &read), KAON_FILE,
                 "ignore_stated_plaquette");
  kaon_read_options options{};
  expect_refusal(kaon_gauge_read(path.c_str(), nullptr, &options, KAON_DOUBLE, nullptr, &read), KAON_INVALID,
                 "kaon_read_options");
  kaon_read_options_init(&options);
  EXPECT_EQ(options.ignore_stated_plaquette, 0);
  options.ignore_stated_plaquette = 1;
  expect_ok(kaon_gauge_read(path.c_str(), nullptr, &options, KAON_DOUBLE, nullptr, &read));
  EXPECT_EQ(values_of(read), values_of(gauge));
  kaon_read_options_init(nullptr);
  std::remove(path.c_str());
}

TEST(CFields, GoIntoFilesAndComeBack) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 8});
  GaugeHandle gauge;
  make_random_links(gauge, lattice);
  const std::string path = ::testing::TempDir() + "c_fields.lime";
  for (const int format : {KAON_ILDG, KAON_NERSC, KAON_SCIDAC, KAON_GRID}) {
    auto options = defaults(kaon_file_options_init);
    options.format = format;
    expect_ok(kaon_gauge_write(gauge, path.c_str(), &options));
    LatticeHandle read_lattice;
    GaugeHandle read;
    expect_ok(kaon_gauge_read(path.c_str(), nullptr, nullptr, KAON_DOUBLE, &read_lattice, &read));
    auto info = defaults(kaon_lattice_info_init);
    expect_ok(kaon_lattice_get(read_lattice, &info));
    EXPECT_EQ(info.extents[3], 8);
    EXPECT_EQ(values_of(read), values_of(gauge));
  }
  auto other = defaults(kaon_lattice_options_init);
  for (int& extent : other.extents) extent = 8;
  kaon_gauge* none = nullptr;
  expect_refusal(kaon_gauge_read(path.c_str(), &other, nullptr, KAON_DOUBLE, nullptr, &none), KAON_FILE, "8x8x8x8");

  SpinorHandle propagator, read;
  make_spinor(propagator, lattice, 12);
  auto source = defaults(kaon_source_options_init);
  source.site[0] = 1;
  expect_ok(kaon_spinor_source(propagator, &source));
  auto writing = defaults(kaon_propagator_options_init);
  const kaon_spinor* const of_columns = propagator;
  kaon_propagator_options_init(nullptr);
  for (const int format :
       {KAON_PROPAGATOR_SCIDAC, KAON_PROPAGATOR_USQCD, KAON_PROPAGATOR_USQCD_SCALAR_SOURCE, KAON_PROPAGATOR_GRID}) {
    writing.format = format;
    writing.milc_projectors = format == KAON_PROPAGATOR_USQCD;
    const bool has_sources = format == KAON_PROPAGATOR_USQCD || format == KAON_PROPAGATOR_USQCD_SCALAR_SOURCE;
    expect_ok(kaon_propagator_write(propagator, has_sources ? of_columns : nullptr, path.c_str(), &writing));
    SpinorHandle same;
    expect_ok(kaon_propagator_read(path.c_str(), lattice, KAON_DOUBLE, &writing, &same));
    for (int k = 0; k < 12; ++k) EXPECT_EQ(values_of(same, k), values_of(propagator, k));
  }
  expect_refusal(kaon_propagator_write(propagator, propagator, path.c_str(), &writing), KAON_FILE,
                 "sources were given, which only the formats of USQCD have");
  SpinorHandle single;
  make_spinor(single, lattice, 12, 4, KAON_SINGLE);
  writing.format = KAON_PROPAGATOR_USQCD;
  expect_refusal(kaon_propagator_write(propagator, single, path.c_str(), &writing), KAON_FILE, "two precisions");
  writing.format = 7;
  expect_refusal(kaon_propagator_write(propagator, nullptr, path.c_str(), &writing), KAON_INVALID,
                 "format = 7 is none");
  writing = defaults(kaon_propagator_options_init);
  writing.bits = 16;
  expect_refusal(kaon_propagator_write(propagator, nullptr, path.c_str(), &writing), KAON_FILE, "with 16 bits");
  expect_ok(kaon_propagator_write(propagator, nullptr, path.c_str(), nullptr));
  expect_ok(kaon_propagator_read(path.c_str(), lattice, KAON_DOUBLE, nullptr, &read));
  for (int k = 0; k < 12; ++k) EXPECT_EQ(values_of(read, k), values_of(propagator, k));
  std::filesystem::remove(path);
}

/// The header of a quark of mass 0.25 and of these sources.
std::string chroma_header(const kaon_source_options& source, const kaon_quark_smear_options* smearing = nullptr) {
  auto quark = defaults(kaon_operator_options_init);
  quark.mass = 0.25;
  const char* text = nullptr;
  expect_ok(kaon_chroma_header(&quark, &source, smearing, 1e-9, "a < b", &text));
  return text;
}

TEST(CFields, HaveTheHeaderOfChroma) {
  auto quark = defaults(kaon_operator_options_init);
  auto source = defaults(kaon_source_options_init);
  auto smearing = defaults(kaon_quark_smear_options_init);
  source.site[3] = 5;
  smearing.width = 1.5;
  smearing.steps = 10;
  const std::pair<int, kaon::SourceKind> kinds[]{{KAON_POINT_SOURCES, kaon::SourceKind::point},
                                                 {KAON_Z2_WALL_SOURCE, kaon::SourceKind::z2_wall},
                                                 {KAON_WALL_SOURCES, kaon::SourceKind::wall},
                                                 {KAON_EVEN_WALL_SOURCES, kaon::SourceKind::even_wall},
                                                 {KAON_CORNER_WALL_SOURCES, kaon::SourceKind::corner_wall}};
  const auto expected = [](SourceKind kind) {
    const SourceParameters parameters{.kind = kind, .site = {0, 0, 0, 5}, .width = 1.5, .steps = 10};
    return kaon::chroma_header({.mass = 0.25}, parameters, 1e-9, "a < b");
  };
  for (const auto& [number, kind] : kinds) {
    source.kind = number;
    EXPECT_EQ(chroma_header(source), expected(kind)) << number;
  }
  source.kind = KAON_POINT_SOURCES;
  EXPECT_EQ(chroma_header(source, &smearing), expected(SourceKind::gaussian));

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
  refuses(nullptr, 1e-9, "Chroma's header is for propagators of 4 spins, and quarks of the action staggered have 1");
  quark.csw = 1.0;
  refuses(nullptr, 1e-9, "csw");
  expect_refusal(kaon_chroma_header(nullptr, &source, nullptr, 1e-9, "", &text), KAON_INVALID, "quark is NULL");
  expect_refusal(kaon_chroma_header(&quark, nullptr, nullptr, 1e-9, "", &text), KAON_INVALID, "source is NULL");
  expect_refusal(kaon_chroma_header(&quark, &source, nullptr, 1e-9, "", nullptr), KAON_INVALID, "text is NULL");
}

TEST(CFields, TravelWithTheHeaderOfChroma) {
  const Started started;
  LatticeHandle lattice;
  make_lattice(lattice, {4, 4, 4, 4});
  SpinorHandle propagator;
  make_spinor(propagator, lattice, 12);
  const std::string header = chroma_header(defaults(kaon_source_options_init));
  auto writing = defaults(kaon_propagator_options_init);
  writing.chroma_header = header.c_str();
  const std::string path = ::testing::TempDir() + "c_chroma.lime";
  expect_ok(kaon_propagator_write(propagator, nullptr, path.c_str(), &writing));
  EXPECT_TRUE(contains(read_text(path).substr(0, 8192), header + "</Propagator>"));
  writing.info = "mass < 0.1 & a point source";
  expect_ok(kaon_propagator_write(propagator, nullptr, path.c_str(), &writing));
  EXPECT_EQ(io::read_propagator(path).info, writing.info);
  std::filesystem::remove(path);
  writing.format = KAON_PROPAGATOR_GRID;
  expect_refusal(kaon_propagator_write(propagator, nullptr, path.c_str(), &writing), KAON_FILE,
                 "chroma_header is for propagators of 4 spins in the format scidac");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
