// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning_results.hpp"

namespace kaon::detail {

// Means of tests alone, each in force while it lives. One at a time, and alike on all processes.

/// Hops on coarse lattices run `CoarsePartKernel` in this shape, on hosts too.
class ForcedCoarseShape {
 public:
  explicit ForcedCoarseShape(const LaunchShape& shape);
  ~ForcedCoarseShape();
  ForcedCoarseShape(const ForcedCoarseShape&) = delete;
  ForcedCoarseShape& operator=(const ForcedCoarseShape&) = delete;
};

/// `free_memory` returns this number of bytes.
class PretendedMemory {
 public:
  explicit PretendedMemory(double bytes);
  ~PretendedMemory();
  PretendedMemory(const PretendedMemory&) = delete;
  PretendedMemory& operator=(const PretendedMemory&) = delete;
};

}  // namespace kaon::detail
