// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_write.hpp"
#include "tests/io/parallel.hpp"
#include "tests/support/file_times.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/propagator.hpp>

#include <memory>
#include <utility>

// Gauge files that a thread completes, and HDF5 files of several processes.

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::parallel_extents;

GaugeField<double> links_on(const Lattice& lattice) {
  return to_gauge_field<double>(lattice, test::random_links(parallel_extents));
}

std::unique_ptr<GaugeWrite> start_write(const std::filesystem::path& path, const GaugeField<double>& links,
                                        const WriteOptions& options) {
  return std::make_unique<GaugeWrite>(path, part_of(links.lattice()),
                                      std::make_shared<const HostLinks>(to_host_links(links)), options);
}

TEST(GaugeWrite, GivesTheFileOfWriteGauge) {
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    const test::SharedFolder folder;
    GaugeField<double> links = links_on(lattice);
    for (const WriteOptions& options :
         {WriteOptions{}, WriteOptions{.format = GaugeFormat::nersc, .bits = 32, .rows = 2}}) {
      const Checksum expected = write_gauge(folder / "expected", links, options);
      const auto file = start_write(folder / "a", links, options);
      set_unit(links);  // the file has the links of its start
      EXPECT_EQ(file->commit(), expected);
      folder.look([&](const test::TemporaryFolder& written) {
        EXPECT_EQ(written.entries(), 2);
        EXPECT_TRUE(test::without_times(test::read_text(written / "a")) ==
                    test::without_times(test::read_text(written / "expected")));
      });
      links = links_on(lattice);
    }
  }
}

TEST(GaugeWrite, LeavesNothingWithoutCommit) {
  for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
    const test::SharedFolder folder;
    { const auto file = start_write(folder / "a", links_on(lattice), {}); }
    folder.look([](const test::TemporaryFolder& written) { EXPECT_EQ(written.entries(), 0); });
  }
}

#ifdef KAON_HAS_HDF5
TEST(ParallelFiles, OfHdf5HaveTheBytesOfOneProcess) {
  const HostLinks links = test::random_links(parallel_extents);
  const HostPropagator propagator = test::random_propagator(parallel_extents);
  for (const auto& [gauge, quark] : {std::pair(GaugeFormat::pyquda, PropagatorFormat::pyquda),
                                     std::pair(GaugeFormat::qdpxx, PropagatorFormat::qdpxx)}) {
    const test::SharedFolder one([&, format = gauge, of_quark = quark](const test::TemporaryFolder& folder) {
      write_links(folder / "links", links, {.format = format});
      write_propagator(folder / "propagator", propagator, {.format = of_quark});
    });
    for (const Lattice& lattice : test::parallel_lattices(parallel_extents)) {
      const test::SharedFolder folder;
      write_gauge(folder / "links", to_gauge_field<double>(lattice, links), {.format = gauge});
      write_propagator(folder / "propagator", to_spinor_field<double>(lattice, propagator), {.format = quark});
      folder.look([&](const test::TemporaryFolder& written) {
        for (const char* name : {"links", "propagator"}) {
          EXPECT_TRUE(test::read_text(written / name) == test::read_text(one / name)) << name;
        }
      });
      EXPECT_EQ(read_gauge<double>(lattice, folder / "links").to_host(),
                own_values(lattice, links.extents, links.links));
      EXPECT_EQ(to_host_propagator(read_propagator<double>(lattice, folder / "propagator")).values,
                own_values(lattice, propagator.extents, propagator.values));
    }
  }
}
#endif

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
