// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/parts.hpp"

#include <string>

// A client that declares its grid of processes to QMP alone, as Chroma does. This program has QMP's functions itself: a
// grid with the ranks of a communicator of its own, x fastest.

namespace kaon::test {
namespace KAON_TEST_FILE {

struct Qmp {
  std::array<int, 4> grid{1, 1, 1, 1};
  bool declared = true;
  MPI_Comm processes = MPI_COMM_NULL;
} qmp;

int node_from(const int* place) {
  const auto& grid = qmp.grid;
  return place[0] + grid[0] * (place[1] + grid[1] * (place[2] + grid[2] * place[3]));
}

/// Grids of 1, 2 and 4 processes that are not the same with t fastest.
std::array<int, 4> grid_of(int processes) {
  if (processes == 4) return {2, 1, 1, 2};
  return {1, processes, 1, 1};
}

TEST(QudaWithQmp, TakesTheGridThatQmpKnows) {
  initQuda(-1);
  const reference::Links links = random_links(1);
  const LoadedPart loaded(Part(qmp.grid, rank_in(qmp.processes), false), links);
  double plaquette[3];
  plaqQuda(plaquette);
  EXPECT_NEAR(plaquette[0], reference::plaquette(links, extents), 1e-14);
  freeGaugeQuda();
  endQuda();
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test

using kaon::test::qmp;

extern "C" {
int QMP_logical_topology_is_declared() { return qmp.declared ? 1 : 0; }
int QMP_get_logical_number_of_dimensions() { return 4; }
const int* QMP_get_logical_dimensions() { return qmp.grid.data(); }
int QMP_get_node_number_from(const int* place) { return kaon::test::node_from(place); }
void* QMP_comm_get_default() { return &qmp; }
int QMP_get_mpi_comm(void*, void** communicator) {
  *communicator = &qmp.processes;
  return 0;
}
}

/// `undeclared`: no call sets a grid.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  setVerbosityQuda(QUDA_SILENT, "", stderr);
  const int rank = kaon::test::rank_in(MPI_COMM_WORLD);
  qmp.grid = kaon::test::grid_of(kaon::test::number_of_processes());
  const bool swaps = rank < 2;  // of four processes: no translation of the lattice makes good for a wrong order
  MPI_Comm_split(MPI_COMM_WORLD, 0, swaps ? 1 - rank : rank, &qmp.processes);
  if (argc > 1 && std::string(argv[1]) == "undeclared") {
    qmp.declared = false;
    initQuda(-1);
    return 0;
  }
  const int failed = RUN_ALL_TESTS();
  MPI_Comm_free(&qmp.processes);
  MPI_Finalize();
  return failed;
}
