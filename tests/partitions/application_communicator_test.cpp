// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/support/error_text.hpp"
#include "tests/support/processes.hpp"

#include <kaon/comm/energy.hpp>
#include <kaon/comm/mpi.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/execution.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/observables.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(ApplicationCommunicator, IsDuplicated) {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  const Communicator communicator = make_communicator(mine);
  MPI_Comm_free(&mine);
  EXPECT_EQ(communicator.size(), processes().size());
  EXPECT_EQ(communicator.rank(), processes().rank());
  EXPECT_EQ(communicator.sum(1.0), processes().size());
}

TEST(ApplicationCommunicator, SharesALatticeAmongSomeProcesses) {
  // Even ranks go one way and odd ranks another, each with half of the processes and links of its own.
  const int color = processes().rank() % 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, color, -processes().rank(), &half);
  const LatticeParameters parameters{.extents = {4, 4, 4, 8}};
  GaugeField<double> parts(Lattice(make_communicator(half), parameters)), whole{Lattice(parameters)};
  for (GaugeField<double>* links : {&parts, &whole}) {
    set_random(*links, {.seed = static_cast<std::uint64_t>(color)});
    if (color == 1) (void)plaquette(*links);  // one half does more than the other
  }
  EXPECT_NEAR(plaquette(parts).average, plaquette(whole).average, 1e-13);
  MPI_Comm_free(&half);
}

TEST(ApplicationCommunicator, TellsLatticesOfOtherProcessesApart) {
  // Neighbours in one, ranks of one parity in the other: of four processes each has another partner.
  const int rank = processes().rank(), size = processes().size();
  MPI_Comm lower = MPI_COMM_NULL, even = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 2 * rank / size, rank, &lower);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &even);
  const Communicator halves = make_communicator(lower), parities = make_communicator(even);
  const LatticeParameters parameters{.extents = {4, 4, 4, 16}};
  const Lattice lattice(halves, parameters), other(parities, parameters);
  EXPECT_TRUE(lattice == Lattice(halves, parameters));
  if (halves.size() > 1) {
    EXPECT_FALSE(lattice == other);
    SpinorField<double> x(lattice), y(other);
    KAON_EXPECT_ERROR(blas::copy(x, y), "lattice");
  } else {
    EXPECT_TRUE(lattice == other);
  }
  MPI_Comm_free(&lower);
  MPI_Comm_free(&even);
}

// The first process of a node reads its counters: there are no joules, not 0, of processes without it.
TEST(ApplicationCommunicator, CountsEnergyOfItsNodes) {
  if (on_device) GTEST_SKIP() << "packages are counted on hosts";
  const int rank = processes().rank();
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("kaon_powercap_of_" + std::to_string(rank));
  std::filesystem::create_directories(folder / "intel-rapl:0");
  for (const auto& [file, content] :
       {std::pair("name", "package-0"), std::pair("energy_uj", "7"), std::pair("max_energy_range_uj", "65000000000")}) {
    std::ofstream(folder / "intel-rapl:0" / file) << content << '\n';
  }
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  const Communicator mine = make_communicator(half);
  const std::optional<double> joules = EnergyMeter(mine, folder).joules();
  EXPECT_EQ(joules.has_value(), rank % 2 == 0 || mine.size() == 1);
  EXPECT_TRUE(EnergyMeter(processes(), folder).joules());
  MPI_Comm_free(&half);
  std::filesystem::remove_all(folder);
}

TEST(ApplicationCommunicator, IsNotMadeOfNone) {
  KAON_EXPECT_ERROR(make_communicator(MPI_COMM_NULL), "MPI_COMM_NULL makes no communicator");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
