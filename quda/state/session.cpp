// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/interface.hpp"
#include "quda/client/qmp.hpp"
#include "quda/state/state.hpp"

#include <Kokkos_Core.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>

using namespace kaon::quda;

namespace {

/// The ranks at all places of the grid, x fastest. `map` is QUDA's. If it is null, the ranks are QMP's if a
/// grid is declared there, and else have t fastest.
State::Grid grid_of(const int* dims, QudaCommsMap map, void* data) {
  State::Grid grid;
  std::copy_n(dims, 4, grid.extents.begin());
  int room = std::numeric_limits<int>::max();  // for ranks
  for (const int extent : grid.extents) {
    require(extent > 0, [&] { return fmt::format("a grid of processes with the extent {}", extent); });
    room /= extent;
  }
  require(room > 0,
          [&] { return fmt::format("a grid of {} processes: ranks are numbers of 32 bits", to_string(grid.extents)); });
  if (const auto declared = map == nullptr ? qmp::declared_grid() : std::nullopt) {
    require(std::equal(dims, dims + 4, declared->extents), [&] {
      return fmt::format("the grid of processes {} of initCommsGridQuda is not QMP's, {}",
                         fmt::join(dims, dims + 4, " "), fmt::join(declared->extents, declared->extents + 4, " "));
    });
    map = declared->rank_of;
  }
  const std::ptrdiff_t places = volume_of(grid.extents);
  for (std::ptrdiff_t i = 0; i < places; ++i) {
    const Coordinates place = lexicographic_site(i, grid.extents);
    int rank = 0;
    if (map != nullptr) {
      rank = map(place.data(), data);
    } else {
      for (std::size_t mu = 0; mu < 4; ++mu) rank = rank * grid.extents[mu] + place[mu];
    }
    grid.ranks.push_back(rank);
  }
  const std::set<int> different(grid.ranks.begin(), grid.ranks.end());
  require(static_cast<std::ptrdiff_t>(different.size()) == places && *different.begin() == 0 &&
              *different.rbegin() == places - 1,
          [&] { return fmt::format("the map of ranks does not give each of the {} places a rank", places); });
  return grid;
}

/// Starts the library; on QMP's grid where the client has given none.
void start(int device) {
  if (!state().has_grid()) {
    if (const auto declared = qmp::declared_grid()) {
      state().set_grid(grid_of(declared->extents, nullptr, nullptr));
    }
  }
  state().start(device);
}

}  // namespace

extern "C" {

void setVerbosityQuda(QudaVerbosity verbosity, const char prefix[], FILE* outfile) {
  Output& output = kaon::quda::output();
  output.silent = verbosity == QUDA_SILENT;
  output.prefix = prefix != nullptr ? prefix : "";
  output.file = outfile != nullptr ? outfile : stdout;
}

void qudaSetCommHandle(void* mycomm) { state().set_communicator(mycomm); }
void setMPICommHandleQuda(void* mycomm) { state().set_communicator(mycomm); }

void initCommsGridQuda(int nDim, const int* dims, QudaCommsMap func, void* fdata) {
  call(__func__, [&] {
    require(nDim == 4, [&] { return fmt::format("a grid of processes in {} dimensions: 4 are needed", nDim); });
    require(dims != nullptr, "the grid of processes is NULL");
    if (!state().has_grid()) state().set_grid(grid_of(dims, func, fdata));
  });
}

void initQudaDevice(int device) {
  call(__func__, [&] { start(device); });
}

void initQudaMemory() {}

void initQuda(int device) {
  call(__func__, [&] { start(device); });
}

void endQuda() {
  call(__func__, [&] { state().stop(); });
}

void updateR() {}
}

// QUDA's pools of device memory, which PyQUDA's allocators take from: names and types are theirs.

namespace quda::pool {

[[gnu::visibility("default")]] void* device_malloc_(const char*, const char*, int, std::size_t size) {
  return kaon::quda::call("device_malloc", [&] {
    kaon::quda::state().require_running();
    return Kokkos::kokkos_malloc<kaon::Memory>("kaon::quda_client", size);
  });
}

[[gnu::visibility("default")]] void device_free_(const char*, const char*, int, void* pointer) {
  kaon::quda::call("device_free", [&] { Kokkos::kokkos_free<kaon::Memory>(pointer); });
}

}  // namespace quda::pool
