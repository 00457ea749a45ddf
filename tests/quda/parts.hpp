// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/client.hpp"

#include <mpi.h>

// A client of several processes: its grids, and its parts of fields of the reference.

namespace kaon::test {

inline int number_of_processes() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline int rank_in(MPI_Comm processes) {
  int rank = 0;
  MPI_Comm_rank(processes, &rank);
  return rank;
}

/// Two grids of the processes, one of them split in t alone.
inline std::vector<std::array<int, 4>> grids() {
  std::vector<std::array<int, 4>> found;
  const int size = number_of_processes();
  for (int x = 1; x <= 2; ++x)
    for (int y = 1; y <= 2; ++y)
      for (int z = 1; z <= 2; ++z)
        for (int t = 1; t <= 4; ++t)
          if (x * y * z * t == size) found.push_back({x, y, z, t});
  return found.size() < 2 ? found : std::vector{found.front(), found.back()};
}

/// The part of a field of the whole lattice that belongs to a process, in its even-odd order.
class Part {
 public:
  /// `t_fastest`: QUDA's default order of ranks; QMP's is x fastest.
  explicit Part(const std::array<int, 4>& grid, int rank = rank_in(MPI_COMM_WORLD), bool t_fastest = true) {
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t mu = t_fastest ? 3 - k : k;
      local[mu] = extents[mu] / grid[mu];
      origin[mu] = rank % grid[mu] * local[mu];
      rank /= grid[mu];
    }
  }

  std::vector<Complex> of(const std::vector<Complex>& field) const {
    std::vector<Complex> part(field.size() / static_cast<std::size_t>(volume_of(extents) / volume_of(local)));
    for_each_number(field.size(), [&](std::size_t global, std::size_t here) { part[here] = field[global]; });
    return part;
  }
  /// The whole field, put together from all processes.
  std::vector<Complex> whole(const std::vector<Complex>& part) const {
    std::vector<Complex> field(part.size() * static_cast<std::size_t>(volume_of(extents) / volume_of(local)));
    for_each_number(field.size(), [&](std::size_t global, std::size_t here) { field[global] = part[here]; });
    MPI_Allreduce(MPI_IN_PLACE, field.data(), static_cast<int>(2 * field.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return field;
  }

  Coordinates local{};

 private:
  template <class Body>
  void for_each_number(std::size_t size, const Body& body) const {
    const std::size_t components = size / static_cast<std::size_t>(volume_of(extents));
    reference::for_each_site(local, [&](const Coordinates& x) {
      Coordinates global = x;
      for (std::size_t mu = 0; mu < 4; ++mu) global[mu] += origin[mu];
      const auto half = static_cast<std::size_t>(lexicographic_index(x, local)) / 2;
      const auto odd = static_cast<std::size_t>(reference::parity_of(x) == 1 ? volume_of(local) / 2 : 0);
      const auto from = static_cast<std::size_t>(lexicographic_index(global, extents));
      for (std::size_t c = 0; c < components; ++c) body(from * components + c, (half + odd) * components + c);
    });
  }

  Coordinates origin{};
};

/// Calls body(part) with libquda on each grid.
template <class Body>
void on_every_grid(const Body& body) {
  for (const std::array<int, 4>& grid : grids()) {
    SCOPED_TRACE(testing::Message() << grid[0] << 'x' << grid[1] << 'x' << grid[2] << 'x' << grid[3]);
    initCommsGridQuda(4, grid.data(), nullptr, nullptr);
    initQuda(-1);
    body(Part(grid));
    freeCloverQuda();
    freeGaugeQuda();
    endQuda();
  }
}

/// Links of this process, antiperiodic, in QDP's order, and what loads them.
struct LoadedPart {
  LoadedPart(const Part& part, const reference::Links& links) : gauge(gauge_param()) {
    const QdpLinks whole(multiplied(links, true, 1.0));
    for (std::size_t mu = 0; mu < 4; ++mu) {
      directions[mu] = part.of(lexicographic(whole.parts[mu]));
      pointers[mu] = directions[mu].data();
      gauge.X[mu] = part.local[mu];
    }
    loadGaugeQuda(pointers.data(), &gauge);
  }
  QudaGaugeParam gauge;
  std::array<std::vector<Complex>, 4> directions;
  std::array<void*, 4> pointers{};
};

}  // namespace kaon::test
