// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/io/gauge_file.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

#include <hdf5.h>

#include <bit>
#include <cstring>
#include <functional>
#include <random>

// Files of PyQUDA and QDP++ are written and read here by the HDF5 library alone, as these codes call it.

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;
using test::random_links;
using test::rounded_to_float;
using Hdf5Gauge = test::FileTest;
using Hdf5Propagator = test::FileTest;
using Hdf5Input = test::FileTest;

const Coordinates extents{4, 6, 2, 8};
const std::vector<hsize_t> sites{8, 2, 6, 4};

using Complexes = std::vector<std::complex<double>>;

/// The type of complex doubles with these names.
hid_t complex_type(const char* real, const char* imaginary) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
  H5Tinsert(type, real, 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, imaginary, 8, H5T_NATIVE_DOUBLE);
  return type;
}

hid_t array_of(hid_t type, std::vector<hsize_t> shape) {
  return H5Tarray_create2(type, static_cast<unsigned>(shape.size()), shape.data());
}

std::vector<hsize_t> with(std::vector<hsize_t> shape, const std::vector<hsize_t>& more) {
  shape.insert(shape.end(), more.begin(), more.end());
  return shape;
}

/// A file of the library, closed at the end.
struct Hdf5File {
  explicit Hdf5File(const std::filesystem::path& path)
      : id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Hdf5File() { H5Fclose(id); }
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// `chunk` empty: contiguous. The numbers in memory are {r, i}.
  void add(const char* path, hid_t type, hid_t memory, const std::vector<hsize_t>& shape, const Complexes& values,
           const std::vector<hsize_t>& chunk = {}, bool compressed = false) const {
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    if (!chunk.empty()) H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data());
    if (compressed) H5Pset_deflate(properties, 1);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                set = H5Dcreate2(id, path, type, space, links, properties, H5P_DEFAULT);
    ASSERT_GE(set, 0);
    ASSERT_GE(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(set);
  }

  hid_t id;
};

/// All numbers of a data set, read by the library.
Complexes read_set(const std::filesystem::path& file, const char* path, hid_t type, std::size_t count) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(id, path, H5P_DEFAULT);
  Complexes values(count);
  EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << path;
  H5Dclose(set);
  H5Fclose(id);
  return values;
}

std::string read_text(const std::filesystem::path& file, const char* path, const char* attribute) {
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), object = H5Oopen(id, path, H5P_DEFAULT),
              opened = H5Aopen(object, attribute, H5P_DEFAULT), type = H5Aget_type(opened);
  EXPECT_GT(H5Tis_variable_str(type), 0) << "h5py makes str of texts of variable length";
  char* text = nullptr;
  EXPECT_GE(H5Aread(opened, type, static_cast<void*>(&text)), 0) << path << " " << attribute;
  std::string read = text == nullptr ? "" : text;
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(opened);
  H5Oclose(object);
  H5Fclose(id);
  return read;
}

/// The links of direction mu, [site][row][column].
Complexes links_of_direction(const HostLinks& field, int mu) {
  Complexes links;
  for (std::ptrdiff_t site = 0; site < volume_of(extents); ++site) {
    links.insert(links.end(), field.link(site, mu), field.link(site, mu) + 9);
  }
  return links;
}

HostPropagator random_propagator(int spins = 4) { return test::random_propagator(extents, spins, 3); }

/// The numbers of a propagator in the order of files, [site][sink spin][source spin][sink colour][source colour].
Complexes in_file_order(const HostPropagator& propagator) {
  Complexes values;
  const int n = propagator.spins;
  for (std::ptrdiff_t site = 0; site < volume_of(extents); ++site) {
    for (int k = 0; k < 9 * n * n; ++k) {
      values.push_back(propagator.values[propagator.index(site, k / (9 * n), k / 3 % 3, k / 9 % n, k % 3)]);
    }
  }
  return values;
}

/// PyQUDA's checksums of a data set (pyquda_comm/hdf5.py).
std::pair<std::string, std::string> pyquda_sums(const Complexes& values) {
  const std::size_t words = values.size() * 4 / static_cast<std::size_t>(volume_of(extents));
  std::vector<std::uint32_t> data(values.size() * 4);
  std::memcpy(data.data(), values.data(), data.size() * sizeof data[0]);
  std::uint32_t sum29 = 0, sum31 = 0;
  for (std::size_t site = 0; site * words < data.size(); ++site) {
    std::uint32_t work = 0;
    for (std::size_t k = 0; k < words; ++k) work ^= data[site * words + k];
    sum29 ^= std::rotl(work, static_cast<int>(site % 29));
    sum31 ^= std::rotl(work, static_cast<int>(site % 31));
  }
  return {fmt::format("{:08x}", sum29), fmt::format("{:08x}", sum31)};
}

TEST_F(Hdf5Gauge, IsReadByTheLibraryAsPyQuda) {
  const HostLinks field = random_links(extents);
  const auto file = folder / "a.h5";
  write_links(file, field, {.format = GaugeFormat::pyquda, .info = "beta 6 < 7"});
  const char* const group = "/LatticeColorMatrix";
  EXPECT_EQ(read_text(file, group, "Lattice"), "4 6 2 8");
  EXPECT_EQ(read_text(file, group, "Color"), "3");
  EXPECT_EQ(read_text(file, group, "Annotation"), "beta 6 < 7");
  for (int mu = 0; mu < 4; ++mu) {
    const std::string set = fmt::format("{}/{}", group, "XYZT"[mu]);
    const Complexes links = links_of_direction(field, mu);
    EXPECT_EQ(read_set(file, set.c_str(), complex_type("r", "i"), links.size()), links);
    EXPECT_EQ(read_text(file, set.c_str(), "sum29"), pyquda_sums(links).first);
    EXPECT_EQ(read_text(file, set.c_str(), "sum31"), pyquda_sums(links).second);
  }
}

TEST_F(Hdf5Gauge, IsReadByTheLibraryAsQdp) {
  const HostLinks field = random_links(extents);
  write_links(folder / "a", field, {.format = GaugeFormat::qdpxx});
  const hid_t matrix = array_of(complex_type("r", "i"), {3, 3});
  EXPECT_EQ(read_set(folder / "a", "/links", matrix, field.links.size()), field.links);
}

TEST_F(Hdf5Gauge, GivesTheSameLinks) {
  const HostLinks field = random_links(extents);
  for (const GaugeFormat format : {GaugeFormat::pyquda, GaugeFormat::qdpxx}) {
    for (const int bits : {64, 32}) {
      const Checksum written = write_links(folder / "a", field, {.format = format, .bits = bits});
      EXPECT_EQ(folder.entries(), 1);
      const HostGaugeFile read = read_links(folder / "a");
      EXPECT_EQ(read.header.format, format);
      EXPECT_EQ(read.header.bits, bits);
      EXPECT_EQ(read.report.checksum, written);
      EXPECT_EQ(read.header.checksum.has_value(), format == GaugeFormat::pyquda);
      EXPECT_EQ(read.links.links, bits == 32 ? rounded_to_float(field.links) : field.links);
    }
  }
}

// QDP++ makes a chunk of the sites of each process if a stripe size is set, and lalibe sets one.
TEST_F(Hdf5Gauge, OfQdpInChunksIsRead) {
  const HostLinks field = random_links(extents);
  const hid_t matrix = array_of(complex_type("r", "i"), {3, 3});
  for (const bool compressed : {false, true}) {
    Hdf5File(folder / "a").add("/cfg/u", matrix, matrix, with(sites, {4}), field.links, {4, 2, 3, 2, 4}, compressed);
    EXPECT_EQ(read_links(folder / "a").links.links, field.links);
  }
}

TEST_F(Hdf5Propagator, IsReadByTheLibraryAsPyQuda) {
  const HostPropagator propagator = random_propagator();
  write_propagator(folder / "a", propagator, {.info = "point", .format = PropagatorFormat::pyquda});
  const char* const group = "/LatticeSpinColorMatrix";
  const Complexes values = in_file_order(propagator);
  EXPECT_EQ(read_set(folder / "a", "/LatticeSpinColorMatrix/0", complex_type("r", "i"), values.size()), values);
  EXPECT_EQ(read_text(folder / "a", group, "Spin"), "4");
  EXPECT_EQ(read_text(folder / "a", group, "Color"), "3");
  EXPECT_EQ(read_text(folder / "a", "/LatticeSpinColorMatrix/0", "sum29"), pyquda_sums(values).first);
  EXPECT_EQ(read_text(folder / "a", "/LatticeSpinColorMatrix/0", "sum31"), pyquda_sums(values).second);
  const HostPropagatorFile read = read_propagator(folder / "a");
  EXPECT_EQ(read.propagator.values, propagator.values);
  EXPECT_EQ(read.info, "point");
  EXPECT_TRUE(read.checksum && read.notes.empty());
}

TEST_F(Hdf5Propagator, IsReadByTheLibraryAsQdp) {
  const HostPropagator propagator = random_propagator();
  write_propagator(folder / "a", propagator, {.format = PropagatorFormat::qdpxx});
  const hid_t type = array_of(array_of(complex_type("r", "i"), {3, 3}), {4, 4});
  const Complexes values = in_file_order(propagator);
  EXPECT_EQ(read_set(folder / "a", "/propagator", type, values.size()), values);
  EXPECT_EQ(read_propagator(folder / "a").propagator.values, propagator.values);
}

TEST_F(Hdf5Propagator, OfStaggeredQuarksGivesTheSameNumbers) {
  const HostPropagator propagator = random_propagator(1);
  for (const PropagatorFormat format : {PropagatorFormat::pyquda, PropagatorFormat::qdpxx}) {
    for (const int bits : {64, 32}) {
      write_propagator(folder / "a", propagator, {.bits = bits, .format = format});
      const HostPropagator read = read_propagator(folder / "a").propagator;
      EXPECT_EQ(read.spins, 1);
      EXPECT_EQ(read.values, bits == 32 ? rounded_to_float(propagator.values) : propagator.values);
    }
  }
}

// Names of the parts of complex numbers differ between codes, and so does the order of bytes.
TEST_F(Hdf5Propagator, IsReadForAllNamesAndOrders) {
  const HostPropagator propagator = random_propagator();
  const Complexes values = in_file_order(propagator);
  for (const auto& [real, imaginary] : {std::pair("r", "i"), std::pair("re", "im"), std::pair("real", "imag")}) {
    for (const hid_t number : {H5T_IEEE_F64BE, H5T_IEEE_F64LE}) {
      const hid_t stored = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(stored, real, 0, number);
      H5Tinsert(stored, imaginary, 8, number);
      Hdf5File(folder / "a").add("/p", stored, complex_type(real, imaginary), with(sites, {4, 4, 3, 3}), values);
      EXPECT_EQ(read_propagator(folder / "a").propagator.values, propagator.values) << real;
    }
  }
}

TEST_F(Hdf5Propagator, OfLalibeInChunksIsRead) {
  const HostPropagator propagator = random_propagator();
  const hid_t type = array_of(array_of(complex_type("r", "i"), {3, 3}), {4, 4});
  Hdf5File(folder / "a").add("/props/ud", type, type, sites, in_file_order(propagator), {4, 1, 6, 4});
  EXPECT_EQ(read_propagator(folder / "a").propagator.values, propagator.values);
}

TEST_F(Hdf5Input, WithOtherContentsIsRefusedWithItsDataSets) {
  const HostPropagator propagator = random_propagator();
  const Complexes values = in_file_order(propagator);
  const hid_t type = complex_type("r", "i");
  {
    const Hdf5File file(folder / "a");
    file.add("/first", type, type, with(sites, {4, 4, 3, 3}), values);
    file.add("/second", type, type, with(sites, {4, 4, 3, 3}), values);
  }
  const std::string text = error_text([&] { read_propagator(folder / "a"); });
  expect_text(text, "holds 2 propagators, not one");
  expect_text(text, "/first [8][2][6][4][4][4][3][3], /second [8][2][6][4][4][4][3][3]");
  expect_text(error_text([&] { read_links(folder / "a"); }), "holds 0 gauge fields, not one");
  expect_text(error_text([&] { read_links(folder / "a", {.format = GaugeFormat::ildg}); }), "holds 0 gauge fields");
  // Members of other names may be anything, and HDF5 would read nothing without an error.
  Hdf5File(folder / "b")
      .add("/p", complex_type("phase", "modulus"), complex_type("phase", "modulus"), with(sites, {4, 4, 3, 3}), values);
  expect_text(error_text([&] { read_propagator(folder / "b"); }), "Its data sets of complex numbers are: none");
}

TEST_F(Hdf5Input, WithAWrongChecksumIsRefused) {
  write_links(folder / "a", random_links(extents), {.format = GaugeFormat::pyquda});
  std::string bytes = test::read_text(folder / "a");
  bytes[8192] = static_cast<char>(bytes[8192] ^ 1);
  test::write_bytes(folder / "a", bytes);
  expect_text(error_text([&] { read_links(folder / "a"); }), "wrong checksum");
}

TEST_F(Hdf5Input, HasTheSameBytesEachTime) {
  const HostLinks field = random_links(extents);
  for (const GaugeFormat format : {GaugeFormat::pyquda, GaugeFormat::qdpxx}) {
    write_links(folder / "a", field, {.format = format});
    write_links(folder / "b", field, {.format = format});
    EXPECT_EQ(test::read_text(folder / "a"), test::read_text(folder / "b"));
  }
}

/// The places of the library's own data: object headers, trees, heaps and the start of the file.
std::vector<std::size_t> places_of_metadata(const std::string& bytes) {
  std::vector<std::size_t> places{0};
  for (const char* signature : {"TREE", "SNOD", "HEAP", "GCOL", "OHDR"}) {
    for (std::size_t at = bytes.find(signature); at != bytes.npos; at = bytes.find(signature, at + 1)) {
      places.push_back(at);
    }
  }
  return places;
}

/// Changes a few bytes of the metadata or of any part of the file, or cuts off its end.
std::string mutated(std::string bytes, const std::vector<std::size_t>& places, int round, std::mt19937& generator) {
  if (round % 8 == 0) {
    bytes.resize(1 + generator() % (bytes.size() - 1));
    return bytes;
  }
  constexpr std::size_t near = 1500;
  for (int k = 0; k < 1 + round % 8; ++k) {
    const std::size_t start = places[generator() % places.size()];
    const std::size_t at = round % 8 == 1 ? generator() % bytes.size() : start + generator() % near;
    if (at < bytes.size()) bytes[at] = static_cast<char>(round % 2 ? generator() : 1u << generator() % 8);
  }
  return bytes;
}

/// Reads 200 mutated files: each is read or refused by an `Error`.
void expect_no_crash(const std::filesystem::path& file, const std::function<void(const std::filesystem::path&)>& read) {
  const std::string bytes = test::read_text(file);
  const std::vector<std::size_t> places = places_of_metadata(bytes);
  const std::filesystem::path changed = file.string() + ".changed";
  std::mt19937 generator(1);
  int refused = 0;
  for (int round = 0; round < 200; ++round) {
    test::write_bytes(changed, mutated(bytes, places, round, generator));
    try {
      read(changed);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST_F(Hdf5Input, OfLinksMutatedIsReadOrRefused) {
  const HostLinks field = random_links(extents);
  const auto read = [](const std::filesystem::path& path) { read_links(path); };
  for (const GaugeFormat format : {GaugeFormat::pyquda, GaugeFormat::qdpxx}) {
    write_links(folder / "a", field, {.format = format});
    expect_no_crash(folder / "a", read);
  }
  const hid_t matrix = array_of(complex_type("r", "i"), {3, 3});
  for (const bool compressed : {false, true}) {
    Hdf5File(folder / "a").add("/u", matrix, matrix, with(sites, {4}), field.links, {4, 2, 3, 2, 4}, compressed);
    expect_no_crash(folder / "a", read);
  }
}

TEST_F(Hdf5Input, OfAPropagatorMutatedIsReadOrRefused) {
  const HostPropagator propagator = random_propagator();
  const auto read = [](const std::filesystem::path& path) { read_propagator(path); };
  for (const PropagatorFormat format : {PropagatorFormat::pyquda, PropagatorFormat::qdpxx}) {
    write_propagator(folder / "a", propagator, {.format = format});
    expect_no_crash(folder / "a", read);
  }
  const hid_t type = array_of(array_of(complex_type("r", "i"), {3, 3}), {4, 4});
  for (const bool compressed : {false, true}) {
    Hdf5File(folder / "a").add("/p", type, type, sites, in_file_order(propagator), {4, 1, 6, 4}, compressed);
    expect_no_crash(folder / "a", read);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
