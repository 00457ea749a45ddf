// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/parallel.hpp"
#include "tests/io/foreign_files.hpp"
#include "tests/support/data.hpp"
#include "tests/support/file_times.hpp"

#include <kaon/core/random.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/io/spinors.hpp>

#ifdef KAON_HAS_HDF5
#include <hdf5.h>
#endif

#include <array>
#include <map>
#include <utility>

// Files of several processes, against those of one.

namespace kaon::io {
namespace KAON_TEST_FILE {

namespace fs = std::filesystem;
using test::parallel_extents;
using test::processes;

const std::map<std::string, WriteOptions> gauge_files{
    {"nersc64", {.format = GaugeFormat::nersc}},
    {"nersc32", {.format = GaugeFormat::nersc, .bits = 32, .rows = 2, .byte_order = ByteOrder::little}},
    {"ildg64", {.format = GaugeFormat::ildg}},
    {"scidac32", {.format = GaugeFormat::scidac, .bits = 32}}};

const std::map<std::string, PropagatorWriteOptions> propagator_files{
    {"propagator64", {.bits = 64, .info = "mass = 0.1"}}, {"propagator32", {.bits = 32}}};

std::string timeless(const fs::path& file) { return test::without_times(test::read_text(file)); }

TEST(ParallelFiles, HaveTheBytesOfOneProcess) {
  const HostLinks links = test::random_links(parallel_extents);
  const HostPropagator propagator = test::random_propagator(parallel_extents);
  const test::SharedFolder one([&](const test::TemporaryFolder& folder) {
    for (const auto& [name, options] : gauge_files) write_links(folder / name, links, options);
    for (const auto& [name, options] : propagator_files) write_propagator(folder / name, propagator, options);
  });
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    const test::SharedFolder folder;
    const auto field = to_gauge_field<double>(lattice, links);
    for (const auto& [name, options] : gauge_files) write_gauge(folder / name, field, options);
    const auto propagator_field = to_spinor_field<double>(lattice, propagator);
    for (const auto& [name, options] : propagator_files) write_propagator(folder / name, propagator_field, options);
    folder.look([&](const test::TemporaryFolder& written) {
      for (const auto& entry : fs::directory_iterator(one.path())) {
        const std::string name = entry.path().filename();
        EXPECT_TRUE(timeless(written / name) == timeless(one / name))
            << name << kaon::to_string(lattice.process_grid());
      }
      EXPECT_EQ(written.entries(), static_cast<std::ptrdiff_t>(gauge_files.size() + propagator_files.size()));
    });
  }
}

TEST(ParallelFiles, GiveTheSameFields) {
  const HostLinks links = test::random_links(parallel_extents);
  const HostPropagator propagator = test::random_propagator(parallel_extents);
  const test::SharedFolder folder;
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    write_gauge(folder / "a", to_gauge_field<double>(lattice, links));
    write_propagator(folder / "b", to_spinor_field<double>(lattice, propagator));
    EXPECT_EQ(read_gauge<double>(lattice, folder / "a").to_host(), own_values(lattice, links.extents, links.links));
    EXPECT_EQ(to_host_propagator(read_propagator<double>(lattice, folder / "b")).values,
              own_values(lattice, propagator.extents, propagator.values));
  }
}

TEST(ParallelFiles, OfStaggeredPropagatorsDoNotDependOnTheGrid) {
  const HostPropagator propagator = test::random_propagator(parallel_extents, 1);
  const PropagatorWriteOptions milc{.bits = 32, .format = PropagatorFormat::milc};
  const test::SharedFolder folder([&](const test::TemporaryFolder& one) {
    write_propagator(one / "milc", propagator, milc);
    write_propagator(one / "pairs", propagator, propagator);
  });
  constexpr std::size_t behind_date = 8;  // of MILC's header
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    const auto field = to_spinor_field<double>(lattice, propagator);
    write_propagator(folder / "milc-parts", field, milc);
    write_propagator(folder / "pairs-parts", field, field);
    folder.look([&](const test::TemporaryFolder& written) {
      EXPECT_TRUE(test::read_text(written / "milc-parts").substr(behind_date) ==
                  test::read_text(written / "milc").substr(behind_date))
          << kaon::to_string(lattice.process_grid());
      EXPECT_TRUE(timeless(written / "pairs-parts") == timeless(written / "pairs"))
          << kaon::to_string(lattice.process_grid());
    });
    EXPECT_EQ(to_host_propagator(read_propagator<double>(lattice, folder / "pairs")).values,
              own_values(lattice, propagator.extents, propagator.values));
    EXPECT_EQ(to_host_propagator(read_propagator<float>(lattice, folder / "milc")).values,
              to_host_propagator(to_spinor_field<float>(lattice, propagator)).values);
  }
}

TEST(ParallelFiles, OfSpinorsDoNotDependOnTheGrid) {
  const test::SharedFolder folder;
  bool first = true;
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    SpinorField<float> spinors(lattice, {.right_hand_sides = 2});
    set_gaussian(spinors, {.seed = 4});
    if (std::exchange(first, false)) write_spinors(folder / "first", spinors);
    write_spinors(folder / "a", spinors);
    folder.look([&](const test::TemporaryFolder& written) {
      EXPECT_TRUE(timeless(written / "a") == timeless(written / "first")) << kaon::to_string(lattice.process_grid());
    });
    const SpinorFile read = read_spinors(lattice, folder / "first");
    for (int k = 0; k < 2; ++k) EXPECT_EQ(read.spinors.to_host(k), spinors.to_host(k));
  }
}

TEST(ParallelFiles, OfFieldsOnEvenSitesDoNotDependOnTheGrid) {
  const test::SharedFolder folder;
  bool first = true;
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    std::vector<SpinorField<double>> fields;
    for (const std::uint32_t stream : {1u, 2u}) {
      set_gaussian(fields.emplace_back(lattice, SpinorParameters{.spins = 1, .subset = Subset::even}),
                   {.seed = 4, .stream = stream});
    }
    const bool begins = std::exchange(first, false);
    for (const std::string name : {"kaon", "quda", "packed"}) {
      const SpinorWriteOptions options{.quda = name == "quda", .milc_packed = name == "packed"};
      SpinorFileInfo info{.residuals = {0.5, 0.25}};
      if (options.milc_packed) info.eigenvalues = {1.0, 2.0};
      if (options.milc_packed) info.milc_shift = 0.0;
      if (begins) write_spinor_fields<double>(folder / ("first-" + name), fields, info, options);
      write_spinor_fields<double>(folder / name, fields, info, options);
      folder.look([&](const test::TemporaryFolder& written) {
        EXPECT_TRUE(timeless(written / name) == timeless(written / ("first-" + name)))
            << kaon::to_string(lattice.process_grid());
      });
      const auto read = read_spinor_fields<double>(lattice, folder / ("first-" + name), Subset::even);
      EXPECT_EQ(read.info.residuals, (std::vector<double>{0.5, 0.25}));
      for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(read.fields[k].to_host(), fields[k].to_host());
      if (options.milc_packed) continue;  // MILC's vectors may be on both parities
      EXPECT_THROW(read_spinor_fields<double>(lattice, folder / ("first-" + name), Subset::odd), Error);
    }
  }
}

/// A file is read as one process alone reads it, on all grids.
void expect_same_links(const fs::path& file) {
  const HostGaugeFile whole = read_links(file);
  for (const Lattice& lattice : test::parallel_lattices(whole.links.extents)) {
    SCOPED_TRACE(file.string() + " on " + kaon::to_string(lattice.process_grid()));
    // A raw file is first tried with other extents, which need not suit the grid.
    const auto make_lattice = [&](const Coordinates& extents) {
      return Lattice(processes(), {.extents = extents, .process_grid = lattice.process_grid()});
    };
    const auto read = read_gauge_file<double>(processes(), file, make_lattice);
    EXPECT_TRUE(read.links.to_host() == own_values(read.links.lattice(), whole.links.extents, whole.links.links));
    EXPECT_EQ(read.header.format, whole.header.format);
    EXPECT_EQ(read.report.plaquette, whole.report.plaquette);
    EXPECT_EQ(read.report.link_trace, whole.report.link_trace);
    EXPECT_EQ(read.report.checksum, whole.report.checksum);
    EXPECT_EQ(read.report.unitarity_deviation, whole.report.unitarity_deviation);
    EXPECT_EQ(read.report.notes, whole.report.notes);
  }
  EXPECT_EQ(inspect_gauge(file, {}, processes()).extents, whole.header.extents);
}

#ifdef KAON_HAS_HDF5
/// Links in chunks that no grid of processes follows, compressed, as QDP++ would write them.
void write_chunks(const fs::path& path, const HostLinks& field) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
              type = H5Tcreate(H5T_COMPOUND, 16), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
  const std::array<hsize_t, 2> matrix{3, 3};
  const hid_t array = H5Tarray_create2(type, 2, matrix.data());
  std::array<hsize_t, 5> extents{}, chunk{3, 1, 3, 3, 4};
  for (std::size_t k = 0; k < 4; ++k) extents[k] = static_cast<hsize_t>(field.extents[3 - k]);
  extents[4] = 4;
  for (std::size_t k = 0; k < 5; ++k) chunk[k] = std::min(chunk[k], extents[k]);
  H5Pset_chunk(properties, 5, chunk.data());
  H5Pset_deflate(properties, 1);
  const hid_t space = H5Screate_simple(5, extents.data(), nullptr),
              set = H5Dcreate2(file, "/u", array, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  ASSERT_GE(H5Dwrite(set, array, H5S_ALL, H5S_ALL, H5P_DEFAULT, field.links.data()), 0);
  H5Dclose(set);
  H5Fclose(file);
}

TEST(ParallelFiles, InChunksAreReadAsByOneProcess) {
  const HostLinks field = test::random_links(parallel_extents);
  const test::SharedFolder folder([&](const test::TemporaryFolder& files) { write_chunks(files / "chunks", field); });
  expect_same_links(folder / "chunks");
}
#endif

TEST(ParallelFiles, OfOtherFormatsAreReadAsByOneProcess) {
  const HostLinks field = test::random_links(parallel_extents);
  const test::SharedFolder folder([&](const test::TemporaryFolder& files) {
    test::write_bytes(files / "milc-little", test::milc_file(field, ByteOrder::little));
    test::write_bytes(files / "milc-big", test::milc_file(field, ByteOrder::big));
    test::write_bytes(files / "openqcd", test::openqcd_file(field));
    test::write_bytes(files / "dd-alphaamg", test::dd_alphaamg_file(field));
    write_links(files / "two-rows", field, {.format = GaugeFormat::nersc, .rows = 2});
  });
  for (const char* name : {"milc-little", "milc-big", "openqcd", "dd-alphaamg", "two-rows"}) {
    expect_same_links(folder / name);
  }
}

class ParallelReferenceFile : public ::testing::TestWithParam<const char*> {};

TEST_P(ParallelReferenceFile, IsReadAsByOneProcess) {
  KAON_TEST_DATA_FILE(path, GetParam());
  expect_same_links(path);
}

INSTANTIATE_TEST_SUITE_P(OfOtherCodes, ParallelReferenceFile,
                         ::testing::Values("milc/lat.sample.l8888", "milc/lat.sample.l8", "milc/lat.sample.l4448.gf",
                                           "milc/lat.sample.l4444.ildg", "weak_field/weak_field.lime",
                                           "nersc/t_nersc.cfg", "nersc/tests_x32_nersc.cfg", "nersc/lat..400",
                                           "ildg/L4T8conf", "ildg/ildg.l8t4b3360_QUDA", "other/8x8x8x8b6.0000id3n1",
                                           "other/openQCD_qcd1_pb_L8T8_b6.0_c1.234_k0.13_r0_id4n1"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
