// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

#include <mpi.h>

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
  const Coordinates local{extents[0] / qmp.grid[0], extents[1] / qmp.grid[1], extents[2] / qmp.grid[2],
                          extents[3] / qmp.grid[3]};
  int rank = 0;
  MPI_Comm_rank(qmp.processes, &rank);
  Coordinates place{};
  for (std::size_t mu = 0; mu < 4; rank /= qmp.grid[mu], ++mu) place[mu] = rank % qmp.grid[mu];
  initQuda(-1);
  const reference::Links links = random_links(1);
  std::array<std::vector<Complex>, 4> directions;
  std::array<void*, 4> pointers{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    directions[mu].resize(static_cast<std::size_t>(9 * volume_of(local)));
    pointers[mu] = directions[mu].data();
    reference::for_each_site(local, [&](const Coordinates& x) {
      Coordinates global = x;
      for (std::size_t nu = 0; nu < 4; ++nu) global[nu] += place[nu] * local[nu];
      const std::ptrdiff_t odd = reference::parity_of(x) == 1 ? volume_of(local) / 2 : 0;
      const auto to = static_cast<std::size_t>(9 * (lexicographic_index(x, local) / 2 + odd));
      const auto from = 9 * (4 * static_cast<std::size_t>(lexicographic_index(global, extents)) + mu);
      std::copy_n(links.begin() + static_cast<std::ptrdiff_t>(from), 9,
                  directions[mu].begin() + static_cast<std::ptrdiff_t>(to));
    });
  }
  QudaGaugeParam gauge = gauge_param();
  gauge.t_boundary = QUDA_PERIODIC_T;
  std::copy(local.begin(), local.end(), gauge.X);
  loadGaugeQuda(pointers.data(), &gauge);
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
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  qmp.grid = kaon::test::grid_of(size);
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
