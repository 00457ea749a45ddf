// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <string>
#include <vector>

namespace kaon {

/// How halos travel between processes.
enum class Transport {
  host,    ///< fields on the host: messages of the message-passing library
  staged,  ///< fields on a GPU: through pinned host memory and messages
  device,  ///< fields on a GPU: messages that lie in its memory, where the library can send these
  peer,    ///< fields on a GPU: kernels write into the neighbour's memory (CUDA IPC, processes of one node)
  nccl     ///< fields on a GPU: messages of NCCL, which wait on the GPU (each process has a GPU of its own)
};

std::string to_string(Transport transport);

/// Transports that work between the processes of `lattice`, the fastest first, found once for each lattice. Collective.
std::vector<Transport> usable_transports(const Lattice& lattice);

/// Transport of halo exchanges on `lattice`: the fastest, or the one that the environment variable KAON_TRANSPORT names
/// ("host", "staged", "device", "peer", "nccl"). Collective. Throws `Error` for one that is unknown or does not work
/// here.
Transport choose_transport(const Lattice& lattice);

}  // namespace kaon
