// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/array_sites.hpp"

#include <cstddef>
#include <span>

namespace kaon::detail {

/// An array in pageable memory of the host, which kernels do not reach.
struct HostArray {
  std::span<char* const> parts;  ///< one array, or one for each direction
  std::ptrdiff_t site_size;      ///< bytes of a site in a part
  std::ptrdiff_t site_bytes;     ///< from a site to the next
  int sites;
  bool wide;  ///< numbers are double, else float
};

/// Calls `work` for pieces of the array on the device. A piece goes through pinned memory, since copies from and to
/// pageable memory are several times slower, and pinning the array itself takes longer than copying it. There are two
/// buffers of 8 MiB: all threads of the host copy one piece while the device copies the other. They remain allocated.
/// Waits for `work`.
void for_staged_pieces(const Lattice& lattice, const HostArray& array, CopyWay way, const PieceWork& work);

}  // namespace kaon::detail
