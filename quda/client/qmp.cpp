// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/qmp.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

// Declarations like those of qmp.h, whose types are integers and pointers.
extern "C" {
[[gnu::weak]] int QMP_logical_topology_is_declared();
[[gnu::weak]] int QMP_get_logical_number_of_dimensions();
[[gnu::weak]] const int* QMP_get_logical_dimensions();
[[gnu::weak]] int QMP_get_node_number_from(const int* coordinates);
[[gnu::weak]] void* QMP_comm_get_default();
[[gnu::weak]] int QMP_get_mpi_comm(void* communicator, void** mpi_communicator);
}

namespace kaon::quda::qmp {

std::optional<Grid> declared_grid() {
  if (QMP_logical_topology_is_declared == nullptr || QMP_get_logical_number_of_dimensions == nullptr ||
      QMP_get_logical_dimensions == nullptr || QMP_get_node_number_from == nullptr) {
    return {};
  }
  if (QMP_logical_topology_is_declared() == 0) return {};
  const int dimensions = QMP_get_logical_number_of_dimensions();
  require(dimensions == 4,
          [&] { return fmt::format("QMP's grid of processes has {} dimensions: 4 are needed", dimensions); });
  return Grid{QMP_get_logical_dimensions(), [](const int* place, void*) { return QMP_get_node_number_from(place); }};
}

const void* mpi_communicator() {
  if (QMP_comm_get_default == nullptr || QMP_get_mpi_comm == nullptr) return nullptr;
  void* communicator = nullptr;
  const int status = QMP_get_mpi_comm(QMP_comm_get_default(), &communicator);
  return status == 0 ? communicator : nullptr;
}

}  // namespace kaon::quda::qmp
