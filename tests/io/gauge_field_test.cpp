// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/gauge.hpp>

#include <utility>

namespace kaon::io {
namespace KAON_TEST_FILE {

const Coordinates extents{4, 2, 6, 8};

template <class T>
class GaugeFieldFile : public ::testing::Test {};
using Precisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(GaugeFieldFile, Precisions);

TYPED_TEST(GaugeFieldFile, GivesTheSameField) {
  using T = TypeParam;
  const test::TemporaryFolder folder;
  const HostLinks host = test::random_links(extents);
  write_links(folder / "a", host);
  const Lattice lattice({.extents = inspect_gauge(folder / "a").extents});
  const GaugeField<T> field = read_gauge<T>(lattice, folder / "a");
  const auto expected = sizeof(T) == 4 ? test::rounded_to_float(host.links) : host.links;
  EXPECT_EQ(to_host_links(field).links, expected);
  for (const GaugeFormat format : {GaugeFormat::nersc, GaugeFormat::ildg}) {
    write_gauge(folder / "b", field, {.format = format});
    EXPECT_EQ(to_host_links(read_gauge<T>(lattice, folder / "b")).links, expected);
  }
}

TYPED_TEST(GaugeFieldFile, MustHaveTheExtentsOfTheLattice) {
  const test::TemporaryFolder folder;
  write_links(folder / "a", test::random_links(extents));
  const Lattice lattice({.extents = {4, 2, 6, 4}});
  test::expect_text(test::error_text([&] { read_gauge<TypeParam>(lattice, folder / "a"); }),
                    "has extents 4x2x6x8 (x, y, z, t), but the lattice has 4x2x6x4");
}

TEST(PreparedGauge, HasNoNameBeforeItIsCommitted) {
  const test::TemporaryFolder folder;
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 4}}));
  set_weak(links, 0.3, {.seed = 5});
  const Checksum expected = write_gauge(folder / "expected", links);
  {
    const PreparedGauge never(folder / "a", links);
    EXPECT_EQ(to_string(never.checksum()), to_string(expected));
    EXPECT_EQ(folder.count(), 2);
  }
  EXPECT_EQ(folder.count(), 1);
  PreparedGauge prepared(folder / "a", links);
  PreparedGauge file = std::move(prepared);
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  EXPECT_EQ(folder.count(), 2);
  EXPECT_EQ(read_gauge<double>(links.lattice(), folder / "a").to_host(), links.to_host());
  test::expect_text(test::error_text([&] { file.commit(); }), "has its name already");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
